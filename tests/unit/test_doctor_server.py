"""The doctor at our server of the Model Context Protocol: as each host has it registered, really started and asked."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from doctor_support import ask, everything, fix, installed, one, place, program
from hook_support import Home

from holdfast.health.finding import Finding
from holdfast.health.registration import check_server
from holdfast.hosts import registration
from holdfast.hosts.claude_code import settings as claude_code
from holdfast.hosts.host import host, registrar

pytestmark = pytest.mark.slow  # it starts the server again and again

CLAUDE, CODEX = "claude-code", "codex"


@pytest.fixture
def hosts(fresh: Home) -> Home:
    """Both hosts with our hooks and our server, as init registers them."""
    installed(fresh)
    program(fresh, "claude", f"{host(CLAUDE).tested} (Claude Code)")
    program(fresh, "codex", f"codex-cli {host(CODEX).tested}")
    register(fresh)
    return fresh


def register(where: Home, *, with_server: bool = True) -> None:
    for name in (CLAUDE, CODEX):
        for edit in registrar(name).edits(where.env, "user", str(where.project), server=with_server):
            assert edit.after is not None
            Path(edit.path).parent.mkdir(parents=True, exist_ok=True)
            Path(edit.path).write_bytes(edit.after)


def state(where: Home) -> Path:
    return Path(claude_code.server_place(where.env))


def said(where: Home, name: str = CLAUDE) -> Finding:
    (found,) = check_server(place(where, name))
    return found


def test_a_server_that_is_registered_and_answers_is_well(hosts: Home) -> None:
    before = everything(hosts.folder, hosts.vault)
    for name in (CLAUDE, CODEX):
        found = ask(hosts, "mcp", name)
        assert found.level == "ok", found
        assert "answered in" in found.detail
    assert everything(hosts.folder, hosts.vault) == before


def test_a_host_without_our_server_is_a_note_with_what_adds_it(fresh: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(fresh)
    program(fresh, "claude", f"{host(CLAUDE).tested} (Claude Code)")
    register(fresh, with_server=False)
    assert said(fresh).level == "note"
    assert "holdfast init --agent claude-code" in said(fresh).fix
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert "what it needs is not installed" in said(fresh).detail
    assert 'pip install "holdfast[mcp]"' in said(fresh).fix


def test_a_host_without_our_hooks_is_not_asked_for_a_server(hosts: Home) -> None:
    (hosts.folder / ".claude" / "settings.json").write_text("{}")
    assert [check.about for check in check_server(place(hosts))] == [CODEX]


def test_a_server_of_our_name_that_init_did_not_write_is_not_run(hosts: Home) -> None:
    ran = hosts.folder / "ran"
    entry = {"type": "stdio", "command": "touch", "args": [str(ran)], "env": {}}
    state(hosts).write_text(json.dumps({"mcpServers": {"holdfast": entry}}))
    found = said(hosts)
    assert found.level == "note"
    assert "init did not write" in found.detail
    assert not ran.exists()


def test_a_state_that_cannot_be_read_is_a_note(hosts: Home) -> None:
    state(hosts).write_text("{")
    assert said(hosts).level == "note"
    assert str(state(hosts)) in said(hosts).detail


def test_a_server_whose_command_is_gone_fails_and_is_mended(hosts: Home) -> None:
    registration.command_path(hosts.env).unlink()
    found = said(hosts)
    assert not found.ok
    assert found.can_fix
    mended = fix(hosts, CLAUDE)
    assert one(mended, "mcp", CLAUDE).level == "mended"
    assert len(mended.fixed) == 1


def test_a_server_of_an_older_place_that_is_gone_fails_and_is_left_to_init(hosts: Home) -> None:
    path = str(registration.command_path(hosts.env))
    state(hosts).write_text(state(hosts).read_text().replace(path, "/gone/holdfast/holdfast"))
    found = said(hosts)
    assert not found.ok
    assert not found.can_fix
    assert "holdfast init --agent claude-code" in found.fix


def test_a_server_of_an_older_place_that_answers_is_a_note(hosts: Home) -> None:
    path = registration.command_path(hosts.env)
    old = hosts.folder / "old" / "holdfast" / "holdfast"
    old.parent.mkdir(parents=True)
    old.write_text(path.read_text())
    old.chmod(0o700)
    state(hosts).write_text(state(hosts).read_text().replace(str(path), str(old)))
    found = said(hosts)
    assert found.level == "note"
    assert "of an older place" in found.detail


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo no such package >&2; exit 1", "no such package"),
        ("exit 0", "it said nothing"),
        ('read line; echo \'{"result": {"serverInfo": {"name": "other"}}}\'', "it said nothing"),
        ("read line; echo not json; echo broken >&2", "broken"),
    ],
)
def test_a_server_that_does_not_answer_fails_with_its_own_words(hosts: Home, script: str, why: str) -> None:
    registration.command_path(hosts.env).write_text(f"#!/bin/sh\n{script}\n")
    found = said(hosts)
    assert not found.ok
    assert found.detail == f"the server of Claude Code does not answer: {why}"


def test_codex_hands_over_only_what_it_would(hosts: Home) -> None:
    seen = hosts.folder / "seen"
    registration.command_path(hosts.env).write_text(f"#!/bin/sh\nenv > '{seen}'\n")
    hosts.more["TRACKER"] = "x"
    said(hosts, CODEX)
    names = {line.partition("=")[0] for line in seen.read_text().splitlines()}
    assert {"HOME", "PATH", "HOLDFAST_HOME"} <= names
    assert "TRACKER" not in names
    said(hosts, CLAUDE)
    assert "TRACKER=x" in seen.read_text().splitlines()


def test_a_server_that_does_not_go_with_its_client_is_ended(hosts: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.health.probe.ANSWER_PATIENCE", 1.0)
    here = hosts.folder / "pid"
    path = registration.command_path(hosts.env)
    path.write_text(f"#!/bin/sh\necho $$ > '{here}'\nexec tail -f /dev/null\n")
    assert said(hosts).detail.endswith("no answer after 1 s")
    with pytest.raises(ProcessLookupError):
        os.kill(int(here.read_text()), 0)
