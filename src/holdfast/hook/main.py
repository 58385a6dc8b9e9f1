"""The hook's one way in and out: the host's JSON on stdin, its reply on stdout, exit status 0 whatever happens.

Exit status 2 would erase the user's prompt in Claude Code and block its compactions, so nothing here may end in
one. What fails goes to the ledger, or to stderr where the ledger itself cannot be written. A process that we
started ourselves carries HOLDFAST_CHILD, and its hooks return at once: no recursion, ever. A hook that hangs (a
host that never closes stdin, a wait that can be interrupted) is ended by an alarm, with status 0.

For each moment its episode is found, its boundary is served, and the ledger says what was done.
"""

from __future__ import annotations

import posix
import time

from holdfast.capture import config, episodes, home, ledger, projects
from holdfast.capture.episodes import Scene
from holdfast.errors import TROUBLE
from holdfast.hook import lifecycle
from holdfast.model import Moment, Project, Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from holdfast.capture.episodes import Episode


class Partial(Exception):
    """The moment was answered, though something else failed."""

    def __init__(self, reply: Reply, cause: Exception) -> None:
        super().__init__(str(cause))
        self.reply, self.cause = reply, cause


def handle(moment: Moment, vault: str, env: Mapping[str, str], now: float, began: int) -> Reply:
    """Serve one moment. `began` is the perf_counter_ns at which the process took over."""
    state = home.state(vault)
    version = home.format_of(vault)
    off = home.why_off(env, vault)
    if not version and not off:
        from holdfast.hook import session

        kept = session.stand_in(moment, vault, env, now)
        if kept:
            return session.answer(moment, vault, kept, env, now, began)
    if off:
        _end_if_known(moment, vault, now)
        return _rules(moment, vault, env, now) or _unserved(moment, off)
    project = projects.find(moment.cwd, vault)
    if project.off:
        if version <= home.FORMAT:
            _end_if_known(moment, vault, now)
            _note_taint(moment, vault, project, now, env)
        return _rules(moment, vault, env, now) or _unserved(moment, home.PROJECT_OFF)
    if version > home.FORMAT:
        if moment.event == "flag":
            _take(Scene(moment, vault, state, project, now, {}, []), None)
        ledger.append(state, "error", now, event=moment.event, error="newer-format", format=version)
        return _unserved(moment, version=version)
    scene = Scene(moment, vault, state, project, now, {}, [])
    episode: Episode | None = None
    try:
        if not version:
            home.make_vault(vault, env)
        episode = lifecycle.episode_of(scene)
    except TROUBLE as error:
        scene.failures.append(error)
    reply = _serve(scene, episode, env)
    details = {"source": moment.source, "reason": moment.reason, "tool": moment.tool, "agent": moment.agent}
    told = {name: ledger.short(text, 200) for name, text in details.items() if text}
    whose = {"host": moment.host, "episode": episode.key if episode else "", "project": project.id}
    us = (time.perf_counter_ns() - began) // 1000
    scene.note("hook", event=ledger.short(moment.event, 200), **whose, **told, **scene.did, us=us)
    if scene.failures:
        raise Partial(reply, scene.failures[0])
    return reply


def _end_if_known(moment: Moment, vault: str, now: float) -> None:
    """Capture was switched off while a session ran: its end is still noted, or the next start would call it dead."""
    known = _known(moment, vault) if moment.event == "session-end" else None
    if known and known.state == episodes.OPEN:
        project = Project(known.project, "", "", known.cwd)
        lifecycle.end(Scene(moment, vault, home.state(vault), project, now, {}, []), known)


def _known(moment: Moment, vault: str) -> Episode | None:
    return episodes.latest(home.state(vault), moment.host, moment.session) if moment.session else None


def _rules(moment: Moment, vault: str, env: Mapping[str, str], now: float) -> Reply | None:
    """Switching capture off does not lift what the user forbade, nor make an agent's edits of the vault theirs: a
    repository could do the one, and must not the other."""
    from holdfast.hook import tool_call

    known = _known(moment, vault)
    project = Project(known.project if known else "", "", "", moment.cwd)
    scene = Scene(moment, vault, home.state(vault), project, now, {}, [], True)
    if moment.event != "before-tool":
        tool_call.passed(scene, "", env)
        return None
    from holdfast.hook import armed

    reply = armed.look(scene, None)
    if reply.decision != "deny":
        tool_call.begun(scene, "", env)
    return reply


def _note_taint(moment: Moment, vault: str, project: Project, now: float, env: Mapping[str, str]) -> None:
    """Text that enters a captured session taints it, also from a folder that is not captured."""
    known = _known(moment, vault)
    if moment.event != "after-tool" or not known or known.state != episodes.OPEN or known.project in project.ids:
        return
    from holdfast import taint

    state = home.state(vault)
    taint.look(Scene(moment, vault, state, project, now, {}, [], True), known, env, config.load(state))


def _unserved(moment: Moment, why: str = "", version: int = 0) -> Reply:
    """The reply where capture is off, or a newer holdfast has written the vault: only a start says why."""
    if moment.event != "session-start":
        return Reply()
    from holdfast.brief import brief_file

    return brief_file.said_off(why) if why else brief_file.said_newer(version, home.FORMAT)


