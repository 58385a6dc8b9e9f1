#!/bin/sh
# A server of the team whose address is in $HOLDFAST_ADDRESS, at a port of loopback; it becomes `holdfast`, which a signal ends.
set -eu
exec holdfast serve --store "$(cat "$HOLDFAST_ADDRESS")" --port "$1"
