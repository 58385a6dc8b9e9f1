"""Identity: an agent is who asks, not which program."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from holdfast.capture import identity

if TYPE_CHECKING:
    from collections.abc import Mapping

EPISODE = "claude-code/5e1c/2"


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path), "HOLDFAST_HOME": str(tmp_path / "vault")}


def contributor(env: Mapping[str, str], said: str) -> None:
    state = Path(env["HOLDFAST_HOME"]) / ".state"
    state.mkdir(parents=True)
    (state / "config.toml").write_text(f"[field]\ncontributor = {said}\n", encoding="utf-8")


def test_a_name_in_the_environment_is_who_asks_whatever_the_session(env: dict[str, str]) -> None:
    contributor(env, '"ada"')
    assert identity.agent_name({**env, "HOLDFAST_AGENT": "reviewer"}, "claude-code", EPISODE) == "reviewer"


def test_the_contributor_of_this_machine_is_who_asks_in_every_session_and_shell(env: dict[str, str]) -> None:
    contributor(env, '"ada"')
    assert identity.agent_name(env, "claude-code", EPISODE) == "ada"
    assert identity.agent_name(env, "cli", "") == "ada"


@pytest.mark.parametrize("said", ['""', "7", '["ada"]', '"  "'])
def test_a_contributor_that_is_no_name_counts_for_nothing(env: dict[str, str], said: str) -> None:
    contributor(env, said)
    assert identity.agent_name(env, "claude-code", EPISODE) == "claude-code/5e1c"


def test_without_a_name_the_session_is_who_asks_in_all_its_episodes(env: dict[str, str]) -> None:
    names = {identity.agent_name(env, "claude-code", f"claude-code/s{n}/{part}") for n in range(6) for part in (1, 2)}
    assert names == {f"claude-code/s{n}" for n in range(6)}


@pytest.mark.parametrize("door", ["cli", "mcp"])
def test_the_person_is_one_by_any_door(env: dict[str, str], door: str) -> None:
    assert identity.agent_name(env, door, "mcp/01ABC/0") == "operator"


def test_a_host_without_a_session_is_named_by_itself(env: dict[str, str]) -> None:
    assert identity.agent_name(env, "codex", "") == "codex"


def test_two_long_sessions_are_two_agents_with_short_names(env: dict[str, str]) -> None:
    one, other = (identity.agent_name(env, "codex", f"codex/{'x' * 150}{end}/1") for end in "ab")
    assert one != other
    assert max(len(one), len(other)) <= identity.LONGEST


def test_a_given_name_is_one_short_clean_line_and_never_a_sessions() -> None:
    assert identity.tidy("  ada\nlovelace\x1b ") == "ada lovelace"
    assert "/" not in identity.tidy("claude-code/5e1c")
    assert len(identity.tidy("long " * 100)) <= identity.LONGEST
    assert identity.tidy(" \n ") == ""


def test_a_secret_given_as_a_name_is_redacted_before_it_is_cut() -> None:
    secret = "ghp_" + "aB3" * 12
    assert secret[:12] not in identity.tidy(f"{'x' * 40} {secret}")
