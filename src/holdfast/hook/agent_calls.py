"""Each tool call is noted as under way, so that what it changes in the vault by its own hand is known as an agent's
(capture/agent_edits). Without an episode, where capture is off, too: a repository that switches capture off would
otherwise write rules.

Tools of Claude Code that only read or ask are passed over, and so are subagents, whose own calls come one by one: while
those run for an hour, the user may well edit a note.
"""

from __future__ import annotations

from holdfast.capture import calls, home
from holdfast.capture.ids import digest
from holdfast.hook.scene import TROUBLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.hook.scene import Scene
    from holdfast.model import Moment

READS = ("Read", "Glob", "Grep", "LS", "WebFetch", "WebSearch", "ToolSearch", "BashOutput", "TaskOutput")
PLANS = ("TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "AskUserQuestion", "EnterPlanMode", "ExitPlanMode")
WRITE_NOTHING = {"claude-code": (*READS, *PLANS, "Task", "Agent")}


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
                _ended(vault, _name(moment), whose)
            else:
                calls.end_all(home.state(vault), whose, moment.agent)
    except TROUBLE as error:
        scene.failures.append(error)


def _vaults(scene: Scene, episode: str, env: Mapping[str, str]) -> list[tuple[str, str]]:
    """The vaults that a call could write to, and by what each knows the session: the user's own beside one that a
    repository brings."""
    unknown = f"{calls.UNKNOWN}{scene.moment.host}/{scene.moment.session}"
    own = home.own_vault(env)
    found = [(scene.vault, episode or unknown)] + ([(own, unknown)] if own != scene.vault else [])
    return [one for one in found if home.format_of(one[0])]


def _ended(vault: str, name: str, episode: str) -> None:
    began = calls.end(home.state(vault), name)
    changed = calls.changed_folders(vault, began) if began else []
    if changed:
        from holdfast.capture import agent_edits

        agent_edits.note_missing(vault, episode, changed)


def _writes_nothing(moment: Moment) -> bool:
    return moment.tool in WRITE_NOTHING.get(moment.host, ())


def _name(moment: Moment) -> str:
    which = moment.call or f"{moment.tool}\0{moment.input}"
    return digest(f"{moment.host}\0{moment.session}\0{moment.agent}\0{which}", 24)
