"""Each tool call is noted as under way, so that what it changes in the vault by its own hand is known as an agent's
(capture/agent_edits). Without an episode, where capture is off, too: a repository that switches capture off would
otherwise write rules.

Tools of Claude Code that only read or ask are passed over, and so are subagents, whose own calls come one by one: while
those run for an hour, the user may well edit a note.
"""

from __future__ import annotations

from holdfast.capture import calls
from holdfast.capture.ids import digest
from holdfast.hook.scene import TROUBLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.scene import Scene
    from holdfast.model import Moment

WRITE_NOTHING = {
    "claude-code": (
        *("Read", "Glob", "Grep", "LS", "WebFetch", "WebSearch", "TodoWrite", "TaskCreate", "TaskUpdate", "TaskList"),
        *(
            "Task",
            "Agent",
            "AskUserQuestion",
            "EnterPlanMode",
            "ExitPlanMode",
            "ToolSearch",
            "BashOutput",
            "TaskOutput",
        ),
    )
}


def begun(scene: Scene, episode: str) -> None:
    """A call is about to run."""
    if _writes_nothing(scene.moment):
        return
    try:
        calls.begin(scene.state, _name(scene.moment), episode, scene.moment.agent)
    except TROUBLE as error:
        scene.failures.append(error)


def denied(scene: Scene) -> None:
    """It will not run after all."""
    calls.cancel(scene.state, _name(scene.moment))


def passed(scene: Scene, episode: str) -> None:
    """Any other moment: a call is over, or a turn, and with it whatever was refused or interrupted. Notes that are
    missing since are written down at once; the others tell by their time."""
    moment = scene.moment
    try:
        if moment.event == "after-tool" and not _writes_nothing(moment):
            began = calls.end(scene.state, _name(moment))
            changed = calls.changed_folders(scene.vault, began) if began else []
            if changed:
                from holdfast.capture import agent_edits

                agent_edits.note_missing(scene.vault, episode, changed)
        elif moment.event in ("prompt", "turn-stop") or (moment.event == "subagent-stop" and moment.agent):
            calls.end_all(scene.state, episode, moment.agent)
    except TROUBLE as error:
        scene.failures.append(error)


def _writes_nothing(moment: Moment) -> bool:
    return moment.tool in WRITE_NOTHING.get(moment.host, ())


def _name(moment: Moment) -> str:
    which = moment.call or f"{moment.tool}\0{moment.input}"
    return digest(f"{moment.host}\0{moment.session}\0{moment.agent}\0{which}", 24)
