"""No test falls between the groups of tools/test.py, whatever its markers are."""

from __future__ import annotations

import importlib.util
import sys
from itertools import combinations
from pathlib import Path
from types import ModuleType

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"
MARKERS = ("slow", "crash", "attacks", "web", "e2e", "hypothesis")
ALONE = [(one,) for one in MARKERS]


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(TOOLS))
    spec = importlib.util.spec_from_file_location("tools_test", TOOLS / "test.py")
    assert spec
    assert spec.loader
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    sys.modules.pop("agents", None)
    return found


def running(tool: ModuleType, markers: tuple[str, ...]) -> list[str]:
    """The groups that run a test with these markers."""
    selecting = {
        name: commands[0][commands[0].index("-m", 2) + 1] for name, commands in tool.GROUPS.items() if name in tool.ALL
    }
    has = {name: name in markers for name in MARKERS}
    return [name for name, expression in selecting.items() if eval(expression, {}, has)]


@pytest.mark.parametrize("markers", [(), *ALONE, *combinations(MARKERS, 2)], ids="-".join)
def test_every_test_is_in_a_group(tool: ModuleType, markers: tuple[str, ...]) -> None:
    assert running(tool, markers)


def test_a_property_is_in_the_fast_group_and_in_the_slow_one(tool: ModuleType) -> None:
    assert running(tool, ("hypothesis",)) == ["fast", "slow"]


def test_fast_leaves_out_only_files_of_another_group(tool: ModuleType) -> None:
    dealt = [path for share in tool.shares(3) for path in share]
    assert len(dealt) == len(set(dealt))
    left_out = set((TOOLS.parent / "tests").rglob("test_*.py")) - set(dealt)
    groups = {tool.ELSEWHERE.search(path.read_text(encoding="utf-8"))[1] for path in left_out}
    assert groups == {"crash", "attacks", "web", "e2e", "slow"}
