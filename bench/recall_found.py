"""What a first prompt is told, by words alone and with a server that knows meaning: how much of it bears, how much not.

On public data that nobody here wrote (as bench/retrieval.py, which says where it is looked for): each text is a note of
a vault, each question a first prompt. Every question is asked twice: with the texts that answer it among the notes, and
with these left out, when whatever is told is told in vain. A told note is right only if it is labelled as evidence, so
one that is about the same and is not labelled counts as wrong: the two columns are to be compared with each other.
Constants were chosen on the first half of each set; the figures are those of the other half.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from support import ROOT

sys.path.insert(0, str(ROOT / "src"))

from holdfast.brief import prompt_by_words
from holdfast.capture import home
from holdfast.field import handle, intake, prompt_by_meaning
from holdfast.field.embedder_models import WordLlama
from holdfast.field.handle import Field
from holdfast.vault import notes
from retrieval_data import SETS, Memory, Query, load

PROJECT = "bench-1"
UNHURRIED = 10.0  # seconds: what is found, not how fast
MOST_QUESTIONS = 40  # of one group
MEMORY = "/dev/shm"
Looking = Callable[[Field, str], list[str]]


@dataclass(frozen=True)
class Told:
    """What one way of looking told over many prompts. `in_vain` counts prompts that nothing bears on."""

    prompts: int = 0
    bearing: int = 0
    found: int = 0
    right: int = 0
    wrong: int = 0
    in_vain: int = 0

    def __add__(self, other: Told) -> Told:
        return Told(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        return self.found / max(1, self.bearing)


def by_words(field: Field, prompt: str) -> list[str]:
    return [one.path for one in prompt_by_words.look(home.state(field.vault), PROJECT, prompt, UNHURRIED)]


def hybrid(field: Field, prompt: str) -> list[str]:
    return [one.path for one in prompt_by_meaning.bearing(field, PROJECT, prompt, UNHURRIED)]


WAYS: dict[str, Looking] = {"words": by_words, "hybrid": hybrid}


def data() -> Path:
    return Path(os.environ.get("HOLDFAST_BENCH_DATA", ROOT.parent / "shared" / "bench"))


def measured(*, held: bool = True, most_groups: int = 1 << 30) -> Iterator[tuple[str, dict[str, Told]]]:
    """For each set that is here what each way told, on the second half, or on the one that was tuned on."""
    for name, file in SETS.items():
        if (data() / file).is_file():
            groups = [one for one in load(data() / file) if held in one.is_held][:most_groups]
            yield name, _of_set(groups, held)


def _of_set(groups: Sequence[Memory], held: bool) -> dict[str, Told]:
    sums = dict.fromkeys(WAYS, Told())
    for group in groups:
        asked = [one for one, is_held in zip(group.queries, group.is_held, strict=True) if is_held == held]
        some = asked[:MOST_QUESTIONS] if len(groups) > 1 else asked
        for turn in (0, 1):
            left_out = {ident for at, one in enumerate(some) if at % 2 != turn for ident in one.gold}
            with tempfile.TemporaryDirectory(dir=MEMORY if os.path.isdir(MEMORY) else None) as folder:
                field = _filled(folder, [doc for doc in group.docs if doc[0] not in left_out])
                for name, look in WAYS.items():
                    for one in some:
                        told = look(field, one.text)
                        sums[name] += _judged(told, replace(one, gold=one.gold - left_out))
                field.store.close()
    return sums


def _judged(told: Sequence[str], query: Query) -> Told:
    wanted = {_path(ident) for ident in query.gold}
    right = sum(path in wanted for path in told)
    bears = bool(wanted)
    return Told(1, bears, right > 0, right, len(told) - right, not bears and bool(told))


def _path(ident: str) -> str:
    plain = "".join(sign if sign.isalnum() else "-" for sign in ident)
    return f"{notes.FOLDERS['knowledge']}/{plain}.md"


def _filled(folder: str, docs: Sequence[tuple[str, str]]) -> Field:
    """A vault with a note for each text, and its index."""
    vault = f"{folder}/vault"
    home.make_vault(vault)
    Path(vault, notes.FOLDERS["knowledge"]).mkdir()
    for ident, text in docs:
        said = notes.new_text(
            name="A note", kind="knowledge", body=text, day="2026-09-01", project=PROJECT, origin="agent",
            description=text,
        )  # fmt: skip
        Path(vault, _path(ident)).write_text(said, encoding="utf-8")
    field = handle.opened(vault, WordLlama())
    intake.take_in(field, thorough=True)
    intake.embed(field)
    return field


def lines() -> Iterator[str]:
    """The table; one sentence where there is no data."""
    found = False
    for name, ways in measured():
        found = True
        for way, told in ways.items():
            yield (
                f"  {name:<22} {way:<7} precision {told.precision:.3f}, recall {told.recall:.3f}: "
                f"{told.found} of {told.bearing} found, {told.wrong} told beside the point; "
                f"{told.in_vain} of {told.prompts - told.bearing} told something where nothing bears"
            )
    if not found:
        yield f"  what it finds: not measured, for none of {', '.join(SETS.values())} is in the folder of the data"


if __name__ == "__main__":
    for line in lines():
        print(line, flush=True)
