"""Notes come back at the calls that their own words name: from the note on disk to what the hook answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hook_support import Home, Terminal

from holdfast.capture import flags, queue
from holdfast.capture.gate import BY_UPKEEP
from holdfast.close.drain import drain
from holdfast.vault import armed, armed_file, index, named_calls, notes
from holdfast.vault.transaction import writing

NOW = 1_790_000_000.0
AUTH = "DO NOT modify config/auth.yaml — used by 3 services"


def call(where: Home, command: str, **more: Any) -> dict[str, Any]:
    event = where.event("PreToolUse", tool_name="Bash", tool_input={"command": command}, tool_use_id="c", **more)
    return dict(where.reply(event))


def edit(where: Home, path: str, **more: Any) -> dict[str, Any]:
    given = {"file_path": f"{where.project}/{path}", "old_string": "a", "new_string": "b"}
    return dict(where.reply(where.event("PreToolUse", tool_name="Edit", tool_input=given, tool_use_id="c", **more)))


def decide(where: Home, text: str, **more: Any) -> str:
    """A decision that an agent has flagged, filed by a close; returns its note's path."""
    flag = flags.make(text, now=NOW, kind="decision", project=where.project_id(), **more)[0]
    queue.append(f"{where.state}/queue", [flag], NOW)
    drain(str(where.vault), lambda: NOW + 1)
    return next(note.path for note in index.load(str(where.vault)).notes if flag.id in note.sources)


# --- the user's never


@pytest.mark.parametrize(
    "words",
    [
        ("--kind", "rule", "--policy", "never", "Never force-push main"),
        ("(never) Never force-push main",),
        ("--kind", "rule", "Never force-push main"),
    ],
)
def test_the_users_never_stops_a_forced_push_without_a_further_command(
    terminal: Terminal, fresh: Home, words: tuple[str, ...]
) -> None:
    said = terminal("remember", *words).out
    assert "note: it stops `git push --force`; `holdfast disarm never-force-push-main` ends that" in said
    for command in ("git push --force", "cd api && git push -f origin main", "git push origin +main"):
        denied = call(fresh, command)
        assert denied["permissionDecision"] == "deny"
        assert "Never force-push main" in denied["permissionDecisionReason"]
        assert "holdfast disarm never-force-push-main" in denied["permissionDecisionReason"]
    for command in ("git push origin main", "git push -f origin topic", "git log"):
        assert call(fresh, command) == {}
    assert "never-force-push-main" in (fresh.vault / "BRAIN.md").read_text(), "and it stays always on"


def test_the_users_ask_has_them_asked(terminal: Terminal, fresh: Home) -> None:
    said = terminal("remember", "(ask) Ask me before `terraform apply`").out
    assert "you are asked before `terraform apply`" in said
    assert call(fresh, "cd infra && terraform apply")["permissionDecision"] == "ask"
    assert call(fresh, "terraform plan") == {}


@pytest.mark.slow
def test_what_the_user_asked_to_remember_in_a_prompt_stops_too(fresh: Home) -> None:
    fresh.reply(fresh.event("UserPromptSubmit", prompt="Remember: never force-push main."))
    drain(str(fresh.vault), lambda: NOW + 1)
    fresh.reply(fresh.event("SessionEnd", reason="exit"))
    drain(str(fresh.vault), lambda: NOW + 2)
    assert call(fresh, "git push --force", session="s2")["permissionDecision"] == "deny"


@pytest.mark.slow
def test_an_outsiders_never_does_not_even_come_back(fresh: Home) -> None:
    decide(fresh, "Never force-push main", origin="web")
    assert call(fresh, "git push --force") == {}


@pytest.mark.slow
def test_an_agents_never_stops_nothing(fresh: Home) -> None:
    path = decide(fresh, "Never force-push main", origin="agent")
    told = call(fresh, "git push --force")
    assert "permissionDecision" not in told
    assert path in told["additionalContext"]
    assert call(fresh, "git push --force") == {}, "once in an episode"


# --- decisions


