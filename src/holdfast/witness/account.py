"""An account of a session that nobody wrote: quoted from what was said and seen, most needed first, within its room.

Promise: it reads like a colleague's note (asked for, where it stands, done, next, decided, learned, where things are),
says nothing that nobody said, and nothing twice. The host's summary is the base for the time before a compaction. Words
that a tool printed are taken only from git, checks and the tracker, and those of the tracker are told as its own. Every
quotation is cleaned of secrets before it is cut.
"""

from __future__ import annotations

from holdfast.model import value
from holdfast.text import extract
from holdfast.text.transcript import ASSISTANT, CALL, QUEUED, RESULT, SUMMARY, USER, Said
from holdfast.witness import changes, checks, model_words
from holdfast.witness.checks import Check, Fix
from holdfast.witness.model_words import chosen, sentences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Item = tuple[str, list[str]]  # a head, and parts of which those that are news are shown

ROOM = 7500  # characters of the sections that a start should carry
LEAST = 0.34  # share of an item that must be news
# Of the room, in hundredths; what a part does not need goes to the others at the end.
SHARES = {
    "goals": 7,
    "answer": 20,
    "commits": 26,
    "acts": 8,
    "next_steps": 9,
    "learned": 26,
    "decisions": 8,
    "where": 8,
}
SECTIONS = ("goals", "state", "done", "next_steps", "decisions", "learned", "where")
LONGEST = 260  # of an item that is one of many
MOST_COMMITS = 30
TRACKER = "limits in the tracker: "  # before words that are the tracker's own
LISTED, LONGEST_LISTED = 6, 100  # lines of the tracker's list
HOSTS_OWN = (  # lines that a host puts behind its summary
    "If you need specific details from before compaction",
    "Please continue the conversation from where we left off",
    "Continue the conversation from where it left off",
    "Recent messages are preserved",
)
PAST = {"close": "closed", "create": "created", "new": "created", "add": "added", "merge": "merged", "edit": "edited"}
PAST |= {"comment": "commented on", "reopen": "reopened", "resolve": "resolved", "note": "noted on"}
CLOSING = ("close", "done", "resolve", "merge")


@value
class Account:
    """The facts of a session, before room is shared out."""

    prompts: tuple[str, ...]
    answers: tuple[model_words.Answer, ...]
    findings: tuple[model_words.Discovery, ...]
    fixes: tuple[Fix, ...]
    commits: tuple[changes.MadeCommit, ...]
    acts: tuple[changes.Act, ...]
    listing: changes.Listing | None
    limits: tuple[str, ...]
    checks: tuple[Check, ...]
    tree: changes.Tree
    todos: extract.Todos
    written: tuple[changes.WrittenFile, ...]
    parts: tuple[model_words.SummaryPart, ...]  # of the newest summary
    compacted: int  # where in the transcript; -1 without any
    later: str  # all that was said and run after that, for what is still open

    @property
    def worked(self) -> bool:
        """Whether anything was changed or decided, or the session was long enough to be summed up."""
        return bool(self.commits or self.written or self.acts or self.todos.open or self.parts)


def gathered(heard: Sequence[Said]) -> Account:
    """`heard` is a session's transcript in its order, summaries included."""
    results = {one.call: one for one in heard if one.role == RESULT}
    calls = [one for one in heard if one.role == CALL]
    last = next((one for one in reversed(heard) if one.role == SUMMARY), None)
    at = last.at if last else -1
    return Account(
        prompts=tuple(dict.fromkeys(one.text for one in heard if one.role in (USER, QUEUED))),
        answers=tuple(model_words.answers(heard)),
        findings=tuple(model_words.findings(heard)),
        fixes=tuple(checks.fixes(calls, results)),
        commits=tuple(changes.commits(calls, results)),
        acts=tuple(changes.acts(calls, results)),
        listing=changes.listing(calls, results),
        limits=tuple(changes.limits(calls, results)),
        checks=tuple(checks.last(calls, results)),
        tree=changes.last_tree(calls, results),
        todos=extract.todos([one for one in calls if extract.is_about_todos(one)], results),
        written=tuple(changes.written(calls, results)),
        parts=tuple(model_words.parts(last.text)) if last else (),
        compacted=at,
        later="\n".join(
            one.text if one.role == ASSISTANT else extract.call_line(one, None)
            for one in heard
            if one.at > at and one.role in (ASSISTANT, CALL)
        ).casefold(),
    )


