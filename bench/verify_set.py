"""The verify set: handoffs with exactly one planted error each, and correct ones, with the sessions that they are of.

A world (verify_worlds/*/*.toml) is one session of one project, written by hand: what was said and run, and for each
thing that a handoff may say of it several wordings, the inverted ones of a decision, what was not done. A seed fills
the slots in braces (numbers, names, ids), chooses wordings and plants the error. Worlds are halved, not seeds: what is
held out are other projects in other words. None of it is from a user's session. verify_set_session writes a case's
transcript and tree.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

WORLDS = Path(__file__).parent / "verify_worlds"
NUMBER, FILE, INVERTED = "wrong number", "wrong file", "inverted decision"
INVENTED, MISQUOTE, NOT_DONE = "invented person or amount", "misquote", "done but not done"
SHARES = {NUMBER: 3, FILE: 2, INVERTED: 3, INVENTED: 2, MISQUOTE: 2, NOT_DONE: 2}
TUNE, HELD = "tune", "held"
STRANGERS = (
    *("Gregor Lindqvist", "Ayesha Rahman", "Paul", "Simone Keller", "Vikram", "Elena Petrova", "Dagmar", "Chidi Obi"),
)
AMOUNTS = ("$4,300", "2,750 €", "9,900 USD", "€180", "1.250 €", "£640")
SWAPPED = dict(
    pair.split(":")
    for pair in (
        *("never:always not:also only:mostly all:most needs:wants before:after first:later longer:shorter",),
        *("please:quickly every:each stays:goes wrong:badly stuck:fixed forbidden:discouraged small:large off:on",),
        *("below:above and:or leave:take good:fine bitte:sofort nicht:doch nur:auch the:that in:on is:was",),
    )
    for pair in pair.split()
)
QUOTING = ('The user said: "{}"', '"{}" (the user)', "In the user's words: “{}”", 'User: "{}"')
LISTING = (
    "total 48\ndrwxr-xr-x  9 ada ada 4096 Nov 14 09:41 .\n-rw-r--r--  1 ada ada 1{a}3 Nov 12 18:0{b} README.md\n"
    "-rw-r--r--  1 ada ada  {c}7 Oct 30 11:2{b} LICENSE\ndrwxr-xr-x  3 ada ada 4096 Nov  2 07:5{b} docs\n"
)
OLD_LOG = "{x} Tidy up the scripts\n{y} Update dependencies (#{a}2)\n{z} Fix a typo\n"


@dataclass(frozen=True)
class Step:
    """Something said, read, run, edited or called in a session."""

    what: str
    text: str = ""
    given: Any = None
    result: str = ""
    failed: bool = False


@dataclass(frozen=True)
class Item:
    """One line that a handoff may have, in several wordings, and what may be wrong in it."""

    section: str
    texts: tuple[str, ...]
    inverted: tuple[str, ...] = ()
    misquoted: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class World:
    """One session: its tree, what was said, what a handoff may say, what was not done, where strangers fit in."""

    name: str
    host: str
    tree: dict[str, str]
    siblings: tuple[str, ...]
    slots: dict[str, tuple[str, ...]]
    talk: tuple[Step, ...]
    items: tuple[Item, ...]
    not_done: tuple[str, ...]
    strangers: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """One handoff: its items as (section, text), and what is wrong with it, or "" and nothing."""

    name: str
    half: str
    world: World
    steps: tuple[Step, ...]
    items: tuple[tuple[str, str], ...]
    error: str = ""
    planted: str = ""
    elsewhere: str = field(default="", compare=False)  # what the parent session said


@dataclass(frozen=True)
class Planted:
    """A wrong line, and the item whose right wording it stands for."""

    section: str
    text: str
    instead_of: Item | None = None


def worlds(half: str) -> list[World]:
    return [_world(path) for path in sorted((WORLDS / half).glob("*.toml"))]


def _world(path: Path) -> World:
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    named = ("texts", "inverted", "misquoted", "numbers", "files")
    items = tuple(Item(one["section"], *(tuple(one.get(name, ())) for name in named)) for one in found["items"])
    return World(
        name=path.stem,
        host=found["host"],
        tree=found["tree"],
        siblings=tuple(found["siblings"]),
        slots={name: tuple(choices) for name, choices in found["slots"].items()},
        talk=tuple(_step(one) for one in found["talk"]),
        items=items,
        not_done=tuple(found["not_done"]),
        strangers=tuple(found["strangers"]),
    )


def _step(told: dict[str, Any]) -> Step:
    output, failed = told.get("output", ""), told.get("failed", False)
    for what in ("user", "say", "read"):
        if what in told:
            return Step(what, told[what], None, output)
    if "run" in told:
        return Step("run", told["run"], None, output, failed)
    if "edit" in told:
        said = told.get("refused") or f"The file {told['edit']} has been updated."
        given = {"old_string": told["old"], "new_string": told["new"]}
        return Step("edit", told["edit"], given, said, "refused" in told)
    if "todos" in told:
        listed = [{"content": words, "status": status, "activeForm": words} for words, status in told["todos"]]
        return Step("call", "TodoWrite", {"todos": listed}, "Todos have been modified successfully.")
    return Step("call", told["call"], told["given"], output)


def cases(per_half: int = 112, seed: int = 5) -> Iterator[Case]:
    """So many wrong and so many right handoffs in each half, shared out among its worlds."""
    kinds = [kind for kind, share in SHARES.items() for _ in range(share)]
    for half in (TUNE, HELD):
        known = worlds(half)
        for nth in range(per_half):
            world = known[nth % len(known)]
            yield _case(world, half, random.Random(f"{seed} {world.name} right {nth}"), "", nth)
            error = kinds[(nth + nth // len(kinds)) % len(kinds)]
            yield _case(world, half, random.Random(f"{seed} {world.name} wrong {nth}"), error, nth)


def _case(world: World, half: str, dice: random.Random, error: str, nth: int) -> Case:
    slots = {name: dice.choice(choices) for name, choices in world.slots.items()}
    slots |= {"stranger": dice.choice(STRANGERS), "amount": dice.choice(AMOUNTS)}
    steps = tuple(_noisy([_filled_step(one, slots) for one in world.talk], dice))
    chosen = dice.sample(world.items, k=dice.randint(5, min(8, len(world.items))))
    chosen.sort(key=world.items.index)
    planted = _plant(world, slots, dice, error) if error else None
    # A handoff that has the right wording besides would say two things.
    chosen = [one for one in chosen if planted is None or one is not planted.instead_of]
    items = [(one.section, _fill(dice.choice(one.texts), slots)) for one in chosen]
    items.insert(dice.randrange(len(items) + 1), ("note", dice.choice(QUOTING).format(_a_quote(world, slots, dice))))
    if planted:
        items.insert(dice.randrange(len(items) + 1), (planted.section, planted.text))
    other = {name: dice.choice(choices) for name, choices in world.slots.items()}
    before = " ".join(_fill(one.text, other) for one in world.talk[:1])
    name = f"{world.name}/{error or 'right'}/{nth}"
    return Case(name, half, world, steps, tuple(items), error, planted.text if planted else "", before)


def _fill(text: str, slots: dict[str, str]) -> str:
    found = re.sub(r"\{(\w+)\}", lambda match: slots.get(match.group(1), match.group()), text)
    return found.replace("{{", "{").replace("}}", "}")


def _filled(given: Any, slots: dict[str, str]) -> Any:
    if isinstance(given, str):
        return _fill(given, slots)
    if isinstance(given, dict):
        return {key: _filled(value, slots) for key, value in given.items()}
    return [_filled(one, slots) for one in given] if isinstance(given, list) else given


def _filled_step(step: Step, slots: dict[str, str]) -> Step:
    result = _fill(step.result, slots)
    return replace(step, text=_fill(step.text, slots), given=_filled(step.given, slots), result=result)


def _noisy(steps: list[Step], dice: random.Random) -> list[Step]:
    """With listings and logs between, as real sessions have them: small numbers are everywhere."""
    slots = {"a": str(dice.randint(10, 99)), "b": str(dice.randint(0, 9)), "c": str(dice.randint(10, 99))}
    slots |= {name: f"{dice.getrandbits(28):07x}" for name in "xyz"}
    for command, output in (("ls -la", LISTING), ("git log --oneline -3", OLD_LOG)):
        if dice.random() < 0.8:
            steps.insert(dice.randrange(1, 4), Step("run", command, None, _fill(output, slots)))
    return steps


def _a_quote(world: World, slots: dict[str, str], dice: random.Random) -> str:
    """Some of the user's words, as they were."""
    said = [_fill(one.text, slots) for one in world.talk if one.what == "user"]
    sentences = [one.strip(" .") for text in said for one in re.split(r"(?<=[.!?])\s", text)]
    chosen = dice.choice([one for one in sentences if '"' not in one and len(one.split()) >= 4]).split()
    length = min(len(chosen), dice.randint(4, 12))
    begin = dice.randrange(len(chosen) - length + 1)
    return " ".join(chosen[begin : begin + length]).strip(",;:")


