"""`holdfast status`: eight lines, the same figures as JSON, and a sentence where there is no vault."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hook_support import Home, Terminal

NAMES = ["remembered", "waiting", "handoff", "health", "delivered", "used", "calls", "snags"]


def test_status_says_in_eight_lines_what_is_remembered_and_what_waits(fresh: Home, terminal: Terminal) -> None:
    terminal("remember", "Deploys run on Mondays.", "--kind", "rule", "--reason", "everybody is there")
    began = time.time() - 7200
    fresh.reply(fresh.event("SessionStart", source="startup"), now=began)
    fresh.flag("Orders lock by version.", session="s1")
    done = terminal("status")
    lines = done.out.splitlines()
    assert [line.split()[0] for line in lines] == NAMES
    assert "1 note of shop" in lines[0]
    assert "1 flag for the next close" in lines[1]
    assert "1 session seen" in lines[3]
    assert "1 start got 1 thing" in lines[4]


def test_status_as_json_has_the_same_figures(fresh: Home, terminal: Terminal) -> None:
    terminal("remember", "Deploys run on Mondays.", "--kind", "rule", "--reason", "everybody is there")
    found = json.loads(terminal("status", "--json").out)
    assert found["notes"] == 1
    assert found["handoff"] is None
    assert found["sessions"]["ok"] is True
    assert found["receipts"]["starts"] == 0


def test_status_without_a_vault_says_so(terminal: Terminal) -> None:
    done = terminal("status")
    assert done.status != 0
    assert "There is no vault" in done.err