class _Sheet:
    """The sections while they are filled."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.left = room
        self.seen = model_words.QuotedWords()
        self.sections: dict[str, list[str]] = {name: [] for name in SECTIONS}
        self.skipped: list[tuple[str, Item]] = []

    def share(self, name: str) -> int:
        return self.room * SHARES[name] // 100

    def put(self, section: str, text: str) -> int:
        """An item as it is; returns what it cost."""
        cost = len(text) + 3
        if not text or cost > self.left:
            return 0
        self.left -= cost
        self.sections[section].append(text)
        self.seen.add(text)
        return cost

    def fill(
        self, section: str, items: Iterable[Item], budget: int, longest: int = LONGEST, least: float = LEAST
    ) -> int:
        """Put items while there is budget; returns what is left of that. The others wait for room that is left."""
        for head, parts in items:
            room = min(longest, budget - len(head), self.left - len(head))
            if room < 40:
                self.skipped.append((section, (head, parts)))
                continue
            if self.seen.news(" ".join(parts))[1] < least:
                continue
            news = chosen(parts, self.seen, room, least, 2)
            if news:
                budget -= self.put(section, f"{head}{_joined(news)}")
        return budget

    def use_up(self) -> None:
        """Put what was left out while there is room, by how much news it has for its length."""

        def worth(waits: tuple[str, Item]) -> float:
            head, text = waits[1][0], " ".join(waits[1][1])
            return self.seen.news(text)[0] / (40 + min(len(head) + len(text), LONGEST))

        waiting, self.skipped = self.skipped, []
        while self.left > 80 and waiting:
            best = max(waiting, key=worth)
            waiting.remove(best)
            self.fill(best[0], [best[1]], min(self.left, LONGEST + len(best[1][0])))


def _joined(parts: Sequence[str]) -> str:
    """Sentences behind each other, clauses with semicolons."""
    text = ""
    for part in parts:
        text += part if not text else f" {part}" if text[-1:] in ".!?:" else f"; {part}"
    return text


def sections(account: Account, room: int = ROOM, said: Iterable[str] = ()) -> dict[str, list[str]]:
    """The sections of a note to the next session. `said` stands in it already."""
    sheet = _Sheet(room)
    for text in said:
        sheet.seen.add(text)
    _goals(sheet, account)
    _state(sheet, account)
    _done(sheet, account)
    left = sheet.fill("next_steps", _open(account), sheet.share("next_steps"))
    room = LISTED * LONGEST_LISTED
    sheet.fill("next_steps", _listed(account), max(left, room), longest=room, least=0.1)
    sheet.fill("learned", _learned(account), sheet.share("learned"))
    sheet.fill("decisions", _decided(account), sheet.share("decisions"))
    sheet.fill("where", _where(account), sheet.share("where"))
    sheet.use_up()
    return {name: items for name, items in sheet.sections.items() if items}


def _goals(sheet: _Sheet, account: Account) -> None:
    """The user's own words: the first request and the last as they are, then the newest of the others; then the
    summary on the user beyond the prompts themselves: a plan that was approved, a call interrupted."""
    asked = [
        f'"{extract.flat(one, LONGEST - 2 if not nth else LONGEST // 2)}"' for nth, one in enumerate(account.prompts)
    ]
    left = sheet.share("goals")
    for one in dict.fromkeys((*asked[:1], *asked[-1:])):
        left -= sheet.put("goals", one)
    left = sheet.fill("goals", (("", [one]) for one in asked[-2:0:-1]), left, least=0.2)
    known = [one.casefold()[:60] for one in account.prompts]
    told = (one for one in _about(account, "asked") if not any(each in one.casefold() for each in known))
    sheet.fill("goals", (("", [one]) for one in told), left, least=0.6)


def _about(account: Account, *names: str) -> list[str]:
    return [one for part in account.parts if part.about in names for one in part.items if not one.startswith(HOSTS_OWN)]


def _state(sheet: _Sheet, account: Account) -> None:
    for line in account.tree.lines:
        sheet.put("state", line)
    for check in (one for one in account.checks if one.is_whole and one.counts):
        sheet.put("state", f"{check.line}.")
    budget = sheet.share("answer")
    asked = [one for one in account.answers if one.was_asked]
    worked = [one for one in asked if one.worked]
    for nth, one in enumerate(dict.fromkeys((*asked[-1:], *worked[::-1], *account.answers[::-1]))):
        parts = sentences(extract.clean(one.text, extract.LOOKED_AT))
        budget = sheet.fill("state", [("" if nth else "Last answer: ", parts)], budget, longest=budget, least=0.2)


def _done(sheet: _Sheet, account: Account) -> None:
    made = account.commits[-MOST_COMMITS:]
    heads = [f"{one.id} {one.subject}".strip() for one in made]
    budget = sheet.share("commits")
    each = max(60, (budget - sum(len(one) + 3 for one in heads)) // max(1, len(made)))
    for head, one in zip(reversed(heads), reversed(made), strict=True):
        body = sentences(extract.clean(one.body, extract.LOOKED_AT))
        news = chosen(body, sheet.seen, each, LEAST, 2)
        sheet.put("done", f"{head} — {_joined(news)}" if news else head)
    _acts(sheet, account)


def _acts(sheet: _Sheet, account: Account) -> None:
    """Put the acts in the tracker, newest first; those that say nothing more in one line."""
    silent: dict[str, list[str]] = {}
    budget = sheet.share("acts")
    for nth, act in enumerate(reversed(account.acts)):
        verb = PAST.get(act.verb, act.verb)
        names = ", ".join(act.names) or act.answer
        parts = sentences(extract.clean(act.words, extract.LOOKED_AT))
        before, items = budget, [(f"{verb} {names}: ", parts)] if parts else []
        budget = sheet.fill("done", items, budget, least=LEAST if nth else 0.15)
        if budget == before:
            silent.setdefault(verb, []).extend(act.names)
    for verb, named in silent.items():
        if named:
            sheet.put("done", f"{verb} {', '.join(dict.fromkeys(named[::-1]))}")


def _open(account: Account) -> Iterator[Item]:
    for one in account.todos.open:
        yield "todo: ", [one]
    for item in _about(account, "next", "now"):
        still = [clause for clause in _clauses(item) if _is_left(clause, account.later)]
        if still and account.compacted >= 0:
            yield "open at the compaction, not spoken of since: ", still


def _listed(account: Account) -> Iterator[Item]:
    closed = {name for act in account.acts if act.verb in CLOSING for name in act.names}
    listed = account.listing.lines if account.listing else ()
    still = [extract.flat(line, LONGEST_LISTED) for line in listed if not any(name in line for name in closed)]
    if still:
        yield "the tracker last listed as open: ", still[:LISTED]


def _clauses(item: str) -> list[str]:
    """The parts of a list that stands in one sentence: at semicolons and commas that no bracket holds."""
    found, depth, begin = [], 0, 0
    for at, letter in enumerate(item):
        depth += (letter in "([{") - (letter in ")]}")
        if depth <= 0 and letter in ",;" and item[at + 1 : at + 2] == " ":
            found.append(item[begin:at].strip())
            begin = at + 1
    return [one for one in (*found, item[begin:].strip()) if one]


def _is_left(clause: str, later: str) -> bool:
    """Whether most of the things that it names, the first among them, were not spoken of again."""
    named = model_words.names(clause)
    unsaid = [word for word in named if word not in later]
    return bool(unsaid) and named[0] in unsaid and 2 * len(unsaid) > len(named)


def _learned(account: Account) -> Iterator[Item]:
    after = [one for one in account.findings if one.at > account.compacted]
    before = [one for one in account.findings if one.at <= account.compacted]
    yield from (("", list(one.sentences)) for one in after if one.after_failure)
    yield from (("", [one.line]) for one in account.fixes if one.at > account.compacted)
    yield from (("", sentences(item)) for item in _about(account, "learned"))
    yield from (("", list(one.sentences)) for one in after if not one.after_failure)
    yield from (("", [one.line]) for one in account.fixes if one.at <= account.compacted)
    yield from (("", list(one.sentences)) for one in before if one.after_failure)


def _decided(account: Account) -> Iterator[Item]:
    yield from (("", [item]) for item in _about(account, "decisions"))
    if account.limits:
        yield TRACKER, list(account.limits)
    yield from (("", [item]) for item in _about(account, "known") if model_words.REASON.search(item) or "(" in item)


def _where(account: Account) -> Iterator[Item]:
    for item in _about(account, "where"):
        head, *rest = item.split("; ")
        path, dash, first = head.partition(" — ")
        yield (f"{path}{dash}", [first, *rest]) if dash else (f"{head}: ", rest)
    for one in account.written:
        if one.purpose:
            yield f"{one.path}: ", [one.purpose]
