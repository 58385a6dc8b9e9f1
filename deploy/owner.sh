#!/bin/sh
# `holdfast` as the owner of the database: team add, team remove and team list read $HOLDFAST_TEAM_OWNER themselves.
set -eu
if [ "$1" = serve ]; then
  set -- "$@" --store "$HOLDFAST_TEAM_OWNER"
fi
exec holdfast "$@"
