"""Purge: a note or thought leaves notes, history, queue, ledger, snapshots, thoughts and index, by the user's word.

Promise: when it is done, no file below the vault holds a line of it, git's objects included; that is looked for at the
end, and what is left is named, with the remotes that cannot be reached from here. It may be killed at any point: what
is to go is written down before the first effect, and the next run finishes it. The vault itself then names the commits
that went, so that a machine that still has them cannot bring them back unnoticed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, cast

from holdfast.capture import codec, gate, home, ledger, platform, purging
from holdfast.capture.purging import Scrubber
from holdfast.errors import Busy, HoldfastError, NotFound, NotSaved
from holdfast.vault import git, index, journal, note_facets, own_files, purge_history
from holdfast.vault.git import Repository
from holdfast.vault.purge_plan import PurgePlan, files, planned, thought_texts
from holdfast.vault.transaction import Writer, refresh_derived, writing

PENDING = "purging"
DERIVED = (
    *("notes.index", "notes.index-journal", "check.errors", "armed", "brief", "writing", "changed"),
    *("field.db", "field.db-wal", "field.db-shm"),
    *("tasks/index.db", "tasks/index.db-wal", "tasks/index.db-shm", "tasks/boot", "tasks/pages"),
    *("calls/names", "calls/missing", "sleep/window", "sleep/night"),
)
TRIES = 5


@dataclass(frozen=True)
class Done:
    """Everything that went, how many files and objects were searched at the end, and where something is left."""

    paths: tuple[str, ...]
    quoted: tuple[str, ...]
    records: int
    checked: int
    left: tuple[str, ...]
    remotes: tuple[str, ...]
    thoughts: tuple[str, ...] = ()


def plan(vault: str, *note_paths: str, thoughts: Sequence[str] = ()) -> PurgePlan:
    """Plan to purge some notes, and thoughts by their ids; nothing is changed. Raises NotFound, GitFailed."""
    pending = unfinished(vault)
    if pending and set(note_paths) <= set(pending.paths) and set(thoughts) <= set(pending.thoughts):
        return pending
    return planned(Repository(vault), *note_paths, thoughts=thoughts)


def unfinished(vault: str) -> PurgePlan | None:
    """A purge that was cut short; carrying it out again finishes it."""
    try:
        record = codec.decode(platform.read_file(f"{home.state(vault)}/{PENDING}"))
        plan = {name: tuple(one) if isinstance(one, list) else one for name, one in record["plan"].items()}
        return PurgePlan(**cast("dict[str, Any]", plan))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        path = f"{home.state(vault)}/{PENDING}"
        raise HoldfastError(f"{path} cannot be read ({error}), and a purge was cut short; look at it.") from error


def carry_out(
    vault: str, plan: PurgePlan, now: float, say: Callable[[str], None] = lambda _: None, *, by: gate.Asker
) -> Done:
    """Make it so. Raises Busy while a close files one of the flags, GitFailed where git refuses; then run it again."""
    gate.require(by, gate.Change(gate.HISTORY, gate.LIFTED), "Purging")
    purge_history.mend(vault)
    with writing(vault, now) as writer:
        pending = unfinished(vault)
        whole = _completed(writer.repository, plan, pending)
        scrubber = Scrubber(whole.texts, whole.flags, whole.thoughts)
        record = {"v": 1, "plan": asdict(whole)}
        platform.write_atomic(f"{home.state(vault)}/{PENDING}", codec.encode(record), durable=True)
        say("the queue")
        records = purging.clean_queue(f"{home.state(vault)}/queue", scrubber, now)
        if records is None:
            if not pending:
                _strike_out(vault)
            raise Busy("A close is filing a flag of this note at the moment; nothing was purged. Run it again.")
        purging.count(home.state(vault))
        say("the notes")
        quoted = _clean_tree(writer, whole, scrubber)
        say("the history")
        purge_history.rewrite(writer.repository, whole.paths, scrubber)
        writer.begin_anew()
        purge_history.publish(writer)
        say("the ledger and what else was recorded")
        records += purging.clean_state(home.state(vault), scrubber, (PENDING, *DERIVED))
        say("what is derived")
        _drop_derived(vault)
        own_files.settle(writer)
        refresh_derived(vault, index.load(vault))  # an armed rule must not sleep until the next change
        say("looking for what is left")
        checked, left = _search(writer.repository, whole, scrubber)
        with suppress(NotSaved):  # the answer says it
            ledger.append(home.state(vault), "vault", now, cause="purge", records=records, left=len(left))
        purging.count(home.state(vault))  # also for whoever began to think while this went on
        _strike_out(vault)
    say("done")
    return Done(whole.paths, quoted, records, checked, left, whole.remotes, whole.thoughts)


def _completed(repository: Repository, given: PurgePlan, pending: PurgePlan | None) -> PurgePlan:
    """The plan with what an earlier run was about to take, and with what was written since it was shown."""
    plans = [given, *([pending] if pending else [])]
    for path in _union(one.notes for one in plans):
        try:
            plans.append(planned(repository, path))
        except NotFound:
            continue  # gone already: an earlier run came so far
    names = ("notes", "paths", "texts", "flags", "remotes", "thoughts")
    merged: dict[str, Any] = {name: _union(getattr(one, name) for one in plans) for name in names}
    said = thought_texts(repository.vault, merged["thoughts"])
    return replace(given, **{**merged, "texts": _union((merged["texts"], tuple(said)))})


def _union(many: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(sorted({one for part in many for one in part}))


def _clean_tree(writer: Writer, whole: PurgePlan, scrubber: Scrubber) -> tuple[str, ...]:
    """The note goes, its lines elsewhere are replaced. A person who saves meanwhile is cleaned up after."""
    cleaned: dict[str, None] = {}
    for _ in range(TRIES):
        tracked = git.names(writer.repository.run("ls-files", "-z"))
        texts: dict[str, str | None] = {path: None for path in whole.paths if writer.read(path) is not None}
        has_logs = False
        for path, raw in files(writer.vault):
            after = purge_history.scrub(raw, scrubber)
            if path in texts or after == raw or purging.NOT_OURS.search(path):
                continue
            cleaned[path] = None
            if "/live/" in path and path.endswith(".log"):
                purging.clean_log(f"{writer.vault}/{path}", scrubber)  # what the head has of it goes with the history
                has_logs = True
            elif path in tracked:
                texts[path] = after.decode("utf-8", "surrogateescape")
            else:
                platform.write_atomic(f"{writer.vault}/{path}", after, durable=True)
        if not texts and not has_logs:
            break
        if texts.get(note_facets.PATH):
            texts[note_facets.PATH] = note_facets.refreshed(texts[note_facets.PATH], writer.index.with_texts(texts))
        if texts:
            writer.commit("purge a note", texts, cause="purge", by=gate.BY_UPKEEP)
    return tuple(cleaned)


def _drop_derived(vault: str) -> None:
    vectors = [name for name in platform.names(home.state(vault)) if name.startswith("field.db.vectors-")]
    for name in (*DERIVED, *vectors):
        path = f"{home.state(vault)}/{name}"
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            platform.remove(path)


def _search(repository: Repository, whole: PurgePlan, scrubber: Scrubber) -> tuple[int, tuple[str, ...]]:
    """The number of files and objects that were searched, and the places where something is left."""
    checked = 0
    left: list[str] = []
    for top, folders, names in os.walk(repository.vault):
        if top == repository.folder:
            folders[:] = [name for name in folders if name != "objects"]
        for name in names:
            path = f"{top}/{name}"[len(repository.vault) + 1 :]
            raw = b"" if path == f".state/{PENDING}" else journal.readable(repository.vault, path) or b""
            checked += 1
            if path in whole.paths or scrubber.holds(raw):
                left.append(path)
    for ident, kind, content in purge_history.objects(repository):
        checked += 1
        if kind != "tree" and scrubber.holds(content):
            left.append(f"git {kind} {ident}")
    if purge_history.versions(repository, whole.paths)[0]:
        left.append("the note's path in the history")
    return checked, tuple(left)


def _strike_out(vault: str) -> None:
    platform.remove(f"{home.state(vault)}/{PENDING}")
    platform.sync_folder(home.state(vault))
