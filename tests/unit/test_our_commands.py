"""Our commands in a tool call: what the hook says is certain, real shells have really run."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from holdfast.hook import intercept
from holdfast.hook.intercept import Said

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SHELLS = [name for name in ("/bin/sh", "/bin/bash", "/bin/zsh") if Path(name).exists()]
RECORDER = """#!/bin/sh
name=${0##*/}
printf '%s\\001' "$name" "$@" \2 >&9
case $name in cat) while read -r _; do :; done ;; fails) exit 1 ;; esac
exit 0
"""
PROGRAMS = ("holdfast", "cat", "other", "fails", "env", "xargs")


class Shells:
    """A folder in which real shells run command lines, and every program they start says with what it was run."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.work = folder / "work"
        self.bin.mkdir()
        self.work.mkdir()
        (self.work / "there").mkdir()
        (self.work / "a-file").write_text("")
        for name in PROGRAMS:
            (self.bin / name).write_text(RECORDER)
            (self.bin / name).chmod(0o700)

    @property
    def absolute(self) -> str:
        return f"{self.bin}/holdfast"

    def ran(self, shell: str, line: str) -> list[tuple[str, ...]]:
        """Every program that the line has run, with its words. Who holds the pipe open is still running."""
        ours, theirs = os.pipe()
        env = {"PATH": str(self.bin), "HOME": str(self.work), "LANG": "C.UTF-8"}
        nothing = subprocess.DEVNULL
        process = subprocess.Popen(
            ["/bin/bash", "-c", f'exec "$0" -c "$1" 9>&{theirs}- ', shell, line],
            env=env, cwd=self.work, stdin=nothing, stdout=nothing, stderr=nothing, pass_fds=(theirs,),
        )  # fmt: skip
        os.close(theirs)
        with os.fdopen(ours, "rb") as pipe:
            told = pipe.read()
        process.wait(timeout=20)
        records = told.decode("utf-8", "surrogateescape").split("\2\1")[:-1]
        return [tuple(record.split("\1")[:-1]) for record in records]

    def files(self) -> set[str]:
        return {one.name for one in self.work.iterdir()}


@pytest.fixture(scope="module")
def shells() -> Iterator[Shells]:
    with tempfile.TemporaryDirectory(prefix="holdfast-shells-") as folder:
        yield Shells(Path(folder))


def certain(found: intercept.Line, shells: Shells) -> list[tuple[str, ...]]:
    """What is certain in this folder: one behind a `cd` counts where the folder is there, as the hook looks."""
    kept = []
    for one in found.said:
        at = shells.work
        for folder in one.folders:
            at = at / folder
        if one.is_certain and at.is_dir():
            kept.append(("holdfast", one.name, *one.words))
    return kept


def holds(shells: Shells, line: str) -> None:
    """The promise, for one line in every shell there is."""
    found = intercept.read(line, shells.absolute)
    said = certain(found, shells)
    if not said and not found.is_all:
        return
    before = shells.files()
    for shell in SHELLS:
        ran = shells.ran(shell, line)
        missing = Counter(said) - Counter(ran)
        assert not missing, f"{shell} never ran {missing} in {line!r}, but {ran}"
        if found.is_all:
            assert {one[0] for one in ran} <= {"holdfast"}, f"{shell} ran more than ours in {line!r}: {ran}"
            assert len(ran) <= len(found.said)
            assert shells.files() == before, f"{shell} wrote a file in {line!r}"


# --- what is generated

