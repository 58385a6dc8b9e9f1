"""Around a compaction: what must not be lost is on disk before it, and back before the model after it.

The snapshot is mechanical and synced before the hook returns, so that a compaction that goes wrong costs nothing. After
it the brief takes half of what a host carries and the snapshot the other half; the rest is named by its path.
"""

from __future__ import annotations

from holdfast.capture import course, story
from holdfast.hook import nudge
from holdfast.model import Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.capture.episodes import Episode
    from holdfast.hook.scene import Scene

ROOM = 4200  # characters, for each of the two halves
FENCES = 100  # of them, for what stands around the snapshot
AFTER = (
    "The context was compacted: what is not above is gone. If you still know something durable that is not written "
    'down, flag it now: `{command} flag --kind decision|lesson|progress --evidence FILE:LINE "…"`.'
)  # fmt: skip


def before(scene: Scene, episode: Episode) -> Reply:
    """The snapshot on disk, and what the host's summariser is to keep."""
    from holdfast.hook import snapshot

    told = story.read(scene.state, episode.key)
    cycle = course.count(scene.state, episode.key, course.CYCLE) + 1
    made = snapshot.make(scene.moment.host, scene.moment.transcript, told.prompts, told.files, scene.now)
    path = snapshot.write(scene.state, episode.key, cycle, made, scene.now)
    course.put(scene.state, episode.key, course.CYCLE, str(cycle))
    scene.did["snapshot"] = path.removeprefix(f"{scene.vault}/")
    nudge.note(scene, episode, "before-compaction", "snapshot", scene.moment.source)
    snapshot.forget_old(scene.state, scene.now)
    return Reply(snapshot.instructions(told.prompts, made.todos))


def after(scene: Scene, episode: Episode, brief: Reply, command: str) -> Reply:
    """The brief, the snapshot and the nudge, within what a host carries."""
    from holdfast.hook import snapshot

    found = snapshot.newest(scene.state, episode.key)
    if not found:
        nudge.note(scene, episode, "after-compaction", nudge.SILENT, "there is no snapshot")
        return brief
    path, text = found
    course.drop(scene.state, episode.key, nudge.HELD)  # said before the compaction, so it is gone with it
    course.put(scene.state, episode.key, course.ASKED, "after-compaction")
    nudge.note(scene, episode, "after-compaction", nudge.SAID)
    quoted = snapshot.fitted(text, ROOM - FENCES, path)
    fenced = f"<holdfast-snapshot>\n{quoted}\n</holdfast-snapshot>" if quoted else ""
    parts = (brief.text, fenced, AFTER.replace("{command}", command))
    carried = (*brief.carried, path.removeprefix(f"{scene.vault}/"))
    return Reply("\n".join(part for part in parts if part), carried)
