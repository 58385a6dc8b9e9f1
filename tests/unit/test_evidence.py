"""What a handoff is checked against: only this episode's words, without secrets, whatever the transcript is."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from holdfast.capture import flags
from holdfast.capture.episodes import Episode
from holdfast.capture.story import Story
from holdfast.close.verify import evidence
from holdfast.text.transcript import CLAUDE, CODEX, since

RECORDED = Path(__file__).parents[1] / "contract" / "transcripts"
NOW = 1_790_000_000.0


def episode(path: Path | str, host: str = CLAUDE, offset: int = 0, cwd: str = "/home/ada/shop") -> Episode:
    return Episode(host, "s", 1, "shop", cwd, NOW, transcript=str(path), offset=offset, closed=NOW)


def gathered(path: Path | str, host: str = CLAUDE, offset: int = 0, **more: Any) -> evidence.Evidence:
    return evidence.gather(episode(path, host, offset), Story(), (), "", **more)


def user(text: str) -> str:
    return json.dumps({"type": "user", "message": {"role": "user", "content": text}}) + "\n"


def called(name: str, given: object, result: str, *, failed: bool = False, ident: str = "c1") -> str:
    use = {"type": "tool_use", "id": ident, "name": name, "input": given}
    back = {"type": "tool_result", "tool_use_id": ident, "content": result, "is_error": failed}
    lines = (
        {"type": "assistant", "message": {"role": "assistant", "content": [use]}},
        {"type": "user", "message": {"role": "user", "content": [back]}},
    )
    return "".join(json.dumps(one) + "\n" for one in lines)


@pytest.mark.parametrize(("name", "host"), [("claude-code", CLAUDE), ("codex", CODEX)])
def test_a_recorded_session_of_either_host_gives_words_runs_edits_and_todos(name: str, host: str) -> None:
    found = gathered(RECORDED / f"{name}.auto-compaction.jsonl", host)
    assert found.asked[0].startswith("Raise the retry limit to 5 in src/orders.py")
    assert "The limit is 5 now; the cap of 30 s comes next." in found.answered
    assert found.runs[-1].command == "echo Ran 12 tests in 0.4s"
    assert not found.runs[-1].failed
    assert found.edited == ("src/orders.py",)
    assert found.todos.open == ("Cap the wait at 30 s (in progress)",)
    assert found.finished == ("Raise the retry limit",)
    assert not found.is_partial


def test_a_fork_does_not_take_its_parents_words(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    parent = user("the parent wants 7 retries")
    path.write_text(parent + user("the child wants 9 retries"))
    assert gathered(path, offset=len(parent)).asked == ("the child wants 9 retries",)
    assert [one.text for one in since(CLAUDE, str(path), 0, 1 << 20)[0]] == [
        "the parent wants 7 retries",
        "the child wants 9 retries",
    ]


def test_what_is_missing_shrunk_torn_or_no_file_is_no_evidence_and_no_error(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "shrunk").write_text(user("of another session"))
    (tmp_path / "torn").write_text(user("whole") + '{"type":"user","message":{"role":"us')
    for name, offset in (("missing", 0), ("pipe", 0), (".", 0), ("shrunk", 10_000)):
        found = gathered(os.path.join(tmp_path, name), offset=offset)
        assert found.is_empty
        assert not found.is_partial
    assert gathered(tmp_path / "torn").asked == ("whole",)
    assert gathered("").is_empty


def test_of_a_large_transcript_the_newest_part_is_read_and_it_says_so(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(user(f"message {nth} {'x' * 500}") for nth in range(100)))
    found = gathered(path, most=5_000)
    assert found.is_partial
    assert found.asked[-1].startswith("message 99 ")
    assert len(found.asked) < 12


def test_no_secret_leaves_whether_said_typed_printed_or_written(tmp_path: Path, token: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(
        user(f"use {token}")
        + called("Bash", {"command": f"curl -H 'Authorization: Bearer {token}' x"}, f"echo {token}")
        + called("Write", {"file_path": "/home/ada/shop/a.env", "content": f"GITHUB_TOKEN={token}"}, "ok", ident="c2")
    )
    flag = flags.make(f"the token is {token}", now=NOW, kind="fact", origin="agent")[0]
    found = evidence.gather(episode(path), Story((f"use {token}",), ()), (flag,), "")
    assert found.asked
    assert token not in repr(found)
    assert token not in "".join(found.texts)


def test_an_edit_that_failed_changed_nothing(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    given = {"file_path": "/home/ada/shop/src/a.py", "old_string": "1", "new_string": "2"}
    path.write_text(called("Edit", given, "String to replace not found in file.", failed=True))
    assert gathered(path).edited == ()
    path.write_text(called("Edit", given, "updated"))
    assert gathered(path).edited == ("src/a.py",)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("echo x > docs/new.md", ("docs/new.md",)),
        ("sed -i 's/3/5/' src/retry.py", ("src/retry.py",)),
        ("git mv src/a.py src/b.py", ("src/b.py",)),
        ("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: lib/x.rb\n+1\n*** End Patch\nEOF", ("lib/x.rb",)),
        ("pytest -q 2>&1 | tail -5", ()),
        ("make 2>/dev/null", ()),
        ("cat src/a.py", ()),
    ],
)
def test_files_that_commands_write_count_as_changed(command: str, expected: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(called("Bash", {"command": command}, ""))
    assert gathered(path).edited == expected


def test_the_hooks_own_notes_count_where_the_transcript_is_gone() -> None:
    told = Story(("raise the limit",), ("/home/ada/shop/src/retry.py",))
    found = evidence.gather(episode("/nowhere/t.jsonl"), told, (), "")
    assert (found.asked, found.edited) == (("raise the limit",), ("src/retry.py",))
    assert not found.is_empty


def test_the_tree_gives_its_names_its_commits_and_what_changed_files_say_now(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_text("LIMIT = 5\n")
    (root / "secret").symlink_to("/etc/hostname")
    git = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    subprocess.run([*git, "add", "src"], check=True)
    subprocess.run([*git, "commit", "-qm", "Raise the limit"], check=True)
    ident = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    told = Story((), (f"{root}/src/a.py", f"{root}/secret", "/etc/hostname"))
    found = evidence.gather(episode("", cwd=str(root)), told, (), str(root))
    assert found.names == {"src/a.py", "secret"}
    assert found.commits == (ident,)
    assert found.subjects == ("Raise the limit",)
    assert found.contents == ("LIMIT = 5\n",)
    assert evidence.has_commit(str(root), ident[:8])
    assert not evidence.has_commit(str(root), "0123456789abc")
    assert evidence.occurs(str(root), "LIMIT")
    assert not evidence.occurs(str(root), "UNHEARD_OF")


def test_commits_that_git_printed_are_known(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(called("Bash", {"command": "git commit -m x"}, "[main 4f2c9e1] x\n 1 file changed\n"))
    assert gathered(path).commits == ("4f2c9e1",)


def test_the_line_numbers_of_a_host_are_no_numbers_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(called("Read", {"file_path": "/home/ada/shop/a.py"}, "41\tLIMIT = 3\n42\tWAIT = 9\n"))
    numbers = gathered(path).known.numbers
    assert {3.0, 9.0} <= set(numbers)
    assert not {41.0, 42.0} & set(numbers)
