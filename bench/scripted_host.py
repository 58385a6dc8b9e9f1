"""A host that calls the registered hook as Claude Code does, for bench/endings.py: started, ended or killed in any way.

    python scripted_host.py HOST SESSION FLAGS STEPS

It prints a line at every step, so that whoever watches knows where it is. On SIGINT, SIGTERM and SIGHUP it tells the
hook of its end and exits, as the real ones do; SIGKILL leaves it no time to.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

from holdfast.hosts import registration


def main() -> None:
    host, session, flags, steps = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    for how in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(how, lambda *_: _end(host, session))
    _say("0 started")
    _hook(host, session, "SessionStart", source="startup")
    _hook(host, session, "UserPromptSubmit", prompt=f"Work on {session}")
    for nth in range(steps):
        _say(f"{nth + 1} step")
        command = f'holdfast flag "fact {nth} of {session}"' if nth < flags else "ls"
        call = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": f"call-{nth}"}
        _hook(host, session, "PreToolUse", **call)
        if nth < flags and _run(command) == 0:
            _say(f"{nth + 1} flagged fact {nth} of {session}")
        _hook(host, session, "PostToolUse", **call)
    _hook(host, session, "Stop", stop_hook_active=False)
    _say("done")
    _end(host, session)


def _end(host: str, session: str) -> None:
    for how in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(how, signal.SIG_IGN)
    _hook(host, session, "SessionEnd", reason="other")
    os._exit(0)


def _hook(host: str, session: str, event: str, **more: object) -> None:
    payload = {"hook_event_name": event, "session_id": session, "cwd": os.getcwd(), **more}
    line = registration.registered_line(host, os.environ)
    env = {**os.environ, "CLAUDE_PID": str(os.getpid())}
    subprocess.run(["/bin/sh", "-c", line], input=json.dumps(payload).encode(), env=env, check=False, stdout=-3)


def _run(command: str) -> int:
    """In a session of its own, as hosts run their tools: a closed terminal ends the host, not the tool."""
    return subprocess.run(["/bin/sh", "-c", command], check=False, stdout=-3, start_new_session=True).returncode


def _say(text: str) -> None:
    try:
        os.write(3, f"{text}\n".encode())
    except OSError:
        pass  # whoever watched has gone


if __name__ == "__main__":
    main()