TEXTS = (
    "x",
    "a b",
    "it's",
    'say "hi"',
    "$HOME",
    "`other`",
    "\\",
    "a\\b",
    "*",
    "~",
    "#1",
    "é日本🙂",
    "",
    "-",
    "a=b",
    "!",
)
QUOTED = st.sampled_from(
    [f"'{text}'" for text in TEXTS if "'" not in text]
    + ['"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"' for text in TEXTS]
    + [f'"{text}"' for text in TEXTS if '"' not in text]
)
BARE = st.sampled_from(
    ["x", "word", "a#b", "#c", "a\\ b", "\\$x", "$x", "${x:-y}", "$(other q)", "`other q`", "*", "a?", "[ab]", "{a,b}"]
    + ["~", "a=~", "b:~", "HEAD~1", "=x", "a\\\nb", "\\", "--kind=rule", "2", "12", "é", "}", "{}", "!", "if", "$'q'"]
    + ['$"q"', "$", "'open", '"open', "\r", "\x01", "a^b", "%1", "@", "a,b", "--", "]", "$((1/0))", "${y?}", "<(x)"]
)
REDIRECTED = st.sampled_from(
    [
        "2>&1",
        ">/dev/null",
        "2> /dev/null",
        ">out",
        ">>out",
        "< a-file",
        "<nowhere",
        "2>&12",
        ">/dev/nullx",
        "&>/dev/null",
    ]
    + [">&3", ">&-", "10>&1", "<<<x", "> nowhere/x", ">|out", "<>a-file", "2>&", ">&out", "3</dev/null", "2>\\\n&1"]
)
WORDS = st.lists(st.one_of(QUOTED, QUOTED, BARE, REDIRECTED), max_size=4).map(" ".join)
GLUED = st.lists(st.one_of(QUOTED, BARE), min_size=1, max_size=3).map("".join)
OURS = st.builds(
    "{} {} {}".format,
    st.sampled_from(["holdfast", "holdfast", '"holdfast"', "hold\\\nfast"]),
    st.sampled_from(["flag", "snag", "flag --kind rule", "recall"]),
    st.one_of(WORDS, QUOTED, GLUED),
)
OTHERS = st.sampled_from(
    ["other", "other q 'r s'", "cat", "fails", "true", ":", "pwd", "cd there", "cd nowhere", "cd", "cd -", "false"]
    + ["exit", "exit 0", "set -e", "exec other", "eval 'exit'", "trap 'exit' EXIT", "return", "alias holdfast=other"]
    + ["PATH=/nowhere", "PATH=/nowhere :", "A=1 other", "A=1", "export A=1", "A=1 holdfast flag y", "HOME=/ cd"]
    + ["holdfast(){ :; }", "function holdfast { :; }", "{ other; }", "(other)", "( exit )", "! other", "time other"]
    + ["if false; then other; fi", "if true; then holdfast flag y; fi", "for i in 1 2; do holdfast flag $i; done"]
    + ["sh -c 'holdfast flag y'", "env holdfast flag y", "[[ a == b ]]", "[ a = b ]", ": > nowhere/x", "> out", "$x q"]
    + ["case x in x) holdfast flag y;; esac", "while false; do :; done", "command exit", "# holdfast flag 'y"]
    + ["cat <<EOF\nholdfast flag y\nEOF", "cat <<'EOF' && other\nholdfast flag \"$x\"\nEOF"]
    + ["cat <<-E\n\tholdfast flag y\n\tE", "cat <<A <<B\nholdfast flag y\nB\nA\nholdfast flag z\nB"]
    + ["cat <<EOF\nholdfast flag y\\\nEOF\nEOF", "cat <<''\nholdfast flag y\n", "cat <<EOF\n$(holdfast flag y)\nEOF"]
    + ["cat <<E\"O\"F\nholdfast flag y\nEOF", "cat <<EOF\nholdfast flag y", "cat << \\E\n E\nE", "unset x"]
    + ["cat <<EOF\n${y?}\nEOF", "f() {", "}", "fi", "A=1 if true", "holdfast", "holdfast flag x |", "read x", "shift 5"]
)  # fmt: skip
JOINED = st.sampled_from(
    [
        "; ",
        "; ",
        "\n",
        "\n",
        " && ",
        " && ",
        " || ",
        " | ",
        " & ",
        ";",
        "&&",
        "&",
        "|",
        " ;; ",
        "\n\n",
        " &&\n",
        " |\n# c\n",
    ]
    + ["; # c\n", " \\\n", "\\\n", " && \\\n", " |& ", "&\\\n&", " ; ; ", "\r\n", "||\n", "\t;\t"]
)


@st.composite
def lines(draw: st.DrawFn) -> str:
    parts: Sequence[str] = draw(st.lists(st.one_of(OURS, OURS, OTHERS), min_size=1, max_size=4))
    out = draw(st.sampled_from(["", "", "", " ", "\n", ";", "#\n"]))
    for part in parts:
        out += part + draw(JOINED)
    return out if draw(st.booleans()) else out.rstrip(" \n;&|")


@pytest.mark.slow
@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(line=lines())
@example("cat <<EOF\nholdfast flag y\nEOF\nholdfast flag x")
@example("cat <<EOF &&\nholdfast flag y\nEOF\nholdfast flag x")
@example("holdfast flag x |")
@example("holdfast flag x; ;")
@example("holdfast flag 10>&1")
@example("holdfast flag a\\\n#b 'c'\nholdfast flag d")
@example("fails ||\nholdfast flag x")
@example("cd nowhere && holdfast flag x")
@example("A=1 flag holdfast x")
@example("holdfast flag x &\\\n& other")
def test_what_is_certain_every_shell_has_run_with_exactly_these_words(shells: Shells, line: str) -> None:
    holds(shells, line)


@pytest.mark.slow
@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(alphabet="xy 'xy\"\\\n\t#$;&|<>~=:*?[]{}!-é", max_size=14), then=st.booleans())
def test_whatever_is_typed_behind_a_flag_is_read_as_the_shells_read_it(shells: Shells, text: str, then: bool) -> None:
    holds(shells, f"holdfast flag {text}" + ("\nholdfast snag z --better y" if then else ""))


