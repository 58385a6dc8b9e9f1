"""Armed notes: what matches, what is refused, and the one small file that a hook reads."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.capture import armed_match
from holdfast.capture.gate import BY_UPKEEP
from holdfast.errors import UsageError
from holdfast.vault import armed, armed_file, index, notes
from holdfast.vault.armed import When
from holdfast.vault.transaction import writing

if TYPE_CHECKING:
    from hook_support import Home, Terminal

NOW = 1_770_000_000.0


def a_note(name: str, body: str = "Prune only with a filter.", **more: Any) -> str:
    fields = {"kind": "knowledge", "project": "global", "origin": "user", **more}
    return notes.new_text(name=name, description=name, body=body, day="2026-02-01", **fields)


def fill(vault: str, **texts: str) -> None:
    with writing(vault, NOW) as writer:
        writer.commit(
            "test", {f"knowledge/{name}.md": text for name, text in texts.items()}, cause="test", by=BY_UPKEEP
        )


def compiled(vault: str) -> list[dict[str, Any]]:
    head, *lines = Path(f"{vault}/.state/armed").read_text().split("\n")
    assert head == "holdfast armed 2"
    return [json.loads(line.partition("\t")[2]) for line in lines if line]


@pytest.mark.parametrize(
    ("when", "tool", "text", "paths"),
    [
        ({"tool": "Bash"}, "Bash", "", []),
        ({"tool": "bash"}, "Bash", "", []),
        ({"tool": ["Read", "mcp__*__write"]}, "mcp__files__write", "", []),
        ({"words": ["Docker", "prune"]}, "Bash", "docker system PRUNE", []),
        ({"words": 5432}, "Bash", "psql -p 5432", []),
        ({"words": "rg"}, "Bash", "cargo build && rg --hidden x", []),
        ({"words": "rg"}, "Bash", "/usr/bin/rg", []),
        ({"words": [".env", "--force"]}, "Bash", "git push --force; cat prod.env", []),
        ({"words": "dump"}, "Bash", "pg_dump shop", []),
        ({"words": "drop table"}, "mcp__db__query", "x;DROP TABLE users", []),
        ({"words": "部署"}, "Bash", "echo 请部署到生产", []),
        ({"paths": "*.sql"}, "Write", "", ["/home/me/shop/db/1.sql"]),
        ({"paths": "migrations/**"}, "Write", "", ["/home/me/shop/db/migrations/a/1.sql"]),
        ({"paths": "migrations/"}, "Write", "", ["migrations/1.sql"]),
        ({"paths": "src/**/*.py"}, "Write", "", ["/r/src/a.py"]),
        ({"paths": "/etc/**"}, "Write", "", ["/etc/hosts"]),
        ({"paths": "src/*.{py,js}"}, "Write", "", ["src/x.js"]),
        ({"paths": "src/x[0-9].py"}, "Write", "", ["./src/../src/x7.py"]),
        ({"pattern": r"rm\s+-rf\s+/"}, "Bash", "sudo rm  -rf /", []),
        ({"tool": "Bash", "words": "rm", "pattern": "-r"}, "Bash", "rm -r x", []),
    ],
)
def test_a_call_that_has_all_that_is_asked_for_matches(when: Any, tool: str, text: str, paths: list[str]) -> None:
    assert armed.problems_of(when) == []
    assert armed.matches(armed.read(when), tool, text, paths)


@pytest.mark.parametrize(
    ("when", "tool", "text", "paths"),
    [
        ({"tool": "Bash"}, "BashOutput", "", []),
        ({"words": ["docker", "prune"]}, "Bash", "docker ps", []),
        ({"words": "rg"}, "Bash", "cargo build; git merge origin/main", []),
        ({"words": "rm"}, "Bash", "rm2 arm1 farm", []),
        ({"words": "rüf"}, "Bash", "prüfe überprüf1", []),
        ({"paths": "*.sql"}, "Write", "1.sql", []),
        ({"paths": "*.sql"}, "Write", "", ["a.sql/b.py"]),
        ({"paths": "src/*.py"}, "Write", "", ["src/deep/a.py"]),
        ({"paths": "src/**"}, "Write", "", ["/r/srcs/a.py"]),
        ({"paths": "/etc/**"}, "Write", "", ["/home/etc/hosts"]),
        ({"paths": "x[!0-9].py"}, "Write", "", ["x7.py"]),
        ({"pattern": "^rm"}, "Bash", "sudo rm", []),
        ({"pattern": "needle"}, "Bash", "x" * 4000 + "needle", []),
        ({"tool": "Bash", "words": "rm"}, "Write", "rm", []),
        ({"tool": "Write", "paths": "*.py", "words": "rm"}, "Write", "rm", ["a.js"]),
    ],
)
def test_a_call_that_lacks_one_of_them_does_not(when: Any, tool: str, text: str, paths: list[str]) -> None:
    assert armed.problems_of(when) == []
    assert not armed.matches(armed.read(when), tool, text, paths)


@pytest.mark.parametrize(
    "when",
    ["Bash", ["Bash"], {"tools": "Bash"}, {"tool": True}, {"words": [None]}, {"paths": {"a": 1}}, {"pattern": ["a"]}],
)
def test_unknown_keys_and_wrong_types_are_refused(when: Any) -> None:
    with pytest.raises(UsageError):
        armed.read(when)
    assert len(armed.problems_of(when)) == 1


@pytest.mark.parametrize(
    ("when", "reason"),
    [
        ({"tool": []}, "never match"),
        ({"tool": "  "}, "never match"),
        ({"words": [""]}, "never match"),
        ({"paths": ""}, "never match"),
        ({"paths": ["../other/*.py"]}, "never match"),
        ({"tool": "Bash", "pattern": ""}, "never match"),
        ({"pattern": "x{4001}"}, "never match"),
        ({"pattern": "(unclosed"}, "no regular expression"),
        ({"pattern": "[[a]b]"}, "no regular expression"),
        ({"pattern": "(a+)+b"}, "forever"),
        ({"pattern": "(a|ab)*c"}, "forever"),
        ({"pattern": "(x?y)*z"}, "forever"),
        ({"pattern": ".*a.*b.*c.*d"}, "forever"),
        ({}, "every tool call"),
        ({"tool": "*"}, "every tool call"),
        ({"tool": ["Bash", "**"]}, "every tool call"),
        ({"paths": "**"}, "every tool call"),
        ({"paths": "**/*"}, "every tool call"),
        ({"pattern": "x*"}, "every tool call"),
    ],
)
def test_what_can_never_or_would_always_match_is_told(when: Any, reason: str) -> None:
    assert [reason in problem for problem in armed.problems_of(when)] == [True]


def test_a_glob_full_of_stars_takes_no_time() -> None:
    began = time.perf_counter()
    assert not armed_match.path_matches("/".join(["**", "*a" * 40 + "b"] * 8), "/".join(["a" * 400] * 30))
    assert time.perf_counter() - began < 2.0


def test_a_pattern_that_would_take_minutes_is_given_up_and_matches_nothing() -> None:
    when = armed.read({"pattern": "a.*a.*a.*b"})
    began = time.perf_counter()
    assert not armed.matches(when, "Bash", "a" * 4000, [])
    assert time.perf_counter() - began < 2.0
    assert signal.getsignal(signal.SIGALRM) is not armed_match._give_up
    assert armed.matches(when, "Bash", "a-a-a-b", [])


@given(st.text("ab*?", max_size=8), st.text("ab", max_size=10))
@settings(max_examples=300, deadline=None)
def test_a_glob_means_what_the_shell_means_by_it(glob: str, text: str) -> None:
    assert armed_match.glob_matches(glob, text) == fnmatch.fnmatchcase(text, glob)


def test_matching_imports_nothing_but_itself_until_there_is_a_pattern() -> None:
    code = (
        "import sys; before = set(sys.modules); from holdfast.capture import armed_match\n"
        "when = {'tool': ['bash'], 'words': ['rm'], 'paths': ['**/*.py'], 'pattern': ''}\n"
        "assert armed_match.matches(when, 'Bash', 'rm', ['a.py'])\n"
        "print(sorted(name for name in set(sys.modules) - before if not name.startswith('holdfast')))"
    )
    source = str(Path(armed.__file__).parents[2])
    command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {source!r})\n{code}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['__future__']"


@pytest.mark.slow
def test_active_notes_are_compiled_with_their_own_first_lines(vault: str) -> None:
    body = "First.\n\n  Second.  \n" + "\n".join(f"line {nth}" for nth in range(9))
    when = {"tool": "Bash", "words": ["Docker"], "paths": ["infra/"], "pattern": "a"}
    fill(
        vault,
        b=a_note("B", body, when=when, policy="ask", project="shop-1"),
        a=a_note("A", when={"tool": "Read"}),
        c=a_note("C"),
    )
    first, second = compiled(vault)
    assert first["path"] == "knowledge/a.md"
    assert second == {
        "path": "knowledge/b.md",
        "name": "B",
        "policy": "ask",
        "origin": "user",
        "project": "shop-1",
        "lines": ["First.", "  Second.", "line 0", "line 1", "line 2", "line 3"],
        "when": {"tool": ["bash"], "words": ["docker"], "paths": ["**/infra/**"], "pattern": "a"},
    }


@pytest.mark.slow
def test_superseded_quarantined_and_faulty_ones_are_not_compiled(vault: str) -> None:
    good, bad = {"tool": "Bash"}, {"tool": "*"}
    fill(vault, a=a_note("A", when=good), b=a_note("B", when=good, status="superseded"), c=a_note("C", when=bad))
    with writing(vault, NOW) as writer:
        writer.commit("test", {"quarantine/d.md": a_note("D", when=good)}, cause="test", by=BY_UPKEEP)
    assert [one["name"] for one in compiled(vault)] == ["A"]


def test_a_long_note_gives_at_most_600_characters_and_an_empty_one_its_description(vault: str) -> None:
    fill(vault, a=a_note("A", "word " * 500, when={"tool": "Bash"}), b=a_note("B", "", when={"tool": "Bash"}))
    long, empty = compiled(vault)
    assert 590 <= sum(len(line) for line in long["lines"]) <= 600
    assert long["lines"][-1].endswith("…")
    assert empty["lines"] == ["B"]


@pytest.mark.slow
def test_at_most_2000_are_compiled(vault: str) -> None:
    text = a_note("A", when={"tool": "Bash"})
    many = index.Index({}, ()).with_texts({f"rules/{nth:04}.md": text for nth in range(2100, 0, -1)})
    armed_file.compile_all(vault, many)
    paths = [one["path"] for one in compiled(vault)]
    assert paths == [f"rules/{nth:04}.md" for nth in range(1, 2001)]


def test_the_file_is_written_only_where_it_differs(vault: str) -> None:
    armed_file.compile_all(vault, index.Index({}, ()))
    assert not os.path.exists(f"{vault}/.state/armed")
    fill(vault, a=a_note("A", when={"tool": "Bash"}))
    before = os.stat(f"{vault}/.state/armed")
    armed_file.compile_all(vault, index.load(vault))
    assert os.stat(f"{vault}/.state/armed").st_ino == before.st_ino
    armed_file.compile_all(vault, index.Index({}, ()))
    assert compiled(vault) == []


@pytest.mark.slow
def test_arm_changes_when_and_no_other_byte(terminal: Terminal, fresh: Home) -> None:
    vault = str(fresh.vault)
    text = a_note("Docker prune").replace("kind:", "# a comment of mine\nodd  :   'key'\nkind:")
    fill(vault, docker=text)
    done = terminal("arm", "docker", "--tool", "Bash", "--word", "docker", "--word", "prune", "--path", "infra/**")
    assert (done.status, done.out) == (
        0,
        "armed: knowledge/docker.md\n  tool: Bash\n  words: docker, prune\n  paths: infra/**\n",
    )
    armed_text = (fresh.vault / "knowledge" / "docker.md").read_text()
    line = 'when: {tool: [Bash], words: [docker, prune], paths: ["infra/**"]}\n'
    assert armed_text.replace(line, "") == text
    assert compiled(vault)[0]["when"]["words"] == ["docker", "prune"]

    again = terminal("arm", "docker", "--pattern", "prune +-a", "--json")
    assert json.loads(again.out) == {
        "path": "knowledge/docker.md",
        "when": {"pattern": "prune +-a"},
        "before": {"tool": ["Bash"], "words": ["docker", "prune"], "paths": ["infra/**"]},
        "changed": True,
    }
    off = terminal("disarm", "docker")
    assert off.out == "disarmed: knowledge/docker.md\n"
    assert compiled(vault) == []
    assert terminal("disarm", "docker").out == "already disarmed: knowledge/docker.md\n"
    assert (fresh.vault / "knowledge" / "docker.md").read_text().replace("when: null\n", "") == text


@pytest.mark.slow
def test_a_dry_run_of_arm_shows_it_and_changes_nothing(terminal: Terminal, fresh: Home) -> None:
    fill(str(fresh.vault), docker=a_note("Docker prune"))
    before = (fresh.vault / "knowledge" / "docker.md").read_bytes()
    done = terminal("arm", "docker", "--tool", "Bash", "--dry-run")
    assert done.out.startswith("would be armed: knowledge/docker.md\n")
    assert json.loads(terminal("arm", "docker", "--tool", "Bash", "--dry-run", "--json").out)["changed"] is False
    assert (fresh.vault / "knowledge" / "docker.md").read_bytes() == before
    assert not os.path.exists(f"{fresh.vault}/.state/armed")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ((), "names no file, command, package or setting"),
        (("--tool", "*"), "every tool call"),
        (("--word", ""), "never match"),
        (("--tool", "Bash", "--pattern", "("), "no regular expression"),
        (("--tool", "Bash", "--pattern", ""), "never match"),
    ],
)
def test_arm_refuses_with_the_reason(terminal: Terminal, fresh: Home, words: tuple[str, ...], reason: str) -> None:
    fill(str(fresh.vault), docker=a_note("Docker prune"))
    done = terminal("arm", "docker", *words)
    assert done.status == 2
    assert reason in done.err
    assert "nothing was changed." in done.err.lower()
    assert "when" not in (fresh.vault / "knowledge" / "docker.md").read_text()


@pytest.mark.slow
def test_a_note_of_another_project_is_not_armed_from_here(terminal: Terminal, fresh: Home) -> None:
    fill(str(fresh.vault), theirs=a_note("Theirs", project="other-12345678"))
    done = terminal("arm", "theirs", "--tool", "Bash")
    assert done.status == 4
    assert "There is no note" in done.err


@given(st.text(alphabet="ab1 -.ä部", max_size=12), st.text(alphabet="ab1-.部", min_size=1, max_size=3))
@settings(deadline=None, max_examples=300)
def test_a_word_is_found_where_no_letter_or_digit_touches_it(text: str, word: str) -> None:
    plain = r"[ab1ä]"  # the letters of this alphabet that words are parted by spaces in
    before = rf"(?<!{plain})" if re.match(plain, word[0]) else ""
    behind = rf"(?!{plain})" if re.match(plain, word[-1]) else ""
    behind += "(?!-)" if word.startswith("-") else ""  # `--force` is one option, `--force-with-lease` another
    expected = re.search(f"{before}{re.escape(word)}{behind}", text) is not None
    assert armed_match.has_word(text, word) == expected


def test_a_text_that_is_full_of_parts_of_words_takes_no_time() -> None:
    began = time.process_time()
    assert armed_match.has_word("x" * (1 << 20), "x")  # given up on the side that stops a rule from being dodged
    assert not armed_match.has_word("y" * (1 << 20), "x")
    assert time.process_time() - began < 0.2


def test_a_when_of_nothing_equals_the_empty_one() -> None:
    assert armed.read({"tool": None, "pattern": None}) == When()


def test_an_option_is_not_the_longer_one_that_begins_with_it() -> None:
    when = armed.read({"tool": "Bash", "words": ["push", "--force"]})
    assert armed.matches(when, "Bash", "git push --force origin", ())
    assert armed.matches(when, "Bash", "git push --force=yes", ())
    assert not armed.matches(when, "Bash", "git push --force-with-lease", ())
