"""Before and after a tool call: our own commands are heard, armed notes answer, boundaries and taint are noticed.

The pressure is how much of its context a session has left before the host compacts, and which nudge that calls for.
Most calls are none of that, and every module costs a hook a fifth of a millisecond: each is imported where it is used.

Each tool call is noted as under way, so that what it changes in the vault by its own hand is known as an agent's
(capture/agent_files). Without an episode, where capture is off, too: a repository that switches capture off would
otherwise write rules.
"""

from __future__ import annotations

from holdfast.capture import calls, home, once, platform
from holdfast.capture.ids import digest
from holdfast.errors import TROUBLE
from holdfast.hosts import adapter, limits_of, longest_beginning
from holdfast.model import Reply, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from holdfast.capture import flags
    from holdfast.capture.episodes import Episode, Scene
    from holdfast.hook import nudge
    from holdfast.model import Moment

PLUGIN = "HOLDFAST_PLUGIN"  # set by the plugin's own hook: a plugin cannot bring permissions along
COMMAND = "HOLDFAST_COMMAND"  # set by the launcher: how an agent can run us
PRESSED_AT = ("after-tool", "prompt")
FALL = 0.6  # of the most that was used: less than this is another cycle
BANDS = (("handoff", 0.1), ("write", 0.2), ("consider", 0.5))  # the part that is left, below which each begins


def command_of(env: Mapping[str, str]) -> str:
    return env.get(COMMAND) or "holdfast"


def speaker(scene: Scene, episode: Episode | None, origin: str = "") -> flags.Speaker:
    """The speaker: the agent, with whatever text has entered its context."""
    key = episode.key if episode else ""
    if not origin:
        from holdfast.capture.gate import agents_origin

        origin = agents_origin(scene.state, key)
    from holdfast.capture import flags

    return flags.Speaker(scene.moment.host, key, scene.project, origin)


def before(scene: Scene, episode: Episode | None, env: Mapping[str, str], config: Mapping[str, Any]) -> Reply:
    """Text for the model, and whether the call may run. Without an episode a rule still says what it says."""
    moment = scene.moment
    decision = reason = ""
    is_ours = False
    if "holdfast" in moment.command:
        from holdfast.hook import intercept

        line = intercept.read(moment.command, command_of(env))
        is_ours = line.is_ours
        try:
            if episode:
                intercept.take(scene, episode, line, env)
        except TROUBLE as error:
            scene.failures.append(error)  # a disk that takes nothing does not switch off a rule that says never
        if line.is_all and env.get(PLUGIN):
            decision, reason = "allow", "holdfast's own command"
    if moment.prompt:  # that the model lets come later: a timer types it, and no host says so
        path = _scheduled_path(scene)
        platform.make_folders(path.rpartition("/")[0])
        platform.write_atomic(path, b"", durable=False)
    if is_ours:
        return Reply(_held(scene, episode, config), decision=decision, reason=reason)
    from holdfast.hook import armed

    found = armed.look(scene, episode)
    if found.decision:
        return found  # what is held waits for a call that runs
    text = "\n".join(part for part in (found.text, _held(scene, episode, config)) if part)
    return Reply(text, found.carried)


def _held(scene: Scene, episode: Episode | None, config: Mapping[str, Any]) -> str:
    if not episode or once.read(scene.state, episode.key, once.HELD) is None:
        return ""
    from holdfast.hook import nudge

    return nudge.decide(scene, episode, config, [])