# --- that it is not deaf


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("holdfast flag 'orders use optimistic locking'", ("orders use optimistic locking",)),
        ('holdfast flag --kind rule "never push on Friday" 2>&1', ("--kind", "rule", "never push on Friday")),
        ("cd there && holdfast flag x", ("x",)),
        ("other --all 2>&1 | cat; holdfast flag x | cat", ("x",)),
        ("other > out\nholdfast flag \\\n  --evidence a.py:1 \\\n  'it''s'", ("--evidence", "a.py:1", "its")),
        ("fails && other; holdfast flag 'x' >/dev/null", ("x",)),
        ("cat <<'EOF'\nholdfast flag 'not me'\nEOF\nholdfast flag x", ("x",)),
        ("# a comment's quote\nholdfast flag x # and another's", ("x",)),
        ("TZ=UTC other; holdfast flag --evidence HEAD~1 x", ("--evidence", "HEAD~1", "x")),
    ],
)
def test_what_agents_write_is_heard(shells: Shells, line: str, words: tuple[str, ...]) -> None:
    found = intercept.read(line)
    assert [(one.name, one.words, one.is_certain) for one in found.said] == [("flag", words, True)]
    holds(shells, line)


def test_the_commands_own_path_is_ours_and_another_programs_is_not(shells: Shells) -> None:
    line = f"{shells.absolute} flag x; /somewhere/holdfast flag y"
    assert [one.words for one in intercept.read(line, shells.absolute).said] == [("x",)]
    assert intercept.read(line, shells.absolute).is_all is False
    assert certain(intercept.read(line, shells.absolute), shells) == [("holdfast", "flag", "x")]


@pytest.mark.parametrize(
    "line",
    [
        "holdfast flag x",
        "cd there && holdfast flag x; holdfast recall 'y z' 2>/dev/null",
        "true\nholdfast remember --kind rule \\\n 'x'",
        "holdfast handoff <<'EOF'\n$(other) `other` holdfast flag y\nEOF",
    ],
)
def test_a_line_of_ours_alone_is_known_as_such(shells: Shells, line: str) -> None:
    assert intercept.read(line).is_all
    holds(shells, line)


@pytest.mark.parametrize(
    "line",
    [
        *("holdfast flag $(other)", "holdfast flag x > out", "holdfast flag x | other", "holdfast flag x || other"),
        *("holdfast flag x & other", "other; holdfast flag x", "holdfast flag x; other", "A=1 holdfast flag x"),
        *("A=1 flag holdfast x", "holdfast uninstall x", "holdfast --debug flag x", "holdfast", "holdfast flag x < in"),
        *("holdfast handoff <<EOF\n$(other)\nEOF", "holdfast flag x\n`other`", "holdfast(){ other; }; holdfast flag x"),
        *("if true; then holdfast flag x; fi", "holdfast flag x <(other)", "(holdfast flag x)", "holdfast flag 'x"),
        *(
            "echo holdfast flag x",
            "exec holdfast flag x",
            "holdfast flag x 2>&1 > out",
            "cd `other` && holdfast flag x",
        ),
    ],
)
def test_a_line_that_does_anything_else_is_not_ours_alone(line: str) -> None:
    assert not intercept.read(line).is_all


@pytest.mark.parametrize(
    "line",
    [
        *("test -f x || holdfast flag x", "fails && holdfast flag x", 'holdfast flag "$x"'),
        *("set -e; fails; holdfast flag x",),
        *("if true; then holdfast flag x; fi", "holdfast flag x > out", "HOLDFAST_HOME=/y holdfast flag x"),
        *("exit; holdfast flag x", "cat <<EOF\n$x\nEOF\nholdfast flag x", "holdfast flag x <<EOF\nnever ended"),
    ],
)  # fmt: skip
def test_what_only_the_shell_knows_is_named_and_not_taken(line: str) -> None:
    assert [(one.name, one.is_certain) for one in intercept.read(line).said] == [("flag", False)]


@pytest.mark.parametrize(
    "line", ["cat <<EOF\nholdfast flag x\nEOF", "holdfast handoff <<'EOF'\nholdfast flag x\n\nholdfast snag y\nEOF\n"]
)
def test_a_document_in_the_line_says_nothing(line: str) -> None:
    assert [one for one in intercept.read(line).said if one.name in intercept.TAKEN] == []


@pytest.mark.parametrize("size", intercept.CUT_AT)
def test_a_line_that_an_adapter_may_have_cut_is_not_certain(size: int) -> None:
    whole = "holdfast flag x; holdfast flag " + "y" * size
    assert not any(one.is_certain for one in intercept.read(whole[:size]).said)
    assert intercept.read(whole[: size - 1]).said[0] == Said("flag", ("x",), True)


def test_the_folders_that_a_line_goes_to_are_told_in_order() -> None:
    (one, two) = intercept.read("cd a && holdfast flag x; cd '/b c'; holdfast flag y").said
    assert (one.folders, two.folders) == (("a",), ("a", "/b c"))
    assert one.is_certain
    assert two.is_certain
    (three,) = intercept.read("cd a & holdfast flag x").said
    assert not three.is_certain
