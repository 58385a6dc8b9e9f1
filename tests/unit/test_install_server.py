"""Our server of the Model Context Protocol in the hosts' files: put in, left alone, taken out, whoever else writes."""

from __future__ import annotations

import json
import stat
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hook_support import BARE, Home, Terminal
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.errors import HoldfastError
from holdfast.hosts import json_hooks, jsonc, registration
from holdfast.hosts.claude_code import settings as claude_code
from holdfast.hosts.codex import config_toml as toml
from holdfast.hosts.codex import settings as codex
from holdfast.hosts.registration import Server
from holdfast.install import plan, removal, settings_files

pytestmark = pytest.mark.slow  # each init asks a login shell

ENV = {"HOME": "/home/ada"}
COMMAND = "/home/ada/.local/share/holdfast/holdfast"
OTHER = {"command": "npx", "args": ["tracker"], "env": {"WHERE": "here"}}
PLACE = "/home/ada/.claude.json"
OWN = {"numStartups": 7, "projects": {"/shop": {"history": ["a", {"b": 1}]}}, "nothing": None}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture
def claude(fresh: Home) -> Path:
    """Claude Code is used on this machine; the file in which it keeps its state."""
    (fresh.folder / ".claude").mkdir()
    path = fresh.folder / ".claude.json"
    path.write_text(json.dumps(OWN, indent=2))
    return path


@pytest.fixture
def config(fresh: Home) -> Path:
    """Codex is used on this machine; its settings."""
    path = fresh.folder / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text('model = "x" # mine\n\n[mcp_servers.tracker]\ncommand = "npx"\n')
    return path


def env_of(fresh: Home) -> dict[str, str]:
    return {**fresh.env, **BARE, "SHELL": "/bin/sh"}


def init(fresh: Home, *, permissions: bool = True) -> plan.InstallPlan:
    made = plan.make(env_of(fresh), str(fresh.project), permissions=permissions)
    plan.apply(made, env_of(fresh))
    return made


def uninstall(fresh: Home) -> removal.Removal:
    made = removal.make(env_of(fresh), str(fresh.project))
    removal.apply(made, env_of(fresh))
    return made


def rules(fresh: Home) -> list[str]:
    stored = json.loads((fresh.folder / ".claude" / "settings.json").read_text())
    return list(stored.get("permissions", {}).get("allow", []))


# --- Claude Code's state


@given(st.dictionaries(st.text(max_size=6), JSON, max_size=4), st.sampled_from([None, 0, 2, "\t"]), st.booleans())
@settings(max_examples=150, deadline=None)
def test_an_entry_put_in_and_taken_out_again_leaves_every_byte(
    own: dict[str, Any], indent: int | str | None, has_servers: bool
) -> None:
    own = {key: value for key, value in own.items() if key != claude_code.SERVERS}
    if has_servers:
        own[claude_code.SERVERS] = {"tracker": OTHER} if own else {}
    before = json.dumps(own, indent=indent).encode()
    after = claude_code.with_server(before, ENV, PLACE)
    assert after is not None
    entry = {"type": "stdio", "command": COMMAND, "args": ["mcp"], "env": {}}
    expected = {**own, claude_code.SERVERS: {**own.get(claude_code.SERVERS, {}), "holdfast": entry}}
    assert json.loads(after) == expected
    assert list(json.loads(after))[: len(own)] == list(own), "their keys are in their order"
    assert claude_code.with_server(after, ENV, PLACE) == after
    assert claude_code.without_server(after, claude_code.remembered(before), PLACE) == before


@pytest.mark.parametrize("before", [None, b"", b"\n", b"{}", b"{ }\n", b"\xef\xbb\xbf{}"])
def test_a_state_with_nothing_in_it(before: bytes | None) -> None:
    after = claude_code.with_server(before, ENV, PLACE)
    assert after is not None
    assert claude_code.is_ours(claude_code.server_in(after, PLACE))
    left = claude_code.without_server(after, claude_code.remembered(before), PLACE)
    assert left.strip(b"\xef\xbb\xbf\n") in ((before or b"").strip(b"\xef\xbb\xbf\n"), b"{}")


def test_what_is_remembered_of_a_state_has_nothing_of_what_it_says(token: str) -> None:
    before = json.dumps({"primaryApiKey": token, "mcpServers": {"tracker": {"env": {"KEY": token}}}}).encode()
    kept = claude_code.remembered(before)
    assert kept is not None
    assert token.encode() not in kept
    assert b"primaryApiKey" not in kept


