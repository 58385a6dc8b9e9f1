"""The mode of the field can be seen: in what recall puts first, where thoughts go, and what a start tells."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from serve_support import serving

from holdfast.capture import codec, config, field_mode, home, identity
from holdfast.capture.field_mode import PERSONAL, SHARED
from holdfast.field import handle, intake, retrieval, think
from holdfast.field.store import Scope
from holdfast.field.thought import BRIDGE, Thought
from holdfast.field.traffic import travels
from holdfast.memory import Memory
from holdfast.serve.mcp import peer
from holdfast.vault import brief, notes

if TYPE_CHECKING:
    from hook_support import Home, Terminal

HEADING = "Several agents keep coming back to:"


@pytest.fixture
def shop(fresh: Home) -> Home:
    """A vault that searches by words alone."""
    home.make_vault(str(fresh.vault))
    Path(config.path_of(fresh.state)).write_text('[embed]\nname = "none"\n', encoding="utf-8")
    return fresh


def put(shop: Home, mode: str) -> None:
    """The mode in force, as a measurement leaves it."""
    Path(shop.state, "sleep").mkdir(exist_ok=True)
    codec.write(field_mode.path_of(shop.state), {"v": 1, "mode": mode}, durable=False)


def thought(shop: Home, text: str, **more: Any) -> str:
    with handle.opened(str(shop.vault)) as field:
        given = {"agent": "ada", "project": shop.project_id(), **more}
        return think.think(field, Thought("", text, **given)).thought.id


def note(shop: Home, name: str, body: str, kind: str = "knowledge", **more: Any) -> str:
    given = {"kind": kind, "day": "2026-09-01", "project": shop.project_id(), "origin": "user", **more}
    file = shop.vault / notes.FOLDERS[kind] / f"{name}.md"
    file.parent.mkdir(exist_ok=True)
    file.write_text(notes.new_text(name=name, description=body, body=body, **given), encoding="utf-8")
    return str(file.relative_to(shop.vault))


def travelled(shop: Home, query: str, *agents: str, most: int = 1) -> None:
    """Each of these agents has asked, and got the best."""
    with handle.opened(str(shop.vault)) as field:
        intake.sync(field)
        for agent in agents:
            answer = retrieval.ask(field, query, Scope(), most)
            assert answer.results, query
            retrieval.reinforce(field, answer, agent)


def told(shop: Home, terminal: Terminal) -> str:
    brief.refresh_known(str(shop.vault))
    return terminal("boot").out


# --- recall


def weights(terminal: Terminal, agent: str = "") -> list[float]:
    env = {identity.VARIABLE: agent} if agent else {}
    done = terminal("recall", "--json", "--read-only", "leases", env=env)
    return [one["weight"] for one in json.loads(done.out)["results"]]


@pytest.mark.slow
def test_in_personal_mode_a_named_agent_is_ranked_by_its_own_traces(shop: Home, terminal: Terminal) -> None:
    thought(shop, "leases end after a minute")
    travelled(shop, "leases", "ada", "ada", "bob")
    before = weights(terminal, "ada")
    assert before == weights(terminal, "bob") == weights(terminal), "never measured: everybody's"
    put(shop, SHARED)
    assert before == weights(terminal, "ada") == weights(terminal, "bob") == [pytest.approx(1.15)]
    put(shop, PERSONAL)
    assert [weights(terminal, agent) for agent in ("ada", "bob", "cy")] == [
        [pytest.approx(weight)] for weight in (1.1, 1.05, 1.0)
    ]


@pytest.mark.slow
def test_in_personal_mode_one_users_sessions_do_not_forget_each_other(shop: Home, terminal: Terminal) -> None:
    thought(shop, "leases end after a minute")
    travelled(shop, "leases", "claude-code/s1", "codex/s2", "operator")
    before = weights(terminal)
    put(shop, PERSONAL)
    assert weights(terminal) == before == [pytest.approx(1.15)]


@pytest.mark.slow
def test_a_recall_is_noted_under_the_name_that_the_environment_gives(shop: Home, terminal: Terminal) -> None:
    thought(shop, "leases end after a minute")
    terminal("recall", "leases", env={identity.VARIABLE: "reviewer", "CLAUDE_CODE_SESSION_ID": "s1"})
    terminal("think", "leases are short", env={identity.VARIABLE: "reviewer"})
    found = travels(str(shop.vault), 0).found
    assert [(one.agent, one.session) for one in found] == [("reviewer", "claude-code/s1/0")]
    (made,) = json.loads(terminal("recall", "--json", "--agent", "reviewer", "leases").out)["results"]
    assert (made["agent"], made["contributor"]) == ("reviewer", "reviewer")


@pytest.mark.slow
def test_six_sessions_of_one_host_are_six_agents_and_make_a_highway(shop: Home, terminal: Terminal) -> None:
    thought(shop, "leases end after a minute")
    for nth in range(6):
        terminal("recall", "leases", env={"CLAUDE_CODE_SESSION_ID": f"s{nth}"})
    (found,) = json.loads(terminal("highways", "--json").out)["highways"]
    assert found["agents"] == [f"claude-code/s{nth}" for nth in range(6)]
    assert "by claude-code/s0, claude-code/s1, claude-code/s2 and 3 more" in terminal("highways").out


@pytest.mark.slow
def test_a_thought_of_a_session_is_found_by_its_host_and_by_its_session(shop: Home, terminal: Terminal) -> None:
    terminal("think", "leases end after a minute", env={"CLAUDE_CODE_SESSION_ID": "s1"})
    terminal("think", "leases begin at noon", env={identity.VARIABLE: "claude-codex"})
    for agent in ("claude-code", "claude-code/s1"):
        (found,) = json.loads(terminal("recall", "--json", "--agent", agent, "leases").out)["results"]
        assert (found["agent"], found["contributor"]) == ("claude-code/s1", "claude-code")


def test_a_token_is_one_agent_on_all_its_days_whatever_the_server_is_called(shop: Home) -> None:
    env = {**shop.env, identity.VARIABLE: "of-the-server"}
    clock = [1_790_000_000.0]
    for _ in range(3):
        place = peer.of_agent("scout", str(shop.project), env, lambda: clock[0]).place()
        assert identity.agent_name(place.env, place.where.host, place.where.episode) == "scout"
        clock[0] += 86400.0


@pytest.mark.slow
def test_over_http_the_token_is_the_asker_whose_own_traces_count(shop: Home) -> None:
    thought(shop, "leases end after a minute")
    travelled(shop, "leases", "ada", "bob")
    put(shop, PERSONAL)
    with serving(shop) as server:
        (found,) = server.post("/retrieve", {"query": "leases", "read_only": True}).json["results"]
    assert found["accesses"] == 0, "the operator has read nothing"


# --- think


@pytest.mark.slow
def test_in_shared_mode_a_thought_without_a_space_goes_to_the_shared_one(shop: Home, terminal: Terminal) -> None:
    def space(*words: str) -> str:
        return str(json.loads(terminal("think", "--json", *words).out)["space"])

    assert space("leases end") == ""
    put(shop, SHARED)
    assert space("leases end soon") == "shared"
    assert space("leases end late", "--space", "mine") == "mine"
    assert terminal("think", "leases end at noon").out.endswith(", in the space shared\n")
    path = Path(config.path_of(shop.state))
    path.write_text(path.read_text() + '[density]\nspace = "team"\n')
    assert space("leases end never") == "team"
    put(shop, PERSONAL)
    assert space("leases end always") == ""


# --- the start


@pytest.mark.slow
def test_a_start_tells_highways_in_shared_mode_only(shop: Home, terminal: Terminal) -> None:
    path = note(shop, "locks", "Orders are locked optimistically")
    travelled(shop, "orders locked", "ada", "bob", "cy")
    for mode, is_told in (("", False), (PERSONAL, False), (SHARED, True)):
        if mode:
            put(shop, mode)
        said = told(shop, terminal)
        assert (HEADING in said) == is_told
        assert said.count(path) == 1, "once, wherever it stands"


@pytest.mark.slow
def test_a_start_tells_at_most_three_highways_a_line_each(shop: Home, terminal: Terminal) -> None:
    for nth, word in enumerate(("orders", "leases", "mails", "queues", "retries")):
        thought(shop, f"{word} are kept for a while\n\nand then number {nth} goes")
        travelled(shop, word, *("ada", "bob", "cy")[: 3 + nth], "dee", most=1)
    put(shop, SHARED)
    section = told(shop, terminal).partition(f"{HEADING}\n")[2].splitlines()
    assert len([line for line in section if "are kept for a while" in line]) == 3


@pytest.mark.slow
def test_outside_text_among_the_highways_says_so(shop: Home, terminal: Terminal) -> None:
    note(shop, "widgets", "Widgets are deprecated", origin="web")
    thought(shop, "gadgets are deprecated too", origin="web")
    for word in ("widgets", "gadgets"):
        travelled(shop, word, "ada", "bob", "cy")
    put(shop, SHARED)
    section = told(shop, terminal).partition(f"{HEADING}\n")[2].splitlines()[:2]
    assert sorted("outside text, from web" in line for line in section) == [True, True]


@pytest.mark.slow
def test_no_other_projects_highways_no_guesses_and_nothing_withdrawn_are_told(shop: Home, terminal: Terminal) -> None:
    thought(shop, "elsewhere orders wait", project="other-2")
    source = thought(shop, "leases end after a minute")
    thought(shop, "perhaps leases and mails share a cause", kind=BRIDGE, sources=(source,))
    gone = thought(shop, "gadgets are deprecated")
    thought(shop, "everywhere clocks are UTC", project="")
    for word in ("elsewhere", "perhaps", "gadgets", "everywhere"):
        travelled(shop, word, "ada", "bob", "cy")
    assert terminal("forget", gone, "--yes").status == 0
    put(shop, SHARED)
    said = told(shop, terminal).partition(HEADING)[2]
    assert "everywhere clocks are UTC" in said
    assert not [word for word in ("elsewhere", "perhaps", "gadgets") if word in said]


@pytest.mark.slow
def test_a_mode_that_changes_makes_the_next_start_tell_it(shop: Home, terminal: Terminal) -> None:
    note(shop, "locks", "Orders are locked optimistically")
    travelled(shop, "orders locked", "ada", "bob", "cy")
    put(shop, SHARED)
    assert HEADING in told(shop, terminal)
    with Path(config.path_of(shop.state)).open("a", encoding="utf-8") as file:
        file.write("[density]\nrho_c = 10\n")
    assert terminal("density").out.startswith("mode: personal, until now shared\n")
    assert HEADING not in terminal("boot").out


# --- the command


@pytest.mark.slow
def test_density_says_mode_reason_rho_and_lift(shop: Home, terminal: Terminal) -> None:
    thought(shop, "leases end after a minute")
    travelled(shop, "leases", "ada", "bob")
    done = terminal("density")
    assert done.status == 0
    lines = done.out.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["mode", "why", "rho", "lift"]
    assert lines[2] == "rho:  2.000 (2 agents, 1 cluster touched in 14 days); rho_c 0.23"
    assert field_mode.read(shop.state) == PERSONAL


def test_density_as_json_has_the_names_that_others_build_on(shop: Home, terminal: Terminal) -> None:
    found = json.loads(terminal("density", "--json", "--window", "3").out)
    assert {"mode", "before", "why", "rho", "rho_c", "agents", "clusters", "window_days", "lift"} <= set(found)
    assert {"queries", "everybody", "own", "gain", "low", "high", "share"} == set(found["lift"])
    assert found["window_days"] == 3


def test_a_dry_run_measures_and_changes_nothing(shop: Home, terminal: Terminal) -> None:
    assert "it would be; nothing was changed" in terminal("density", "--dry-run").out
    assert field_mode.read(shop.state) == ""


def test_without_a_vault_nothing_is_measured_and_none_is_made(fresh: Home, terminal: Terminal) -> None:
    done = terminal("density")
    assert done.status == 4
    assert done.err.count("\n") == 1
    assert not fresh.vault.exists()


def test_a_setting_that_cannot_be_used_is_one_sentence(shop: Home, terminal: Terminal) -> None:
    Path(config.path_of(shop.state)).write_text("[density]\nrho_c = -1\n", encoding="utf-8")
    done = terminal("density")
    assert done.status == 2
    assert "rho_c = -1 cannot be used" in done.err


def test_the_library_measures_too(shop: Home) -> None:
    memory = Memory.open(str(shop.vault), str(shop.project), time.time, shop.env)
    assert memory.field.density(write=False).mode == PERSONAL
