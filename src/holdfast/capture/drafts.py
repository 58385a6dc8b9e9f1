"""Drafts: texts that somebody submitted and that were refused. Nothing is lost because a form was wrong.

    drafts/log      framed records: one for each draft, one for each thing that became of it

A draft is open until its author submitted it again, somebody settled it, or a close has used its words and a start has
told of it. The close files a refused flag as a fact, word for word, and puts a refused handoff's sections into the
handoff of its session. Secrets are redacted before anything is written. A sandbox may let a command write to the queue
alone: then the record goes there, and is read from both places.

A start reads the newest part of the log, so its cost does not grow with history; everybody else reads all of it.
"""

from __future__ import annotations

from holdfast.capture import codec, log, platform
from holdfast.capture.ids import new_id
from holdfast.errors import HistoryDamaged, HoldfastError, NotSaved
from holdfast.model import TRUSTED, VERSION, replace, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FLAG, SNAG, REMEMBER, HANDOFF, CHECKPOINT = "flag", "snag", "remember", "handoff", "checkpoint"
NAMES = {REMEMBER: "note to remember"}  # as a start says it, where the command's name is no noun
LINES = (FLAG, SNAG, REMEMBER, CHECKPOINT)  # what the close files as a fact
PLACES = ("drafts/log", "queue/drafts")  # below .state; the second where a sandbox allows nothing else
NEWEST = 1 << 18  # bytes that a start reads of each
LASTS = 7 * 86400.0  # how long starts speak of one that nobody used
LONGEST_WHY = 1000
LONGEST_TOLD = 160  # characters of a reason in a start
MOST_TOLD = 4
SETTLED, USED, TOLD, OPEN = "settled", "used", "told", "open"
LATER = ("used", "is_told", "is_settled")  # fields of a draft that later records tell
SHELL = "the shell may change these words"  # why the hook keeps what it saw before the shell did (capture/flag_words)
WRITTEN = "nothing was written"
KEPT = "your words are kept as a draft (`holdfast drafts`)"
BUT = f"{WRITTEN}, but {KEPT}"
ENOUGH = 0.8  # of the words of a draft that an accepted text must have, to be the same put otherwise


@value
class Draft:
    """One refused text with the reason. `used` says what the close made of it, `is_told` whether a start spoke of it,
    `is_settled` that nothing is left to do. `given` is the kind of flag that its author gave it, where that is one."""

    id: str
    kind: str
    text: str
    why: str
    project: str = ""
    episode: str = ""
    time: float = 0.0
    origin: str = "agent"
    evidence: tuple[str, ...] = ()
    given: str = ""
    used: str = ""
    is_told: bool = False
    is_settled: bool = False

    def as_record(self) -> dict[str, object]:
        return {**self.__dict__, "evidence": list(self.evidence)}


def keep(
    state: str,
    kind: str,
    text: str,
    why: str,
    project: str,
    episode: str,
    now: float,
    *,
    origin: str = "agent",
    evidence: Sequence[str] = (),
    given: str = "",
) -> str:
    """Keep a refused text, synced; returns its id, "" for no text. The same of one session is one. Raises NotSaved."""
    from holdfast.capture.flags import clean
    from holdfast.capture.redaction import redact

    bare = redact(text)[0].strip()
    if not clean(bare)[0]:
        return ""
    for one in read(state, NEWEST):
        if not one.is_settled and (one.kind, one.text, one.project, one.episode) == (kind, bare, project, episode):
            return one.id
    ident = new_id(now)
    tidy = redact(" ".join(why.partition(f"; {WRITTEN}")[0].split()))[0][:LONGEST_WHY]
    proofs = tuple(redact(one)[0] for one in evidence)
    made = Draft(ident, kind, bare, tidy, project, episode, now, origin, proofs, given)
    _append(state, [{"v": VERSION, **{name: one for name, one in made.__dict__.items() if name not in LATER}}])
    return ident


def refused(
    state: str,
    error: HoldfastError,
    kind: str,
    text: str,
    project: str,
    episode: str,
    now: float,
    *,
    origin: str = "agent",
    evidence: Sequence[str] = (),
) -> None:
    """Keep the words of a refusal, and let its error say so in its sentence; it stays as it is where they cannot be."""
    said = str(error)
    what = error.what if isinstance(error, HistoryDamaged) else ""
    why = f"the vault's history was damaged at that time: {what}" if what else said
    try:
        ident = keep(state, kind, text, why, project, episode, now, origin=origin, evidence=evidence)
    except (NotSaved, OSError):
        return
    if ident:
        error.args = (said.replace(WRITTEN, BUT, 1) if WRITTEN in said else f"{said} {KEPT[:1].upper()}{KEPT[1:]}.",)


def read(state: str, newest: int = 0) -> list[Draft]:
    """Every draft with what became of it, the oldest first; with `newest`, those in the last so many bytes."""
    records = [record for place in PLACES for record in codec.logged(f"{state}/{place}", newest)]
    made = (_draft(record) for record in records if "text" in record and "id" in record and "draft" not in record)
    found = {one.id: one for one in made}
    for record in records:
        one = found.get(str(record.get("draft")))
        if one:
            found[one.id] = _changed(one, str(record.get("became")), str(record.get("where") or ""))
    return sorted(found.values(), key=lambda one: (one.time, one.id))