@pytest.mark.slow
def test_a_decision_comes_back_at_the_first_edit_of_its_file_and_not_at_the_second(fresh: Home) -> None:
    path = decide(fresh, AUTH)
    assert call(fresh, "cat config/auth.yaml") == {}, "reading it is no match"
    told = edit(fresh, "config/auth.yaml")
    assert "permissionDecision" not in told
    assert f"{path}):\n{AUTH}" in told["additionalContext"]
    assert edit(fresh, "config/auth.yaml") == {}
    assert edit(fresh, "config/cache.yaml") == {}
    assert AUTH in edit(fresh, "config/auth.yaml", session="s2")["additionalContext"]
    assert [one["armed"] for one in fresh.ledger("injection")] == ["injected", "injected"]


@pytest.mark.slow
def test_a_superseded_decision_does_not_come_back(terminal: Terminal, fresh: Home) -> None:
    path = decide(fresh, AUTH)
    terminal("remember", "--kind", "project", "--supersedes", path, "Auth settings moved to the secret store")
    assert edit(fresh, "config/auth.yaml") == {}


@pytest.mark.slow
def test_a_forgotten_one_does_not_either(terminal: Terminal, fresh: Home) -> None:
    path = decide(fresh, AUTH)
    terminal("forget", "--yes", path)
    assert edit(fresh, "config/auth.yaml") == {}


@pytest.mark.slow
def test_a_sentence_that_a_person_edits_away_arms_nothing_more(terminal: Terminal, fresh: Home) -> None:
    path = fresh.vault / decide(fresh, AUTH)
    path.write_text(path.read_text().replace(AUTH, "Do not modify config/other.yaml"))
    terminal("remember", "something else")
    assert edit(fresh, "config/auth.yaml") == {}
    assert edit(fresh, "config/other.yaml")["additionalContext"]


@pytest.mark.slow
def test_progress_and_facts_that_only_mention_a_file_arm_nothing(terminal: Terminal, fresh: Home) -> None:
    terminal("flag", "--kind", "progress", "Do not worry: config/auth.yaml is done")
    terminal("flag", "--kind", "fact", "config/auth.yaml has 30 lines")
    drain(str(fresh.vault), lambda: NOW + 1)
    assert edit(fresh, "config/auth.yaml") == {}


@pytest.mark.slow
def test_a_do_not_touch_in_a_fact_arms_it(terminal: Terminal, fresh: Home) -> None:
    terminal("remember", "The importer broke twice. Do not touch config/auth.yaml before the audit.")
    assert "before the audit" in edit(fresh, "config/auth.yaml")["additionalContext"]


@pytest.mark.slow
def test_another_projects_decision_stays_there(fresh: Home) -> None:
    flag = flags.make(AUTH, now=NOW, kind="decision", project="other-1")[0]
    queue.append(f"{fresh.state}/queue", [flag], NOW)
    drain(str(fresh.vault), lambda: NOW + 1)
    assert edit(fresh, "config/auth.yaml") == {}


@pytest.mark.slow
def test_only_the_lines_that_name_the_call_come_back(fresh: Home, terminal: Terminal) -> None:
    terminal("remember", "--kind", "project", f"The gateway is old.\nWe like tea.\n{AUTH}\nIt rains.")
    told = edit(fresh, "config/auth.yaml")["additionalContext"]
    assert AUTH in told
    assert "tea" not in told


# --- by hand


@pytest.mark.slow
def test_disarmed_by_hand_stays_disarmed_until_it_is_armed_again(terminal: Terminal, fresh: Home) -> None:
    terminal("remember", "(never) Never force-push main")
    note = fresh.vault / "rules/never-force-push-main.md"
    assert terminal("disarm", "force").out == "disarmed: rules/never-force-push-main.md\n"
    assert "when: false\n" in note.read_text()
    assert terminal("disarm", "force").out == "already disarmed: rules/never-force-push-main.md\n"
    terminal("remember", "something else")
    assert call(fresh, "git push --force") == {}
    assert terminal("check").status == 0
    refused = terminal("arm", "force")
    assert "is the user's to do; nothing was changed" in refused.err, "a session goes on, and may have asked"
    fresh.reply(fresh.event("SessionEnd", reason="exit"))
    done = terminal("arm", "force")
    assert done.out == "armed: rules/never-force-push-main.md\n  runs: git push --force [main]\n"
    assert call(fresh, "git push --force")["permissionDecision"] == "deny"