def after(scene: Scene, episode: Episode, env: Mapping[str, str], config: Mapping[str, Any]) -> Reply:
    """A boundary that this call closed, the context's pressure, and whether outside text came in."""
    moment = scene.moment
    if moment.files:
        from holdfast.capture import story

        story.add(scene.state, episode.key, scene.now, "", moment.files)
    if moment.event == "after-tool" and (moment.tool or moment.command):
        from holdfast import taint

        taint.look(scene, episode, env, config)
    if moment.failed:
        from holdfast.hook import armed

        armed.failed(scene, episode)
    if "session_memory.md" in moment.command or any(path.endswith("/session_memory.md") for path in moment.files):
        from holdfast.hook import tasks

        tasks.note_hand(scene, episode)
    if scene.vault in moment.input and home.has_field(scene.state):
        from holdfast.hook import turn_end

        turn_end.opened(scene, episode, env)
    from holdfast.hook import boundary

    due_now = due(scene, episode, env, config)
    boundary.keep_if_due(scene, episode, env, is_boundary="boundary" in scene.did)
    if not due_now:
        return Reply(_held(scene, episode, config))
    from holdfast.hook import nudge

    return Reply(nudge.decide(scene, episode, config, due_now))


def due(scene: Scene, episode: Episode, env: Mapping[str, str], config: Mapping[str, Any]) -> list[nudge.Due]:
    """The nudges that this moment calls for."""
    from holdfast.hook import boundary

    moment = scene.moment
    found = []
    closed = boundary.of(moment, config, scene.state, episode.key, scene.project.chapter_tools)
    if closed:
        scene.did["boundary"] = closed.kind
        from holdfast.hook import nudge

        boundary.close_if_many(scene, episode, env, config)
        command = command_of(env)
        found.append(nudge.Due(closed.kind, nudge.text_for(closed.kind, command, closed.words), command=command))
    if moment.event in PRESSED_AT and moment.carries and not moment.agent and moment.transcript:
        found += _pressed(scene, episode, env, config)
    if moment.event in PRESSED_AT and home.has_tasks(scene.state, *scene.project.ids):
        from holdfast.hook import tasks

        found += tasks.due(scene, episode, command_of(env), config, env)
    return found


def _pressed(scene: Scene, episode: Episode, env: Mapping[str, str], config: Mapping[str, Any]) -> list[nudge.Due]:
    from holdfast.hook import nudge

    moment = scene.moment
    seen = pressure(moment.host, moment.transcript, moment.model or _asked_model(scene, env), config, env)
    if seen is None:
        return []
    scene.did["context"] = seen.used
    cycle = _cycle(scene, episode, seen.used, is_pressed=bool(seen.band))
    if not seen.band:
        return []
    scene.did["band"] = seen.band
    name = f"band-{cycle}-{seen.band}"
    bands = [band for band, _ in BANDS]  # the strongest first
    stronger = bands[: bands.index(seen.band) + 1]
    if any(once.is_noted(scene.state, episode.key, f"band-{cycle}-{band}") for band in stronger):
        return []
    text = nudge.text_for(seen.band, command_of(env), left=seen.left)
    if seen.band != "consider" and home.has_tasks(scene.state, *scene.project.ids):
        from holdfast.hook import tasks

        text = "\n".join(part for part in (text, tasks.reminder(scene, command_of(env))) if part)
    return [nudge.Due(seen.band, text, seen.band != "consider", name, command_of(env))]


@value
class Pressure:
    """Tokens in use, the tokens at which the host compacts, the part of those that is left, and the band it is in."""

    used: int
    limit: int
    left: float
    band: str
    model: str = ""


def pressure(
    host: str, path: str, model: str, config: Mapping[str, Any], env: Mapping[str, str] | None = None
) -> Pressure | None:
    """The pressure on a session now, or None where it cannot be told. `model` is what the host said, "" if nothing."""
    limits = limits_of(host)
    usage = limits.used(path, model) if limits and path else None
    if limits is None or usage is None:
        return None
    from holdfast.capture import config as machine

    env = platform.environ() if env is None else env
    wishes = machine.section(config, "pressure")
    models = machine.section(wishes, "models")
    own = machine.section(models, longest_beginning(usage.model, models))
    limit = limits.limit(usage, own, env)
    left = min(1.0, max(0.0, 1 - usage.used / limit)) if limit > 0 else 0.0
    return Pressure(usage.used, limit, left, band_of(left, wishes), usage.model)