def _draft(record: dict[str, object]) -> Draft:
    texts = ("id", "kind", "text", "why", "project", "episode", "origin", "given")
    proofs, when = record.get("evidence"), record.get("time")
    return Draft(
        **{name: str(record.get(name) or "") for name in texts},  # type: ignore[arg-type]
        time=float(when) if isinstance(when, (int, float)) else 0.0,
        evidence=tuple(str(one) for one in proofs) if isinstance(proofs, list) else (),
    )


def _changed(one: Draft, became: str, where: str) -> Draft:
    if became == OPEN:
        return replace(one, is_settled=False)
    used = where or USED if became == USED else one.used
    is_told = one.is_told or became == TOLD
    is_settled = one.is_settled or became == SETTLED or (bool(used) and is_told)
    return replace(one, used=used, is_told=is_told, is_settled=is_settled)


def any_kept(state: str) -> bool:
    """True if there ever was one: most starts and flags need not load this."""
    return any(platform.is_there(f"{state}/{place}") for place in PLACES)


def open_for(state: str, project: str, newest: int = 0, merged: tuple[str, ...] = ()) -> list[Draft]:
    """The drafts of a project, and of those merged into it, that are not settled, the oldest first."""
    return [one for one in read(state, newest) if one.project in (project, *merged) and not one.is_settled]


def settle(state: str, ident: str) -> None:
    """Note that nothing is left to do about a draft; its text stays in the log. Raises NotSaved."""
    _become(state, [ident], SETTLED)


def reopen(state: str, ident: str) -> None:
    """Note that a draft was settled too soon. Raises NotSaved."""
    _become(state, [ident], OPEN)


def use(state: str, idents: Iterable[str], where: str) -> None:
    """Note that a close has used these: `where` says for what. Raises NotSaved."""
    _become(state, idents, USED, where)


def sentences(
    state: str,
    project: str,
    now: float,
    living: Iterable[str],
    *,
    only_look: bool = False,
    merged: tuple[str, ...] = (),
) -> list[str]:
    """The sentences of a start about the drafts of sessions that are over. One that a close has used is told once."""
    over = [one for one in open_for(state, project, NEWEST, merged) if one.episode not in living]
    found = [one for one in over if one.used or now - one.time < LASTS]
    if not only_look:
        try:
            _become(state, [one.id for one in found if not one.is_told], TOLD)
        except NotSaved:
            pass  # then it is told once more
    told = [_sentence(one) for one in found[-MOST_TOLD:]]
    if len(found) > MOST_TOLD:
        told.append(f"{len(found) - MOST_TOLD} more were refused and are kept: `holdfast drafts`.")
    return told


def _sentence(one: Draft) -> str:
    from holdfast.capture.episodes import session_of
    from holdfast.capture.flags import clean

    whose = f" of session {clean(session_of(one.episode)[:40])[0]}" if one.episode else ""
    is_ours = one.origin in TRUSTED
    why = clean(one.why[:LONGEST_TOLD])[0].rstrip(". ") if is_ours else "it came from outside text"
    how = f"its words are used ({one.used})" if one.used else "it is kept as a draft"
    became = "never came through its shell" if one.why == SHELL else f"was refused ({why})"
    return f"A {NAMES.get(one.kind, one.kind)}{whose} {became}; {how}: `holdfast drafts {one.id[-6:]}`."


def submitted(state: str, kind: str, texts: Sequence[str], project: str, episode: str) -> None:
    """Settle what its author had been refused before, now that the same was accepted. Never raises: what was accepted
    is safe, and a draft too many is only told."""
    try:
        mine = [one for one in open_for(state, project, NEWEST) if one.episode == episode and one.kind == kind]
        _become(state, [one.id for one in mine if any(_is_said(one.text, text) for text in ("", *texts))], SETTLED)
    except (HoldfastError, OSError):
        return


def _is_said(draft: str, accepted: str) -> bool:
    """True if a text says what a draft says, or the draft has no words to lose, such as a form that was only begun. A
    text that only shares a word or two does not say it: the rest would be lost."""
    if not any(letter.isalnum() for letter in draft):
        return True
    wanted = set(draft.casefold().split())
    return len(wanted & set(accepted.casefold().split())) >= ENOUGH * len(wanted)


def _become(state: str, idents: Iterable[str], became: str, where: str = "") -> None:
    records = [{"v": VERSION, "draft": ident, "became": became, "where": where} for ident in idents]
    if records:
        _append(state, records)


def _append(state: str, records: list[dict[str, object]]) -> None:
    payloads = [codec.encode(record) for record in records]
    try:
        log.append(f"{state}/{PLACES[0]}", payloads, durable=True)
    except NotSaved:
        log.append(f"{state}/{PLACES[1]}", payloads, durable=True)
