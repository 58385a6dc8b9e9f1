"""Right and made-up flags of real sessions, made by rule: nobody wrote one for the check.

Right flags are what really stands in a session, put as a flag would put it: sentences of the agent's own answers,
shortened and turned round; commits with their subjects; results of tests; files that were changed; what the user said;
and two kinds that others put into words: the lines of the agent's own summary at the compaction, held against what was
before it, and the facts that a reader noted of each session. Only such count as have something exact in them.

Made-up ones are right ones with one thing changed (a number, a path, a name in code, a quotation, a date, a version, an
id), results in which the counts of two runs or commits are exchanged, and decisions by somebody who occurs nowhere. A
number is changed to one that stands nowhere in the session with the word beside it: "task 3" for "task 2" is another
truth.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdfast.close.verify import claims
from holdfast.close.verify.evidence import Evidence, Run
from holdfast.text.transcript import Said

PER_KIND = 40  # flags of one kind and session at most
PER_SUMMARY = 120
AT_THE_END = 1 << 60
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
COMMITTED = re.compile(r"^\[(\S+) (?:\([^)]*\) )?([0-9a-f]{7,})\] (.+)$", re.MULTILINE)
TESTED = re.compile(r"\b(\d+) (?:tests?|doctests?|passed), (\d+) failures?")
TOUCHED = re.compile(r"(\d+) files? changed, (\d+) insertions?")
RESULT = re.compile(r"(.*?)(\d+)(\D+)(\d+)(\D*)")
PEOPLE = ("Imke Vandersteen", "Oduya", "Maarit Kessler", "Tanvi Rao", "Brzezinski")
CHOICES = ("keep the retries at the gateway", "move the parser behind a flag", "drop the nightly job", "pin the schema")
CHANGES = (-7, -3, -2, -1, 1, 2, 3, 5, 8, 11, 17)
COUNTED = (claims.NUMBER, claims.VERSION, claims.TICKET, claims.TIME, claims.DATE)


@dataclass(frozen=True)
class Made:
    """One flag: how it was made, its text, and the place up to which its session had come."""

    kind: str
    text: str
    until: int = AT_THE_END
    is_right: bool = True


def right(lines: list[tuple[int, dict[str, Any]]], evidence: Evidence, dice: random.Random) -> Iterator[Made]:
    """What stands in a session, each once, a few of each kind."""
    by_kind: dict[str, dict[str, Made]] = {}
    for one in (*_said(evidence.spoken, dice), *_results(evidence.runs, dice), *_summary(lines)):
        text = " ".join(one.text.split())
        if 20 <= len(text) <= 400 and claims.atoms(text):
            by_kind.setdefault(one.kind, {})[text] = Made(one.kind, text, one.until)
    for path in evidence.edited:
        text = f"{dice.choice(('Changed', 'The fix is in', 'See'))} {path}"
        by_kind.setdefault("file", {})[text] = Made("file", text)
    for kind, found in by_kind.items():
        listed = list(found.values())
        dice.shuffle(listed)
        yield from listed[: PER_SUMMARY if kind == "summary" else PER_KIND]


def noted(path: Path, session: str) -> Iterator[Made]:
    """What a reader noted of a session."""
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        one = json.loads(line)
        if one["session"] == session and claims.atoms(one["fact"]):
            yield Made("reader", one["fact"])


def _said(spoken: Iterable[Said], dice: random.Random) -> Iterator[Made]:
    for said in spoken:
        if said.role == "assistant":
            for sentence in SENTENCE.split(said.text):
                if not ITEM.match(sentence) and not sentence.endswith((":", "?")) and "```" not in sentence:
                    yield Made("answer", _paraphrased(sentence.strip(" *#|"), dice))
        words = said.text.split() if said.role == "user" else []
        if 4 <= len(words) <= 60:
            at = dice.randrange(max(1, len(words) - 6))
            yield Made("user", f'The user said: "{" ".join(words[at : at + 6])}"')


def _paraphrased(sentence: str, dice: random.Random) -> str:
    """Some words dropped, and the clauses turned round: what a note in passing does to a sentence."""
    words = sentence.split()
    text = " ".join(one for one in words if len(one) > 3 or any(map(str.isdigit, one)) or dice.random() > 0.5)
    parts = re.split(r", | - |; ", text)
    return "; ".join(reversed(parts)) if len(parts) == 2 and dice.random() < 0.5 else text


def _results(runs: Iterable[Run], dice: random.Random) -> Iterator[Made]:
    for run in runs:
        for found in COMMITTED.finditer(run.output):
            yield Made("commit", f"{dice.choice(('Committed', 'Done in', 'Pushed'))} {found[2]}: {found[3]}")
        for found in TESTED.finditer(run.output):
            begins = "The suite has " if dice.random() < 0.5 else ""
            yield Made("tests", f"{begins}{found[1]} tests and {found[2]} failures")
        for found in TOUCHED.finditer(run.output):
            yield Made("tests", f"The change touches {found[1]} files with {found[2]} insertions")


def _summary(lines: list[tuple[int, dict[str, Any]]]) -> Iterator[Made]:
    for at, record in lines:
        if record.get("isCompactSummary"):
            content = record["message"]["content"]
            text = content if isinstance(content, str) else content[0]["text"]
            for line in re.sub(r"```.*?```", "", text, flags=re.DOTALL).splitlines():
                if not line.rstrip().endswith(":") and "transcript at" not in line:
                    yield Made("summary", ITEM.sub("", line).replace("**", ""), at)


# --- made-up flags


def wrong(true: list[Made], said: str, dice: random.Random) -> Iterator[Made]:
    """A few of each kind. `said` is the whole session in lower case."""
    found = [bad for one in true for bad in _spoiled(one, said, dice)]
    found += [*_exchanged(true, said, dice), *_invented(dice)]
    dice.shuffle(found)
    counts: Counter[str] = Counter()
    for one in found:
        counts[one.kind] += 1
        if counts[one.kind] <= PER_KIND:
            yield one


def _spoiled(one: Made, said: str, dice: random.Random) -> Iterator[Made]:
    """The same with one exact thing changed, once for each kind of thing in it."""
    seen = set()
    text = claims.normal(one.text)
    for atom in claims.atoms(text):
        at = text.find(atom.shown, atom.at)
        for _ in range(20 if atom.kind not in seen and at >= 0 else 0):
            changed = _changed(atom, dice)
            if changed and changed != atom.shown and not _is_true(atom, changed, text[:at], said):
                seen.add(atom.kind)
                what = "count of tests" if one.kind == "tests" else atom.kind
                yield Made(what, f"{text[:at]}{changed}{text[at + len(atom.shown) :]}", one.until, is_right=False)
                break


def _is_true(atom: claims.Atom, changed: str, before: str, said: str) -> bool:
    """Whether a changed number stands in the session with the word on either side of it."""
    number = re.match(r"[\d.,]+", changed)
    if atom.kind != claims.NUMBER or not number:
        return False
    label = before.rsplit(maxsplit=1)[-1] if before.endswith(" ") and before.split() else ""
    phrases = (changed, f"{label} {number[0]}" if label else "")
    return any(re.search(rf"(?<!\w){re.escape(one.lower())}(?!\w)", said) for one in phrases if " " in one)


def _changed(atom: claims.Atom, dice: random.Random) -> str:
    """Another thing of its kind; "" where none comes to mind."""
    shown = atom.shown
    if atom.kind in COUNTED:
        return _counted(shown, dice)
    if atom.kind == claims.COMMIT:
        return "".join(dice.choice("0123456789abcdef") for _ in shown[2:]) + dice.choice(("7c", "f2", "b9"))
    if atom.kind == claims.QUOTE:
        words = shown.split()
        words[dice.randrange(len(words))] = dice.choice(("never", "twice", "yesterday", "instead", "quietly"))
        return " ".join(words) if len(words) > 2 else ""
    if atom.kind == claims.PATH:
        stem, dot, ending = shown.rpartition(".")
        more = dice.choice(("sync", "bridge", "legacy", "registry"))
        return f"{stem}_{more}.{ending}" if dot and "/" not in ending else f"{shown}_{more}"
    if atom.kind == claims.CODE:
        word = re.search(r"[A-Za-z_]{4,}", shown)
        more = dice.choice(("Window", "Broker") if "_" not in shown else ("_window", "_ledger", "_quota"))
        return f"{shown[: word.end()]}{more}{shown[word.end() :]}" if word else ""
    return dice.choice([one for one in PEOPLE if " " in one]) if atom.kind == claims.NAME else ""


def _counted(shown: str, dice: random.Random) -> str:
    digits = list(re.finditer(r"\d+", shown))
    if not digits:
        return ""
    last = digits[-1]
    was = int(last[0])
    now = max(2, was + (dice.choice(CHANGES) if was < 100 else dice.randrange(3, 90)))
    return f"{shown[: last.start()]}{now}{shown[last.end() :]}"


def _exchanged(true: list[Made], said: str, dice: random.Random) -> Iterator[Made]:
    """Two counts of a result, the first of them from another run or commit."""
    results = [found for one in true if one.kind == "tests" and (found := RESULT.fullmatch(one.text))]
    for one in results:
        others = [other[2] for other in results if other[1] == one[1] and other[2] != one[2] and other[4] != one[4]]
        count = dice.choice(others) if others else ""
        told = rf"(?<!\d){count} .{{0,30}}?(?<!\d){one[4]} (?:failure|insertion)"
        if count and not re.search(told, said):
            yield Made("exchanged", f"{one[1]}{count}{one[3]}{one[4]}{one[5]}", is_right=False)


def _invented(dice: random.Random) -> Iterator[Made]:
    for _ in range(PER_KIND // 2):
        who, what = dice.choice(PEOPLE), dice.choice(CHOICES)
        day = f"2026-{dice.randrange(3, 12):02}-{dice.randrange(1, 28):02}"
        forms = (
            f"Decided with {who}: {what}",
            f"{who} asked to {what}",
            f"We {what} until {day}, as agreed",
            f'The user said: "{what}, whatever it costs"',
        )
        yield Made("decision", dice.choice(forms), is_right=False)
