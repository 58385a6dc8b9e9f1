"""The catalogue as a table for docs/recovery.md: what the start and doctor say of each fault, what mends it, what is
lost. Written by a full run with HOLDFAST_WRITE_DOCS=1, of all faults or of some; the others keep what the page says of
them. Faults of one part with the same outcome share a row.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from . import fault_list
from . import fault_machine as facts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .fault_case import Case

PAGE = Path(__file__).resolve().parents[2] / "docs" / "recovery.md"
BEGIN, END = "<!-- faults: begin -->", "<!-- faults: end -->"
HEAD = (
    "| part | damage | a start after the next close says | `holdfast doctor` says | `--fix` | lost |\n"
    "|---|---|---|---|---|---|\n"
)
LONGEST = 170
LISTED = (
    *((fault.part, fault.damage) for fault in fault_list.FAULTS),
    *(("the disk", how) for how in fault_list.DISKS),
)
KINDS = {
    **dict.fromkeys(facts.FILED, "a note"),
    facts.RULE: "a rule",
    facts.REMEMBERED: "a note",
    **dict.fromkeys(facts.WAITING, "flags that waited"),
    facts.THOUGHT: "a thought",
    facts.DONE: "a task's entry",
}


def write(cases: Iterable[Case], sound: str) -> None:
    """Put the table into the page. `sound` is what a start says where nothing is wrong."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    known, _, after = rest.partition(END)
    found = read(known) | {(one.fault.part, one.fault.damage): outcome(one, sound) for one in cases}
    PAGE.write_text(f"{before}{BEGIN}\n{table(found)}{END}{after}", encoding="utf-8")


def read(text: str) -> dict[tuple[str, str], tuple[str, ...]]:
    """The outcome of each fault, by its part and damage, as a table has them."""
    rows = [line.strip("| ").split(" | ") for line in text.split("\n") if line.startswith("| ")][1:]
    return {(part, way): tuple(rest) for part, ways, *rest in rows for way in _ways(part, ways)}


def table(found: Mapping[tuple[str, str], tuple[str, ...]]) -> str:
    rows: dict[tuple[str, ...], list[str]] = {}
    for part, damage in LISTED:
        if (part, damage) in found:
            rows.setdefault((part, *found[part, damage]), []).append(damage)
    lines = [f"| {part} | {', '.join(ways)} | {' | '.join(rest)} |" for (part, *rest), ways in rows.items()]
    return HEAD + "\n".join(lines) + "\n"


def _ways(part: str, ways: str) -> list[str]:
    """The damages that a cell names; some have a comma of their own."""
    left, found = f"{ways}, ", []
    for known_part, damage in sorted(LISTED, key=lambda one: -len(one[1])):
        if known_part == part and f"{damage}, " in left:
            left = left.replace(f"{damage}, ", "", 1)
            found.append(damage)
    return found


def outcome(case: Case, sound: str) -> tuple[str, str, str, str]:
    failed = case.named("doctor")
    left = [name for name in failed if name in case.named("mended")]
    if failed and not case.named("doctor again"):
        fix = "not needed: healed by the next start or close"
    elif left:
        fix = "needs you" if case.fault.undo or not case.is_called_well("last doctor") else "in part"
    else:
        fix = "mends it" if failed else "nothing to mend"
    told = ", ".join(f"`{name}`" for name in failed) or "all is well"
    lost = ", ".join(dict.fromkeys(KINDS.get(text, "a new fact") for text in case.lost)) or "nothing"
    return _said(case, sound), told, fix, lost


def _said(case: Case, sound: str) -> str:
    """The first line of a start that it does not say otherwise."""
    known = {_plain(line) for line in sound.split("\n")}
    told = case.answers["start again"].json().get("hookSpecificOutput", {}).get("additionalContext", "")
    fresh = [_plain(line) for line in told.split("\n") if _plain(line) not in known]
    told_of = ("WARNING: since", "Note:", "The vault is", "Another vault", "A vault", "WARNING: the vault")
    line = next((one for one in fresh if one.startswith(told_of)), "")
    line = re.sub(r" \([^)]*\)", "", line)  # the particulars
    short = line if len(line) <= LONGEST else line[: line.rfind(" ", 0, LONGEST)] + " …"
    return short.replace("|", "\\|") or "nothing of it"


def _plain(line: str) -> str:
    """A line without what differs between two runs: places, times, names of sessions."""
    line = re.sub(r"/\S*?/vault\b", "~/.holdfast", line.strip())
    line = re.sub(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?( UTC|Z)?", "…", line)
    line = re.sub(r"\d{4}-\d\d-\d\d", "…", line)
    return re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "…", line)
