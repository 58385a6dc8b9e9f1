"""The vault's commands as they are typed: what they print, as text and as JSON, and each error as one sentence."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hook_support import SOURCE

from holdfast.errors import UsageError
from holdfast.memory import Memory
from holdfast.vault import edits

if TYPE_CHECKING:
    from hook_support import Done, Home, Terminal

FORM = {"title": "Locks", "learned": ["The gateway drops the first call."], "next_steps": ["Run make"]}


def answer(done: Done) -> dict[str, Any]:
    assert done.status == 0, done.err
    assert done.out.count("\n") == 1
    return dict(json.loads(done.out))


def refused(done: Done, status: int, sentence: str) -> None:
    assert (done.status, "Traceback" in done.err) == (status, False)
    assert sentence in done.err
    assert done.err.startswith("holdfast")


def git(home: Home, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=home.vault, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.slow
def test_remember_says_where_and_for_which_projects(terminal: Terminal) -> None:
    project = terminal.home.project_id()
    done = terminal("remember", "Orders", "use locks.")
    assert done.out == f"remembered in knowledge/orders-use-locks.md, for project {project}\n"
    assert terminal("remember", "Orders use locks.").out.startswith("already remembered in knowledge/")
    done = terminal("remember", "--global", "--kind=rule", "--policy", "ask", "Ask before a deploy.")
    assert done.out == "remembered in rules/ask-before-a-deploy.md, for all projects\n"
    assert "for all projects" in terminal("remember", "--kind", "identity", "I am Ann.").out
    said = answer(terminal("remember", "--json", "--name", "../../etc/passwd", "--", "--a text with dashes"))
    assert said["path"] == "knowledge/etc-passwd.md"
    assert (said["was_there"], len(said["commit"]), said["changes"]) == (False, 40, [])
    assert terminal("remember", "-5 degrees is the limit").status == 0


@pytest.mark.slow
def test_remember_on_the_fast_path_is_the_same(terminal: Terminal) -> None:
    assert terminal.fast("remember", "Fast.").out.startswith("remembered in knowledge/fast.md")
    assert "Usage: holdfast remember" in terminal.fast("remember", "--help").out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "There is no text"),
        (["  "], "There is no text"),
        (["x", "--kind"], "--kind needs a value"),
        (["x", "--kind", "poem"], '"poem" is no kind of note'),
        (["x", "--bogus"], '"--bogus" is no option'),
        (["-k", "rule", "x"], '"-k" is no option'),
        (["x", "--policy", "never"], "A rule can say"),
    ],
)
def test_remember_refuses_in_one_sentence(terminal: Terminal, words: list[str], sentence: str) -> None:
    refused(terminal("remember", *words), 2, sentence)
    assert not list(terminal.home.vault.glob("knowledge/*"))


def test_remember_keeps_silent_where_capture_is_off(terminal: Terminal) -> None:
    refused(terminal("remember", "x", env={"HOLDFAST": "off"}), 2, "Nothing was written: HOLDFAST=off is set")
    terminal("pause")
    refused(terminal("remember", "x"), 2, "Nothing was written: holdfast is paused")
    assert not list(terminal.home.vault.glob("knowledge/*"))


@pytest.mark.slow
def test_notes_lists_this_project_and_the_global_ones_and_what_is_broken(terminal: Terminal, tmp_path: Path) -> None:
    terminal("remember", "Ours.")
    terminal("remember", "--global", "Everybody's.")
    other = tmp_path / "cart"
    other.mkdir()
    terminal("remember", "Theirs.", cwd=other)
    (terminal.home.vault / "knowledge/broken.md").write_text("none\n")
    listed = terminal("notes")
    assert [line.partition(":")[0] for line in listed.out.splitlines()] == [
        "knowledge/everybody-s.md",
        f"knowledge/ours.md [{terminal.home.project_id()}]",
    ]
    assert "knowledge/broken.md:1: not read as a note: there is no front matter" in listed.err
    assert len(terminal("notes", "--all").out.splitlines()) == 3
    assert terminal("notes", "our", "--kind", "knowledge").out.startswith("knowledge/ours.md")
    assert terminal("notes", "zebra").out == "There is no such note.\n"
    said = answer(terminal("notes", "--json"))
    assert [one["name"] for one in said["notes"]] == ["Everybody's", "Ours"]
    assert said["broken"][0]["line"] == 1


def test_notes_of_an_empty_vault_makes_none(terminal: Terminal) -> None:
    assert terminal("notes").out == "There are no notes yet.\n"
    assert terminal("notes", "--handoffs").out == "There are no handoffs yet.\n"
    assert not (terminal.home.vault / ".git").exists()


@pytest.mark.slow
def test_show_prints_a_file_as_it_is_and_says_what_is_ambiguous(terminal: Terminal) -> None:
    terminal("remember", "Orders use locks.")
    terminal("remember", "Orders use carts.")
    path = terminal.home.vault / "knowledge/orders-use-locks.md"
    done = terminal("show", "locks")
    assert done.out == f"<!-- {path} -->\n{path.read_text()}"
    assert answer(terminal("show", "locks", "--json"))["text"] == path.read_text()
    refused(
        terminal("show", "orders"), 4, '"orders" may be knowledge/orders-use-carts.md, knowledge/orders-use-locks.md'
    )
    for wanted in ("zebra", "../../etc/passwd", "!!!", "/etc/passwd"):
        refused(terminal("show", wanted), 4, "There is no note")
    refused(terminal("show", "handoff"), 4, "This project has no handoff yet")
    path.write_bytes(path.read_bytes() + b"\xff")
    refused(terminal("show", "locks"), 4, "There is no note")


@pytest.mark.slow
def test_forget_shows_what_it_means_and_asks_nobody_where_nobody_is(terminal: Terminal) -> None:
    for text in ("Orders use locks.", "Orders use carts.", "Note taking."):
        terminal("remember", text)
    refused(terminal("forget", "locks"), 2, "Forget it? Nothing was changed: say --yes, or the whole name or path")
    done = terminal("forget", "orders-use-locks")
    assert done.out.startswith("knowledge/orders-use-locks.md: Orders use locks.\nforgotten; `holdfast undo ")
    ident = done.out.split("undo ")[1].split("`")[0]
    assert terminal("undo", ident).status == 0
    assert (terminal.home.vault / "knowledge/orders-use-locks.md").exists()
    many = terminal("forget", "orders use")
    refused(many, 2, "Forget these 2? Nothing was changed: say --yes, or the whole name or path of one note.")
    assert many.out.count("\n") == 2
    refused(terminal("forget", "!!!"), 4, 'Nothing has "!!!"; nothing was changed.')
    said = answer(terminal("forget", "orders use", "--yes", "--json"))
    assert len(said["forgotten"]) == 2
    assert [one.name for one in (terminal.home.vault / "knowledge").iterdir()] == ["note-taking.md"]


@pytest.mark.slow
def test_a_closed_stdin_is_nobody_too(fresh: Home) -> None:
    env = {**fresh.env, "PYTHONPATH": str(SOURCE)}
    fresh.cli("remember", "Orders use locks.")
    line = f"exec '{sys.executable}' -P -m holdfast"
    for words, status in (("forget orders-use-locks", 0), ("handoff", 2)):
        done = subprocess.run(
            ["/bin/sh", "-c", f"{line} {words} <&-"], env=env, cwd=fresh.project, capture_output=True, check=False
        )
        assert (done.returncode, b"Traceback" in done.stderr) == (status, False), done.stderr


@pytest.mark.slow
def test_a_purge_is_asked_for_and_then_leaves_nothing(terminal: Terminal) -> None:
    secret = "The staging gateway listens on port 8443 behind the proxy"
    terminal("remember", secret)
    terminal("remember", "Something that stays here for good.")
    refused(terminal("forget", "staging", "--purge"), 2, "This cannot be undone. Nothing was changed: say --yes")
    assert secret in git(terminal.home, "log", "-p")
    done = terminal("forget", "staging", "--purge", "--yes")
    assert (done.status, done.out.splitlines()[-1]) == (0, "purged")
    assert secret not in git(terminal.home, "log", "-p", "--all")
    assert secret not in "".join(
        path.read_text(errors="replace") for path in terminal.home.vault.rglob("*") if path.is_file()
    )
    assert "stays here" in git(terminal.home, "log", "-p")
    refused(terminal("forget", "staging", "--purge", "--yes"), 4, "Nothing has")
    said = answer(terminal("forget", "something", "--purge", "--yes", "--json"))
    assert (len(said["purged"]), said["left"], said["remotes"]) == (1, [], [])


@pytest.mark.slow
def test_promote_lists_moves_and_links_in_one_commit(terminal: Terminal, fresh: Home) -> None:
    assert terminal("promote").out == "There is no handoff yet.\n"
    refused(terminal("promote", "x"), 4, "This project has no handoff yet")
    hand_off(fresh)
    assert terminal("promote").out == "1  [learned] The gateway drops the first call.\n"
    assert answer(terminal("promote", "--json"))["items"] == [
        {"section": "learned", "text": "The gateway drops the first call."}
    ]
    before = int(git(fresh, "rev-list", "--count", "HEAD"))
    done = terminal("promote", "gateway", "--kind", "rule")
    assert done.out.startswith("promoted to rules/the-gateway-drops-the-first-call.md; lineage/")
    assert int(git(fresh, "rev-list", "--count", "HEAD")) == before + 1
    shown = terminal("show", "handoff").out
    assert "([note](../../rules/the-gateway-drops-the-first-call.md))" in shown
    assert terminal("promote").out == "Nothing in the newest handoff waits to be promoted.\n"
    refused(terminal("promote", "gateway drops"), 4, "No item of the newest handoff has")


def hand_off(home: Home) -> None:
    command = [sys.executable, "-P", "-m", "holdfast", "handoff"]
    env = {**home.env, "PYTHONPATH": str(SOURCE)}
    subprocess.run(command, env=env, cwd=home.project, input=json.dumps(FORM).encode(), capture_output=True, check=True)


@pytest.mark.slow
def test_handoffs_are_listed_searched_and_shown(terminal: Terminal, fresh: Home) -> None:
    hand_off(fresh)
    hand_off(fresh)
    assert terminal("notes", "--handoffs").out.startswith("session 2  ")
    assert len(answer(terminal("notes", "--handoffs", "gateway", "--json"))["handoffs"]) == 2
    assert terminal("notes", "--handoffs", "zebra").out == "There is no such handoff.\n"
    assert "## Next steps\n\n- Run make" in terminal("show", "handoff").out
    assert answer(terminal("show", "handoff", "--json"))["number"] == 2
    assert terminal("handoff", "--template").out.startswith("# What this session was about\n")


@pytest.mark.slow
def test_git_at_an_old_commit_is_one_sentence_with_its_status(terminal: Terminal) -> None:
    terminal("remember", "One.")
    git(terminal.home, "checkout", "-q", "HEAD~1")
    refused(terminal("remember", "Two."), 7, "apart from its branch main; nothing was changed")
    git(terminal.home, "checkout", "-q", "main")
    assert terminal("remember", "Two.").status == 0


@pytest.mark.slow
def test_a_new_note_may_supersede_an_older_one_in_one_commit(terminal: Terminal) -> None:
    terminal("remember", "Staging is on port 5433.")
    done = terminal("remember", "--supersedes", "staging-is-on-port-5433", "Staging is on port 6000.")
    assert "knowledge/staging-is-on-port-5433.md is superseded" in done.out
    listed = terminal("notes").out
    assert "6000" in listed
    assert "5433" not in listed
    assert "status: superseded" in (terminal.home.vault / "knowledge/staging-is-on-port-5433.md").read_text()
    assert git(terminal.home, "log", "--format=%s").count("remember:") == 2
    assert terminal("check").status == 0
    refused(terminal("remember", "--supersedes", "no-such", "x y z"), 4, 'There is no note "no-such"')


@pytest.mark.slow
def test_a_global_note_may_supersede_one_of_this_project_and_none_of_another(terminal: Terminal) -> None:
    terminal("remember", "Staging is on port 5433.")
    done = terminal("remember", "--global", "--supersedes", "staging-is-on", "Staging is on port 6000.")
    assert "knowledge/staging-is-on-port-5433.md is superseded" in done.out
    edits.remember(str(terminal.home.vault), edits.Asked("Gold is kept.", project="bank", name="gold"), 1.8e9)
    refused(terminal("remember", "--global", "--supersedes", "gold", "Gold is sold."), 4, 'There is no note "gold"')


@pytest.mark.slow
def test_remember_takes_the_kinds_of_flags_and_a_text_from_stdin(fresh: Home) -> None:
    assert "in feedback/keep-it-short.md" in fresh.cli("remember", "--kind", "snag", "Keep it short").out
    command = [sys.executable, "-P", "-m", "holdfast", "remember", "-"]
    env = {**fresh.env, "PYTHONPATH": str(SOURCE)}
    subprocess.run(
        command, env=env, cwd=fresh.project, input=b"From a pipe.\nTwo lines.", capture_output=True, check=True
    )
    (made,) = (fresh.vault / "knowledge").iterdir()
    assert made.read_text().endswith("\nFrom a pipe.\nTwo lines.\n")


@pytest.mark.slow
def test_what_is_no_note_can_be_shown_and_forgotten_by_its_path(terminal: Terminal) -> None:
    terminal("remember", "Something to make the vault.")
    (terminal.home.vault / "knowledge/odd.md").write_text("no front matter\n")
    assert "no front matter" in terminal("show", "knowledge/odd.md").out
    assert terminal("forget", "knowledge/odd.md").status == 0
    assert not (terminal.home.vault / "knowledge/odd.md").exists()


def test_nothing_is_handed_off_or_promoted_while_capture_is_off(fresh: Home, terminal: Terminal) -> None:
    for words in (("promote", "1"), ("remember", "x")):
        done = terminal(*words, env={"HOLDFAST": "off"})
        assert (done.status, done.out) == (2, "")
    off = Memory.open(cwd=str(fresh.project), env={**fresh.env, "HOLDFAST": "off"})
    with pytest.raises(UsageError, match="HOLDFAST=off is set"):
        off.sessions.handoff("## Done\n- x\n", anyway=True)
    assert not (terminal.home.vault / "lineage").exists()
