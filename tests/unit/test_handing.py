"""A handoff that would not help is refused with how to fix it; a good one never is; what was said is all there."""

from __future__ import annotations

import json
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hook_support import SOURCE, Home, run

from holdfast.capture import drafts
from holdfast.vault import handoff_form, lineage
from holdfast.vault.lineage import Handoff

if TYPE_CHECKING:
    from hook_support import Done, Terminal

GOOD_STEPS = (
    "Run `pytest tests/orders -k locking` and fix the two failures in src/orders/lock.py.",
    "Edit /etc/nginx/sites/shop.conf on staging: raise client_max_body_size to 20m, then reload.",
    "Make the cart write eventually consistent: move it behind the outbox table.",
    "Check if time zones in reports/daily.py are UTC; convert the three that are not.",
    "Replace `Maybe` with Either in src/Parse.hs and rerun cabal test.",
    "Ask Ada for the staging password, then run deploy.sh --dry-run.",
    "None: the branch is merged and deployed.",
    "Bump the schema to v7 so that the planner will consider the new index.",
    "Add the missing null check in Cart.total() (line 88) and a test for an empty cart.",
    "Rebase feature/locks onto main; the conflict is in db/schema.sql only.",
)
GOOD_DECISIONS = (
    "Use SQLite instead of Postgres: there is no server to run.",
    "Kept the old API for backwards compatibility.",
    "Because the wheel is broken on 3.13, numpy stays below 2.",
    "Pinned numpy<2 as 2.0 breaks the wheels.",
    "Optimistic locking, since pessimistic locks deadlocked twice last week.",
    "Dropped Python 3.9, it is end of life.",
    "Retry three times - the gateway drops the first call after a deploy.",
    "No cache in the hook (it must answer in milliseconds).",
    "Split the module to keep it under 400 lines.",
    "JSON over YAML; agents write it without mistakes.",
)
GOOD_FILES = (
    "src/orders/lock.py",
    "`src/orders/lock.py`: the retry loop",
    "src/orders/lock.py:10-42, new helper",
    "**src/orders/lock.py** (new)",
    "M src/orders/lock.py",
    "src/orders/lock.py, README.md",
    "old/name.py (deleted)",
    "Deleted src/legacy.py",
    "src/a.py renamed to src/orders/lock.py",
    "src/orders/*.py",
    "docs/my notes.md",
    "[lock.py](src/orders/lock.py)",
    "README.md#L3",
    "None",
    "and 12 more",
    "src/orders/",
    "Makefile",
)


