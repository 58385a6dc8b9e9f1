"""Around a compaction: what must not be lost is on disk before it, and back before the model after it.

The snapshot is mechanical and synced before the hook returns, so that a compaction that goes wrong costs nothing; where
the disk refuses it, the summariser is told what to keep all the same, and the ledger has the failure. After it the
brief takes at most half of what a host carries and the snapshot what is left; the rest is named by its path.
"""

from __future__ import annotations

from holdfast.capture import home, once, story
from holdfast.errors import TROUBLE
from holdfast.hook import nudge
from holdfast.model import Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.capture.episodes import Episode, Scene

BOTH = 8700  # characters, as JSON spells them
ROOM = 4200  # of them, for the brief
FENCES = 100  # of them, for what stands around the snapshot
AFTER = (
    "The context was compacted: what is not above is gone. If you still know something durable that is not written "
    "down, flag it now: `{command} flag --kind decision|lesson|progress --evidence FILE:LINE '…'`."
)  # fmt: skip


def before(scene: Scene, episode: Episode | None) -> Reply:
    """The snapshot on disk, and what the host's summariser is to keep. Without an episode there is only the latter."""
    from holdfast.hook import snapshot

    if not episode or scene.moment.agent:  # a subagent's own context; the session's is as it was
        return Reply(snapshot.instructions(()))
    _keep_account(scene, episode)
    told = story.read(scene.state, episode.key)
    cycle = once.count(scene.state, episode.key, once.CYCLE) + 1
    todos: tuple[str, ...] = ()
    try:
        root = scene.project.root
        made = snapshot.make(scene.moment.host, scene.moment.transcript, told.prompts, told.files, scene.now, root=root)
        todos = made.todos
        path = snapshot.write(scene.state, episode.key, cycle, made, scene.now)
        scene.did["snapshot"] = path.removeprefix(f"{scene.vault}/")
        nudge.note(scene, episode, "before-compaction", "snapshot", scene.moment.source)
    except TROUBLE as error:
        scene.failures.append(error)
        nudge.note(scene, episode, "before-compaction", "no snapshot", str(error))
    try:
        snapshot.forget_old(scene.state, scene.now)
    except TROUBLE as error:
        scene.failures.append(error)
    if home.has_tasks(scene.state, *scene.project.ids):
        from holdfast.hook import tasks

        todos = (*tasks.to_keep(scene), *todos)
    return Reply(snapshot.instructions(told.prompts, todos))


def _keep_account(scene: Scene, episode: Episode) -> None:
    """At once, not in the background: the same session gets it back, and a compaction takes its time anyway."""
    from holdfast.model import replace
    from holdfast.witness import account_file

    try:
        account_file.keep(
            scene.state, replace(episode, transcript=scene.moment.transcript or episode.transcript), scene.now
        )
    except TROUBLE as error:
        scene.failures.append(error)


def begin_cycle(scene: Scene, episode: Episode) -> tuple[str, str] | None:
    """The compaction has happened: only now, since hosts announce one and then put it off. Returns path and text of
    the snapshot that was made for it, None where there is none."""
    from holdfast.hook import snapshot

    cycle = once.count(scene.state, episode.key, once.CYCLE) + 1
    once.drop(scene.state, episode.key, once.HELD)  # for what was before the compaction, and that is gone
    try:
        once.next_cycle(scene.state, episode.key, cycle)
        once.put(scene.state, episode.key, once.ASKED, "after-compaction")
    except OSError as error:
        scene.failures.append(error)
    found = snapshot.of_cycle(scene.state, episode.key, cycle)
    nudge.note(scene, episode, "after-compaction", nudge.SAID, "" if found else "there is no snapshot")
    return found


def after(
    scene: Scene, brief: Reply, found: tuple[str, str] | None, command: str, most: int = BOTH, episode: str = ""
) -> Reply:
    """The brief, the account of the session so far, the snapshot and the nudge, within what a host carries."""
    from holdfast.hook import snapshot
    from holdfast.text import layout

    asks = AFTER.replace("{command}", command)
    if home.has_tasks(scene.state, *scene.project.ids):
        from holdfast.hook import tasks

        asks = "\n".join(part for part in (asks, tasks.reminder(scene, command)) if part)
    if not found:
        return Reply("\n".join(part for part in (brief.text, asks) if part), brief.carried)
    path, text = found
    left = most - min(layout.cost(brief.text), most * ROOM // BOTH)  # the brief's half, and what it left of it
    left -= FENCES + layout.cost(asks)
    account = _account(scene, episode, left // 2) if episode else ""
    left -= layout.cost(account) if account else 0
    quoted = "\n".join(part for part in (account, snapshot.told(text, left, path, f"{brief.text}\n{account}")) if part)
    fenced = f"<holdfast-snapshot>\n{quoted}\n</holdfast-snapshot>" if quoted else ""
    parts = (brief.text, fenced, asks)
    carried = (*brief.carried, path.removeprefix(f"{scene.vault}/"))
    return Reply("\n".join(part for part in parts if part), carried)


def _account(scene: Scene, episode: str, most: int) -> str:
    from holdfast.brief import reconstruction

    return reconstruction.of_session(scene.state, episode, most)
