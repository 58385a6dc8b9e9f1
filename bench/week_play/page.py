"""The page of the week: what every start said, each behind a line that says what happened before; and the table."""

from __future__ import annotations

from week_play.playing import Start

HEAD = """# A week with a silent model

One developer, twenty sessions, two work trees and another project. The model answered no reminder, wrote no handoff and
flagged once, on Thursday. Each start below told it only what the hook had witnessed or the user had said.

`python bench/week.py --page docs/a-week.md` plays the week again in a real repository, with real commands, tests and
commits, and writes this page. The dates are those of the played week.

"""


def render(starts: list[Start]) -> str:
    parts = [HEAD, "## In figures\n\n", "\n".join(table(starts)), "\n\n"]
    parts.append(
        "*Needed* facts were written down by a careful reader of each session: the work done, its state, the\n"
        "user's words. *Repeated* is the share of a start in runs of six words or more that it already contains.\n"
    )
    for start in starts:
        parts.append(f"\n## {_title(start)}\n\n")
        if start.before and start.source != "compact":
            parts.append(f"Before: {start.before}\n\n")
        elif start.source == "compact":
            parts.append(
                "In the same session: the host compacted the conversation, and this came behind its summary.\n\n"
            )
        parts.append(f"```text\n{start.text.strip() or '(nothing: there is no memory yet)'}\n```\n")
        if start.missing:
            parts.append("\nNot in it: " + "; ".join(one.what for one in start.missing) + ".\n")
    return "".join(parts)


def table(starts: list[Start]) -> list[str]:
    lines = ["| start | where | how | characters | repeated | needed facts in it |", "|---|---|---|---|---|---|"]
    for one in starts:
        facts = f"{len(one.found)} of {len(one.needs)}" if one.needs else ""
        cells = (one.when, one.place, one.source, f"{len(one.text):,}", f"{one.repeated:.0%}", facts)
        lines.append("| " + " | ".join(cells) + " |")
    needed, found = sum(len(one.needs) for one in starts), sum(len(one.found) for one in starts)
    lines.append(f"| all | | | | | {found} of {needed} ({found / max(1, needed):.0%}) |")
    return lines


def _title(start: Start) -> str:
    where = f"{start.place}, {start.source}" if start.source != "startup" else start.place
    return f"{start.when}: {where}"