def _serve(scene: Scene, episode: Episode | None, env: Mapping[str, str]) -> Reply:
    event = scene.moment.event
    try:
        if event == "flag":
            scene.did["flags"] = _take(scene, episode)
        elif event == "session-start":
            from holdfast.hook import session

            return session.start(scene, episode, env)
        elif episode:
            return _serve_episode(scene, episode, env)
        elif event == "after-tool":
            from holdfast.hook import tool_call

            tool_call.passed(scene, "", env)
        elif event == "before-tool":
            return _watched(scene, None, env, config.load(scene.state))
        elif event == "before-compaction":
            from holdfast.hook import session

            return session.before_compaction(scene, None)
        elif event == "prompt":
            from holdfast.hook import prompt, tool_call

            if not tool_call.is_scheduled(scene):
                prompt.requests(scene, None, env, config.load(scene.state))
    except TROUBLE as error:
        scene.failures.append(error)
    return Reply()


def _serve_episode(scene: Scene, episode: Episode, env: Mapping[str, str]) -> Reply:
    """Serve a moment of a known episode; one that asks for nothing costs a look at its name."""
    from holdfast.hook import tool_call

    event = scene.moment.event
    tool_call.passed(scene, episode.key, env)
    if event in ("session-end", "before-compaction") or (event == "after-compaction" and scene.moment.carries):
        from holdfast.hook import session

        if event == "before-compaction":
            return session.before_compaction(scene, episode)
        if event == "after-compaction":
            return session.after_compaction(scene, episode, env)
        session.end(scene, episode, env)
    if event not in ("before-tool", "after-tool", "prompt", "turn-stop", "subagent-stop", "task-completed"):
        return Reply()
    wishes = config.load(scene.state)
    if event == "turn-stop":
        from holdfast.hook import turn_end

        return turn_end.stop(scene, episode, env, wishes)
    if event == "before-tool":
        return _watched(scene, episode, env, wishes)
    if event == "prompt":
        from holdfast.hook import prompt

        return prompt.prompt(scene, episode, env, wishes)
    return tool_call.after(scene, episode, env, wishes)


def _watched(scene: Scene, episode: Episode | None, env: Mapping[str, str], wishes: Mapping[str, Any]) -> Reply:
    """Before a tool call: it counts as under way from now on, unless a rule denies it."""
    from holdfast.hook import tool_call

    tool_call.begun(scene, episode.key if episode else "", env)
    reply = tool_call.before(scene, episode, env, wishes)
    if reply.decision == "deny":
        tool_call.denied(scene, env)
    return reply


def _take(scene: Scene, episode: Episode | None) -> int:
    """Flags that a host hands over. Never refused: an odd kind becomes a fact, a long text several flags."""
    from holdfast.capture import flags
    from holdfast.hook.tool_call import speaker
    from holdfast.model import KINDS

    given = []
    for one in scene.moment.flags:
        text, kind, proofs = one.get("text"), one.get("kind"), one.get("evidence")
        evidence = tuple(proof for proof in proofs if isinstance(proof, str)) if isinstance(proofs, list) else ()
        pieces = flags.cut(text) if isinstance(text, str) else []
        given += [flags.Given(piece, str(kind) if kind in KINDS else "fact", evidence) for piece in pieces]
    who = speaker(scene, episode)
    return len(flags.take_all(scene.vault, given, who, scene.now, insist=True).flags) if given else 0


LARGEST = 128 << 20
PATIENCE = 5  # seconds


class Hung(Exception):
    """The hook took too long and gave up."""


def main(
    host: str, env: Mapping[str, str], began: int, now: Callable[[], float] = time.time, *, patient: bool = False
) -> int:
    """Answer one moment. Always 0. `patient`: a person may be typing the payload."""
    if env.get(home.CHILD):
        return 0
    if not (patient and posix.isatty(0)):
        _set_alarm()
    try:
        data = answer(host, _read(0), env, now(), began).encode("utf-8", "replace")
        while data:
            data = data[posix.write(1, data) :]
    except Exception as error:  # the session goes on, whatever it was
        _report(env, host, "", error, now())
    return 0


def answer(host: str, raw: bytes, env: Mapping[str, str], now: float, began: int) -> str:
    """The host's reply to one raw payload; what fails on the way is reported, not raised."""
    from holdfast.capture import codec, platform
    from holdfast.capture.episodes import session_name
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
        reply: Reply = handle(moment, home.vault(env, cwd), env, now, began)
    except Partial as partial:
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


def _report(env: Mapping[str, str], host: str, event: str, error: Exception, now: float) -> None:
    """A failure is written where `holdfast log` shows it."""
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
    """Run by the launcher: never returns, never fails."""
    from holdfast.capture.platform import environ

    try:
        main(argv[0] if argv else "generic", environ(), began)
    except BaseException as error:
        try:
            posix.write(2, f"holdfast: {error!r}\n".encode("utf-8", "replace"))
        finally:
            posix._exit(0)
    posix._exit(0)
