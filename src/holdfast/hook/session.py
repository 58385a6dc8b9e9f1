"""The start, the compactions and the end of an episode: what is remembered is said, and what is left is closed.

The snapshot before a compaction is synced before the hook returns, so that a compaction that goes wrong costs nothing;
where the disk refuses it, the summariser is told what to keep all the same, and the ledger has the failure. After it
the brief takes at most half of what a host carries, the snapshot what is left; the rest is named by its path.
"""

from __future__ import annotations

from holdfast.capture import background, config, home, marks, notices, once, story, vault_id
from holdfast.errors import TROUBLE
from holdfast.hook import lifecycle
from holdfast.model import Reply, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeVar

    from holdfast.brief.brief_file import Cached
    from holdfast.brief.composition import Composed
    from holdfast.brief.live import Live
    from holdfast.brief.reconstruction import Told
    from holdfast.capture.episodes import Episode, Scene
    from holdfast.model import Moment

    T = TypeVar("T")

NOTICE = "vault-place"
FLAGS_JOINED = "vault-back"


def stand_in(moment: Moment, vault: str, env: Mapping[str, str], now: float) -> str:
    """The folder that this moment is dealt with in, where the vault is gone; "" where it never was here."""
    kept = vault_id.stand_in(vault, env)
    if kept and moment.event in ("session-start", "after-compaction"):
        notices.leave(home.state(kept), NOTICE, vault_id.told(vault, env), now)
    return kept


def answer(moment: Moment, vault: str, kept: str, env: Mapping[str, str], now: float, began: int) -> Reply:
    """The moment, dealt with in the stand-in. Nothing is closed there: its notes would not be in the vault."""
    from holdfast.hook import main

    reply = main.handle(moment, kept, {**env, background.SWITCH: "off"}, now, began)
    return replace(reply, line=f"Holdfast: the vault is not at {vault}") if reply.line else reply


def look(scene: Scene, env: Mapping[str, str]) -> None:
    """At a start: two small reads, and whatever follows from them."""
    if scene.vault != home.own_vault(env):
        return
    try:
        seen = vault_id.look(scene.vault, env)
        if seen.status == vault_id.OTHER:
            notices.leave(scene.state, NOTICE, vault_id.replaced(seen), scene.now)
        else:
            notices.remove(scene.state, NOTICE)
        joined = vault_id.settle(scene.vault, env, scene.now)
        if joined:
            scene.did["joined"] = joined
            what = "1 flag that was" if joined == 1 else f"{joined:,} flags that were"
            line = f"The vault is back at {scene.vault}; {what} kept on this machine meanwhile joined it."
            notices.leave(scene.state, FLAGS_JOINED, line, scene.now, once=True)
    except TROUBLE as error:
        scene.failures.append(error)


TRIES = 4  # to come below what a host carries; the first is nearly always enough
MARGIN = 100
GOES_ON = ("resume", "fork")  # sources of a start in a conversation that has had one
STALE = 60.0  # seconds after which a start has its brief made anew: not every edit changes what the hook looks at
BOTH = 8700  # characters, as JSON spells them
ROOM = 4200  # of them, for the brief
FENCES = 100  # of them, for what stands around the snapshot
AFTER = (
    "The context was compacted: what is not above is gone. If you still know something durable that is not written "
    "down, flag it now: `{command} flag --kind decision|lesson|progress --evidence FILE:LINE '…'`."
)  # fmt: skip


def start(scene: Scene, episode: Episode | None, env: Mapping[str, str]) -> Reply:
    """Find the dead, then say what is remembered; to a conversation that is resumed, what has changed. After a
    compaction the same session goes on, with its snapshot."""
    if scene.moment.source == "compact" and episode:
        return after_compaction(scene, episode, env)
    from holdfast.brief import brief_file, composition, live

    look(scene, env)
    living = marks.bury_the_dead(scene.state, scene.now, scene.failures)
    if episode:
        living.discard(episode.key)
    closes = not background.is_off(env)
    cached = brief_file.load(scene.vault, scene.state, scene.project)
    before = None  # most starts begin a conversation, and load nothing for this
    if episode and episode.parent and scene.moment.source in GOES_ON:
        from holdfast.brief import reconstruction

        before = reconstruction.before(scene, episode, cached)
    own = f"{scene.moment.host}/{scene.moment.session}/" if before else ""
    now = live.gather(scene.state, scene.project, scene.now, living, closes=closes, own=own)
    command = env.get("HOLDFAST_COMMAND", "")

    def compose(most: int) -> Composed:
        return composition.compose(scene.vault, now, cached, command=command, room=most, before=before)

    made = _carried(scene, compose, lambda one: one.text)
    try:
        if closes and now.to_close:
            scene.did["close"] = background.start(scene.vault, env, "background-close", scene.project.root)
        elif closes and (not cached.is_fresh or scene.now - cached.made > STALE):
            scene.did["refresh"] = background.start(scene.vault, env, "background-brief", scene.project.root)
        if episode:
            _note_told(scene, episode, made.told, before)
    except OSError as error:
        scene.failures.append(error)
    _tell(scene, episode, made.reply)
    return replace(made.reply, line=_line(scene, cached, now))


