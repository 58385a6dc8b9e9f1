"""The first answers of `holdfast mcp`: at once, without the protocol's library, and the same as the library's."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from hook_support import SOURCE, Home

from holdfast.memory import Memory
from holdfast.vault.edits import Asked

sys.path.append(str(SOURCE.parent / "tools"))
import mcp_opening

MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "claude-code", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
INITIALIZE = {
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "codex", "version": "1"}},
}
SHAKEN: list[dict[str, Any]] = [INITIALIZE, {"method": "notifications/initialized"}]
LISTED = ("tools/list", "resources/list", "resources/templates/list")
HEAVY = {"mcp", "mcp_types", "anyio", "pydantic", "numpy"}


def modern(*methods: str, **params: object) -> list[dict[str, Any]]:
    return [{"id": one, "method": one, "params": {"_meta": MODERN, **params}} for one in methods]


def talk(home: Home, *requests: dict[str, Any], cuts: int = 0) -> tuple[dict[Any, dict[str, Any]], set[str]]:
    """What a real process answers to these lines, by id, and the packages it has imported. The client stays until it
    has every answer, or goes in the middle of the last line."""
    lines = [json.dumps({"jsonrpc": "2.0", **one}, ensure_ascii=False).encode() + b"\n" for one in requests]
    said = home.folder / "stderr"
    with (
        said.open("wb") as errors,
        subprocess.Popen(
            [sys.executable, "-X", "importtime", "-P", "-m", "holdfast", "mcp"],
            env={**home.env, "PYTHONPATH": str(SOURCE)},
            cwd=home.project,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        ) as process,
    ):
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"".join(lines)[: -cuts or None])
        process.stdin.flush()
        wanted = len([one for one in requests if "id" in one]) - bool(cuts)
        answers = [json.loads(process.stdout.readline()) for _ in range(wanted)]
        process.stdin.close()
        assert process.stdout.read() == b"", "nothing is answered twice"
    assert process.returncode == 0
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in said.read_text().splitlines()}
    return {one["id"]: one.get("result", one.get("error")) for one in answers}, imported


@pytest.fixture
def noted(fresh: Home) -> Home:
    memory = Memory.open(str(fresh.vault), str(fresh.project), env=fresh.env)
    memory.notes.remember(Asked("Staging ist nachts weg: ☕ & <b>", "knowledge", memory.at.project().id, "staging"))
    memory.notes.remember(Asked("Never deploy on Fridays", "rule", name="fridays"))
    return fresh


@pytest.mark.slow
def test_the_answers_that_are_kept_are_those_of_the_library() -> None:
    kept = json.loads(mcp_opening.PAGE.read_text(encoding="utf-8"))
    assert kept == mcp_opening.opening(), "python3 tools/mcp_opening.py writes them anew"


@pytest.mark.slow
@pytest.mark.parametrize(
    "requests",
    [
        modern("server/discover", *LISTED),
        [*SHAKEN, {"id": "p", "method": "ping"}, *({"id": m, "method": m} for m in LISTED)],
    ],
    ids=["as Claude Code asks", "after a handshake"],
)
def test_a_start_of_a_host_is_answered_without_the_library_as_the_library_would(
    noted: Home, requests: list[dict[str, Any]]
) -> None:
    at_once, imported = talk(noted, *requests)
    assert not imported & HEAVY
    assert len(at_once) == len([one for one in requests if "id" in one])
    assert len(at_once["resources/list"]["resources"]) == 3
    begin = requests[:2] if requests[0] is INITIALIZE else []
    # A method that nobody has makes the library answer all that comes behind it.
    unknown = {"id": "?", "method": "prompts/list", **({} if begin else {"params": {"_meta": MODERN}})}
    later, imported = talk(noted, *begin, unknown, *requests[len(begin) :])
    assert imported >= {"mcp", "anyio"}
    assert later.pop("?")["code"] == -32601
    assert at_once == later


@pytest.mark.slow
@pytest.mark.parametrize("begin", [[], SHAKEN], ids=["as Claude Code asks", "after a handshake"])
def test_a_call_is_taken_over_by_the_whole_server(noted: Home, begin: list[dict[str, Any]]) -> None:
    meta = {} if begin else {"_meta": MODERN}
    call = {"name": "flag", "arguments": {"text": "Orders are locked by version", "kind": "decision"}, **meta}
    first = [{"id": "tools/list", "method": "tools/list", **({"params": meta} if meta else {})}]
    found, imported = talk(noted, *begin, *first, {"id": 7, "method": "tools/call", "params": call})
    assert "mcp" in imported
    assert "flagged" in found[7]["content"][0]["text"]
    assert [flag.text for flag in noted.waiting()] == ["Orders are locked by version"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "line", ["", "nonsense", "[]", "17", '{"jsonrpc": "2.0", "id": 1}', '{"jsonrpc": "2.0", "id": 2, "method": 5}']
)
def test_odd_lines_are_for_the_whole_server_and_end_nothing(fresh: Home, line: str) -> None:
    words = f"{line}\n{json.dumps({'jsonrpc': '2.0', **modern('tools/list')[0]})}\n".encode()
    done = subprocess.run(
        [sys.executable, "-P", "-m", "holdfast", "mcp"],
        env={**fresh.env, "PYTHONPATH": str(SOURCE)},
        cwd=fresh.project,
        input=words,
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert any("tools" in json.loads(one).get("result", {}) for one in done.stdout.splitlines())
    assert b"Traceback" not in done.stderr


def test_a_client_that_goes_in_the_middle_of_a_line_is_no_error(fresh: Home) -> None:
    found, _ = talk(fresh, *modern("server/discover", "tools/list"), cuts=20)
    assert list(found) == ["server/discover"]
