"""A vault that vanished is not made anew: the start says so, captures are kept, and join it when it is back."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from hook_support import Home

from holdfast.capture import home, ledger, queue, vanished_merge, vault_id
from holdfast.health import vault
from holdfast.health.finding import Place
from holdfast.memory import Memory


def started(fresh: Home, session: str = "s1") -> str:
    return fresh.hook(fresh.event("SessionStart", session, source="startup")).context


def moved_away(fresh: Home) -> Path:
    to = fresh.vault.parent / "elsewhere"
    fresh.vault.rename(to)
    return to


def kept(fresh: Home) -> Path:
    known = vault_id.known_at(str(fresh.vault), fresh.env)
    assert known
    return Path(vault_id.kept_for(known.id, fresh.env))


def texts(vault: Path) -> list[str]:
    return [one.flag.text for one in queue.read(f"{vault}/.state/queue", time.time()).entries]


def flag_records(vault: Path) -> list[str]:
    wanted = ledger.Wanted(kinds=("flag",))
    return [str(one["id"]) for one in ledger.read(f"{vault}/.state", wanted)]


# --- a fresh machine


def test_the_first_start_makes_a_vault_and_this_machine_remembers_its_id(fresh: Home) -> None:
    started(fresh)
    known = vault_id.known_at(str(fresh.vault), fresh.env)
    assert known
    assert known.id == vault_id.id_of(str(fresh.vault))
    assert fresh.errors() == []


def test_the_first_flag_on_a_fresh_machine_needs_no_other_step(fresh: Home) -> None:
    assert fresh.fast("flag", "the port is 8443").status == 0
    assert fresh.texts() == ["the port is 8443"]
    assert vault_id.known_at(str(fresh.vault), fresh.env)


def test_a_vault_of_an_older_version_gets_an_id_at_its_next_start(fresh: Home) -> None:
    home.make_vault(str(fresh.vault))  # in this process's environment it is nobody's own
    assert vault_id.id_of(str(fresh.vault)) == ""
    said = started(fresh)
    assert "vault is not at" not in said
    known = vault_id.known_at(str(fresh.vault), fresh.env)
    assert known
    assert known.id == vault_id.id_of(str(fresh.vault))


def test_several_processes_that_register_at_once_agree_on_one_id(fresh: Home) -> None:
    home.make_vault(str(fresh.vault))
    first = vault_id.register(str(fresh.vault), fresh.env, 1.0)
    assert vault_id.register(str(fresh.vault), fresh.env, 2.0) == first


def test_without_a_home_there_is_no_record_and_everything_is_as_on_a_fresh_machine(fresh: Home) -> None:
    env = {name: said for name, said in fresh.env.items() if name != "HOME"}
    home.make_vault(str(fresh.vault), env)
    assert vault_id.machine_folder(env) == ""
    shutil.rmtree(fresh.vault)
    home.make_vault(str(fresh.vault), env)


# --- gone


@pytest.mark.slow
@pytest.mark.parametrize("left", ["nothing", "an empty folder"])
def test_a_start_says_that_the_vault_is_not_there_and_makes_none(fresh: Home, left: str) -> None:
    started(fresh)
    moved_away(fresh)
    if left == "an empty folder":
        fresh.vault.mkdir()
    said = started(fresh, "s2")
    assert f"The vault is not at {fresh.vault}" in said
    assert "HOLDFAST_HOME" in said
    assert "holdfast init --new-vault" in said
    assert not (fresh.vault / "format").exists()
    assert not (fresh.vault / ".state").exists()


@pytest.mark.slow
def test_no_moment_of_a_session_touches_the_place_of_a_vault_that_is_gone(fresh: Home) -> None:
    started(fresh)
    moved_away(fresh)
    for event, more in (
        ("SessionStart", {"source": "startup"}),
        ("UserPromptSubmit", {"prompt": "Remember: the port is 8443."}),
        ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls"}}),
        ("PostToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {"stdout": "a"}}),
        ("PreCompact", {"trigger": "auto"}),
        ("Stop", {}),
        ("SessionEnd", {"reason": "other"}),
    ):
        done = fresh.hook(fresh.event(event, "s2", **more))
        assert (done.status, done.err) == (0, ""), event
    assert not fresh.vault.exists()
    assert "the port is 8443" in " ".join(texts(kept(fresh)))


@pytest.mark.slow
def test_a_flag_is_kept_on_this_machine_and_joins_the_vault_once_it_is_back(fresh: Home) -> None:
    started(fresh)
    away = moved_away(fresh)
    assert fresh.fast("flag", "the port is 8443").status == 0
    assert not fresh.vault.exists()
    assert texts(kept(fresh)) == ["the port is 8443"]
    place = kept(fresh)
    away.rename(fresh.vault)
    said = started(fresh, "s3")
    assert "joined it" in said
    assert "the port is 8443" in said
    assert fresh.texts() == ["the port is 8443"]
    assert not place.exists()


@pytest.mark.slow
def test_every_command_refuses_in_a_sentence_and_changes_nothing(fresh: Home) -> None:
    started(fresh)
    moved_away(fresh)
    for words in (("notes",), ("close",), ("queue",), ("sync",), ("recall", "port"), ("audit",), ("task", "list")):
        done = fresh.cli(*words)
        assert done.status == 21, (words, done)
        assert "The vault is not at" in done.err
        assert "Traceback" not in done.err
    assert not fresh.vault.exists()


def test_a_remembered_text_becomes_a_flag_that_is_kept(fresh: Home) -> None:
    started(fresh)
    moved_away(fresh)
    done = fresh.cli("remember", "the port is 8443")
    assert done.status == 0
    assert "once it is back" in done.out
    assert texts(kept(fresh)) == ["the port is 8443"]


@pytest.mark.slow
def test_a_checkpoint_is_refused_and_its_words_are_kept_as_a_draft(fresh: Home) -> None:
    started(fresh)
    away = moved_away(fresh)
    done = fresh.fast("task", "checkpoint", "COMPLETED: the port is open")
    assert done.status == 21
    assert "kept as a draft" in done.err
    away.rename(fresh.vault)
    started(fresh, "s3")
    assert [one.text for one in Memory.open(str(fresh.vault), str(fresh.project), env=fresh.env).sessions.drafts()] == [
        "COMPLETED: the port is open"
    ]


@pytest.mark.slow
def test_a_pause_outlives_the_vault(fresh: Home) -> None:
    fresh.fast("flag", "heard before")
    assert fresh.fast("pause").status == 0
    moved_away(fresh)
    assert "paused" in fresh.hook(fresh.event("SessionStart", "s2", source="startup")).out
    assert fresh.fast("flag", "not to be heard").status == 2
    assert texts(kept(fresh)) == []


@pytest.mark.slow
def test_a_session_that_began_meanwhile_is_known_to_the_vault_afterwards(fresh: Home) -> None:
    started(fresh)
    away = moved_away(fresh)
    started(fresh, "s2")
    fresh.hook(fresh.event("UserPromptSubmit", "s2", prompt="make the port configurable"))
    fresh.hook(fresh.event("SessionEnd", "s2", reason="other"))
    away.rename(fresh.vault)
    started(fresh, "s3")
    assert fresh.episode("s2").state == "ended"
    assert [mark.episode for mark in fresh.marks()] == ["claude-code/s2/1"]
    assert "make the port configurable" in fresh.cli("close").out + " ".join(
        path.read_text() for path in fresh.vault.glob("lineage/**/*.md")
    )


# --- back, elsewhere, another


@pytest.mark.slow
def test_a_vault_given_by_its_new_place_is_recognised_and_goes_on(fresh: Home) -> None:
    started(fresh)
    away = moved_away(fresh)
    fresh.fast("flag", "kept while it was away")
    env = {"HOLDFAST_HOME": str(away)}
    said = fresh.hook(fresh.event("SessionStart", "s2", source="startup"), env=env).context
    assert "vault is not at" not in said
    assert "kept while it was away" in said
    assert texts(away) == ["kept while it was away"]
    told = started(fresh, "s3")  # without the variable
    assert f"it is at {away} now" in told
    assert f"HOLDFAST_HOME={away}" in told


@pytest.mark.slow
def test_another_vault_at_the_old_place_is_named_until_the_user_means_it(fresh: Home) -> None:
    started(fresh)
    moved_away(fresh)
    other = fresh.vault.parent / "other"
    home.make_vault(str(other), {**fresh.env, "HOLDFAST_HOME": str(other)})
    other.rename(fresh.vault)
    for session in ("s2", "s3"):
        assert "Another vault than before" in started(fresh, session)
        fresh.hook(fresh.event("SessionEnd", session, reason="other"))
    (check,) = vault.check_place(Place(str(fresh.vault), str(fresh.project), fresh.env))
    assert not check.ok
    assert "Another vault" in check.detail
    assert fresh.cli("init", "--new-vault", "--yes", "--agent", "codex").status == 0
    assert "Another vault" not in started(fresh, "s4")


def test_a_vault_whose_own_state_is_gone_is_named(fresh: Home) -> None:
    started(fresh)
    shutil.rmtree(fresh.vault / ".state")
    assert "A vault without this machine's own state" in started(fresh, "s2")


def test_a_format_file_alone_that_is_gone_is_made_again(fresh: Home) -> None:
    started(fresh)
    (fresh.vault / "format").unlink()
    assert "vault is not at" not in started(fresh, "s2")
    assert (fresh.vault / "format").exists()


@pytest.mark.slow
def test_init_alone_makes_no_new_vault_and_the_option_does(fresh: Home) -> None:
    started(fresh)
    moved_away(fresh)
    fresh.fast("flag", "kept while it was away")
    done = fresh.cli("init", "--yes", "--agent", "codex")
    assert done.status == 21
    assert "--new-vault" in done.err
    assert not fresh.vault.exists()
    assert fresh.cli("init", "--yes", "--new-vault", "--agent", "codex").status == 0
    assert fresh.texts() == ["kept while it was away"]
    assert "vault is not at" not in started(fresh, "s2")


@pytest.mark.slow
def test_a_new_vault_is_the_users_to_begin(fresh: Home) -> None:
    started(fresh)
    moved_away(fresh)
    fresh.hook(fresh.event("SessionStart", "s2", source="startup"))
    env = {"CLAUDE_CODE_SESSION_ID": "s2"}
    done = fresh.cli("init", "--yes", "--new-vault", "--agent", "codex", env=env)
    assert done.status == 2
    assert "is the user's to do" in done.err
    assert not fresh.vault.exists()


def test_a_vault_that_a_repository_brings_comes_and_goes_with_its_clones(fresh: Home) -> None:
    env = {**fresh.env, home.CHILD: "1"}
    other = str(fresh.folder / "repository" / ".holdfast")
    home.make_vault(other, env)
    assert vault_id.known_at(other, env) is None


@pytest.mark.slow
def test_doctor_and_audit_name_a_vault_that_is_gone(fresh: Home) -> None:
    started(fresh)
    moved_away(fresh)
    report = json.loads(fresh.cli("doctor", "--json").out)
    (check,) = [one for one in report["checks"] if one["name"] == "vault-place"]
    assert not report["ok"]
    assert not check["ok"]
    assert "is not at" in check["detail"]
    assert check["fix"]
    assert fresh.cli("audit").status == 21


# --- merging


def outage(fresh: Home, *said: str) -> tuple[Path, Path]:
    """A vault that is back with what was kept meanwhile: the vault, and where it was kept."""
    started(fresh)
    away = moved_away(fresh)
    for text in said:
        assert fresh.fast("flag", text).status == 0
    place = kept(fresh)
    away.rename(fresh.vault)
    return fresh.vault, place


@pytest.mark.slow
def test_a_merge_that_is_repeated_changes_nothing(fresh: Home) -> None:
    vault, place = outage(fresh, "one", "two")
    copy = fresh.folder / "copy"
    shutil.copytree(place, copy, symlinks=True)
    assert vanished_merge.merge(str(place), str(vault)) == 2
    shutil.copytree(copy, place, symlinks=True)  # as if nothing had been removed
    assert vanished_merge.merge(str(place), str(vault)) == 0
    assert sorted(texts(vault)) == ["one", "two"]
    records = flag_records(vault)
    assert len(records) == len(set(records)) == 2


@pytest.mark.slow
def test_what_was_filed_meanwhile_does_not_come_back(fresh: Home) -> None:
    vault, place = outage(fresh, "one")
    copy = fresh.folder / "copy"
    shutil.copytree(place, copy, symlinks=True)
    vanished_merge.merge(str(place), str(vault))
    os.unlink(vault / ".state/queue/current") if (vault / ".state/queue/current").is_symlink() else None
    assert fresh.file_everything() == 1
    shutil.copytree(copy, place, symlinks=True)
    assert vanished_merge.merge(str(place), str(vault)) == 0
    assert texts(vault) == []


@pytest.mark.slow
def test_a_flag_that_comes_in_while_the_rest_is_merged_is_kept_for_the_next_time(
    fresh: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault, place = outage(fresh, "one")
    real = vanished_merge._marks

    def late(*given: Any) -> None:
        queue.append(f"{place}/.state/queue", [_flag("late")], time.time())
        real(*given)

    monkeypatch.setattr(vanished_merge, "_marks", late)
    vanished_merge.merge(str(place), str(vault))
    assert texts(place) == ["late"]
    monkeypatch.setattr(vanished_merge, "_marks", real)
    assert vanished_merge.merge(str(place), str(vault)) == 1
    assert sorted(texts(vault)) == ["late", "one"]
    assert not place.exists()


@pytest.mark.slow
def test_a_project_that_the_vault_knows_by_another_id_keeps_that(fresh: Home) -> None:
    vault, place = outage(fresh, "one")
    (own,) = {one.flag.project for one in queue.read(f"{place}/.state/queue", time.time()).entries}
    keys = (place / "projects.toml").read_text().partition("keys = ")[2].strip()
    (vault / "projects.toml").write_text(f'\n[[project]]\nid = "shop-known"\nslug = "shop"\nkeys = {keys}\n')
    vanished_merge.merge(str(place), str(vault))
    assert own != "shop-known"
    assert {one.flag.project for one in queue.read(f"{vault}/.state/queue", time.time()).entries} == {"shop-known"}


def _flag(text: str) -> Any:
    from holdfast.capture import flags

    return flags.make(text, now=time.time())[0]