def _note_told(scene: Scene, episode: Episode, told: tuple[str, ...], before: Told | None) -> None:
    """Keep what was shown, with what the conversation knew before where it goes on, save for what no longer holds."""
    known = [line for line in before.lines if line.partition(" ")[2] not in before.gone] if before else []
    lines = list(dict.fromkeys((*known, *told)))[-once.MOST_TOLD :]
    once.put(scene.state, episode.key, once.TOLD, "\n".join((str(int(scene.now)), *lines)))


def _line(scene: Scene, cached: Cached, now: Live) -> str:
    """One line for the person at the host's interface, unless they switched it off."""
    wishes = config.section(config.load(scene.state), "start")
    if wishes.get("line") is False:
        return ""
    from holdfast.brief import composition

    return composition.line(cached, now, scene.now)


def before_compaction(scene: Scene, episode: Episode | None) -> Reply:
    """The snapshot on disk, and what the host's summariser is to keep. Without an episode there is only the latter."""
    from holdfast.hook import nudge, snapshot

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


def after_compaction(scene: Scene, episode: Episode, env: Mapping[str, str]) -> Reply:
    """Nothing is buried or closed now: the same session goes on, and gets back what it may have lost."""
    if scene.moment.agent:
        return Reply()
    from holdfast.brief import brief_file, composition, live
    from holdfast.hook import nudge
    from holdfast.text import layout

    now = live.gather(scene.state, scene.project, scene.now, set(), closes=False, only_look=True)
    cached = brief_file.load(scene.vault, scene.state, scene.project)
    command = env.get("HOLDFAST_COMMAND", "")
    found = _begin_cycle(scene, episode)
    words = nudge.reminder(scene, episode, command or "holdfast")

    def made(most: int) -> tuple[Reply, tuple[str, ...]]:
        left = most - layout.cost(words) if words else most
        room = left * ROOM // BOTH
        half = composition.compose(scene.vault, now, cached, command=command, room=room, is_start=False)
        whole = _whole(scene, half.reply, found, command or "holdfast", left, episode.key)
        return Reply(_joined(whole.text, words), whole.carried), half.told

    reply, told = _carried(scene, made, lambda one: one[0].text)
    try:
        _note_told(scene, episode, told, None)
    except OSError as error:
        scene.failures.append(error)
    _tell(scene, episode, reply)
    return reply


def _begin_cycle(scene: Scene, episode: Episode) -> tuple[str, str] | None:
    """The compaction has happened: only now, since hosts announce one and then put it off. Returns path and text of
    the snapshot that was made for it, None where there is none."""
    from holdfast.hook import nudge, snapshot

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


def _whole(
    scene: Scene, brief: Reply, found: tuple[str, str] | None, command: str, most: int = BOTH, episode: str = ""
) -> Reply:
    """The brief, the account of the session so far, the snapshot and the nudge, within what a host carries."""
    from holdfast.hook import snapshot
    from holdfast.text import layout

    asks = AFTER.replace("{command}", command)
    if home.has_tasks(scene.state, *scene.project.ids):
        from holdfast.hook import tasks

        asks = _joined(asks, tasks.reminder(scene, command))
    if not found:
        return Reply(_joined(brief.text, asks), brief.carried)
    path, text = found
    left = most - min(layout.cost(brief.text), most * ROOM // BOTH)  # the brief's half, and what it left of it
    left -= FENCES + layout.cost(asks)
    account = ""
    if episode:
        from holdfast.brief import reconstruction

        account = reconstruction.of_session(scene.state, episode, left // 2)
    left -= layout.cost(account) if account else 0
    quoted = _joined(account, snapshot.told(text, left, path, f"{brief.text}\n{account}"))
    fenced = f"<holdfast-snapshot>\n{quoted}\n</holdfast-snapshot>" if quoted else ""
    carried = (*brief.carried, path.removeprefix(f"{scene.vault}/"))
    return Reply(_joined(brief.text, fenced, asks), carried)


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part)


def _carried(scene: Scene, make: Callable[[int], T], text_of: Callable[[T], str]) -> T:
    """As much as the host carries: some count bytes, of which a letter may take four, and cut what is over."""
    from holdfast.text.layout import MOST_CHARACTERS

    most, limit = MOST_CHARACTERS, scene.moment.most_bytes
    made = make(most)
    for _ in range(TRIES):
        size = len(text_of(made).encode("utf-8", "replace"))
        if not limit or size <= limit:
            break
        most = most * limit // size - MARGIN
        made = make(most)
    return made


def _tell(scene: Scene, episode: Episode | None, reply: Reply) -> None:
    if reply.text:
        if episode and home.has_field(scene.state):
            once.put(scene.state, episode.key, once.CARRIED, "\n".join(reply.carried))
        lifecycle.note(scene, "injection", episode, carried=list(reply.carried), characters=len(reply.text))


def end(scene: Scene, episode: Episode, env: Mapping[str, str]) -> None:
    """The episode is over; what it left is closed in the background, so the host need not wait. However often the host
    says so, one close is started; should it be killed, the next start continues it."""
    if home.has_tasks(scene.state, *scene.project.ids):
        from holdfast.hook import tasks

        tasks.leave_word(scene, episode)
    lifecycle.end(scene, episode)
    if scene.did.get("repeated"):
        return
    if marks.any_left(scene.state) and not background.is_off(env):
        pid = background.start(scene.vault, env, "background-close", scene.project.root)
        scene.did["close"] = pid
        if background.is_waited_for(env):
            scene.did["waited"] = background.wait(pid)
    background.start_if_due(scene.vault, env, scene.now)
