"""What recall at the first prompt costs a hook, as whole processes, with an index of 10, 1,000 and 100,000 notes.

    python bench/recall.py [--runs 40] [--notes 10,1000,100000]

For each size: a vault whose index holds so many generated notes of one project and as many of others, and one note that
bears on the prompt. Timed interleaved: a bare start of the interpreter, a first prompt where there is no index, a first
prompt with it, and a later prompt of the same session. The files of the generated notes are not written: the hook reads
only those that bear. Target: a first prompt within 2.0 of one without an index, a later one within 1.1.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path

from support import ROOT, interleaved, machine, median, once, user_environment

sys.path.insert(0, str(ROOT / "src"))

from holdfast.capture import home, ledger_history, projects
from holdfast.field import indexing, opening
from holdfast.field.thought import NOTE, Thought, note_id
from holdfast.install import launcher
from holdfast.vault import notes

PROMPT = "Umlauts are broken in the supplier CSV files, which encoding do they have and where is it set?"
FACT = "Supplier CSV files are Windows-1252 with semicolons.\nPass the encoding to read_rows, the parser guesses wrong."
AT_ONCE = 5000
VOCABULARY = 20_000
DAY = "2026-09-01"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--notes", default="10,1000,100000")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sizes = [int(size) for size in options.notes.split(",")]
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as name:
        folder = Path(name)
        project = folder / "shop"
        project.mkdir()
        env = {**user_environment(folder), "HOLDFAST_CLOSE": "off"}
        candidates = {"bare": _bare(env, project), **_prompts("none", env, folder / "none", project)}
        for size in sizes:
            _fill(str(folder / str(size)), str(project), size)
            candidates.update(_prompts(f"{size:,}", env, folder / str(size), project))
        times = interleaved(candidates, options.runs)
        looks = {f"{size:,}": _looks(str(folder / str(size))) for size in sizes}
    _print(looks, {name: median(spent) for name, spent in times.items()}, options)


def _bare(env: dict[str, str], project: Path) -> Callable[[], float]:
    return lambda: once([launcher.interpreter(), "-I", "-S", "-c", "pass"], env, project)


def _prompts(name: str, env: dict[str, str], vault: Path, project: Path) -> dict[str, Callable[[], float]]:
    """The first prompt of a new session each time, and the same session's next."""
    command = [launcher.interpreter(), "-I", "-S", str(launcher.script_path()), "claude-code"]
    given = {**env, "HOLDFAST_HOME": str(vault)}
    count = 0

    def ask(*, new: bool) -> float:
        nonlocal count
        count += new
        event = {"hook_event_name": "UserPromptSubmit", "session_id": f"s{count}", "cwd": str(project)}
        return once(command, given, project, json.dumps({**event, "prompt": PROMPT}).encode())

    return {f"first, {name}": lambda: ask(new=True), f"later, {name}": lambda: ask(new=False)}


def _fill(vault: str, cwd: str, size: int) -> None:
    """An index of that size, and the file of the one note that bears on the prompt."""
    home.make_vault(vault)
    project = projects.find(cwd, vault).id
    path = f"{notes.FOLDERS['knowledge']}/supplier-files.md"
    text = notes.new_text(
        name="Supplier files", kind="knowledge", body=FACT, day=DAY, project=project, origin="agent", description=FACT
    )
    file = Path(vault) / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    with opening.opened(vault) as field:
        indexing.take_in(field, thorough=True)
        made = list(_generated(project, size))
        for begin in range(0, len(made), AT_ONCE):
            with field.store.writing():
                field.store.take(f"bench/{begin}", "0", made[begin : begin + AT_ONCE])


def _looks(vault: str) -> tuple[float, int, int]:
    """What the looks alone took, in milliseconds, as the ledger has it; how many there were, and how many told."""
    found = list(ledger_history.read(home.state(vault), ledger_history.Wanted(kinds=("hook", "injection"))))
    spent = [one["recall_us"] / 1000 for one in found if "recall_us" in one]
    return median(spent), len(spent), sum(one["kind"] == "injection" for one in found)


def _generated(project: str, size: int) -> Iterator[Thought]:
    """Notes of forty words, frequent ones more often, as words are; half of them of other projects."""
    dice = random.Random(size)
    words = [f"w{n:05}" for n in range(VOCABULARY)]
    for rank, word in ((20, "files"), (40, "broken"), (3000, "supplier"), (7000, "csv"), (9000, "encoding")):
        words.insert(rank, word)
    chances = list(accumulate(1 / (rank + 20) for rank in range(len(words))))
    for n in range(2 * size):
        text = " ".join(dice.choices(words, cum_weights=chances, k=40))
        path = f"knowledge/generated-{n}.md"
        mine = project if n % 2 else f"other-{n % 7}"
        yield Thought(
            note_id(path),
            text,
            kind=NOTE,
            project=mine,
            category="knowledge",
            created=time.time(),
            path=path,
            title="x",
        )


def _print(looks: dict[str, tuple[float, int, int]], medians: dict[str, float], options: argparse.Namespace) -> None:
    if options.json:
        wholes = {name: seconds * 1000 for name, seconds in medians.items()}
        print(json.dumps({"machine": machine(), "runs": options.runs, "ms": wholes, "looks": looks}))
        return
    bare, first, later = medians["bare"], medians["first, none"], medians["later, none"]
    print(f"{machine()}; {options.runs} runs each, interleaved; median of a bare start {bare * 1000:.1f} ms")
    for name, spent in medians.items():
        what, _, size = name.partition(", ")
        if size and size != "none":
            base, target = (first, 2.0) if what == "first" else (later, 1.1)
            ratio = spent / base
            print(f"  {what} prompt, {size:>7} notes: {spent * 1000:6.1f} ms, {ratio:.2f} x without (target {target})")
    for size, (spent, count, told) in looks.items():
        print(f"  the look alone, {size:>7} notes: {spent:.1f} ms; {told} of {count} told the note")
    print(f"  without an index: first {first * 1000:.1f} ms ({first / bare:.2f} x bare), later {later * 1000:.1f} ms")


if __name__ == "__main__":
    main()
