"""The user's own sentences of this session that nobody has answered, shown to the model at a boundary.

The model decides which of them should hold next time, not a pattern: it answers with `flag --for 1,3`, and the sentence
goes along as proof. At most three at a boundary, the likeliest first, and none twice in one conversation. Each gets an
id and is noted where no sandbox can write, so the numbers mean what was shown and nothing else.
"""

from __future__ import annotations

from holdfast.capture import once, story
from holdfast.capture.ids import new_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.capture.episodes import Episode
    from holdfast.hook.scene import Scene

MOST = 3
LONGEST = 220
OPENING = "The user said in this session:"
ASKS = (
    "Which of these should hold next time? `{command} flag --for {numbers} --kind rule|preference|fact '…'` puts it "
    "properly, with their words as its proof. None? Go on."
)  # fmt: skip


def reminder(scene: Scene, episode: Episode, command: str) -> str:
    """What the model is asked, "" where there is nothing that it was not asked before. They count as shown from now."""
    typed = story.typed(scene.state, episode.key)
    if not typed:
        return ""
    from holdfast.text import orders
    from holdfast.text import sentence_score as scorer

    before = once.read(scene.state, episode.key, once.SHOWN) or ""
    shown = {line.rpartition("\t")[2] for line in before.splitlines()}
    chosen: list[tuple[int, str]] = []
    for one in scorer.likeliest(["" if prompt.pasted else prompt.text for prompt in typed]):
        if one.doubt:
            continue  # an answer would make it the user's word
        text = " ".join(one.text.replace("\t", " ").split())
        if one.score < scorer.TWO_FIFTHS or len(chosen) == MOST:
            break
        if text in shown or any(text == other for _, other in chosen) or orders.find(text):
            continue  # asked about before, or heard as an order, which has a question of its own
        chosen.append((one.prompt, text))
    if not chosen:
        return ""
    ids = [new_id(scene.now, nth) for nth in range(len(chosen))]
    lines = [f"{ident}\t{number}\t{text}" for ident, (number, text) in zip(ids, chosen, strict=True)]
    first = len(before.splitlines()) + 1
    try:
        once.put(scene.state, episode.key, once.SHOWN, "\n".join([*before.splitlines(), *lines]))
        once.add(scene.state, episode.key, once.HEARD, ids)
    except OSError as error:
        scene.failures.append(error)  # a disk that takes nothing: a number that nobody noted cannot be answered
        return ""
    scene.did["user_words"] = len(chosen)
    numbered = [f'{first + nth}. "{_quoted(text)}"' for nth, (_, text) in enumerate(chosen)]
    asks = ASKS.replace("{command}", command).replace("{numbers}", str(first))
    return "\n".join((OPENING, *numbered, asks))


def worked_since(scene: Scene, episode: Episode) -> bool:
    """Whether a tool has changed a file since the last prompt."""
    typed = story.typed(scene.state, episode.key)
    return bool(typed) and typed[-1].worked


def _quoted(text: str) -> str:
    """Data, even where it is the user's: one line, cut, and nothing in it opens or closes a fence."""
    from holdfast.text.layout import escape, tidy

    line = tidy(text).replace('"', "'")
    return escape(line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…")
