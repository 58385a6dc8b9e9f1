"""The nudge: the one instruction that a boundary injects. Which, when, and why not.

At most three lines, naming the exact command, and below them at most three sentences of the user that nobody has
answered; once per boundary, one per moment, never in a subagent. Where the moment cannot carry text
the nudge is held for the next that can; one is held at most. When something was flagged a moment ago it stays
silent, and so does a kind that the user switched off. Every decision at a boundary is in the ledger with its
reason, the silent ones too.
"""

from __future__ import annotations

from holdfast.capture import config as machine
from holdfast.capture import ledger, once, story
from holdfast.capture.ids import new_id
from holdfast.hook import boundary, lifecycle
from holdfast.model import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from holdfast.capture.episodes import Episode, Scene

QUIET = 120.0  # seconds after a flag in which nobody is reminded of flagging
LONGEST_WORDS = 80
SAID, SILENT, KEPT, SKIPPED = ledger.SAID, ledger.SILENT, ledger.KEPT, ledger.SKIPPED
STOPPED = "stopped"  # in this turn the model was asked at its end
IN_A_SUBAGENT = "in a subagent, which may not write"
STUDY = "What was decided and why, what was learned, what surprised, what should change next time?"
OPENINGS = {
    boundary.CHAPTER: "A chapter is closed{words}. " + STUDY,
    boundary.TASK: "Done{words}. " + STUDY,
    boundary.SUBAGENT: "A subagent has finished{words}. " + STUDY,
    boundary.COMMIT: "Committed{words}. " + STUDY,
    "consider": "About {left} % of the context is left before it is compacted. Consider now what must survive that: "
    "decisions with their reasons, exact paths, numbers, commands.",
    "write": "Only {left} % of the context is left before it is compacted. Write down now what is not yet: decisions "
    "with their reasons, exact paths, numbers, commands, what is open.",
    "handoff": "The context is about to be compacted ({left} % left). Hand off now: where the work stands, what is "
    "next, what must not be forgotten.",
}
HOW = "`{command} flag --kind decision|lesson|progress --evidence FILE:LINE '…'`, one line for each; "
SNAG = "what went wrong: `{command} snag '…' --better '…'`. Many, or with quotes in them: `{command} flag - <<'END'`."
NOTHING = "Nothing durable? `{command} flag --nothing`, and go on."
HAND_OFF = "`{command} handoff --template` prints the form; pipe it, filled in, to `{command} handoff`."


@value
class Due:
    """A nudge that could be injected: what for, and its text. `presses`: recent flags do not silence it. `once` names
    what stays due until it was decided on; without it the moment itself is what happens once. The user's sentences that
    nobody has answered are asked about below it."""

    kind: str
    text: str
    presses: bool = False
    once: str = ""
    command: str = ""  # how an agent can run us, where the user's own words may be asked about with it


def text_for(kind: str, command: str, words: str = "", left: float = 0.0) -> str:
    """Three lines: what has happened, the command, and how to say that there is nothing."""
    told = ""
    if words.strip():
        from holdfast.capture.redaction import redact

        told = f' ("{_in_quotes(redact(words)[0][: 4 * LONGEST_WORDS], LONGEST_WORDS)}")'
    opening = OPENINGS[kind].replace("{left}", f"{left * 100:.0f}").replace("{words}", told)
    how = (HOW + (HAND_OFF if kind == "handoff" else SNAG)).replace("{command}", command)
    return f"{opening}\n{how}\n{NOTHING.replace('{command}', command)}"


def decide(scene: Scene, episode: Episode, config: Mapping[str, Any], due: list[Due]) -> str:
    """The text that is injected at this moment: one of those that are due, or one that was held, or nothing."""
    moment = scene.moment
    if moment.agent and moment.event != "subagent-stop":  # whose end is the main agent's boundary
        for one in due:
            note(scene, episode, one.kind, SILENT, IN_A_SUBAGENT)
        return ""
    found = once.take(scene.state, episode.key, once.HELD) if moment.carries else None
    kind, _, rest = (found or "").partition("\n")
    presses, _, text = rest.partition("\n")
    held = Due(kind, text, presses[:1] == "1", command=presses[2:]) if text else None
    wanted = sorted(due + ([held] if held else []), key=lambda one: not one.presses)
    said = ""
    for one in wanted:
        if one.once and (said or not once.first(scene.state, episode.key, one.once)):
            continue  # it is still due at the next moment, or somebody else has just decided on it
        why = _why_silent(scene, episode, config, one)
        if why:
            note(scene, episode, one.kind, SILENT, why)
            continue
        once.put(scene.state, episode.key, once.ASKED, one.kind)
        if not moment.carries:
            held_so = f"{one.kind}\n{int(one.presses)} {one.command}\n{one.text}"
            is_first = once.first(scene.state, episode.key, once.HELD, held_so)
            why = "this moment carries no text" if is_first else "another is held already"
            note(scene, episode, one.kind, KEPT if is_first else SILENT, why)
        elif said:
            note(scene, episode, one.kind, SILENT, "another nudge was injected at this moment")
        else:
            words = reminder(scene, episode, one.command) if one.command and not moment.agent else ""
            said = f"{one.text}\n{words}" if words else one.text
            why = "it was held until now" if one is held else ""
            note(scene, episode, one.kind, SAID, why, characters=len(said))
    return said


def _why_silent(scene: Scene, episode: Episode, config: Mapping[str, Any], due: Due) -> str:
    wishes = machine.section(config, "nudge")
    if due.kind in machine.texts(wishes, "off", ()):
        return "switched off in config.toml"
    quiet = machine.number(wishes, "quiet_s", QUIET)
    flagged = once.when(scene.state, episode.key, once.FLAGGED)
    ago = scene.now - flagged
    return f"flags were written {ago:.0f} s ago" if not due.presses and 0 <= ago < quiet else ""


def note(
    scene: Scene, episode: Episode, kind: str, decision: str, reason: str = "", *, characters: int = 0
) -> None:  # fmt: skip
    """One line in the ledger for one decision; `characters` is the length of what was said."""
    more = {name: text for name, text in (("reason", reason), ("characters", characters)) if text}
    lifecycle.note(scene, "nudge", episode, boundary=kind, decision=decision, **more)


MOST = 3
LONGEST = 220
OPENING = "The user said in this session:"
ASKS = (
    "Which of these should hold next time? `{command} flag --for {numbers} --kind rule|preference|fact '…'` puts it "
    "properly, with their words as its proof. None? Go on."
)  # fmt: skip


def reminder(scene: Scene, episode: Episode, command: str) -> str:
    """The question to the model, "" where there is nothing new to ask. The sentences count as shown from now on."""
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
    numbered = [f'{first + nth}. "{_in_quotes(text)}"' for nth, (_, text) in enumerate(chosen)]
    asks = ASKS.replace("{command}", command).replace("{numbers}", str(first))
    return "\n".join((OPENING, *numbered, asks))


def worked_since(scene: Scene, episode: Episode) -> bool:
    """Whether a tool has changed a file since the last prompt."""
    typed = story.typed(scene.state, episode.key)
    return bool(typed) and typed[-1].worked


def _in_quotes(text: str, longest: int = LONGEST) -> str:
    """Data, even where it is the user's: one line, cut, and nothing in it opens or closes a fence."""
    from holdfast.text.layout import escape, tidy

    line = " ".join(tidy(text).split()).replace('"', "'")
    return escape(line if len(line) <= longest else line[: longest - 1].rstrip() + "…")
