"""A vault that has enough in it for every kind of step, its field, and all that can be seen of the two afterwards."""

from __future__ import annotations

import posix
import sqlite3
import subprocess
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.capture import home, ledger, notices
from holdfast.capture.gate import BY_UPKEEP
from holdfast.close.improve import proposals
from holdfast.field import handle, intake, retrieval, steps, think, traffic
from holdfast.field.sqlite.store import SqliteStore
from holdfast.field.store import Scope
from holdfast.field.thought import Thought
from holdfast.sleep import plan
from holdfast.sleep.night import Night
from holdfast.vault import notes
from holdfast.vault.transaction import writing

from .child_field import Directions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.field.handle import Field
    from holdfast.sleep.night import Slept

NOW = 1_790_000_000.0
HOUR, DAY = 3600.0, 86400.0
PROJECT = "shop-1"
NIGHT = "01M0NIGHT0000000000000000A"  # its name is chance; here it is the same in every run, to compare
OLD = ("The old printer was on the second floor", "The fax machine needs toner of type B")
SAID = (
    *(f"Orders lock rows optimistically with a version column {more}" for more in ("in tables", "of totals", "today")),
    *(f"Staging is wiped every {more} at 02:00 UTC" for more in ("night", "single night")),
    *(f"Orders lock rows optimistically with a version column {more}" for more in ("for refunds", "for invoices")),
    *(f"Passwords expire after ninety {more}" for more in ("days", "whole days")),
    *(f"Bills are numbered by year and month {more}" for more in ("in a row", "and branch", "since May")),
    "The kitchen is painted green",
)
QUESTIONS = ("how do orders lock rows", "when is staging wiped", "how are bills numbered", "printer floor", "toner")
NOTES = ("Deploys run from the release branch every Monday", "Deploys always run from the release branch every Monday")


@contextmanager
def opened(vault: str, now: float) -> Iterator[Field]:
    with handle.opened(vault, Directions(), lambda: now) as field:
        yield field


def filled(vault: str) -> None:
    """Thoughts of four months, questions that were asked, two notes that say the same, and a first night."""
    home.make_vault(vault)
    for said, when in ((OLD[:1], NOW - 120 * DAY), (OLD[1:], NOW - 90.5 * DAY), (SAID[:5], NOW - DAY)):
        with opened(vault, when) as field:
            for text in said:
                think.think(field, Thought("", text, agent="ada", project=PROJECT))
    with opened(vault, NOW - DAY + HOUR) as field:
        Night(field).sleep()
    with opened(vault, NOW - HOUR) as field:
        for text in SAID[5:]:
            think.think(field, Thought("", text, agent="bob", project=PROJECT))
        for agent in ("ada", "bob", "cleo"):
            retrieval.reinforce(field, retrieval.ask(field, QUESTIONS[2], Scope(PROJECT), 3), agent)
    with writing(vault, NOW - HOUR) as writer:
        fields: dict[str, Any] = {"kind": "knowledge", "project": PROJECT, "origin": "agent", "day": "2026-09-01"}
        texts = {
            f"knowledge/deploys-{nth}.md": notes.new_text(name=f"deploys-{nth}", description=body, body=body, **fields)
            for nth, body in enumerate(NOTES)
        }
        writer.commit("notes", texts, cause="test", by=BY_UPKEEP)


def sleep(vault: str, now: float = NOW) -> Slept:
    with opened(vault, now) as field:
        return Night(field).sleep()


def git(vault: str, *words: str) -> str:
    return subprocess.run(["git", "-C", vault, *words], capture_output=True, text=True, check=True).stdout.strip()


def records(vault: str) -> Counter[str]:
    """Every record of the logs of thoughts and steps, and how often it is there."""
    thoughts = [repr(one) for path, _ in traffic.logs(vault) for one in traffic.read(vault, path).found]
    made = [repr(one) for path, _ in steps.logs(vault) for one in steps.read(vault, path).found]
    return Counter([*thoughts, *made])


def kept(vault: str) -> dict[str, Any]:
    """The vault: files as they are in its newest commit, records of its logs, proposals, and what was told."""
    state, listed = home.state(vault), git(vault, "ls-tree", "-r", "HEAD").splitlines()
    return {
        "files": [line for line in listed if "/live/" not in line],
        "records": records(vault),
        "proposals": [(one.id, one.why, one.diff) for one in proposals.listing(state)],
        "refused": sorted(path.name for path in Path(plan.folder(vault)).glob("refused/*")),
        "ledger": [one["night"] for one in ledger.read(state, ledger.Wanted(kinds=("sleep",)))],
        "told": [one.line for one in notices.for_project(state, PROJECT, NOW)],
        "last": plan.last(vault),
    }


def believed(vault: str, *, anew: bool = False) -> dict[str, Any]:
    """The field: every thought, weight and mark, what is put away or new, and what answers in which order and why."""
    if anew:
        for path in Path(vault, ".state").glob("field.db*"):
            posix.unlink(path)
    with opened(vault, NOW + HOUR) as field:
        intake.sync(field)
        store = field.store
        assert isinstance(store, SqliteStore)
        ids = [row[0] for row in store.db.execute("SELECT id FROM thought ORDER BY id")]
        answers = [
            [(one.thought, one.score, one.weight, one.why) for one in retrieval.ask(field, query, scope).results]
            for query in QUESTIONS
            for scope in (Scope(PROJECT), Scope(PROJECT, archived=True))
        ]
        return {
            "thoughts": store.thoughts(ids),
            "traffic": store.traffic(ids),
            "marks": _rows(store.db, "SELECT step, kind, id, other, count FROM mark"),
            "archived": _rows(store.db, "SELECT id FROM archived"),
            "new": () if anew else _rows(store.db, "SELECT id, at FROM fresh"),
            "vectors": store.vectors(ids).keys(),
            "answers": answers,
            "whole": store.db.execute("PRAGMA integrity_check").fetchone(),
        }


def _rows(db: sqlite3.Connection, query: str) -> list[Any]:
    return sorted(db.execute(query).fetchall())
