"""Words that a shell would change: kept as they were written, found again by the command, and told."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hook_support import PYTHON, SOURCE, START, Home, Terminal
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from test_our_commands import SHELLS, Shells, lines, shells

from holdfast.capture import drafts, flag_words
from holdfast.hook import intercept
from holdfast.memory import Memory

__all__ = ["shells"]  # the fixture

SESSION = {"CLAUDE_CODE_SESSION_ID": "s1"}
TEXT = "run `make zqtest` with $ZQHOME, it's ${ZQX} and costs $5"


def call(fresh: Home, line: str) -> dict[str, Any]:
    return fresh.reply(fresh.event("PreToolUse", tool_name="Bash", tool_input={"command": line}))


def begin(fresh: Home) -> None:
    fresh.reply(fresh.event("SessionStart", source="startup"))


def ours(fresh: Home) -> Path:
    """A `holdfast` on the path, as an installation has one."""
    place = fresh.folder / "bin"
    place.mkdir(exist_ok=True)
    script = place / "holdfast"
    quick = f'exec {PYTHON} -I -S {START} --command "$@"'
    slow = f'PYTHONPATH={SOURCE} exec {sys.executable} -P -m holdfast "$@"'
    script.write_text(f"#!/bin/sh\ncase $1 in flag|snag) {quick};; esac\n{slow}\n")
    script.chmod(0o700)
    return place


def typed(fresh: Home, line: str, shell: str = "/bin/bash") -> subprocess.CompletedProcess[str]:
    """An agent's tool call: the hook sees it, then a real shell runs it."""
    call(fresh, line)
    env = {**fresh.env, **SESSION, "PATH": f"{ours(fresh)}:{os.defpath}"}
    return subprocess.run([shell, "-c", line], env=env, cwd=fresh.project, capture_output=True, text=True, check=False)


def open_drafts(fresh: Home) -> list[str]:
    return [one.text for one in drafts.open_for(fresh.state, fresh.project_id())]


@pytest.mark.parametrize("shell", SHELLS)
def test_what_the_shell_changes_is_filed_as_it_was_written_and_the_answer_says_so(fresh: Home, shell: str) -> None:
    begin(fresh)
    done = typed(fresh, f'holdfast flag --kind lesson "{TEXT}"', shell)
    assert done.returncode == 0, done.stderr
    (flag,) = fresh.waiting()
    assert (flag.text, flag.kind) == (TEXT, "lesson")
    assert flag.evidence[0].startswith("as the shell passed it on: run  with , it's") or "with" in flag.evidence[0]
    assert f"note: {flag_words.CHANGED}" in done.stdout
    assert open_drafts(fresh) == []
    assert fresh.ledger("hook")[-1]["raw"] == "flag"


def test_words_that_arrive_as_they_were_written_are_filed_without_a_word(fresh: Home, terminal: Terminal) -> None:
    begin(fresh)
    call(fresh, 'holdfast flag "costs \\$5 for `zqx`"')
    done = terminal.fast("flag", "costs $5 for `zqx`", env=SESSION)
    assert (fresh.texts(), open_drafts(fresh)) == (["costs $5 for `zqx`"], [])
    assert "note:" not in done.out


def test_a_command_substitution_is_taken_as_meant(fresh: Home) -> None:
    begin(fresh)
    done = typed(fresh, 'holdfast flag "the version is $(echo 1.2.3)"')
    (flag,) = fresh.waiting()
    assert (flag.text, flag.evidence) == ("the version is 1.2.3", ("as it was written: the version is $(echo 1.2.3)",))
    assert flag_words.ON_PURPOSE in done.stdout


@pytest.mark.slow
def test_several_texts_and_a_snag_find_each_their_own(fresh: Home) -> None:
    begin(fresh)
    typed(fresh, 'holdfast flag "first `zqa`" "second `zqb`" \'third\'')
    typed(fresh, 'holdfast snag "`zqc` hung" --better "set $ZQTZ first"')
    assert fresh.texts() == ["first `zqa`", "second `zqb`", "third", "`zqc` hung. Better: set $ZQTZ first"]
    assert open_drafts(fresh) == []


@pytest.mark.slow
def test_a_flag_whose_command_never_comes_through_is_a_draft_and_then_a_note(fresh: Home) -> None:
    begin(fresh)
    fresh.reply(fresh.event("UserPromptSubmit", prompt="go"))
    call(fresh, f'holdfast flag --kind decision "{TEXT}"')
    assert open_drafts(fresh) == [TEXT]
    fresh.reply(fresh.event("SessionEnd", reason="exit"))
    memory = Memory.open(str(fresh.vault), str(fresh.project), env=fresh.env)
    memory.sessions.close()
    (note,) = memory.notes.index().notes
    assert (note.kind, note.description) == ("project", TEXT)
    told = fresh.answer(fresh.event("SessionStart", "s2", source="startup"))
    assert "A flag of session s1 never came through its shell; its words are used" in told