@pytest.fixture
def root(place: Path) -> str:
    for name in ("src/orders/lock.py", "README.md", "docs/my notes.md", "Makefile"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text("x")
    return str(place)


def made(**sections: tuple[str, ...]) -> Handoff:
    return Handoff("t", "", "shop", sections={"next_steps": ("Run make.",), **sections})


@pytest.mark.parametrize("nth", range(20))
def test_twenty_good_handoffs_raise_no_alarm(root: str, nth: int) -> None:
    good = made(
        goals=("Orders cannot be booked twice.",),
        done=("Locking in place, 42 tests green.",),
        next_steps=(GOOD_STEPS[nth % 10], GOOD_STEPS[(nth * 3 + 1) % 10]),
        decisions=(GOOD_DECISIONS[nth % 10], GOOD_DECISIONS[(nth * 7 + 2) % 10]),
        files_modified=(GOOD_FILES[nth % 17], GOOD_FILES[(nth * 5 + 3) % 17]),
        learned=("Maybe is fine here: eventually, perhaps, etc. are not steps.",),
    )
    assert handoff_form.problems(good, root) == []


@pytest.mark.parametrize(
    ("step", "word"),
    [
        ("Maybe look at the cache", "Maybe"),
        ("Look into flaky tests", "Look into"),
        ("Consider refactoring orders", "Consider"),
        ("Fix the tests, and also consider caching", "also consider"),
        ("We should look at the logs", "should look at"),
        ("Clean up the code etc.", "etc"),
        ("Eventually migrate", "Eventually"),
        ("Add docs if there is time", "if there is time"),
        ("TBD", "TBD"),
        ("You might want to rerun", "might want"),
        ("Think about naming", "Think about"),
    ],
)
def test_an_agenda_word_is_refused_with_how_to_fix_it(root: str, step: str, word: str) -> None:
    (problem,) = handoff_form.problems(made(next_steps=("Run make.", step)), root)
    assert problem == f'Next step 2 says "{word}": say what to do and where, such as "run X and fix Y in Z".'


def test_what_is_missing_or_wrong_is_said_with_how_to_fix_it(root: str) -> None:
    bad = Handoff(
        "t",
        "",
        "shop",
        sections={
            "decisions": ("Use Postgres", "Go with option B."),
            "files_modified": ("src/nowhere.py", "`lib/gone.rs`: the fix"),
            "done": ("x" * 6001,),
        },
    )
    problems = handoff_form.problems(bad, root)
    assert [one.split(":")[0].split(".")[0] for one in problems] == [
        "There is no next step",
        "Decision 1 has no reason",
        "Decision 2 has no reason",
        "There is no file src/nowhere",
        "There is no file lib/gone",
        "It has 6,066 characters, 6,000 is the most",
    ]


def test_the_form_has_every_section_and_what_was_flagged_and_an_unfilled_one_is_empty(fresh: Home) -> None:
    flag = fresh.flag("Locking works.")
    text = handoff_form.form([flag])
    assert "## Learned\n\n- Locking works.\n" in text
    assert handoff_form.parse(text) == ("", {"learned": ("Locking works.",)})
    assert handoff_form.parse(handoff_form.form([])) == ("", {})


def test_markdown_and_json_say_the_same_and_nothing_is_left_out() -> None:
    markdown = (
        "\ufeff---\nbranch: x\n---\n# Locks\n\nA paragraph of mine.\n\n## Next\n- run make\n\n"
        "<!-- two\nlines -->\n## Open questions\n- why twice?\n"
    )
    wanted = {"next_steps": ("run make",), "note": ("A paragraph of mine.", "Open questions: why twice?")}
    assert handoff_form.parse(markdown) == ("Locks", wanted)
    form = {"title": "Locks", "next": "run make", "note": "A paragraph of mine.", "Open questions": ["why twice?"]}
    assert handoff_form.parse(json.dumps(form)) == ("Locks", wanted)


FORM = {
    "title": "Locks",
    "decisions": ["Optimistic locking because of deadlocks"],
    "learned": ["The gateway drops the first call."],
    "next_steps": ["Run make"],
}


def give(home: Home, text: str | bytes, *words: str, **env: str) -> Done:
    command = [sys.executable, "-P", "-m", "holdfast", "handoff", *words]
    raw = text if isinstance(text, bytes) else text.encode()
    return run(command, {**home.env, "PYTHONPATH": str(SOURCE), **env}, home.project, raw)


def newest(home: Home) -> Handoff:
    found = lineage.newest(str(home.vault), home.project_id())
    assert found
    return found[0]


@pytest.mark.slow
def test_a_handoff_comes_from_a_pipe_as_json_or_markdown_and_secrets_stay_out(fresh: Home, token: str) -> None:
    first = give(fresh, json.dumps({**FORM, "learned": [f"The token is {token}."]}), "--json")
    assert first.status == 0, first.err
    answer = json.loads(first.out)
    assert (answer["number"], len(answer["commit"])) == (1, 40)
    assert "secrets were redacted" in answer["changes"][0]
    searched = subprocess.run(["grep", "-rF", token, str(fresh.vault)], capture_output=True, check=False)
    assert searched.stdout == b""
    second = give(fresh, b"# Caf\xe9\n## Next steps\n- run make\n")
    assert (second.status, second.out.startswith("handed off as session 2: lineage/")) == (0, True)
    assert newest(fresh).parents == (answer["path"].rpartition("/")[2].removesuffix(".md"),)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "status", "sentence"),
    [
        ("", 2, "There is nothing in it; nothing was written. Headings or keys: Goals"),
        ("{oops", 2, "The form is no JSON"),
        ("{}", 2, "There is nothing in it"),
        ("---\na: [\n---\n## Next\n- x\n", 2, "The front matter cannot be read"),
        ("## Done\n- all\n", 9, "The handoff was not written: There is no next step."),
        ("## Next\n- maybe look at it\n", 9, 'Next step 1 says "maybe"'),
    ],
)
def test_a_handoff_that_is_refused_says_why_in_one_sentence(fresh: Home, text: str, status: int, sentence: str) -> None:
    done = give(fresh, text)
    assert (done.status, done.out) == (status, "")
    assert sentence in done.err
    assert "Traceback" not in done.err
    assert not (fresh.vault / "lineage").exists()


@pytest.mark.slow
def test_a_person_can_override_the_lint(fresh: Home) -> None:
    assert give(fresh, "## Done\n- all\n", "--anyway").status == 0
    assert newest(fresh).items("done") == ("all",)


SEED = (
    "## SESSION 204 \u2014 Open-source Date: 2026-06-06 Worked on: published the memory architecture as a public repo "
    "Decisions: open-source only what is unambiguously original Learned: strip promotional flourish from public copy "
    "Handoff: one follow-up link still missing \u2014 tracked in the index"
)
SEED_SECTIONS = {
    "worked_on": ("published the memory architecture as a public repo",),
    "decisions": ("open-source only what is unambiguously original",),
    "learned": ("strip promotional flourish from public copy",),
    "note": ("Date: 2026-06-06", "one follow-up link still missing \u2014 tracked in the index"),
}


