"""What recall at the first prompt costs a hook, as whole processes, and what it finds: by words, and with a server.

    python bench/recall.py [--runs 40] [--notes 10,1000,100000] [--cost | --found]

For each size: a vault whose index holds so many generated notes of one project and as many of others, and one note that
bears on the prompt. Timed interleaved: a bare start of the interpreter, a first prompt where there is no index, a first
prompt with it, the same where `holdfast serve` is up for the vault, and a later prompt of the same session. The files
of the generated notes are not written: the hook reads only those that bear. Target: a first prompt within 2.0 of one
without an index, a later one within 1.1. What is found is bench/recall_found.py.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import accumulate
from pathlib import Path

from support import ROOT, interleaved, machine, median, once, user_environment

sys.path.insert(0, str(ROOT / "src"))

from holdfast.capture import home, ledger, projects
from holdfast.field import handle, intake
from holdfast.field.embedder_models import WordLlama
from holdfast.field.thought import NOTE, Thought, note_id
from holdfast.install import launcher
from holdfast.vault import notes
from recall_found import lines

PROMPT = "Umlauts are broken in the supplier CSV files, which encoding do they have and where is it set?"
FACT = "Supplier CSV files are Windows-1252 with semicolons.\nPass the encoding to read_rows, the parser guesses wrong."
AT_ONCE = 5000
VOCABULARY = 20_000
DAY = "2026-09-01"
SERVED = ", server up"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--notes", default="10,1000,100000")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--cost", action="store_true", help="only what it costs")
    parser.add_argument("--found", action="store_true", help="only what it finds")
    options = parser.parse_args()
    if not options.found:
        _cost(options)
    if not options.cost and not options.json:
        print("what a first prompt is told, on the second half of each set; constants were chosen on the first:")
        for line in lines():
            print(line, flush=True)


def _cost(options: argparse.Namespace) -> None:
    sizes = [int(size) for size in options.notes.split(",")]
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as name, ExitStack() as held:
        folder = Path(name)
        project = folder / "shop"
        project.mkdir()
        env = {**user_environment(folder), "HOLDFAST_CLOSE": "off"}
        candidates = {"bare": _bare(env, project), **_prompts("none", env, folder / "none", project)}
        for size in sizes:
            vault, served = folder / str(size), folder / f"{size}{SERVED}"
            _fill(str(vault), str(project), size)
            shutil.copytree(vault, served)
            held.enter_context(_serving(served, env, project))
            candidates.update(_prompts(f"{size:,}", env, vault, project))
            candidates.update(_prompts(f"{size:,}{SERVED}", env, served, project))
        times = interleaved(candidates, options.runs)
        looks = {f"{size:,}{way}": _looks(str(folder / f"{size}{way}")) for size in sizes for way in ("", SERVED)}
    _print(looks, {name: median(spent) for name, spent in times.items()}, options)


@contextmanager
def _serving(vault: Path, env: dict[str, str], project: Path) -> Iterator[None]:
    """The vault's server, once it answers and has loaded its model."""
    own = {**env, "HOLDFAST_HOME": str(vault), "PYTHONPATH": str(ROOT / "src")}
    words = [sys.executable, "-P", "-m", "holdfast", "serve", "--port", "0"]
    process = subprocess.Popen(words, env=own, cwd=project, stdout=subprocess.PIPE, text=True)
    try:
        if not (process.stdout and process.stdout.readline().startswith("Serving on ")):
            raise SystemExit("the server did not start")
        yield
    finally:
        process.terminate()
        process.communicate()


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
    with handle.opened(vault, WordLlama()) as field:
        intake.take_in(field, thorough=True)
        made = list(_generated(project, size))
        for begin in range(0, len(made), AT_ONCE):
            with field.store.writing():
                field.store.take(f"bench/{begin}", "0", made[begin : begin + AT_ONCE])
        intake.embed(field)


def _looks(vault: str) -> tuple[float, int, int, int]:
    """What the looks alone took, in milliseconds, as the ledger has it; how many there were, how many told, and how
    many of them a server answered in time."""
    found = list(ledger.read(home.state(vault), ledger.Wanted(kinds=("hook", "injection"))))
    spent = [one["recall_us"] / 1000 for one in found if "recall_us" in one]
    told = sum(one["kind"] == "injection" for one in found)
    return median(spent), len(spent), told, sum(one.get("recall_by") == "hybrid" for one in found)


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


def _print(
    looks: dict[str, tuple[float, int, int, int]], medians: dict[str, float], options: argparse.Namespace
) -> None:
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
            alone = medians[name.removesuffix(SERVED)]
            beside = f", {spent / alone:.2f} x by words" if name.endswith(SERVED) else ""
            ratio = f"{spent / base:.2f} x without{beside} (target {target})"
            print(f"  {what} prompt, {size:>18} notes: {spent * 1000:6.1f} ms, {ratio}")
    for size, (spent, count, told, answered) in looks.items():
        by = f", {answered} answered by the server in time" if size.endswith(SERVED) else ""
        print(f"  the look alone, {size:>18} notes: {spent:.1f} ms; {told} of {count} told the note{by}")
    print(f"  without an index: first {first * 1000:.1f} ms ({first / bare:.2f} x bare), later {later * 1000:.1f} ms")


if __name__ == "__main__":
    main()
