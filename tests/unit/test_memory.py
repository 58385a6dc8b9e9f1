"""The library, and where the vault is. Its public names are what the command line, the servers and users build on."""

from __future__ import annotations

import dataclasses
import inspect
import os
import pwd
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from flag_support import take

from holdfast.capture import flags, home, ledger, log, queue, segments, settle
from holdfast.capture.ledger import Wanted
from holdfast.errors import NewerFormat
from holdfast.memory import Context, Memory
from holdfast.memory.field import Field
from holdfast.memory.notes import Notes
from holdfast.memory.sessions import Sessions
from holdfast.memory.sleep import Sleep
from holdfast.memory.tasks import Tasks
from holdfast.model import Project

if TYPE_CHECKING:
    from collections.abc import Callable

NOW = 1_800_000_000.0
SPEAKER = flags.Speaker("generic", "generic/s/1", Project("app-1", "app", "path:x", "/app"), "agent")
# The parameters of every public method; None for what is no method.
PUBLIC: dict[type, dict[str, str | None]] = {
    Memory: {
        "field": None,
        "notes": None,
        "open": "vault cwd clock env",
        "sessions": None,
        "sleep": None,
        "tasks": None,
    },
    Context: {
        "asker": "",
        "capturing": "env",
        "clock": None,
        "cwd": None,
        "env": None,
        "for_agent": None,
        "for_user": None,
        "found": "vault cwd clock env",
        "is_stand_in": "",
        "project": "",
        "project_or_all": "*everything",
        "refuse_if_off": "",
        "state": None,
        "vault": None,
        "where": "",
        "why_off": "",
        "within": None,
    },
    Sessions: {
        "at": None,
        "boot": "branch",
        "close": "*everything *say *progress *verbatim",
        "close_in_background": "midway",
        "draft": "ident",
        "drafts": "*everything",
        "explain_boot": "branch",
        "explain_prompt": "prompt",
        "field": None,
        "follow_ledger": "wanted wait",
        "handoff": "text *anyway",
        "handoff_form": "",
        "handoffs": "count",
        "keep_handoff": "text error",
        "ledger": "wanted count",
        "ledger_counts": "",
        "loops": "*everything",
        "merge_projects": "other into",
        "projects": "",
        "prompts": "words most *everything",
        "queue": "",
        "refresh_brief": "",
        "reopen_draft": "ident",
        "retry": "ids",
        "set_aside": "",
        "set_broken_aside": "view",
        "settle_draft": "ident",
        "spent": "days by",
        "split_project": "wanted name",
        "undo_loop": "ident",
    },
    Sleep: {
        "at": None,
        "due": "",
        "field": None,
        "last": "*everything",
        "restore": "ids",
        "run": "*dry_run *verbatim *stops *team *progress",
        "seen": "text",
        "starts_by_itself": "",
        "undo": "wanted",
    },
    Notes: {
        "arm": "note when *dry_run",
        "at": None,
        "check": "*fix *everything *progress",
        "disarm": "note *dry_run",
        "edit": "path text base",
        "export": "path *force",
        "file_count": "",
        "forget": "paths",
        "forgettable": "wanted *everything",
        "history": "note count *everything",
        "import_notes": "proposal",
        "index": "*everything",
        "is_archive": "path",
        "is_named": "note wanted",
        "promotable": "",
        "promote": "wanted kind",
        "propose_import": "paths *scope *as_rules *all_hosts",
        "purge": "plan say",
        "purge_plan": "paths thoughts",
        "remember": "said answers **fields",
        "restore": "path",
        "review": "*keep *accept *reject *everything",
        "reviews": "*everything",
        "show": "name *everything",
        "sync": "remote *join",
        "sync_preview": "remote *join",
        "take_back_review": "commits edit",
        "text_of": "path",
        "undo": "ident",
        "undo_preview": "ident",
        "unfinished_purge": "",
    },
    Tasks: {
        "at": None,
        "catch_up": "",
        "checkpoint": "said **fields",
        "decisions": "*everything *superseded",
        "doubts": "ident",
        "finish": "ident to status findings promote *anyway",
        "is_done": "unit ident",
        "listing": "*everything *also_over",
        "move": "ident to reason",
        "promotable": "ident",
        "promote": "ident wanted",
        "protocol": "form",
        "reopen": "ident reason",
        "run": "wish",
        "show": "ident *whole",
        "start": "ident goal pending",
    },
    Field: {
        "at": None,
        "catch_up": "",
        "choose_embedder": "wanted",
        "density": "window_days *write *team",
        "embed": "",
        "embedders": "",
        "follow_embedding": "wait",
        "forget": "ids",
        "forgettable": "wanted *everything *withdrawn",
        "highways": "scope query most",
        "shared": "",
        "ship": "*soon",
        "open": "",
        "opener": None,
        "rebuild": "progress",
        "recall": "query scope most agent",
        "recalled": "answer agent session",
        "scope": "*everything",
        "show": "ident *everything",
        "think": "said **fields",
        "thoughts": "ids",
        "used": "ids agent session",
        "wanted_embedder": "name **given",
    },
}


