#!/bin/sh
# The `holdfast` command. A console script would cost about three interpreter starts before our first line, and agents
# type `flag` and `task checkpoint` often: the cheap commands go straight to `python -I -S`, the others through the whole command line.
self=$0
while [ -L "$self" ]; do # pipx and uv put a link on PATH
  link=$(readlink "$self")
  case $link in /*) self=$link ;; *) self=${self%/*}/$link ;; esac
done
bin=${self%/*}
python=$bin/python3
[ -x "$python" ] || python=$(command -v python3) || {
  echo "holdfast: there is no python3 beside $self or on PATH; nothing was done. Install holdfast again." >&2
  exit 127
}
case $1 in
task) fast="$1 ${2-}" ;;
*) fast=$1 ;;
esac
case $fast in
flag | snag | remember | hook | pause | resume | "task checkpoint" | "task next" | "task is-done")
  for script in "$bin"/../lib/python3*/site-packages/holdfast/hook/start.py; do
    [ -r "$script" ] && exec "$python" -I -S "$script" --command "$@"
  done
  ;;
esac
exec "$python" -P -m holdfast "$@"