@pytest.mark.slow
def test_armed_by_hand_it_waits_for_that_and_not_for_its_words(terminal: Terminal, fresh: Home) -> None:
    terminal("remember", "--kind", "project", AUTH)
    done = terminal("arm", "do-not-modify", "--run", "make deploy", "--json")
    assert json.loads(done.out)["before"] == {"writes": ["config/auth.yaml"]}
    assert edit(fresh, "config/auth.yaml") == {}
    assert "config/auth.yaml" in call(fresh, "make -j4 deploy")["permissionDecisionReason"], "and stops the first call"


@pytest.mark.slow
def test_what_a_call_does_can_be_given_by_hand(terminal: Terminal, fresh: Home) -> None:
    terminal("remember", "--name", "Mind it", "Mind it.")
    words = ("--write", "gen/", "--package", "Left-Pad", "--setting", "DEBUG=true", "--read", "secrets/*.pem")
    assert terminal("arm", "mind", *words).status == 0
    for nth, one in enumerate(("touch gen/a.go", "npm i left-pad", "DEBUG=true ./run", "cat secrets/a.pem")):
        assert call(fresh, one, session=f"s{nth}")["permissionDecision"] == "deny", one
    assert call(fresh, "cat gen/a.go", session="s9") == {}
    for wide in (("--write", "**"), ("--run", "*"), ("--write", "../x")):
        refused = terminal("arm", "mind", *wide)
        assert refused.status == 2
        assert "Nothing was changed." in refused.err


# --- the file


@pytest.mark.slow
def test_a_file_of_the_version_before_is_still_read(terminal: Terminal, fresh: Home) -> None:
    terminal("remember", "x")
    when = {"tool": ["bash"], "words": ["docker"], "paths": [], "pattern": ""}
    old = {"path": "rules/a.md", "name": "a", "kind": "rule", "policy": "never", "origin": "user", "project": "global"}
    record = {"v": 1, "notes": [{**old, "lines": ["No docker."], "when": when}]}
    Path(fresh.state, "armed").write_text(json.dumps(record))
    assert call(fresh, "docker ps")["permissionDecision"] == "deny"


def test_each_note_has_keys_of_which_one_stands_in_every_call_that_it_waits_for() -> None:
    texts = (
        AUTH,
        "Never commit .env",
        "Do not use npm",
        "DEBUG=true must never reach prod",
        "Never touch ~/infra/live",
    )
    for text in texts:
        note = notes.from_fields("projects/a.md", {"kind": "project"}, text)
        named = named_calls.as_record(note, text)
        keys = armed_file.keys(armed.read(named["named"]).as_record())
        assert keys, text
        assert all(key == key.lower() and key.split() == [key] for key in keys)


@pytest.mark.slow
def test_removing_the_folder_above_is_found_though_the_call_never_names_the_file(fresh: Home) -> None:
    decide(fresh, AUTH)
    assert AUTH in call(fresh, "rm -rf config")["additionalContext"]
    assert call(fresh, "ls config", session="s2") == {}


def test_a_broken_line_does_not_keep_the_others_from_coming_back(terminal: Terminal, fresh: Home) -> None:
    terminal("remember", "(never) Never force-push main")
    path = Path(fresh.state, "armed")
    head, _, rest = path.read_text().partition("\n")
    odd = 'git\t{"when": 5}\ngit\t{\n\tnull\ngit\t[1]\nno tab\n\n'
    path.write_text(f"{head}\n{odd}{rest}")
    assert call(fresh, "git push --force")["permissionDecision"] == "deny"
    assert fresh.errors() == []


@pytest.mark.slow
def test_the_index_keeps_what_notes_name_without_reading_them_again(fresh: Home, terminal: Terminal) -> None:
    terminal("remember", "--kind", "project", AUTH)
    with writing(str(fresh.vault), NOW) as writer:
        writer.commit("test", {"knowledge/x.md": None}, cause="test", by=BY_UPKEEP)
    (one,) = [one for one in index.load(str(fresh.vault)).known.values() if one.named]
    assert one.named["named"] == {"writes": ["config/auth.yaml"]}
    assert one.note.when is None