def test_a_line_that_no_shell_can_read_is_kept_too(fresh: Home) -> None:
    begin(fresh)
    done = typed(fresh, 'holdfast flag "an odd ` sign')
    assert done.returncode
    assert open_drafts(fresh) == ['"an odd ` sign']


@pytest.mark.slow
def test_remember_and_handoff_have_their_raw_words_too(fresh: Home) -> None:
    begin(fresh)
    done = typed(fresh, 'holdfast remember "deploy with `zqship` and $ZQKEY"')
    assert flag_words.CHANGED in done.stdout
    memory = Memory.open(str(fresh.vault), str(fresh.project), env={**fresh.env, **SESSION})
    assert [note.description for note in memory.notes.index().notes] == ["deploy with `zqship` and $ZQKEY"]
    form = "# Ships\n\n## Done\n\n- `zqship` works\n\n## Next steps\n\n- run $ZQNEXT in ship.py\n"
    done = typed(fresh, f"holdfast handoff <<END\n{form}END\n")
    assert f"note: {flag_words.CHANGED}" in done.stdout, done.stderr
    ((made, _),) = memory.sessions.handoffs()
    assert made.items("done") == ("`zqship` works",)
    assert made.items("next_steps") == ("run $ZQNEXT in ship.py",)
    assert open_drafts(fresh) == []


# --- from stdin


DOCUMENT = '`zqa` isn\'t "$ZQB"\n\n- second\n  goes on\n* third\n'


def test_a_document_is_a_flag_for_each_line(fresh: Home) -> None:
    begin(fresh)
    done = typed(fresh, f"holdfast flag --kind lesson - <<'END'\n{DOCUMENT}END\n")
    assert done.returncode == 0, done.stderr
    assert "the hook had taken it" in done.stdout, "what no shell changes is heard before it runs"
    assert [(one.text, one.kind) for one in fresh.waiting()] == [
        ('`zqa` isn\'t "$ZQB"', "lesson"),
        ("second goes on", "lesson"),
        ("third", "lesson"),
    ]


def test_a_document_that_the_shell_changes_is_kept_as_it_was_written(fresh: Home) -> None:
    begin(fresh)
    done = typed(fresh, f"holdfast flag - <<END\n{DOCUMENT}END\n")
    assert fresh.texts() == ['`zqa` isn\'t "$ZQB"', "second goes on", "third"]
    assert flag_words.CHANGED in done.stdout
    assert open_drafts(fresh) == []


def test_a_snag_from_a_document_has_its_better_path_in_it(fresh: Home) -> None:
    begin(fresh)
    typed(fresh, "holdfast snag - <<'END'\nthe test hung\nwithout TZ\nBetter: set TZ=UTC first\nEND\n")
    assert fresh.texts() == ["the test hung without TZ. Better: set TZ=UTC first"]


def test_what_is_piped_and_refused_is_a_draft(fresh: Home) -> None:
    begin(fresh)
    done = typed(fresh, "printf 'zqone\\nzqtwo\\n' | holdfast flag --kind nonsense -")
    assert done.returncode == 2
    assert open_drafts(fresh) == ["zqone\nzqtwo"]


# --- what can have become what


@pytest.mark.parametrize(
    ("raw", "arrived", "is_so"),
    [
        ("a `b` c", "a  c", True),
        ("a `b` c", "a x y c", True),
        ("a `b` c", "a c d", False),
        ("$X", "", True),
        ("costs $5", "costs ", True),
        ("costs $5", "costs $5", True),
        ("${A}b$(c (d) e) f", "1b2 f", True),
        ("plain", "plain", True),
        ("plain", "plane", False),
        ("a $X b $Y c", "a 1 c", False),
        ("ends with $", "ends with $", True),
    ],
)
def test_what_a_shell_can_make_of_a_text(raw: str, arrived: str, is_so: bool) -> None:
    assert flag_words.can_become(raw, arrived) is is_so


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(line=lines())
@example('holdfast flag "a `other q` b"')
@example('holdfast flag "a `f(x)` b"; holdfast flag c')
@example('holdfast flag "$x and ${x}"\nholdfast flag d')
@example('holdfast flag "`other \\"q\\"`" e')
def test_whatever_comes_of_a_raw_word_in_a_real_shell_is_recognised(shells: Shells, line: str) -> None:
    found = [one for one in intercept.read(line, shells.absolute).said if one.is_raw and one.document is None]
    if not found or any(one.folders for one in found):
        return
    for shell in SHELLS:
        ran = [one[1:] for one in shells.ran(shell, line) if one[0] == "holdfast"]
        for raw in found:
            wanted = (raw.name, *raw.words)
            like = [one for one in ran if len(one) == len(wanted)]
            is_there = any(all(map(flag_words.can_become, wanted, one)) for one in like)
            assert is_there or not ran or len(ran) < len(intercept.read(line, shells.absolute).said), (
                shell,
                line,
                ran,
            )