def test_of_a_large_state_only_the_servers_are_read_piece_by_piece() -> None:
    """Our own reader takes seconds for a megabyte, and asks for the document at each step."""
    projects = {f"/p{number}": {"history": [{"display": "x" * 40, "n": [1, 2, {}]}] * 60} for number in range(150)}
    before = json.dumps({"projects": projects, "mcpServers": {"tracker": OTHER}}, indent=2).encode()
    assert len(before) > 1_000_000
    assert len(json_hooks.outline(before.decode(), "mcpServers").text) < 500
    after = claude_code.with_server(before, ENV, PLACE)
    assert after is not None
    assert len(after) - len(before) < 200
    assert claude_code.without_server(after, claude_code.remembered(before), PLACE) == before


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"a": 1,}', '{"a": 1} x', '{"a": NaN}', "{1: 2}", '{"a" 1}', '{"a": 1 "b": 2}', "[" * 9000]
)
def test_a_state_that_is_no_plain_json_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(jsonc.Broken, match="nothing was changed"):
        claude_code.with_server(text.encode(), ENV, PLACE)
    with pytest.raises(jsonc.Broken):
        json_hooks.outline(text, "mcpServers", PLACE)


def test_servers_that_are_no_object_are_refused() -> None:
    with pytest.raises(jsonc.Broken, match='"mcpServers" is no object'):
        claude_code.with_server(b'{"mcpServers": []}', ENV, PLACE)


def test_an_outline_is_told_from_what_looks_like_its_marks() -> None:
    text = json.dumps({"aside-0": "aside-", "a": ["aside-1"], "mcpServers": {"x": "aside--0"}})
    short = json_hooks.outline(text, "mcpServers")
    assert short.whole(short.text) == text


@pytest.mark.parametrize(
    "theirs",
    [
        {"command": "holdfast", "args": ["mcp"]},
        {"type": "http", "url": "https://example.org"},
        {"type": "stdio", "command": COMMAND, "args": ["mcp"], "env": {"HOLDFAST_HOME": "/elsewhere"}},
        {"type": "stdio", "command": COMMAND, "args": ["mcp", "--loud"], "env": {}},
        "off",
    ],
)
def test_an_entry_of_our_name_that_init_did_not_write_is_left_and_said(
    fresh: Home, terminal: Terminal, claude: Path, theirs: object
) -> None:
    claude.write_text(json.dumps({"mcpServers": {"holdfast": theirs}}))
    before = claude.read_bytes()
    said = terminal("init", env=BARE).out
    assert f'{claude} has a server "holdfast" that init did not write as it stands; it is left alone' in said
    assert claude.read_bytes() == before
    assert "mcp__holdfast" not in rules(fresh), "another program of our name gets no permission from us"
    assert f'{claude} still has a server "holdfast"' in terminal("uninstall", env=BARE).out
    assert claude.read_bytes() == before


def test_an_entry_that_the_user_changed_since_is_left_and_said(fresh: Home, terminal: Terminal, claude: Path) -> None:
    terminal("init", env=BARE)
    stored = json.loads(claude.read_text())
    stored["mcpServers"]["holdfast"]["env"] = {"HOLDFAST_HOME": "/elsewhere"}
    claude.write_text(json.dumps(stored))
    before = claude.read_bytes()
    assert f'{claude} still has a server "holdfast"' in terminal("uninstall", env=BARE).out
    assert claude.read_bytes() == before


def test_an_entry_of_an_older_place_becomes_this_one(fresh: Home, claude: Path) -> None:
    old = {"type": "stdio", "command": "/old/share/holdfast/holdfast", "args": ["mcp"], "env": {}}
    claude.write_text(json.dumps({"mcpServers": {"holdfast": old, "tracker": OTHER}}))
    init(fresh)
    stored = json.loads(claude.read_text())["mcpServers"]
    assert stored == {"holdfast": {**old, "command": str(registration.command_path(fresh.env))}, "tracker": OTHER}


def test_init_shows_what_it_adds_and_nothing_else_of_the_state(
    fresh: Home, terminal: Terminal, claude: Path, token: str
) -> None:
    claude.write_text(json.dumps({"primaryApiKey": token}, indent=2))
    said = terminal("init", "--dry-run", env=BARE).out
    assert f"  {claude}: adds" in said
    assert f'"holdfast": {{"type": "stdio", "command": "{registration.command_path(fresh.env)}"' in said
    assert '"mcp__holdfast"' in said
    assert json.loads(claude.read_text()) == {"primaryApiKey": token}
    terminal("init", env=BARE)
    assert token in claude.read_text()
    kept = b"".join(path.read_bytes() for path in settings_files.records_folder(env_of(fresh)).iterdir())
    assert token.encode() not in kept
    assert all(token not in str(one.before) for one in settings_files.records(env_of(fresh)))


