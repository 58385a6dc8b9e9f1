"""What a judge left out, with its reason: a line in a file of its month, in the vault and in git like everything else.

    discarded/<project>-<month>-<machine>.md

A flag that is not kept is not lost: its words, its id and the reason stay readable, and a close that is run again
knows by the id that this one is settled. The path follows from the flag alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.capture import platform
from holdfast.vault import notes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.close.filing import Filing
    from holdfast.model import Flag

FOLDER = "discarded"
HEAD = """# Left out

What was flagged in {month} and a judge did not keep, with its reason. `holdfast remember` brings a line back.

"""


def path_of(flag: Flag) -> str:
    where = notes.slug(flag.project or notes.GLOBAL, 40)
    machine = notes.slug(platform.machine().partition(".")[0], 20)
    return f"{FOLDER}/{where}-{notes.day(flag.time)[:7]}-{machine}.md"


def has(text: str | None, flag: Flag) -> bool:
    return f" ({flag.id}, " in (text or "")


def added(text: str | None, flag: Flag, reason: str) -> str:
    """The file with this flag's line."""
    if has(text, flag):
        return text or ""
    before = text if text else HEAD.format(month=notes.day(flag.time)[:7])
    line = f"- {notes.day(flag.time)} [{flag.kind}] {flag.text} ({flag.id}, {flag.origin}): {reason}\n"
    return before + ("" if before.endswith("\n") else "\n") + line


def know(filing: Filing, flags: Sequence[Flag]) -> None:
    """Flags that an earlier close left out are settled, whoever closes now."""
    for flag in flags:
        path = path_of(flag)
        if not filing.is_filed(flag.id) and has(filing.text(path), flag):
            filing.settle(flag.id, path)