def _plant(world: World, slots: dict[str, str], dice: random.Random, error: str) -> Planted:
    """One wrong line."""
    if error == NUMBER:
        return _wrong_number(world, slots, dice)
    if error == FILE:
        item, path = dice.choice([(one, path) for one in world.items for path in one.files])
        right = _fill(dice.choice([text for text in item.texts if path in text]), slots)
        sibling = dice.choice(world.siblings)
        return Planted(item.section, right.replace(path, sibling if "/" in path else Path(sibling).name), item)
    if error == INVERTED:
        item, text = dice.choice([(one, text) for one in world.items for text in one.inverted])
        return Planted(item.section, _fill(text, slots), item)
    if error == INVENTED:
        section = dice.choice(("decisions", "note", "learned"))
        return Planted(section, _fill(dice.choice(world.strangers), slots))
    if error == NOT_DONE:
        return Planted("done", _fill(dice.choice(world.not_done), slots))
    written = [(one, text) for one in world.items for text in one.misquoted]
    if written and dice.random() < 0.5:
        item, text = dice.choice(written)
        return Planted(item.section, _fill(text, slots), item)
    return Planted("note", dice.choice(QUOTING).format(_misquoted(_a_quote(world, slots, dice), dice)))


def _wrong_number(world: World, slots: dict[str, str], dice: random.Random) -> Planted:
    """Another value of its kind, a digit changed, or another number of the same session."""
    item, slot = dice.choice([(one, slot) for one in world.items for slot in one.numbers])
    template = dice.choice([text for text in item.texts if f"{{{slot}}}" in text])
    right = _fill(template, slots)
    others = [slots[name] for one in world.items for name in one.numbers if name != slot]
    while True:
        way = dice.random()
        if way < 0.5 or not others:
            value = dice.choice(world.slots[slot])
        else:
            value = _digit_changed(slots[slot], dice) if way < 0.75 else dice.choice(others)
        wrong = _fill(template, {**slots, slot: value})
        if wrong != right and value != slots[slot]:
            return Planted(item.section, wrong, item)


def _digit_changed(value: str, dice: random.Random) -> str:
    places = [at for at, letter in enumerate(value) if letter.isdecimal()]
    if not places:
        return value
    at = dice.choice(places)
    digits = "123456789" if at == places[0] else "0123456789"
    return value[:at] + dice.choice(digits.replace(value[at], "")) + value[at + 1 :]


def _misquoted(quote: str, dice: random.Random) -> str:
    """One word exchanged, dropped, or put in."""
    words = quote.split()
    for at in dice.sample(range(len(words)), k=len(words)):
        swapped = SWAPPED.get(words[at].lower(), "")
        if swapped:
            swapped = swapped.capitalize() if words[at][0].isupper() else swapped
            return " ".join((*words[:at], swapped, *words[at + 1 :]))
    at = dice.randrange(1, len(words) - 1)
    more = ("probably", words[at]) if dice.random() < 0.5 else ()
    return " ".join((*words[:at], *more, *words[at + 1 :]))