@pytest.mark.parametrize("part", PUBLIC, ids=lambda part: str(part.__name__))
def test_the_public_face_is_what_it_was(part: type) -> None:
    """Add a line to PUBLIC when a method is added; changing or removing one breaks whoever builds on it."""
    fields = set(vars(part).get("__annotations__", {}))
    names = {name for name in {*vars(part), *fields} if not name.startswith("_")}
    methods = {name for name in names - fields if callable(getattr(part, name))}
    assert {name: parameters(getattr(part, name)) if name in methods else None for name in names} == PUBLIC[part]


def parameters(method: Callable[..., object]) -> str:
    marks: dict[object, str] = {inspect.Parameter.KEYWORD_ONLY: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    found = inspect.signature(method).parameters.values()
    return " ".join(f"{marks.get(one.kind, '')}{one.name}" for one in found if one.name != "self")


def test_a_memory_has_four_parts_that_share_one_place_and_inherit_nothing(vault: str) -> None:
    seen = Memory.open(vault, "/app", lambda: NOW)
    for part in (seen.sessions, seen.notes, seen.tasks, seen.field):
        assert part.at is seen.at
    assert all(part.__bases__ == (object,) for part in PUBLIC)


def test_the_package_gives_the_memory_when_it_is_asked_for_and_imports_nothing_before() -> None:
    code = "import sys; before = set(sys.modules); import holdfast; print(*set(sys.modules) - before)\n"
    code += "from holdfast import Memory; from holdfast.memory import Memory as Same; print(Memory is Same)\n"
    code += "print(hasattr(holdfast, 'Unknown'))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).split() == ["holdfast", "True", "False"]


def test_it_has_no_state_of_its_own_and_looks_anew_each_time(vault: str) -> None:
    seen = Memory.open(vault, "/app", lambda: NOW)
    assert seen.sessions.queue() == queue.View((), (), True)
    take(vault, ["one"], SPEAKER, NOW)
    assert [entry.flag.text for entry in seen.sessions.queue().entries] == ["one"]
    assert [record["kind"] for record in seen.sessions.ledger(Wanted(), 5)] == ["flag"]


def test_looking_into_a_vault_that_is_not_there_makes_nothing(vault: str) -> None:
    seen = Memory.open(vault, "/app", lambda: NOW)
    sessions = seen.sessions
    assert (sessions.queue().entries, sessions.ledger(Wanted(), 5), sessions.ledger_counts()) == ((), [], [])
    assert not os.path.exists(vault)


def test_its_clock_decides_what_a_lease_still_holds(vault: str) -> None:
    take(vault, ["one"], SPEAKER, NOW)
    settle.Settlement(f"{vault}/.state/queue", lambda: NOW).claim(1, 60)
    assert Memory.open(vault, "/app", lambda: NOW + 59).sessions.queue().of(queue.CLAIMED)
    assert Memory.open(vault, "/app", lambda: NOW + 60).sessions.queue().of(queue.WAITING)


def test_a_dead_flag_waits_again_after_a_retry(vault: str) -> None:
    taken = take(vault, ["one"], SPEAKER, NOW)
    owner = settle.Settlement(f"{vault}/.state/queue", lambda: NOW)
    for _ in range(queue.TRIES):
        claim = owner.claim(1, 60)
        assert claim
        owner.release(claim, [claim.flags[0].id], "no judge")
    seen = Memory.open(vault, "/app", lambda: NOW)
    assert seen.sessions.queue().of(queue.DEAD)
    assert seen.sessions.retry(None) == (taken.flags[0].id,)
    assert seen.sessions.queue().of(queue.WAITING)


def test_what_is_broken_is_copied_aside_and_stays_where_it_is(vault: str) -> None:
    take(vault, ["one"], SPEAKER, NOW)
    (path,) = segments.live(f"{vault}/.state/queue")
    with open(path, "ab") as file:
        file.write(b"\nHF1 00")
    before = Path(path).read_bytes()
    seen = Memory.open(vault, "/app", lambda: NOW)
    (copy,) = seen.sessions.set_broken_aside(seen.sessions.queue())
    assert copy.startswith(f"{vault}/.state/queue/broken/")
    assert Path(copy).read_bytes() == b"\nHF1 00"
    assert Path(path).read_bytes() == before
    assert seen.sessions.set_broken_aside(seen.sessions.queue()) == [copy]


def test_a_disk_that_takes_no_copy_does_not_keep_the_queue_from_being_shown(vault: str) -> None:
    take(vault, ["one"], SPEAKER, NOW)
    (path,) = segments.live(f"{vault}/.state/queue")
    with open(path, "ab") as file:
        file.write(b"\nHF1 00")
    Path(vault, ".state", "queue", "broken").write_text("in the way")
    seen = Memory.open(vault, "/app", lambda: NOW)
    assert seen.sessions.set_broken_aside(seen.sessions.queue()) == [path], "then the original is named"


def test_it_follows_the_ledger_and_shows_the_counts_of_old_days(vault: str) -> None:
    seen = Memory.open(vault, "/app", lambda: NOW)
    state = home.state(vault)
    following = seen.sessions.follow_ledger(Wanted(), lambda: ledger.append(state, "hook", NOW, n=1))
    assert next(following)["n"] == 1
    log.append(f"{state}/ledger/counts.log", [b'{"v":1,"day":"2020-01-01","counts":{"hook":3}}'], durable=False)
    assert seen.sessions.ledger_counts() == [{"v": 1, "day": "2020-01-01", "counts": {"hook": 3}}]


def test_the_project_is_that_of_the_folder_it_looks_from(vault: str, place: Path) -> None:
    (place / "one").mkdir()
    assert Memory.open(vault, f"{place}/one").at.project().root == f"{place}/one"
    assert Memory.open(cwd=f"{place}/one", env={"HOLDFAST_HOME": vault}).at.project().slug == "one"


def test_a_scope_is_narrowed_as_the_page_of_the_library_says(vault: str) -> None:
    scope = dataclasses.replace(Memory.open(vault).field.scope(everything=True), kinds=("note",), space="ideas")
    assert (scope.project, scope.kinds, scope.space) == (None, ("note",), "ideas")


def test_a_vault_of_a_newer_format_is_refused_in_a_sentence_that_destroys_nothing(vault: str) -> None:
    home.make_vault(vault)
    Path(vault, "format").write_text("2\n")
    with pytest.raises(NewerFormat, match=r"has format 2, this holdfast knows 1; nothing was changed\. Upgrade"):
        Memory.open(vault, "/app")


def test_the_vault_is_what_the_environment_says_else_in_the_users_home(place: Path) -> None:
    assert home.vault({"HOLDFAST_HOME": "/a/b/", "HOME": "/h"}) == "/a/b"
    assert home.vault({"HOLDFAST_HOME": "", "HOME": "/h/"}) == "/h/.holdfast"
    assert home.vault({"HOLDFAST_HOME": "sub"}) == f"{os.getcwd()}/sub"
    assert home.vault({}) == f"{pwd.getpwuid(os.getuid()).pw_dir.rstrip('/')}/.holdfast"
    assert Memory.open(env={"HOLDFAST_HOME": str(place)}).at.cwd == os.getcwd()


def test_the_format_is_read_leniently_and_written_once(vault: str) -> None:
    assert home.format_of(vault) == 0
    home.make_vault(vault)
    assert home.format_of(vault) == home.FORMAT == 1
    for text, version in (("12\n", 12), ("", 1), ("nonsense", 1), ("-3", 1), ("²", 1)):
        Path(vault, "format").write_text(text)
        assert home.format_of(vault) == version
    home.make_vault(vault)
    assert Path(vault, "format").read_text() == "²", "a vault that is there is left as it is"


@pytest.mark.parametrize("word", ["off", "OFF", "0", "no", "false"])
def test_capture_is_off_by_the_environment(vault: str, word: str) -> None:
    assert home.why_off({"HOLDFAST": word}, vault) == "HOLDFAST=off is set"


def test_capture_is_off_while_paused_and_on_otherwise(vault: str) -> None:
    for env in ({}, {"HOLDFAST": "on"}, {"HOLDFAST": ""}):
        assert home.why_off(env, vault) == ""
    home.make_vault(vault)
    Path(home.paused_path(vault)).write_text("")
    assert "paused" in home.why_off({}, vault)
