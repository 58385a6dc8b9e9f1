"""What the crash tests of task memory share: a project with a task, a person who edits its page, and what must hold."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.capture import log
from holdfast.cli import fast, task_fast  # noqa: F401 - loaded before the first blow falls on their effects
from holdfast.memory import Memory
from holdfast.tasks import boot, page, record  # noqa: F401
from holdfast.tasks.checkpoint_words import Words

from . import support_strace
from .support import START, environment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.tasks.commands import Decided
    from holdfast.tasks.page import View
    from holdfast.tasks.record import Entry

TASK = "orders-audit"
INDEX = ("index.db", "index.db-wal", "index.db-shm")
TEXT = "the word that meets the failure"
PERSONS = "A person saw that order 73 is cut off"
OLD = "Orders have an undocumented field"


def fast_command(*words: str) -> list[str]:
    """A fast command as the launcher runs it."""
    return [sys.executable, "-I", "-S", str(START), "--command", "task", *words]


def module_command(*words: str) -> list[str]:
    return [sys.executable, "-P", "-m", "holdfast", "task", *words]


@dataclass
class Desktop:
    """A folder that is a project, beside a vault with one task; it can be put back as it was."""

    base: Path
    units: str = "files 001-500"
    kept: Path = field(init=False)

    def __post_init__(self) -> None:
        self.folder = self.base / "work"
        self.vault = self.folder / "vault"
        self.kept = self.base / "kept"
        self.folder.mkdir()
        self.env = environment(self.vault)
        self.memory = Memory.open(str(self.vault), str(self.folder), env=self.env)
        self.memory.tasks.start(TASK, "Audit all orders", [self.units])

    def say(self, kind: str, text: str) -> Entry:
        return self.memory.tasks.checkpoint(Words(text, kind)).entry

    def keep(self) -> None:
        shutil.rmtree(self.kept, ignore_errors=True)
        shutil.copytree(self.folder, self.kept, symlinks=True)

    def put_back(self) -> None:
        shutil.rmtree(self.folder)
        shutil.copytree(self.kept, self.folder, symlinks=True)

    @property
    def page(self) -> Path:
        return Path(record.page_path(str(self.vault), TASK))

    def in_logs(self) -> list[Entry]:
        """What the logs have, whatever is derived from them."""
        return list(record.everything(str(self.vault), TASK))

    def broken(self) -> list[log.Found]:
        found = [record.read(str(self.vault), path) for path, _ in record.logs(str(self.vault), TASK)]
        return [one for part in found for one in part.broken]

    def segments(self) -> list[Path]:
        return [self.vault / path for path, _ in record.logs(str(self.vault), TASK)]

    def shown(self) -> View:
        return self.memory.tasks.show(TASK, whole=True)

    def decided(self) -> list[Decided]:
        return self.memory.tasks.decisions(superseded=True)

    def drop_index(self) -> None:
        for name in INDEX:
            Path(record.own(str(self.vault)), name).unlink(missing_ok=True)

    def command(self, *words: str) -> tuple[int, str, str]:
        """A fast command in this process; its status and what it printed."""
        texts = [self.base / "stdout", self.base / "stderr"]
        kept = [os.dup(1), os.dup(2)]
        before = Path.cwd()
        os.chdir(self.folder)
        try:
            for fd, path in enumerate(texts, 1):
                to = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                os.dup2(to, fd)
                os.close(to)
            status = fast.run(["task", *words], self.env, 0)
        finally:
            for fd, old in enumerate(kept, 1):
                os.dup2(old, fd)
                os.close(old)
            os.chdir(before)
        return status, texts[0].read_text(), texts[1].read_text()


def edit(path: Path, add: str = "", withdraw: str = "") -> None:
    """What a person does to a page in an editor that saves whole files."""
    lines = [one for one in path.read_text().split("\n") if not (withdraw and withdraw in one)]
    if add:
        at = lines.index("## Discoveries") + 2
        lines.insert(at, f"- {add}")
    saved = path.with_name("saved.tmp")
    saved.write_text("\n".join(lines))
    saved.rename(path)


def texts_of(seen: View) -> list[str]:
    parts = (seen.decisions, seen.progress, seen.discoveries)
    return [one.text for part in parts for one in part.entries]


def wrong_with(desk: Desktop) -> Iterator[str]:
    """What is not as it has to be, in words, after whatever has happened."""
    seen, decided = desk.shown(), desk.decided()
    told = [one.id for one in desk.in_logs()]
    if len(told) != len(set(told)):
        yield "an entry is in the log twice"
    if page.is_edited(desk.page.read_text()):
        yield "the page is not sealed after a look"
    desk.drop_index()
    if (desk.shown(), desk.decided()) != (seen, decided):
        yield "the index made anew says something else"
    times = [one.time for one in seen.discoveries.entries]
    if times != sorted(times):
        yield "the entries are not in order of time"


def a_desktop(base: Path) -> Desktop:
    """Some entries of each kind, an old discovery on the page, and a person who has added one and withdrawn that."""
    desk = Desktop(base)
    desk.say(record.DECISION, "DO NOT touch config/auth.yaml because three services read it")
    desk.say(record.PROGRESS, "COMPLETED: files 001-047")
    desk.say(record.DISCOVERY, OLD)
    desk.say(record.DISCOVERY, "failed orders have no payment status")
    edit(desk.page, add=PERSONS, withdraw=OLD)
    desk.keep()
    return desk


def wrong_after(desk: Desktop, said: str) -> Iterator[str]:
    """After a checkpoint of TEXT over a person's edit that was killed or met a failure, and what it had said."""
    kept = {one.id: one.text for one in desk.in_logs()}
    if said and kept.get(json.loads(said)["entry"]["id"]) != TEXT:
        yield "it was acknowledged and is not in the log"
    yield from wrong_with(desk)
    seen = texts_of(desk.shown())
    if seen.count(TEXT) > 1 or (said and TEXT not in seen):
        yield f"the entry is shown {seen.count(TEXT)} times"
    if seen.count(PERSONS) != 1:
        yield f"what the person wrote is shown {seen.count(PERSONS)} times"
    if OLD in seen:
        yield "what the person withdrew is back"
    if "failed orders have no payment status" not in seen:
        yield "an earlier entry is lost"
    after = desk.command("checkpoint", "--json", "--discovery", "the word after it")
    if after[0] or "the word after it" not in texts_of(desk.shown()):
        yield f"the checkpoint after it failed: {after}"


def traced(desk: Desktop, strace: str, command: list[str], names: tuple[str, ...]) -> list[tuple[str, int]]:
    """Which calls touch the vault: their names and their places among all of that name."""
    for _ in range(2):  # the first time compiles what is not compiled yet, which takes calls of its own
        done, calls = support_strace.record(strace, desk.vault, names, command, longest=4096)
        assert done.returncode == 0, done.stderr
        desk.put_back()
    seen: dict[str, int] = {}
    found = []
    for call in calls:
        seen[call.name] = seen.get(call.name, 0) + 1
        if call.touches(desk.folder):
            found.append((call.name, seen[call.name]))
    return found
