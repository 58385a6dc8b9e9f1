#!/bin/sh
# Prepares the database of $HOLDFAST_TEAM_OWNER, and keeps the servers' address in $HOLDFAST_ADDRESS, made once: a new one would
# lock out the servers that run.
set -eu
umask 077
printf '%s\n' "$HOLDFAST_TEAM_OWNER" | holdfast team prepare -
if [ ! -s "$HOLDFAST_ADDRESS" ]; then
  holdfast serve address --store "$HOLDFAST_TEAM_OWNER" > "$HOLDFAST_ADDRESS.new"
  mv "$HOLDFAST_ADDRESS.new" "$HOLDFAST_ADDRESS"
fi
