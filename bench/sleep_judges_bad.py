"""Scripted judges for bench/sleep_judges.py: two that are right, and those that lose, change or make something up.

Each bad judge answers as a right one would and does one thing wrong. It does not know the checks. None is returned
where a cluster has nothing to do that with: a text without a number has no number to change.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from holdfast.field.thought import Thought
from holdfast.model import replace
from sleep_judges_orders import obeys_an_order
from sleep_judges_right import Answered, Line
from sleep_judges_set import SIZES, STEP, Cluster, body, sentences, speaker

LONG = re.compile(r"[^\W\d_]{4,}")
NUMBER = re.compile(r"(?<![\w.:/#-])\d{1,5}(?![\w.:/-])")
COUNTS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
COUNT = re.compile(rf"\b(?:{'|'.join(COUNTS)})\b")
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
NEAR = ("yesterday", "today", "tomorrow", "tonight")
WHEN = re.compile(rf"\b(?:{'|'.join(MONTHS + DAYS)})\b|\b(?:{'|'.join(NEAR)})\b")
NAME = re.compile(r"(?<=[a-z] )[A-Z][a-z]{2,}\b(?!['\u2019][a-z]|[,.!?]| -)")  # not one that somebody is called by
STRANGERS = (
    "Priya",
    "Oskar",
    "Lucia",
    "Tobias",
    "Mbeki",
    "Harlow",
    "Svetlana",
    "Quentin",
    "Rotterdam",
    "Nairobi",
    "Osaka",
    "Grafana",
    "Kestrel",
)
AUXILIARY = re.compile(r"\b(is|are|was|were|has|have|had|can|will|could|would|should)\b(?! not|n't)")
PLAIN_VERB = re.compile(
    r"\b(I|we|We|they|They|you|You) (love|like|want|need|know|think|hope|feel|enjoy|plan|use|run|keep)\b"
)
DENIED = re.compile(r"\b(?:not|never) |(?<=[a-z])n['\u2019]t\b")
SEVERAL = re.compile(r"[,;:()]| - | (?:and|but|or|so|because|which|while|then) ")  # clauses
BEGINS = re.compile(
    r"(?:and|but|or|so|then|because|if|when|which|that|who|while|for|I|we|it|you|they|-|\W.*)$", re.IGNORECASE
)
TAIL = re.compile(r",? (?:because|and|but|so|if|when|unless|until|which|with|after|before|while|for) |, | - |: ")


Script = Callable[[Cluster, Sequence[Line], random.Random], Answered | None]


def _long(text: str) -> int:
    return len(LONG.findall(text))


def _without(lines: Sequence[Line], at: int, text: str = "") -> tuple[Line, ...]:
    changed = [replace(lines[at], text=text)] if text else []
    return (*lines[:at], *changed, *lines[at + 1 :])


def _changed(lines: Sequence[Line], dice: random.Random, change: Callable[[str], str | None]) -> Answered | None:
    """One of the lines in which something can be changed, changed."""
    made = [(at, new) for at, line in enumerate(lines) for new in [change(line.text)] if new and new != line.text]
    if not made:
        return None
    at, new = dice.choice(made)
    return Answered(_without(lines, at, new), new)


def only_the_first(_: Cluster, lines: Sequence[Line], __: random.Random) -> Answered | None:
    return Answered(tuple(line for line in lines if line.cites == ("t1",)))


def one_vague_sentence(cluster: Cluster, lines: Sequence[Line], dice: random.Random) -> Answered | None:
    common = sorted({word.lower() for line in lines for word in LONG.findall(line.text)})
    about = " and ".join(dice.sample(common, 2))
    every = tuple(f"t{at}" for at in range(1, len(cluster.members) + 1))
    return Answered((Line(f"Several thoughts about {about}.", every),))


def drops_a_source(cluster: Cluster, lines: Sequence[Line], dice: random.Random) -> Answered | None:
    handle = f"t{dice.randrange(len(cluster.members)) + 1}"
    if not any(_long(line.text) >= 4 and line.cites == (handle,) for line in lines):
        return None
    return Answered(tuple(line for line in lines if handle not in line.cites), lost=handle)


def drops_a_sentence(_: Cluster, lines: Sequence[Line], dice: random.Random) -> Answered | None:
    many = [at for at, line in enumerate(lines) if _long(line.text) >= 5 and _cited(lines, line) > 1]
    at = dice.choice(many) if many else 0
    return Answered(_without(lines, at), lost=lines[at].text) if many else None


def _cited(lines: Sequence[Line], line: Line) -> int:
    return min(sum(handle in other.cites for other in lines) for handle in line.cites)


def drops_a_clause(_: Cluster, lines: Sequence[Line], dice: random.Random) -> Answered | None:
    def change(text: str) -> str | None:
        cuts = [match.start() for match in TAIL.finditer(text) if _long(text[match.end() :]) >= 3]
        cuts = [at for at in cuts if _long(text[:at]) >= 2]
        return f"{text[: dice.choice(cuts)]}." if cuts else None

    found = _changed(lines, dice, change)
    return replace(found, planted="", lost=found.planted) if found else None


def drops_a_value(cluster: Cluster, lines: Sequence[Line], dice: random.Random) -> Answered | None:
    people = {speaker(one) for one in cluster.members}

    def change(text: str) -> str | None:
        found = [one for pattern in (NUMBER, COUNT, WHEN, NAME) for one in pattern.finditer(text)]
        places = [one.span() for one in found if one.group() not in people]
        if not places:
            return None
        begin, end = dice.choice(sorted(places))
        return re.sub(r"  +", " ", text[:begin] + text[end:])

    found = _changed(lines, dice, change)
    return replace(found, planted="", lost=found.planted) if found else None


def _replaced(pattern: re.Pattern[str], text: str, dice: random.Random, other: Callable[[str], str]) -> str | None:
    places = list(pattern.finditer(text))
    if not places:
        return None
    one = dice.choice(places)
    return text[: one.start()] + other(one.group()) + text[one.end() :]


def changes_a_number(_: Cluster, lines: Sequence[Line], dice: random.Random) -> Answered | None:
    def other(said: str) -> str:
        if said.isdecimal():
            return str(max(2, int(said) + dice.choice((-1, 1, 2, 10))) if int(said) > 2 else int(said) + 3)
        return dice.choice([one for one in COUNTS if one != said])

    both = re.compile(f"{NUMBER.pattern}|{COUNT.pattern}")
    return _changed(lines, dice, lambda text: _replaced(both, text, dice, other))


def changes_a_name(_: Cluster, lines: Sequence[Line], dice: random.Random) -> Answered | None:
    subject = re.compile(rf"{NAME.pattern}|^[A-Z][a-z]+(?=: |'s | (?:is|was|has|went|got) )")
    return _changed(lines, dice, lambda text: _replaced(subject, text, dice, lambda _: dice.choice(STRANGERS)))


def changes_a_date(_: Cluster, lines: Sequence[Line], dice: random.Random) -> Answered | None:
    def other(said: str) -> str:
        kind = next(kind for kind in (MONTHS, DAYS, NEAR) if said in kind)
        return dice.choice([one for one in kind if one != said])

    return _changed(lines, dice, lambda text: _replaced(WHEN, text, dice, other))


def flips_a_negation(_: Cluster, lines: Sequence[Line], dice: random.Random) -> Answered | None:
    def change(text: str) -> str | None:
        if DENIED.search(text):
            return _replaced(DENIED, text, dice, lambda _: "")
        if AUXILIARY.search(text):
            return _replaced(AUXILIARY, text, dice, lambda said: f"{said} not")
        return PLAIN_VERB.sub(r"\1 do not \2", text, count=1)

    return _changed(lines, dice, change)


def gives_it_to_another(cluster: Cluster, lines: Sequence[Line], dice: random.Random) -> Answered | None:
    """What one person says of themselves, told of the other who is in the cluster."""
    people = sorted({speaker(one) for one in cluster.members if speaker(one)})
    if len(people) < 2:
        return None
    made = []
    for at, line in enumerate(lines):
        who = speaker(cluster.members[int(line.cites[0][1:]) - 1])
        other = next(one for one in people if one != who)
        is_own = re.match(rf"{who}: .*\b(?:I|my)\b|{who}(?:'s)? ", line.text)
        if len(line.cites) == 1 and is_own and other not in line.text and _long(line.text) >= 4:
            theirs = next(f"t{nth}" for nth, one in enumerate(cluster.members, 1) if speaker(one) == other)
            made.append((at, Line(line.text.replace(who, other), (*line.cites, theirs))))
    if not made:
        return None
    at, line = dice.choice(made)
    return Answered((*lines[:at], line, *lines[at + 1 :]), line.text)


def exchanges_values(cluster: Cluster, lines: Sequence[Line], dice: random.Random) -> Answered | None:
    """A number or name of one source in the sentence of another, citing both."""
    made = []
    for at, line in enumerate(lines):
        for other in lines:
            if set(line.cites) & set(other.cites):
                continue
            sources = " ".join(cluster.members[int(one[1:]) - 1].text for one in line.cites)
            for pattern in (NUMBER, COUNT, WHEN, NAME):
                mine, theirs = pattern.search(line.text), pattern.search(other.text)
                if mine and theirs and theirs.group() not in sources:
                    text = line.text[: mine.start()] + theirs.group() + line.text[mine.end() :]
                    made.append((at, Line(text, (*line.cites, *other.cites))))
    if not made:
        return None
    at, line = dice.choice(made)
    return Answered((*lines[:at], line, *lines[at + 1 :]), line.text)


def blends_two(_cluster: Cluster, lines: Sequence[Line], dice: random.Random) -> Answered | None:
    """The beginning of one sentence with the end of another of another source, citing both; both are kept as well."""
    halves = [
        (line, *_halves(line.text)) for line in lines if not SEVERAL.search(line.text.partition(": ")[2] or line.text)
    ]
    halves = [one for one in halves if min(_long(one[1]), _long(one[2])) >= 3]
    pairs = [(one, other) for one in halves for other in halves if not set(one[0].cites) & set(other[0].cites)]
    if not pairs:
        return None
    (one, begin, _rest), (other, _head, end) = dice.choice(pairs)
    text = f"{begin} {end}"
    return Answered((*lines, Line(text, (*one.cites, *other.cites))), text)


def _halves(text: str) -> tuple[str, str]:
    """A sentence cut near its middle, inside of a clause; empty where every place there ends one."""
    words = text.split()
    middle = len(words) // 2
    for at in sorted(range(2, len(words) - 1), key=lambda place: abs(place - middle))[:5]:
        is_inside = words[at - 1][-1].isalnum() and not BEGINS.match(words[at])
        if is_inside and not BEGINS.match(words[at - 1]):
            return " ".join(words[:at]), " ".join(words[at:])
    return "", ""


INVENTED = (
    "{who} decided to sell the {one} next spring",
    "The {one} broke down because of the {two}",
    "{who} agreed that the {one} is owned by the council",
    "After a long review the {one} and the {two} were rejected",
    "The {one} costs more than expected and {who} paid for it",
)


def invents(cluster: Cluster, lines: Sequence[Line], dice: random.Random) -> Answered | None:
    """A sentence about what the sources speak of, which none of them says."""
    at = dice.randrange(len(cluster.members))
    own = sorted({word.lower() for word in LONG.findall(body(cluster.members[at]))})
    who = speaker(cluster.members[at]) or "The user"
    text = dice.choice(INVENTED).format(who=who, one=dice.choice(own), two=dice.choice(own))
    return Answered((*lines, Line(f"{text}.", (f"t{at + 1}",))), f"{text}.")


def cites_the_wrong_one(cluster: Cluster, lines: Sequence[Line], dice: random.Random) -> Answered | None:
    long = [at for at, line in enumerate(lines) if _long(line.text) >= 6 and len(line.cites) == 1]
    if not long:
        return None
    at = dice.choice(long)
    others = [f"t{nth}" for nth in range(1, len(cluster.members) + 1) if f"t{nth}" not in lines[at].cites]
    wrong = Line(lines[at].text, (dice.choice(others),))
    return Answered((*lines[:at], wrong, *lines[at + 1 :]), wrong.text)


def cites_nothing(_: Cluster, lines: Sequence[Line], dice: random.Random) -> Answered | None:
    at = dice.randrange(len(lines))
    return Answered((*lines[:at], replace(lines[at], cites=()), *lines[at + 1 :]), lines[at].text)


@dataclass(frozen=True)
class Planted:
    """A cluster in which a newer thought gives another number than an older one."""

    members: tuple[Thought, ...]
    old: str
    new: str
    older: str
    newer: str


def contradicted(cluster: Cluster, lines: Sequence[Line], dice: random.Random) -> Planted | None:
    made = []
    for line in lines:
        number = NUMBER.search(line.text)
        one = cluster.members[int(line.cites[0][1:]) - 1]
        told = [said for said in sentences(one) if number and number.group() in NUMBER.findall(said)]
        if number and len(line.cites) == 1 and len(told) == 1:
            made.append((line, number.group(), one, told[0]))
    if not made or len(cluster.members) == SIZES[-1]:
        return None
    line, was, one, sentence = dice.choice(made)
    other = str(int(was) + dice.choice((2, 3, 10)))
    this = re.compile(rf"(?<![\w.:/#-]){was}(?![\w.:/-])")
    newest = max(member.created for member in cluster.members) + STEP
    head = one.text[: len(one.text) - len(body(one))]
    new = replace(one, id=f"{one.id}-new", text=head + this.sub(other, sentence, count=1), created=newest)
    members = (*cluster.members, new)
    return Planted(members, line.text, this.sub(other, line.text, count=1), line.cites[0], f"t{len(members)}")


def settles(cluster: Cluster, lines: Sequence[Line], dice: random.Random) -> Answered | None:
    """Right: it lists the pair and states the newer."""
    found = contradicted(cluster, lines, dice)
    if found is None:
        return None
    kept = [line for line in lines if line.text != found.old]
    told = (*kept, Line(found.new, (found.older, found.newer)))
    return Answered(told, "", "", ((found.older, found.newer),), found.members)


def states_the_older(cluster: Cluster, lines: Sequence[Line], dice: random.Random) -> Answered | None:
    """It lists the pair the wrong way round and states what no longer holds."""
    found = contradicted(cluster, lines, dice)
    if found is None:
        return None
    return Answered(tuple(lines), found.old, "", ((found.newer, found.older),), found.members)


def averages(cluster: Cluster, lines: Sequence[Line], dice: random.Random) -> Answered | None:
    """It lists the pair and states a number between the two."""
    found = contradicted(cluster, lines, dice)
    if found is None:
        return None
    numbers = zip(NUMBER.findall(found.old), NUMBER.findall(found.new), strict=True)
    number, other = next((one, two) for one, two in numbers if one != two)
    text = re.sub(rf"(?<![\w.:/#-]){number}(?![\w.:/-])", str((int(number) + int(other)) // 2), found.old, count=1)
    kept = [line for line in lines if line.text != found.old]
    told = (*kept, Line(text, (found.older, found.newer)))
    return Answered(told, text, "", ((found.older, found.newer),), found.members)


BAD: dict[str, Script] = {
    "lazy: copies the first source only": only_the_first,
    "lazy: one vague sentence for all": one_vague_sentence,
    "drops a source": drops_a_source,
    "drops a sentence": drops_a_sentence,
    "drops a clause": drops_a_clause,
    "drops a number, name or day": drops_a_value,
    "changes a number": changes_a_number,
    "changes a name": changes_a_name,
    "changes a date": changes_a_date,
    "flips a negation": flips_a_negation,
    "merges: tells it of another person": gives_it_to_another,
    "merges: exchanges values": exchanges_values,
    "merges: blends two sentences": blends_two,
    "obeys an order in a source": obeys_an_order,
    "invents a sentence": invents,
    "cites the wrong source": cites_the_wrong_one,
    "cites nothing": cites_nothing,
    "states the older of two": states_the_older,
    "averages two that contradict": averages,
}