def test_mode_and_link_of_the_state_stay(fresh: Home, claude: Path) -> None:
    claude.rename(fresh.folder / "kept.json")
    (fresh.folder / "kept.json").chmod(0o640)
    claude.symlink_to("kept.json")
    before = (fresh.folder / "kept.json").read_bytes()
    init(fresh)
    assert claude.is_symlink()
    assert stat.S_IMODE((fresh.folder / "kept.json").stat().st_mode) == 0o640
    assert claude_code.is_ours(claude_code.server_in(claude.read_bytes(), str(claude)))
    uninstall(fresh)
    assert claude.is_symlink()
    assert (fresh.folder / "kept.json").read_bytes() == before


def test_what_the_host_wrote_since_stays_at_uninstall(fresh: Home, claude: Path) -> None:
    init(fresh)
    stored = json.loads(claude.read_text())
    claude.write_text(json.dumps({**stored, "numStartups": 8, "new": True}, indent=2))
    gone = uninstall(fresh)
    assert claude.read_text() == json.dumps({**OWN, "numStartups": 8, "new": True}, indent=2)
    assert any(f"- {line}" for one in gone.files for line in one.removed if '"holdfast"' in line)


def test_a_state_of_ours_that_the_host_filled_since_keeps_what_is_the_hosts(fresh: Home, claude: Path) -> None:
    claude.unlink()
    init(fresh)
    assert stat.S_IMODE(claude.stat().st_mode) == 0o600
    stored = json.loads(claude.read_text())
    claude.write_text(json.dumps({**stored, "numStartups": 1}))
    uninstall(fresh)
    assert json.loads(claude.read_text()) == {"numStartups": 1}


def test_a_state_that_we_made_and_nobody_used_goes(fresh: Home, claude: Path) -> None:
    claude.unlink()
    init(fresh)
    assert claude.exists()
    uninstall(fresh)
    assert not claude.exists()


def test_a_state_that_appeared_after_the_plan_was_made_is_not_ours_to_remove(fresh: Home, claude: Path) -> None:
    claude.unlink()
    made = plan.make(env_of(fresh), str(fresh.project))
    claude.write_text('{"numStartups": 1}')
    plan.apply(made, env_of(fresh))
    assert claude_code.is_ours(claude_code.server_in(claude.read_bytes(), str(claude)))
    uninstall(fresh)
    assert claude.read_text() == '{"numStartups": 1}'


def test_what_the_host_writes_between_plan_and_execution_is_kept(fresh: Home, claude: Path) -> None:
    made = plan.make(env_of(fresh), str(fresh.project))
    claude.write_text('{"numStartups": 99}')
    plan.apply(made, env_of(fresh))
    stored = json.loads(claude.read_text())
    assert stored["numStartups"] == 99
    assert claude_code.is_ours(stored["mcpServers"]["holdfast"])
    gone = removal.make(env_of(fresh), str(fresh.project))
    claude.write_text(claude.read_text().replace("99", "100"))
    removal.apply(gone, env_of(fresh))
    assert json.loads(claude.read_text()) == {"numStartups": 100}