def band_of(left: float, wishes: Mapping[str, Any]) -> str:
    """The band for what is left; the operator may move each bound."""
    for name, usual in BANDS:
        given = wishes.get(name)
        bound = float(given) if isinstance(given, int | float) and 0 <= given <= 1 else usual
        if left < bound:
            return name
    return ""


def _asked_model(scene: Scene, env: Mapping[str, str]) -> str:
    """The model that the host was started with: only that tells whether a long window was asked for."""
    words = platform.command_of(scene.moment.pid) if scene.moment.pid else []
    named = [words[at + 1] for at, word in enumerate(words[:-1]) if word == "--model"]
    named += [word.partition("=")[2] for word in words if word.startswith("--model=")]
    return (named or [env.get("ANTHROPIC_MODEL", "")])[-1]


def _cycle(scene: Scene, episode: Episode, used: int, *, is_pressed: bool) -> int:
    """The compaction cycle. A conversation that was rewound, or compacted behind our back, begins another:
    nothing else makes use fall so far. Read in this order, two hooks at once begin the same one."""
    cycle = once.count(scene.state, episode.key, once.CYCLE)
    most = once.count(scene.state, episode.key, once.MOST)
    if used < most * FALL:
        cycle += 1
        once.next_cycle(scene.state, episode.key, cycle)
    elif is_pressed and used > most:
        once.put(scene.state, episode.key, once.MOST, str(used))
    return cycle


def begun(scene: Scene, episode: str, env: Mapping[str, str]) -> None:
    """A call is about to run."""
    if _writes_nothing(scene.moment):
        return
    try:
        for vault, whose in _vaults(scene, episode, env):
            calls.begin(home.state(vault), _name(scene.moment), whose, scene.moment.agent)
    except TROUBLE as error:
        scene.failures.append(error)


def denied(scene: Scene, env: Mapping[str, str]) -> None:
    """It will not run after all."""
    for vault, _ in _vaults(scene, "", env):
        calls.cancel(home.state(vault), _name(scene.moment))


def passed(scene: Scene, episode: str, env: Mapping[str, str]) -> None:
    """Any other moment: a call is over, or a turn, and with it whatever was refused or interrupted. Notes that are
    missing since are written down at once; the others tell by their time."""
    moment = scene.moment
    is_call = moment.event == "after-tool" and not _writes_nothing(moment)
    is_turn = moment.event in ("prompt", "turn-stop") or (moment.event == "subagent-stop" and moment.agent)
    try:
        for vault, whose in _vaults(scene, episode, env) if is_call or is_turn else ():
            if is_call:
                began = calls.end(home.state(vault), _name(moment))
                if changed := calls.changed_folders(vault, began) if began else []:
                    from holdfast.capture import agent_files

                    agent_files.note_missing(vault, whose, changed)
            else:
                calls.end_all(home.state(vault), whose, moment.agent)
    except TROUBLE as error:
        scene.failures.append(error)


def _vaults(scene: Scene, episode: str, env: Mapping[str, str]) -> list[tuple[str, str]]:
    """The vaults that a call could write to, a repository's and the user's own, and by what each knows the session."""
    unknown = f"{calls.UNKNOWN}{scene.moment.host}/{scene.moment.session}"
    own = home.own_vault(env)
    found = [(scene.vault, episode or unknown)] + ([(own, unknown)] if own != scene.vault else [])
    return [one for one in found if home.format_of(one[0])]


def _writes_nothing(moment: Moment) -> bool:
    return moment.tool in adapter(moment.host).WRITE_NOTHING


def _name(moment: Moment) -> str:
    which = moment.call or f"{moment.tool}\0{moment.input}"
    return digest(f"{moment.host}\0{moment.session}\0{moment.agent}\0{which}", 24)


def is_scheduled(scene: Scene) -> bool:
    """Whether this prompt is one that the model asked for."""
    return platform.is_there(_scheduled_path(scene))


def _scheduled_path(scene: Scene) -> str:
    return f"{scene.state}/scheduled/{digest(' '.join(scene.moment.prompt.split()), 32)}"