@pytest.mark.slow
@pytest.mark.parametrize("text", [SEED, re.sub(r" (?=Date|Worked|Decisions|Learned|Handoff)", "\n", SEED)])
def test_a_short_honest_handoff_of_labels_is_read_and_accepted_with_a_warning(fresh: Home, text: str) -> None:
    title, sections = handoff_form.parse(text)
    assert (title, {key: tuple(sorted(items)) for key, items in sections.items()}) == (
        "SESSION 204 \u2014 Open-source",
        SEED_SECTIONS,
    )
    done = give(fresh, text)
    assert done.status == 0, done.err
    assert "note: accepted as it is, though: There is no next step." in done.out
    assert "Decision 1 has no reason" in done.out
    assert newest(fresh).items("decisions") == SEED_SECTIONS["decisions"]


def test_a_label_in_passing_makes_no_sections() -> None:
    text = "# Locks\n\nDone: it works, and Alice said: fine.\n\n## Next steps\n\n- Note: run make\n"
    assert handoff_form.parse(text)[1] == {
        "note": ("Done: it works, and Alice said: fine.",),
        "next_steps": ("Note: run make",),
    }
    assert handoff_form.parse("One label. Note: nothing else") == ("", {"note": ("One label. Note: nothing else",)})


def test_a_long_handoff_needs_its_next_step_and_its_reasons(root: str) -> None:
    short = Handoff("t", "", "shop", sections={"decisions": ("Use Postgres",), "note": ("It half works.",)})
    assert (handoff_form.problems(short, root), len(handoff_form.warnings(short))) == ([], 2)
    told = {**short.sections, "done": ("x" * handoff_form.SHORT,)}
    long = Handoff("t", "", "shop", sections=told)
    assert (len(handoff_form.problems(long, root)), handoff_form.warnings(long)) == (2, [])


def an_editor(home: Home, script: str) -> str:
    path = home.folder / "my editor"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(stat.S_IRWXU)
    return f"'{path}' --wait"


@pytest.mark.slow
def test_an_editor_that_saves_by_a_new_file_is_understood(fresh: Home) -> None:
    script = """printf '# By hand\\n## Next steps\\n- run make\\n' > "$2.new" && mv "$2.new" "$2" """
    done = give(fresh, "", "--edit", EDITOR=an_editor(fresh, script))
    assert done.status == 0, done.err
    assert newest(fresh).title == "By hand"


@pytest.mark.slow
def test_what_a_person_typed_is_kept_when_it_is_refused(fresh: Home, token: str) -> None:
    script = f"""printf '## Done\\n- a long hour of typing, {token}\\n' > "$2" """
    done = give(fresh, "", "--edit", VISUAL=an_editor(fresh, script))
    assert done.status == 9
    assert "Your words are kept as a draft (`holdfast drafts`)." in done.err
    (draft,) = drafts.open_for(fresh.state, fresh.project_id())
    assert "a long hour of typing" in draft.text
    assert token not in draft.text


@pytest.mark.slow
@pytest.mark.parametrize("script", ["exit 3", "true", 'rm "$2"'])
def test_an_editor_that_saves_nothing_writes_nothing(fresh: Home, script: str) -> None:
    done = give(fresh, "", "--edit", EDITOR=an_editor(fresh, script))
    assert (done.status, "nothing was written" in done.err, "Traceback" in done.err) == (2, True, False)


@pytest.mark.slow
@pytest.mark.parametrize("editor", ["/nonexistent/vi", "vi 'unclosed", "/"])
def test_an_editor_that_is_none_is_one_sentence(fresh: Home, editor: str) -> None:
    done = give(fresh, "", "--edit", EDITOR=editor)
    assert (done.status, "Set EDITOR" in done.err, "Traceback" in done.err) == (2, True, False)


@pytest.mark.slow
def test_processes_that_hand_off_at_once_write_a_file_each(fresh: Home) -> None:
    fresh.flag("so that the project is known")
    command = [sys.executable, "-P", "-m", "holdfast", "handoff"]
    env = {**fresh.env, "PYTHONPATH": str(SOURCE)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    started = [subprocess.Popen(command, env=env, cwd=fresh.project, **pipes) for _ in range(4)]  # type: ignore[call-overload]
    said = [one.communicate(json.dumps({**FORM, "title": f"Number {nth}"}).encode()) for nth, one in enumerate(started)]
    assert [one.returncode for one in started] == [0] * 4, said
    listed = lineage.names(str(fresh.vault), fresh.project_id())
    assert len(listed) == 4
    titles = {one.title for path in listed if isinstance(one := lineage.read(str(fresh.vault), path), Handoff)}
    assert titles == {f"Number {nth}" for nth in range(4)}


@pytest.mark.slow
def test_two_handoffs_of_one_session_within_a_second_are_two(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    from holdfast.memory import Memory

    home = terminal.home
    memory = Memory.open(str(home.vault), str(home.project), lambda: 1_800_000_000.0, {"HOLDFAST_SESSION": "s1"})
    made = [memory.sessions.handoff(json.dumps({**FORM, "title": f"Number {nth}"})) for nth in range(3)]
    assert [one.number for one in made] == [1, 2, 3]
    assert newest(home).title == "Number 2"
    assert lineage.names(str(home.vault), home.project_id()) == [one.path for one in made]
