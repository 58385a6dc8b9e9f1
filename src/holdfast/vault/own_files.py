"""Files of the vault that are of our own making and grow between commits: tasks' logs, pages and archives, thoughts,
and the steps of sleep.

Checkpoints and thoughts only append, so that they are fast. The next writer commits them here, as ours, before what a
person has edited is committed as theirs. A finished task is archived.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from holdfast.capture import gate, platform
from holdfast.capture.ids import new_id
from holdfast.errors import Busy, HoldfastError
from holdfast.tasks import page, record, task_end
from holdfast.tasks.record import FINDING
from holdfast.tasks.transaction import Transaction
from holdfast.vault import damage, git, journal
from holdfast.vault.journal import Change, File

if TYPE_CHECKING:
    from holdfast.tasks.queries import Task
    from holdfast.vault.transaction import Writer

TASK, THINK = "task", "think"  # causes of a change
LOGS = ("thoughts", "sleep")  # what the field keeps of its own (field/traffic, field/steps)
PATIENCE = 2.0  # seconds; what is not rendered now is rendered by the next


def is_ours(vault: str, path: str) -> bool:
    """True if a changed file is of our own making: a log, an archive, or a page as it was rendered."""
    top, _, rest = path.partition("/")
    if top in LOGS:
        return "/live/" in rest
    if top == record.OUTPUTS:
        return rest.startswith(record.FINAL)
    if top != record.FOLDER:
        return False
    if rest.endswith(f"/{record.PAGE}"):
        text = journal.read(vault, path)
        return not text or not page.is_edited(text)
    return "/log/live/" in rest


def commit(writer: Writer) -> str:
    """Commit what is ours below tasks/, outputs/, thoughts/ and sleep/ as it stands; "" where nothing is new."""
    raw = writer.repository.run(
        *("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all"),
        *("--", f":/{record.FOLDER}", f":/{record.OUTPUTS}", *(f":/{one}" for one in LOGS)),
    )
    ours = [path for line in git.names(raw) if is_ours(writer.vault, path := line[3:])]
    ours = damage.without_damaged(writer.repository, writer.repository.head(), ours, writer.now)
    if not ours:
        return ""
    texts = {path: writer.read(path) for path in ours}
    files = [File(path, journal.digest(journal.encoded(text)), text) for path, text in texts.items()]
    names = sorted({path.split("/")[1] for path in ours if path.startswith(f"{record.FOLDER}/")})
    subject = f"task: {', '.join(names[:3]) or 'archived'}{' …' if len(names) > 3 else ''}"
    is_thinking = all(path.partition("/")[0] in LOGS for path in ours)
    subject, cause = (THINK, THINK) if is_thinking else (subject, TASK)
    return journal.apply(writer.repository, Change(new_id(writer.now), subject, tuple(files), cause)).commit


def settle(writer: Writer) -> None:
    """Believe what people wrote into pages, render what is behind, and go on with what was to be archived."""
    if not platform.names(f"{writer.vault}/{record.FOLDER}"):
        if any(platform.names(f"{writer.vault}/{one}") for one in LOGS):
            commit(writer)
        return
    over: list[Task] = []
    try:
        with Transaction(writer.vault, lambda: writer.now, PATIENCE) as desk:
            desk.look_over()
            desk.settle()
            known = [desk.index.task(name) for name in record.open_tasks(writer.vault)]
            over = [one for one in known if one and one.is_over]
    except Busy:
        return
    commit(writer)
    for task in over:
        archive(writer, task.id)


def archive(writer: Writer, task: str) -> tuple[str, ...]:
    """Put a finished task into outputs/, then take its working folder away. Returns what stayed there, because somebody
    changed it meanwhile. Doing it again goes on where it stopped."""
    folder = f"{record.FOLDER}/{task}"
    with Transaction(writer.vault, lambda: writer.now) as desk:
        desk.touch(task)
        desk.settle()
        known = desk.index.task(task)
        if known is None or not known.is_over:
            raise HoldfastError(f"Task {task} is not over; nothing was archived.")
        task_end.flag_findings(writer.vault, known, list(desk.index.entries(task, FINDING)), writer.now)
        # Every record once, in one log, behind what an earlier archive has: another machine may have gone on meanwhile.
        logs = [path for name, path in record.finished(writer.vault) if name == task]
        logs += [path for path, _ in record.logs(writer.vault, task)]
        whole = record.joined(*(journal.text(writer.vault, path) for path in logs))
        texts: dict[str, str | None] = {
            f"{record.OUTPUTS}/{record.FINAL}{task}.md": page.render(page.gather(desk.index, known, most=0)),
            f"{record.OUTPUTS}/{record.FINAL}{task}.log": whole,
        }
        # Files that somebody else put there are theirs and not in the archive, nor are those that come from now on.
        walk = os.walk(f"{writer.vault}/{folder}")
        found = (os.path.relpath(f"{top}/{name}", writer.vault) for top, _, names in walk for name in names)
        archived = {path: writer.read(path) for path in found if is_ours(writer.vault, path)}
    done = writer.commit(f"task: {known.state} {task}", texts, cause=TASK, by=gate.BY_UPKEEP)
    if done.skipped:
        raise HoldfastError(
            f"{done.skipped[0]} was changed by somebody else in this moment; the folder of task {task} was kept. "
            "Run the same command again."
        )
    gone: dict[str, str | None] = dict.fromkeys(archived)
    subject = f"task: the working folder of {task} goes"
    applied = writer.commit(subject, gone, cause=TASK, by=gate.BY_UPKEEP, planned_on=archived)
    for top, _, _ in os.walk(f"{writer.vault}/{folder}", topdown=False):
        with suppress(OSError):  # what somebody put there stays, and so does its folder
            os.rmdir(top)
    _forget(writer, task)
    return applied.skipped


def _forget(writer: Writer, task: str) -> None:
    """Drop the files that only an open task needs."""
    own = record.own(writer.vault)
    for path in ("current/{}", "pages/{}.md", "pages/{}.coming.md", "pages/{}.fresh", "pages/{}.hand"):
        platform.remove(f"{own}/{path.format(task)}")
    with Transaction(writer.vault, lambda: writer.now) as desk:
        desk.touch(task)


def reopen(writer: Writer, task: str) -> None:
    """Bring the log of a finished task back from the archive into its working folder, in one commit: then it is as it
    was before it was archived. Killed before it is said to be open again, it is archived once more."""
    paths = [path for name, path in record.finished(writer.vault) if name == task]
    if not paths:
        return  # it is over, and was not archived yet
    back = f"{record.FOLDER}/{task}/log/live/{new_id(writer.now)}.log"
    texts: dict[str, str | None] = {back: writer.read(paths[0])}
    texts |= dict.fromkeys((paths[0], f"{paths[0].removesuffix('.log')}.md"))
    done = writer.commit(f"task: the memory of {task} goes back to work", texts, cause=TASK, by=gate.BY_UPKEEP)
    if done.skipped:
        raise HoldfastError(
            f"{done.skipped[0]} was changed by somebody else in this moment; task {task} stays as it was. "
            "Run the same command again."
        )
