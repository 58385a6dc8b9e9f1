"""Which text is known: files that git tracks here, what the agent wrote, and what a command line reads."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.capture import agent_files
from holdfast.capture.gitfiles import Index
from holdfast.taint import command_line, filters
from holdfast.taint.known_text import Ground, real
from holdfast.text.shell_reader import Reader
from holdfast.text.shell_simple import ANY, ONE, UNKNOWN, Simple, Unreadable, plain_commands

NAMES = ("a.txt", "src/b.py", "src/deep/er/c.md", "ünï/x y.md", *(f"m/f{nth}.py" for nth in range(40)))


def git(folder: Path, *words: str) -> str:
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    for who in ("AUTHOR", "COMMITTER"):
        env |= {f"GIT_{who}_NAME": "a", f"GIT_{who}_EMAIL": "a@example.org"}
    done = subprocess.run(["git", *words], cwd=folder, env=env, check=True, capture_output=True, text=True)
    return done.stdout


def repository(folder: Path, form: str = "sha1") -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "--object-format", form)
    for name in NAMES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    git(folder, "add", ".")
    (folder / "untracked.md").write_text("x")
    return folder


# --- git's index


@pytest.mark.parametrize("form", ["sha1", "sha256"])
@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_an_index_of_every_version_says_what_is_tracked(tmp_path: Path, version: str, form: str) -> None:
    folder = repository(tmp_path / "x", form)
    if version == "3":  # an entry that is only meant to come has more flags
        (folder / "meant.md").write_text("x")
        git(folder, "add", "-N", "meant.md")
    git(folder, "update-index", "--index-version", version)
    index = Index(str(folder / ".git" / "index"))
    assert all(index.has(name) for name in NAMES)
    assert all(index.has(name) for name in sorted(NAMES)), "in order, from where the last was found"
    assert index.has("meant.md") == (version == "3")
    for name in ("b.py", "untracked.md", "src", "src/", "txt", "c.md", "f1.py", "m/f", "", "a.txt\0", "A.TXT"):
        assert not index.has(name)
    assert index.has_below("src")
    assert index.has_below("src/deep")
    assert not index.has_below("deep")
    assert not index.has_below("sr")


@pytest.mark.parametrize("data", [b"", b"DIRC", b"DIRC\0\0\0\x09\0\0\0\x01a.txt\0", b"x" * 100])
def test_an_index_that_cannot_be_read_tracks_nothing(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "index").write_bytes(data)
    assert not Index(str(tmp_path / "index")).has("a.txt")
    assert not Index(str(tmp_path / "index")).has_below("src")
    assert not Index(str(tmp_path)).has("a.txt")
    assert not Index(str(tmp_path / "gone")).has("a.txt")


@pytest.mark.slow
def test_a_packed_index_that_is_torn_tracks_nothing(tmp_path: Path) -> None:
    folder = repository(tmp_path / "x")
    git(folder, "update-index", "--index-version", "4")
    whole = (folder / ".git" / "index").read_bytes()
    for size in range(12, len(whole) // 2, 97):
        (tmp_path / "torn").write_bytes(whole[:size])
        assert not Index(str(tmp_path / "torn")).has("m/f39.py")


# --- places


def test_links_are_followed_to_where_they_lead(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "file").write_text("x")
    (tmp_path / "b").symlink_to("a")
    (tmp_path / "loop").symlink_to("loop")
    assert real(f"{tmp_path}/b/file") == f"{tmp_path}/a/file"
    assert real(f"{tmp_path}/b/../b/./file") == f"{tmp_path}/a/file"
    assert real(f"{tmp_path}/b/gone/x") == f"{tmp_path}/a/gone/x"
    assert not Path(real(f"{tmp_path}/loop/x")).exists()


@pytest.mark.slow
def test_a_submodule_is_another_repository_and_a_work_tree_the_same(tmp_path: Path) -> None:
    folder = repository(tmp_path / "shop")
    git(folder, "commit", "-q", "-m", "one")
    git(folder, "worktree", "add", "-q", "../beside")
    repository(folder / "inner")
    ground = Ground(str(folder), str(tmp_path / "vault"))
    assert ground.has("src/b.py", str(folder))
    assert ground.has("b.py", str(folder / "src"))
    assert ground.has(str(tmp_path / "beside" / "a.txt"), "/")
    assert not ground.has("inner/a.txt", str(folder))
    assert Ground(str(folder / "inner"), str(tmp_path / "vault")).has("a.txt", str(folder / "inner"))
    assert Ground(str(tmp_path / "beside"), str(tmp_path / "vault")).has("a.txt", str(tmp_path / "beside"))


def test_outside_of_git_nothing_is_known_but_what_the_agent_wrote(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "a.md").write_text("x")
    ground = Ground(str(tmp_path), str(tmp_path / "vault"), session="s1", state=str(tmp_path / "state"))
    assert not ground.has("a.md", str(tmp_path))
    agent_files.add(str(tmp_path / "state"), ground.place, "s1", [str(tmp_path / "a.md")])
    again = Ground(str(tmp_path), str(tmp_path / "vault"), session="s1", state=str(tmp_path / "state"))
    assert again.has("a.md", str(tmp_path))


def test_what_hosts_keep_of_this_very_session_is_known(tmp_path: Path) -> None:
    session = "0a1b2c3d-0000-4000-8000-000000000001"
    ground = Ground(str(tmp_path), "/vault", session=session, transcript=f"/h/projects/x/{session}.jsonl")
    for path in (f"/h/projects/x/{session}.jsonl", f"/h/projects/x/{session}/tool-results/a.txt"):
        assert ground.has(path, "/")
    assert ground.has(f"/tmp/claude-1/x/{session}/tasks/b1.output", "/")
    assert not ground.has("/tmp/claude-1/x/tasks/b1.output", "/")
    assert not ground.has("/h/projects/x/another.jsonl", "/")


@pytest.mark.slow
def test_the_list_of_what_was_written_does_not_grow_without_end(tmp_path: Path) -> None:
    for nth in range(600):
        agent_files.add(str(tmp_path), "place", "s1", [f"/x/{nth}/{one}" for one in range(10)])
    file = next((tmp_path / "written").iterdir())
    assert file.stat().st_size <= agent_files.LARGEST_RECORD + 4096
    assert file.stat().st_mode & 0o777 == 0o600
    known = agent_files.OwnFiles(str(tmp_path), "place", "s1")
    assert known.has("/x/599/9")
    assert not known.has("/x/0/0"), "the oldest went"
    assert not agent_files.OwnFiles(str(tmp_path), "another", "s1").has("/x/599/9")


# --- command lines


def read(line: str, **known: list[str]) -> list[list[str]]:
    found: list[Simple] = []
    Reader(line, found.append, lambda: None, lambda: None, dict(known)).read()
    return [one.words for one in found if one.words]


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("a 'b c' \"d e\" f\\ g", [["a", "b c", "d e", "f g"]]),
        ("a; b && c || d | e & f\ng", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"]]),
        ("a $(b $(c) `d`) e", [["c"], ["d"], ["b", UNKNOWN, UNKNOWN], ["a", UNKNOWN, "e"]]),
        ("(a; b) | { c; }", [["a"], ["b"], ["c"]]),
        ("if a; then b; elif c; then d; else e; fi", [["a"], ["b"], ["c"], ["d"], ["e"]]),
        ("for f in x y; do a $f \"$f.z\"; done", [["a", "x", "y", "x.z", "y.z"]]),
        ("case $x in a|b) c;; (d) e ;; *) f; esac", [["c"], ["e"], ["f"]]),
        ("a <<E; b\n$(c)\nE\nd", [["c"], ["a"], ["b"], ["d"]]),
        ("a <<'E'\n$(c)\nE", [["a"]]),
        ("X=1 Y='2 3' a $X \"$Y\" $Y", [["a", "1", "2 3", "2", "3"]]),
        ("a \"b c\"$X", [["a", f"b c{UNKNOWN}"]]),
        ("[[ -f $(a) && b ]] && c", [["a"], ["[["], ["c"]]),
        ("a <(b) >(c)", [["b"], ["c"], ["a", "/dev/fd/63", "/dev/fd/63"]]),
        ("$X a", [[UNKNOWN, "a"]]),
        ("a # b; c\nd", [["a"], ["d"]]),
        ("a\\\n b", [["a", "b"]]),
        ("! a; time b", [["a"], ["b"]]),
    ],
)  # fmt: skip
def test_every_command_of_a_line_is_told_in_order(line: str, commands: list[list[str]]) -> None:
    assert read(line) == commands


@pytest.mark.parametrize(
    "line",
    ["f() { a; }", "function f { a; }", "a=(b c)", "a 'b", 'a "b', "a $(b", "a `b", "a)", "a <<E\nb", "$'\\x61'",
     "${a:-$(b)}", "for ((;;)); do a; done", "coproc a", "while a { b }", "if [[ a ]] { b }", "a\0b", "a \x01",
     "((a[$(b)]))"],
)  # fmt: skip
def test_a_line_that_is_not_looked_through_says_so(line: str) -> None:
    with pytest.raises(Unreadable):
        read(line)


@pytest.mark.parametrize(
    ("script", "is_plain"),
    [
        ("s/a/b/g", True),
        ("s|a/b|c|2;/x/,/y/d", True),
        ("1,5p", True),
        ("$!N;P;D", True),
        ("/a/{s/b/c/;p}", True),
        ("2i\\ text with w and e", True),
        ("s/a/b/e", False),
        ("s/a/b/w out", False),
        ("1e date", False),
        ("r /etc/hosts", False),
        ("/a/R x", False),
        ("w out", False),
        ("s/a", False),
    ],
)
def test_a_sed_script_that_does_more_than_change_lines_is_noticed(script: str, is_plain: bool) -> None:
    assert filters.is_plain_sed(script) is is_plain


@pytest.mark.parametrize(
    ("name", "pattern", "fits"),
    [("a.md", "*.md", True), ("a.md", "?.md", True), ("ab.md", "?.md", False), ("abc", "a*c", True),
     ("ac", "a*b*c", False)],
)  # fmt: skip
def test_a_pattern_means_the_files_that_a_shell_would_take(name: str, pattern: str, fits: bool) -> None:
    marked = pattern.replace("*", ANY).replace("?", ONE)
    assert command_line.fits(name, marked) is fits


SIGNS = "ab /.~'\"\\$`(){}<>|&;\n-=#E*[]!:"
WORDS = (
    "cat",
    "git",
    "show",
    "sh",
    "-c",
    "sed",
    "-e",
    "env",
    "find",
    "-exec",
    "{}",
    "xargs",
    "for i in",
    "; do",
    "; done",
    "[[",
    "]]",
)


@settings(max_examples=300, deadline=None)
@given(line=st.lists(st.one_of(st.text(alphabet=SIGNS, max_size=8), st.sampled_from(WORDS)), max_size=14))
def test_any_line_at_all_gets_an_answer(line: list[str]) -> None:
    origin, cause, paths = command_line.judge(" ".join(line), "/nowhere", Ground("/nowhere", "/vault"))
    assert origin in ("", "tool", "web")
    assert bool(origin) == bool(cause) or not "".join(line).strip()
    assert not (origin and paths)


@pytest.mark.slow
@pytest.mark.parametrize("word", ["env ", "sudo ", "$(", "uv run ", "timeout 5 "])
def test_a_line_that_is_too_deep_is_not_looked_through(word: str) -> None:
    assert command_line.judge(f"{word * 6000}ls", "/nowhere", Ground("/nowhere", "/vault"))[0] == "tool"


PLAIN_WORDS = st.text("abXY09_./:,@%+-", min_size=1, max_size=6) | st.sampled_from(
    ["for", "time", "export", "cd", "a=b"]
)


@pytest.mark.slow
@given(st.lists(PLAIN_WORDS | st.sampled_from(["&&", "", "~", "*", ";", "#x"]), max_size=7))
def test_a_plain_line_is_read_as_the_whole_reader_reads_it(words: list[str]) -> None:
    line = " ".join(words)
    found = plain_commands(line)
    if not found:
        return
    taken: list[Simple] = []
    Reader(line, taken.append, lambda: None, lambda: None, {}).read()
    assert found == [one.words for one in taken]
    assert not any(one.settings or one.inputs or one.outputs or one.appended or one.is_piped for one in taken)


def test_lines_of_plain_words_need_no_reader() -> None:
    assert plain_commands("make test") == [["make", "test"]]
    assert plain_commands("cd src && pytest -q tests/a.py::b") == [["cd", "src"], ["pytest", "-q", "tests/a.py::b"]]
    for line in (
        "",
        "a | b",
        "a=1 b",
        "for x",
        "read x",
        "export X",
        "a &&",
        "&& a",
        "a $b",
        "a 'b'",
        "a\nb",
        "!a",
        "a #b",
    ):
        assert plain_commands(line) == [], line
