"""The hook's one way in and out: the host's JSON on stdin, its reply on stdout, exit status 0 whatever happens.

Exit status 2 would erase the user's prompt in Claude Code and block its compactions, so nothing here may end in one.
What fails goes to the ledger, or to stderr where the ledger itself cannot be written. A process that we started
ourselves carries HOLDFAST_CHILD, and its hooks return at once: no recursion, ever. A hook that hangs (a host that never
closes stdin, a wait that can be interrupted) is ended by an alarm, with status 0.
"""

from __future__ import annotations

import posix
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.model import Reply

LARGEST = 128 << 20
PATIENCE = 5  # seconds


class Hung(Exception):
    """The hook took too long and gave up."""


def main(
    host: str, env: Mapping[str, str], began: int, now: Callable[[], float] = time.time, *, patient: bool = False
) -> int:
    """Answer one moment. Always 0. `patient`: a person may be typing the payload."""
    from holdfast.capture.home import CHILD

    if env.get(CHILD):
        return 0
    if not (patient and posix.isatty(0)):
        _set_alarm()
    try:
        _emit(answer(host, _read(0), env, now(), began))
    except Exception as error:  # the session goes on, whatever it was
        _report(env, host, "", error, now())
    return 0


def answer(host: str, raw: bytes, env: Mapping[str, str], now: float, began: int) -> str:
    """The host's reply to one raw payload; what fails on the way is reported, not raised."""
    from holdfast.capture import codec, home, platform
    from holdfast.capture.episodes import session_name
    from holdfast.hook import handle
    from holdfast.hosts import HOSTS, adapter
    from holdfast.model import replace

    speak = adapter(host)
    if host not in HOSTS and not env.get("HOLDFAST_HOST"):
        env = {**env, "HOLDFAST_HOST": host}  # an agent that speaks the generic shape under its own name
    event = ""
    try:
        payload = codec.decode(raw) if raw.strip() else {}
        if not isinstance(payload, dict):
            raise ValueError(f"a JSON object was expected, not {type(payload).__name__}")
        moment = speak.moment(payload, env)
        del payload
        event = moment.event
        cwd = moment.cwd if moment.cwd.startswith("/") else platform.working_folder(env)
        moment = replace(moment, cwd=cwd, session=session_name(moment.session))
        reply: Reply = handle.handle(moment, home.vault(env, cwd), env, now, began)
    except handle.Partial as partial:
        _report(env, host, event, partial.cause, now)
        reply = partial.reply
    except Exception as error:
        _report(env, host, event, error, now)
        return ""
    return speak.reply(moment, reply)


def _read(fd: int) -> bytes:
    """Everything the host sends, so that it never writes into a closed pipe; past LARGEST only the count matters."""
    parts = []
    size = 0
    while part := posix.read(fd, 1 << 20):
        size += len(part)
        if size <= LARGEST:
            parts.append(part)
        else:
            parts.clear()
    if size > LARGEST:
        raise ValueError(f"a payload of {size:,} bytes is too large")
    return b"".join(parts)


def _emit(text: str) -> None:
    data = text.encode("utf-8", "replace")
    while data:
        data = data[posix.write(1, data) :]


def _report(env: Mapping[str, str], host: str, event: str, error: Exception, now: float) -> None:
    """A failure is written where `holdfast log` shows it."""
    from holdfast.capture import home, ledger

    what = ledger.short(f"{type(error).__name__}: {error}", 500)
    try:
        ledger.append(home.state(home.capture_vault(env)), "error", now, host=host, event=event, error=what)
    except Exception as second:
        try:
            line = f"holdfast: {what}; the ledger cannot be written either ({second}). The session goes on.\n"
            posix.write(2, line.encode("utf-8", "replace"))
        except OSError:
            return


def _set_alarm() -> None:
    import _signal  # type: ignore[import-not-found,unused-ignore]

    def hung(*_: object) -> None:
        # Once to unwind and report; should even that hang, the next one just ends it.
        _signal.signal(_signal.SIGALRM, lambda *_: posix._exit(0))
        _signal.alarm(1)
        raise Hung(f"no answer after {PATIENCE} s; the host did not close stdin, or a disk hangs")

    _signal.signal(_signal.SIGALRM, hung)
    _signal.alarm(PATIENCE)


def start(argv: list[str], began: int) -> None:
    """What the launcher runs: never returns, never fails."""
    from holdfast.capture.platform import environ

    try:
        main(argv[0] if argv else "generic", environ(), began)
    except BaseException as error:
        try:
            posix.write(2, f"holdfast: {error!r}\n".encode("utf-8", "replace"))
        finally:
            posix._exit(0)
    posix._exit(0)