def test_a_host_that_writes_at_the_very_moment_loses_nothing(
    fresh: Home, claude: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It writes once while we sync what we have made of its file."""
    made, left = plan.make(env_of(fresh), str(fresh.project)), [1]
    sync = settings_files.os.fsync  # type: ignore[attr-defined]

    def write_first(number: int) -> None:
        sync(number)
        if left and Path(f"/proc/self/fd/{number}").readlink().name.startswith(".claude.json"):
            left.pop()
            claude.write_text('{"numStartups": 8}')

    monkeypatch.setattr("os.fsync", write_first)
    plan.apply(made, env_of(fresh))
    assert left == []
    stored = json.loads(claude.read_text())
    assert stored["numStartups"] == 8
    assert claude_code.is_ours(stored["mcpServers"]["holdfast"])
    assert sorted(path.name for path in claude.parent.glob(".claude.json*")) == [".claude.json"]


@pytest.mark.parametrize("again", ["init", "uninstall"])
def test_an_init_killed_before_the_state_changed_is_completed_or_undone(
    fresh: Home, claude: Path, monkeypatch: pytest.MonkeyPatch, again: str
) -> None:
    before, replace = claude.read_bytes(), settings_files.put_in_place

    def killed(path: str, old: bytes | None, new: bytes | None) -> None:
        if path == str(claude):
            raise KeyboardInterrupt
        replace(path, old, new)

    monkeypatch.setattr(settings_files, "put_in_place", killed)
    with pytest.raises(KeyboardInterrupt):
        init(fresh)
    monkeypatch.undo()
    if again == "init":
        init(fresh)
        assert claude_code.server(fresh.env)
    uninstall(fresh)
    assert claude.read_bytes() == before
    assert settings_files.records(env_of(fresh)) == []


def test_a_state_that_breaks_at_the_very_moment_is_left(fresh: Home, claude: Path) -> None:
    made = plan.make(env_of(fresh), str(fresh.project))
    claude.write_text("{")
    with pytest.raises(HoldfastError, match="its change was kept"):
        plan.apply(made, env_of(fresh))
    assert claude.read_text() == "{"


def test_a_state_that_cannot_be_read_is_left_and_said_and_the_hooks_are_there(
    fresh: Home, terminal: Terminal, claude: Path
) -> None:
    claude.write_text('{"a": ')
    done = terminal("init", env=BARE)
    assert done.status == 0
    assert f"{claude}, line 1, column 7: this is no JSON; the file is left as it is" in done.out
    assert claude.read_text() == '{"a": '
    assert claude_code.registered(fresh.env, str(fresh.project))
    assert "mcp__holdfast" not in rules(fresh)


def test_a_lost_record_costs_nothing(fresh: Home, claude: Path, config: Path) -> None:
    before = claude.read_bytes(), config.read_bytes()
    init(fresh)
    for one in settings_files.records(env_of(fresh)):
        settings_files.drop_record(env_of(fresh), one.path)
    uninstall(fresh)
    assert claude.read_bytes() == before[0]
    assert toml.server_in(config.read_bytes(), "") is None


def test_the_own_folder_of_claude_code_has_its_own_state(fresh: Home) -> None:
    assert claude_code.server_place({**fresh.env, "CLAUDE_CONFIG_DIR": "/x/"}) == "/x/.claude.json"
    assert claude_code.server_place(fresh.env) == f"{fresh.folder}/.claude.json"


# --- Codex's config.toml


TOML = [
    b"",
    b'model = "x"',
    b'model = "x"\n',
    b'# mine\r\nmodel = "x"\r\n\r\n[tui]\r\nvim = true\r\n',
    b'[mcp_servers]\n\n[mcp_servers.tracker]\ncommand = "npx" # theirs\n',
    b'mcp_servers.tracker.command = "npx"\n[tui]\nvim = true',
    b'[projects."/shop"]\ntrust_level = "trusted"\n\n\n',
]


@pytest.mark.parametrize("before", TOML)
def test_a_table_put_in_and_taken_out_again_leaves_every_byte(before: bytes) -> None:
    after = toml.with_server(before, ENV, "config.toml")
    assert after is not None
    table = {"command": COMMAND, "args": ["mcp"], "env_vars": toml.VARIABLES}
    known = tomllib.loads(before.decode().replace("\r\n", "\n"))
    wanted = {**known, "mcp_servers": {**known.get("mcp_servers", {}), "holdfast": table}}
    assert tomllib.loads(after.decode().replace("\r\n", "\n")) == wanted
    assert after.startswith(before)
    assert toml.with_server(after, ENV, "config.toml") == after
    assert toml.without_server(after, before) == before


@pytest.mark.parametrize("before", TOML)
def test_what_was_written_behind_our_table_stays(before: bytes) -> None:
    after = toml.with_server(before, ENV, "config.toml")
    assert after is not None
    more = b"\n# of another\n[other]\nx = 1\n"
    left = toml.without_server(after + more, before)
    assert left.endswith(more)
    assert left.startswith(before)
    assert tomllib.loads(left.decode().replace("\r\n", "\n"))["other"] == {"x": 1}


def test_a_table_that_another_program_wrote_anew_goes_and_its_comments_stay() -> None:
    text = (
        f'[mcp_servers.holdfast]\nenv_vars = [\n  "{toml.VARIABLES[0]}",\n'
        + "".join(f'  "{name}",\n' for name in toml.VARIABLES[1:])
        + f"]\n# why it is here\nargs = [ \"mcp\" ]\ncommand = '{COMMAND}'\n\n# the look\n[tui]\nvim = true\n"
    )
    left = toml.without_server(text.encode(), None)
    assert left == b"# why it is here\n\n# the look\n[tui]\nvim = true\n"


@pytest.mark.parametrize(
    "more",
    ["required = true\n", "enabled = false\n", 'env = {A = "1"}\n', '[mcp_servers.holdfast.tools.flag]\nmode = "x"\n'],
)
def test_a_table_that_the_user_changed_is_left_and_said(
    fresh: Home, terminal: Terminal, config: Path, more: str
) -> None:
    terminal("init", env=BARE)
    config.write_text(config.read_text() + more)
    before = tomllib.loads(config.read_text())["mcp_servers"]
    assert f'{config} has a server "holdfast"' in terminal("init", env=BARE).out
    assert "`codex mcp remove holdfast` takes it out" in terminal("uninstall", env=BARE).out
    assert tomllib.loads(config.read_text())["mcp_servers"] == before


def test_servers_in_a_form_that_cannot_be_added_to_are_left_and_said(
    fresh: Home, terminal: Terminal, config: Path
) -> None:
    config.write_text('mcp_servers = {tracker = {command = "npx"}}\n')
    done = terminal("init", env=BARE)
    assert done.status == 0
    assert f"{config} has its mcp_servers in a form that cannot be added to; the file is left as it is" in done.out
    assert codex.server(fresh.env) is None
    assert codex.registered(fresh.env, str(fresh.project))


def test_a_table_of_an_older_place_becomes_this_one(config: Path) -> None:
    old = toml.with_server(config.read_bytes(), {"HOME": "/old"}, str(config))
    assert old is not None
    new = toml.with_server(old + b"\n[tui]\nvim = true\n", ENV, str(config))
    assert new is not None
    known = tomllib.loads(new.decode())
    assert known["mcp_servers"]["holdfast"]["command"] == COMMAND
    assert known["mcp_servers"]["tracker"] == {"command": "npx"}
    assert new.count(b"[mcp_servers.holdfast]") == 1
    assert b'model = "x" # mine' in new


def test_uninstall_gives_back_every_byte_of_the_settings_of_codex(fresh: Home, config: Path) -> None:
    before = config.read_bytes()
    init(fresh)
    assert codex.server(fresh.env) == Server(
        str(config), (str(registration.command_path(fresh.env)), "mcp"), True, (*codex.HANDED, *toml.VARIABLES)
    )
    uninstall(fresh)
    assert config.read_bytes() == before


# --- what is chosen


def test_without_the_extra_nothing_is_registered_and_the_command_that_adds_it_is_said(
    fresh: Home, terminal: Terminal, claude: Path, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = claude.read_bytes()
    monkeypatch.setitem(sys.modules, "mcp", None)
    said = terminal("init", env=BARE).out
    assert said.count('`pip install "holdfast[mcp]"` brings what it needs') == 2
    assert claude.read_bytes() == before
    assert codex.server(fresh.env) is None
    assert "mcp__holdfast" not in rules(fresh)


def test_it_can_be_left_out(fresh: Home, terminal: Terminal, claude: Path, config: Path) -> None:
    before = claude.read_bytes()
    said = terminal("init", "--no-mcp", env=BARE).out
    assert "Model Context Protocol" not in said
    assert claude.read_bytes() == before
    assert codex.server(fresh.env) is None
    assert "mcp__holdfast" not in rules(fresh)


def test_without_permissions_the_server_is_registered_and_its_tools_are_not_allowed(
    fresh: Home, claude: Path, config: Path
) -> None:
    init(fresh, permissions=False)
    assert claude_code.server(fresh.env)
    assert codex.server(fresh.env)
    assert rules(fresh) == []
    assert b"writable_roots" not in config.read_bytes()


def test_a_project_alone_registers_no_server(fresh: Home, claude: Path, config: Path) -> None:
    made = plan.make(env_of(fresh), str(fresh.project), (), "project")
    plan.apply(made, env_of(fresh))
    assert claude_code.server(fresh.env) is None
    assert codex.server(fresh.env) is None


def test_a_rule_for_our_tools_that_was_there_before_stays(fresh: Home, claude: Path) -> None:
    path = fresh.folder / ".claude" / "settings.json"
    path.write_text('{"permissions": {"allow": ["mcp__holdfast", "Bash(ls:*)"]}}')
    init(fresh)
    path.write_text(path.read_text() + "\n")
    uninstall(fresh)
    assert rules(fresh) == ["mcp__holdfast", "Bash(ls:*)"]
