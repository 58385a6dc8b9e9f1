"""Files of the vault that are of our own making and grow between commits: tasks' logs, pages and archives, thoughts.

Checkpoints and thoughts only append, so that they are fast. Whoever writes to the vault next commits them here, as
ours, before what a person has edited is committed as theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.capture.ids import new_id
from holdfast.tasks import page, record
from holdfast.vault import damage, journal
from holdfast.vault.journal import Change, File

if TYPE_CHECKING:
    from holdfast.vault.writing import Writer

TASK, THINK = "task", "think"  # causes of a change
THOUGHTS = "thoughts"  # what the field keeps of its own (field/records)


def is_ours(vault: str, path: str) -> bool:
    """Whether a changed file is of our own making: a log, an archive, or a page as it was rendered."""
    top, _, rest = path.partition("/")
    if top == THOUGHTS:
        return "/live/" in rest
    if top == record.OUTPUTS:
        return rest.startswith(record.FINAL)
    if top != record.FOLDER:
        return False
    if rest.endswith(f"/{record.PAGE}"):
        text = journal.text(vault, path)
        return not text or not page.is_edited(text)
    return "/log/live/" in rest


def commit(writer: Writer) -> str:
    """Commit what is ours below tasks/, outputs/ and thoughts/ as it stands; "" where nothing is new."""
    raw = writer.repository.run(
        *("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all"),
        *("--", f":/{record.FOLDER}", f":/{record.OUTPUTS}", f":/{THOUGHTS}"),
    )
    found = [line[3:].decode("utf-8", "surrogateescape") for line in raw.split(b"\0") if line]
    ours = [path for path in found if is_ours(writer.vault, path)]
    ours = damage.without_damaged(writer.repository, writer.repository.head(), ours, writer.now)
    if not ours:
        return ""
    texts = {path: writer.read(path) for path in ours}
    files = [File(path, journal.digest(_raw(text)), text) for path, text in texts.items()]
    names = sorted({path.split("/")[1] for path in ours if path.startswith(f"{record.FOLDER}/")})
    subject = f"task: {', '.join(names[:3]) or 'archived'}{' …' if len(names) > 3 else ''}"
    is_thinking = all(path.startswith(f"{THOUGHTS}/") for path in ours)
    subject, cause = (THINK, THINK) if is_thinking else (subject, TASK)
    return journal.apply(writer.repository, Change(new_id(writer.now), subject, tuple(files), cause)).commit


def _raw(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogateescape")
