"""The large vault of bench/page_cost.py: a year of records, written by what the product writes them with."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING

from support import ROOT

sys.path.insert(0, str(ROOT / "src"))
sys.path.insert(0, str(ROOT / "tests" / "unit"))  # the tests' servers are the bench's too

from field import BATCH, Speaker
from holdfast.capture import home, ledger, projects
from holdfast.capture.ids import new_id
from holdfast.field import traffic
from holdfast.field.thought import Thought
from vault import make as make_notes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hook_support import Home

CARRIED = ["knowledge/note-00001.md:0"]
DAY = 24 * 3600.0
TOGETHER = 20  # records of one kind that are written at once


def made(where: Home, sizes: Mapping[str, int]) -> float:
    """Fill a home, unless it is filled already; the seconds that it took. `sizes` has notes, handoffs, records and
    thoughts."""
    stamp = where.folder / "sizes.json"
    if stamp.exists() and json.loads(stamp.read_text()) == dict(sizes):
        return 0.0
    began = time.perf_counter()
    vault = str(where.vault)
    home.make_vault(vault)
    project = projects.find(str(where.project), vault).id
    if any(sizes.values()):
        make_notes(vault, where.project, sizes["notes"], sizes["handoffs"])
        _record(where.state, project, sizes["records"])
        _think(vault, project, sizes["thoughts"])
    for words in (("remember", "The vault of the bench is whole"), ("rebuild",)):
        done = where.cli(*words)
        if done.status:
            raise SystemExit(f"holdfast {words[0]}: {done.err}")
    stamp.write_text(json.dumps(dict(sizes)))
    return time.perf_counter() - began


def _record(state: str, project: str, count: int) -> None:
    """A year until now, of sessions with prompts, decisions, injections and calls."""
    began = time.time() - 365 * DAY
    kinds = list(_kinds(project))
    for nth in range(0, count, TOGETHER):
        kind, what = kinds[nth // TOGETHER % len(kinds)]
        episode = f"claude-code/session-{nth // 500}/1"
        some = [{**what, "episode": episode, "us": 900 + one} for one in range(min(TOGETHER, count - nth))]
        ledger.append_all(state, kind, began + 365 * DAY * nth / count, some)


def _kinds(project: str) -> Iterator[tuple[str, dict[str, object]]]:
    """As the hook writes them."""
    yield "hook", {"event": "prompt", "host": "claude-code", "opened": False}
    yield "hook", {"event": "before-tool", "host": "claude-code", "tool": "Bash"}
    yield (
        "injection",
        {"event": "session-start", "project": project, "carried": CARRIED, "characters": 900},
    )
    yield (
        "nudge",
        {"event": "prompt", "boundary": "prompt", "decision": "silent", "why": "nothing new", "project": project},
    )


def _think(vault: str, project: str, count: int) -> None:
    speaker, now = Speaker(count), time.time() - 90 * DAY
    for begin in range(0, count, BATCH):
        at = now + 90 * DAY * begin / max(1, count)
        some = [
            Thought(new_id(at, nth), speaker.says(20), project=project, agent="a", created=at)
            for nth in range(min(BATCH, count - begin))
        ]
        traffic.append(vault, some, at)