# --- nothing that was submitted is lost


TOKENS = st.integers(min_value=10**9, max_value=10**10 - 1).map(lambda number: f"zq{number}")
DRESSED = st.builds(
    lambda form, token: form.replace("X", token),
    st.sampled_from(
        ["X", "X", "`X`", "$X", "${X}", '"X"', "'X'", "isn't X", "X/2", "(X)", "`f(X)`", "X$", "a\\X", "é X"]
    ),
    TOKENS,
)
PROSE = st.lists(DRESSED, min_size=2, max_size=4).map(" ".join)


def single(text: str) -> str:
    return shlex.quote(text)


def careless(text: str) -> str:
    """As an agent quotes in a hurry: only the double quotes."""
    return '"' + text.replace('"', '\\"') + '"'


def careful(text: str) -> str:
    return '"' + "".join(f"\\{one}" if one in '"$`\\' else one for one in text) + '"'


QUOTING = st.sampled_from([single, careless, careful])
FORMS = st.sampled_from(
    [
        "holdfast flag {}",
        "holdfast flag --kind decision --evidence a.py:1 {}",
        "holdfast flag --kind desicion {}",
        "holdfast flag --knd rule {}",
        "holdfast flag --for 01NOSUCHID {}",
        "holdfast snag {} --better 'set it first'",
        "holdfast snag {}",
        "holdfast remember {}",
        "holdfast remember --kind nonsense {}",
        "cd . && holdfast flag {} 2>&1",
    ]
)
DOCUMENTS = st.sampled_from(
    [
        "holdfast flag - <<'END'\n{}\nEND",
        "holdfast flag - <<END\n{}\nEND",
        "holdfast handoff <<'END'\n# T\n\n## Done\n\n- {}\n\n## Next steps\n\n- Run make\nEND",
        "holdfast handoff <<END\n# T\n\n## Done\n\n- {}\n\n## Next steps\n\n- Maybe look at it\nEND",
        "holdfast handoff <<'END'\nWorked on: {} Decisions: none Handoff: go on\nEND",
        "holdfast remember - <<'END'\n{}\nEND",
    ]
)
SUBMITTED = st.one_of(
    st.builds(lambda form, quote, text: (form.format(quote(text)), text), FORMS, QUOTING, PROSE),
    st.builds(lambda form, text: (form.replace("{}", text), text), DOCUMENTS, PROSE),
)


@pytest.mark.slow
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # one example takes seconds: shrinking takes hours
)
@given(submitted=st.lists(SUBMITTED, min_size=2, max_size=4), nth=st.integers(min_value=0, max_value=10**9))
def test_every_word_that_was_submitted_is_found_again(
    tmp_path_factory: pytest.TempPathFactory, submitted: list[tuple[str, str]], nth: int
) -> None:
    fresh = Home(tmp_path_factory.mktemp(f"home-{nth}"))
    begin(fresh)
    fresh.reply(fresh.event("UserPromptSubmit", prompt="go"))
    said = [typed(fresh, line) for line, _ in submitted]
    fresh.reply(fresh.event("SessionEnd", reason="exit"))
    memory = Memory.open(str(fresh.vault), str(fresh.project), env=fresh.env)
    memory.sessions.close()
    kept = " ".join(one.text for one in memory.sessions.drafts())
    for (line, text), done in zip(submitted, said, strict=True):
        for token in {word for word in text.replace("/2", " ").split() for word in _tokens(word)}:
            found = json.dumps(
                [one.thought.text for one in memory.field.recall(token, memory.field.scope(), 20).results],
                ensure_ascii=False,
            )
            assert token in found or token in kept, f"{token} of {line!r} is lost: {done.stdout} {done.stderr}"


def _tokens(word: str) -> list[str]:
    at = word.find("zq")
    return [word[at : at + 12]] if at >= 0 else []
