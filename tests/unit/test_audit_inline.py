"""Closes that sessions did themselves, found in their transcripts: what counts, what does not, and what it took."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from holdfast.capture.episodes import Episode
from holdfast.health import inline_closes
from holdfast.health.inline_closes import Inline
from holdfast.model import replace
from holdfast.text.transcript import CALL, CLAUDE, CODEX, Said

RECORDED = Path(__file__).parents[1] / "contract" / "transcripts"
VAULT = "/home/ada/.holdfast"
NOW = 1_790_000_000.0
USED = {"input_tokens": 10, "cache_creation_input_tokens": 200, "cache_read_input_tokens": 150_000}


class Claude:
    """A transcript in the shape that Claude Code writes, response by response."""

    host = CLAUDE

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: list[dict[str, Any]] = []

    def asks(self, words: str) -> Claude:
        self.lines.append({"type": "user", "message": {"role": "user", "content": words}})
        return self

    def answers(self, *blocks: tuple[str, dict[str, Any]], got: int = 300, **more: Any) -> Claude:
        """One response; the host writes a line for each of its blocks, with a usage that grows."""
        ident = f"msg_{len(self.lines)}"
        for nth, (tool, given) in enumerate(blocks):
            block = {"type": "tool_use", "id": f"{ident}_{nth}", "name": tool, "input": given}
            usage = {**USED, "output_tokens": got if nth == len(blocks) - 1 else 1}
            message = {"id": ident, "role": "assistant", "model": "opus", "content": [block], "usage": usage}
            self.lines.append({"type": "assistant", "message": message, **more})
        return self

    def episode(self, **more: Any) -> Episode:
        self.path.write_text("".join(json.dumps(line) + "\n" for line in self.lines), encoding="utf-8")
        made = Episode(self.host, "s", 1, "shop-1", "/home/ada/shop", NOW, transcript=str(self.path))
        return replace(made, **more)

    def found(self, **more: Any) -> Inline | None:
        return inline_closes.of_episode(self.episode(**more), VAULT)


class Codex(Claude):
    """The same in the shape that Codex writes."""

    host = CODEX

    def asks(self, words: str) -> Codex:
        content = [{"type": "input_text", "text": words}]
        self._item({"type": "message", "role": "user", "content": content})
        self.lines.append({"type": "turn_context", "payload": {"model": "gpt"}})
        return self

    def answers(self, *blocks: tuple[str, dict[str, Any]], got: int = 300, **more: Any) -> Codex:  # noqa: ARG002
        start = len(self.lines)
        for nth, (tool, given) in enumerate(blocks):
            call = {"type": "function_call", "name": tool, "call_id": f"c{start}_{nth}", "arguments": json.dumps(given)}
            self._item(call)
        self.lines += [one for one in self.lines if one["type"] == "event_msg"][-1:]  # told again with the limits
        for nth in range(len(blocks)):
            self._item({"type": "function_call_output", "call_id": f"c{start}_{nth}", "output": "ok"})
        last = {"input_tokens": 150_210, "cached_input_tokens": 150_000, "output_tokens": got}
        info = {"total_token_usage": {"total_tokens": 1000 * (start + 1)}, "last_token_usage": last}
        self.lines.append({"type": "event_msg", "payload": {"type": "token_count", "info": info}})
        return self

    def _item(self, payload: dict[str, Any]) -> None:
        self.lines.append({"type": "response_item", "payload": payload})


def write(path: str) -> tuple[str, dict[str, Any]]:
    return "Write", {"file_path": path, "content": "x"}


def run(command: str) -> tuple[str, dict[str, Any]]:
    return "Bash", {"command": command, "cmd": command}


def run_in_codex(command: str) -> tuple[str, dict[str, Any]]:
    return "exec_command", {"cmd": command}


HANDOFF = "holdfast handoff <<'E'\n# Where it stands\nE"


# --- what is an inline close


def test_a_session_that_writes_its_memory_at_the_end_is_told_with_its_tokens(tmp_path: Path) -> None:
    session = Claude(tmp_path / "t.jsonl").asks("build it").answers(write("/home/ada/shop/a.py"))
    session.asks("wrap up").answers(write(f"{VAULT}/knowledge/a.md")).answers(run("holdfast remember 'x'"))
    session.answers(run(HANDOFF), got=900)
    found = session.found()
    assert found == Inline("claude-code/s/1", "shop-1", 3, 3 * 150_210 + 1500, 1500, "opus")


def test_codex_tells_what_was_used_behind_its_calls_and_counts_the_cached_within(tmp_path: Path) -> None:
    session = Codex(tmp_path / "t.jsonl").asks("wrap up")
    for got, command in enumerate(("holdfast remember 'x'", "cat > AGENTS.md <<'E'\nx\nE", HANDOFF), 300):
        session.answers(run_in_codex(command), got=got)
    assert session.found() == Inline("codex/s/1", "shop-1", 3, 3 * 150_210 + 903, 903, "gpt")


def test_one_response_of_several_calls_is_counted_once(tmp_path: Path) -> None:
    session = Claude(tmp_path / "t.jsonl").asks("wrap up")
    session.answers(write(f"{VAULT}/a.md"), write(f"{VAULT}/b.md"), write(f"{VAULT}/c.md"), got=2500)
    assert session.found() == Inline("claude-code/s/1", "shop-1", 1, 150_210 + 2500, 2500, "opus")


def test_two_turns_that_close_are_one_finding_and_the_work_between_is_not_counted(tmp_path: Path) -> None:
    session = Claude(tmp_path / "t.jsonl")
    for _ in range(2):
        session.asks("wrap up")
        for name in "abc":
            session.answers(write(f"/home/ada/.claude/projects/-shop/memory/{name}.md"))
        session.asks("go on").answers(run("make")).answers(write("/home/ada/shop/a.py"))
    found = session.found()
    assert found
    assert found.responses == 6


# --- what is none


def test_flags_and_one_handoff_are_how_it_is_meant_to_be(tmp_path: Path) -> None:
    session = Claude(tmp_path / "t.jsonl").asks("build it")
    for _ in range(9):
        session.answers(run("holdfast flag 'a fact'"))
    session.answers(run(HANDOFF), got=1200).answers(write("/home/ada/shop/CLAUDE.md"))
    assert session.found() is None


def test_memory_that_is_a_small_part_of_a_turn_of_work_is_no_close(tmp_path: Path) -> None:
    session = Claude(tmp_path / "t.jsonl").asks("build it")
    for name in "abc":
        session.answers(write(f"{VAULT}/{name}.md"))
        session.answers(run("make")).answers(write("/home/ada/shop/a.py"))
    assert session.found() is None


def test_a_response_that_also_works_is_not_counted(tmp_path: Path) -> None:
    session = Claude(tmp_path / "t.jsonl").asks("wrap up")
    for name in "abc":
        session.answers(write(f"{VAULT}/{name}.md"), run("make"), got=1000)
    assert session.found() is None


@pytest.mark.parametrize(
    ("words", "writes"),
    [
        (["Please restructure our CLAUDE.md into three sections"], write("/home/ada/shop/CLAUDE.md")),
        (["tidy up claude.md", "three sections, go on"], write("/home/ada/shop/CLAUDE.md")),
        (["rename things in AGENTS.md and CLAUDE.md"], run("cat x > AGENTS.md; cat y > CLAUDE.md")),
        (["remember the port, the host and the user"], run("holdfast remember 'x'")),
    ],
    ids=lambda given: given[0] if isinstance(given, list) else "",
)
def test_what_the_user_asked_for_is_no_close(
    tmp_path: Path, words: list[str], writes: tuple[str, dict[str, Any]]
) -> None:
    session = Claude(tmp_path / "t.jsonl")
    for one in words:
        session.asks(one)
    for _ in range(3):
        session.answers(writes, got=1000)
    assert session.found() is None


@pytest.mark.parametrize(
    "words", [["restructure CLAUDE.md", "thanks", "wrap up"], ["wrap up"], ["update README.md, then wrap up"]], ids=str
)
def test_a_prompt_that_names_something_else_or_long_ago_asked_for_nothing(tmp_path: Path, words: list[str]) -> None:
    session = Claude(tmp_path / "t.jsonl")
    for one in words:
        session.asks(one)
    for _ in range(3):
        session.answers(write("/home/ada/shop/CLAUDE.md"))
    found = session.found()
    assert found
    assert found.responses == 3


def test_what_a_parent_or_a_subagent_did_is_not_this_sessions(tmp_path: Path) -> None:
    session = Claude(tmp_path / "t.jsonl").asks("wrap up")
    for name in "abc":
        session.answers(write(f"{VAULT}/{name}.md"))
    size = len("".join(json.dumps(line) + "\n" for line in session.lines))
    session.asks("resumed").answers(run("make"))
    assert session.found()
    assert session.found(offset=size) is None
    alone = Claude(tmp_path / "u.jsonl").asks("go")
    for name in "abc":
        alone.answers(write(f"{VAULT}/{name}.md"), isSidechain=True)
    assert alone.found() is None


@pytest.mark.parametrize("name", sorted(path.name for path in RECORDED.glob("*.jsonl")))
def test_no_recorded_session_of_plain_work_is_taken_for_a_close(name: str) -> None:
    host = name.partition(".")[0]
    episode = Episode(host, "s", 1, "p", "/home/ada/shop", NOW, transcript=str(RECORDED / name))
    assert inline_closes.of_episode(episode, VAULT) is None


def test_a_recorded_codex_session_gives_the_usage_of_its_call() -> None:
    used = inline_closes.of_calls(CODEX, str(RECORDED / "codex.basic.jsonl"), 0, 1 << 20)
    assert [(one.sent, one.got, one.model) for one in used.values()] == [(1000, 7, "gpt-5-codex")]


# --- which calls write memory


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (f"{VAULT}/rules/a.md", True),
        ("/home/ada/shop/CLAUDE.md", True),
        ("AGENTS.md", True),
        ("docs/agents.md", False),
        ("/home/ada/.claude/projects/-shop/memory/MEMORY.md", True),
        ("/home/ada/.claude/projects/-shop/memory/notes/a.md", True),
        ("/home/ada/.codex/memories/a.md", True),
        ("~/.holdfast/BRAIN.md", True),
        ("/home/ada/shop/src/memory/cache.py", False),
        ("/home/ada/shop/.claude/settings.json", False),
        ("/home/ada/memory/.claude/a.md", False),
        (f"{VAULT}er/a.md", False),
        ("", False),
    ],
)
def test_a_file_is_memory_by_where_it_lies(path: str, expected: bool) -> None:
    assert inline_closes.is_memory(path, VAULT) is expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (HANDOFF, True),
        ("cd /x && /home/ada/.local/bin/holdfast remember 'x'", True),
        ("cat > CLAUDE.md <<'E'\nx\nE", True),
        ("echo x >> '/home/ada/.claude/projects/-s/memory/MEMORY.md'", True),
        ("echo x | tee -a AGENTS.md", True),
        ("holdfast flag 'holdfast handoff is next'", False),
        ("holdfast handoff --template > /tmp/form", False),
        ("git commit -m 'holdfast handoff'", False),
        ("cat CLAUDE.md", False),
        ("make 2>&1", False),
        ("", False),
    ],
)
def test_a_command_writes_memory_where_all_that_it_writes_is(command: str, expected: bool) -> None:
    assert inline_closes.writes_memory(Said(CALL, "", 0, tool="Bash", given={"command": command}), VAULT) is expected


# --- bounds


def test_transcripts_beyond_the_room_are_counted_and_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = Claude(tmp_path / "t.jsonl").asks("wrap up")
    for name in "abc":
        session.answers(write(f"{VAULT}/{name}.md"))
    one = session.episode()
    monkeypatch.setattr(inline_closes, "MOST_IN_ALL", 2 * Path(one.transcript).stat().st_size)
    gone = replace(one, transcript=str(tmp_path / "gone.jsonl"))
    looked = inline_closes.look([one, gone, one, one, replace(one, transcript="")], VAULT)
    assert (looked.read, looked.gone, looked.left_out, len(looked.found)) == (2, 2, 1, 2)
