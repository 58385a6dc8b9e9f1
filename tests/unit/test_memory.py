"""The facade, and where the vault is. What is public here is what the command line and the servers are built on."""

from __future__ import annotations

import inspect
import os
import pwd
import re
from pathlib import Path

import pytest

from holdfast import memory
from holdfast.capture import flagging, home, ledger, log, queue, segments, settle
from holdfast.capture.ledger_history import Wanted
from holdfast.errors import NewerFormat
from holdfast.memory import Memory
from holdfast.model import Project

NOW = 1_800_000_000.0
SPEAKER = flagging.Speaker("generic", "generic/s/1", Project("app-1", "app", "path:x", "/app"), "agent")
PUBLIC = {
    "__init__": (
        "(self, vault: 'str', cwd: 'str', clock: 'Clock' = <built-in function time>, env: 'Mapping[str, "
        "str] | None' = None) -> 'None'"
    ),
    "here": "(env: 'Mapping[str, str] | None' = None, cwd: 'str | None' = None) -> 'Self'",
    "capturing": "(env: 'Mapping[str, str]', cwd: 'str | None' = None) -> 'Self'",
    "is_stand_in": "(self) -> 'bool'",
    "keep_handoff": "(self, text: 'str', error: 'HoldfastError') -> 'None'",
    "project": "(self) -> 'Project'",
    "projects": "(self) -> 'list[ListedProject]'",
    "why_off": "(self) -> 'str'",
    "queue": "(self) -> 'flag_queue.View'",
    "set_broken_aside": "(self, view: 'flag_queue.View') -> 'list[str]'",
    "set_aside": "(self) -> 'tuple[list[str], Account]'",
    "retry": "(self, ids: 'Iterable[str] | None') -> 'tuple[str, ...]'",
    "ledger": "(self, wanted: 'Wanted', count: 'int') -> 'list[dict[str, Any]]'",
    "follow_ledger": "(self, wanted: 'Wanted', wait: 'Callable[[], None]') -> 'Iterator[dict[str, Any]]'",
    "ledger_counts": "(self) -> 'list[dict[str, Any]]'",
    "explain_boot": "(self) -> 'Explained'",
    "boot": "(self) -> 'Reply'",
    "refresh_brief": "(self) -> 'str'",
    "close": (
        "(self, *, everything: 'bool' = False, say: 'Callable[[Closed], None]' = …, progress: 'Callable[[int, int], "
        "None]' = …, verbatim: 'bool' = False) -> 'list[Closed]'"
    ),
    "close_in_background": "(self, midway: 'str' = '') -> 'list[Closed]'",
    "loops": "(self, *, everything: 'bool' = False) -> 'Loops'",
    "undo_loop": "(self, ident: 'str') -> 'LoopUndone'",
    "spent": "(self, days: 'int', by: 'str') -> 'Spent'",
    "notes": "(self, *, everything: 'bool' = False) -> 'Index'",
    "note": "(self, name: 'str', *, everything: 'bool' = False) -> 'tuple[Note, str]'",
    "handoffs": "(self, count: 'int' = 0) -> 'list[tuple[Handoff, int]]'",
    "text_of": "(self, path: 'str') -> 'str'",
    "handoff_form": "(self) -> 'str'",
    "handoff": "(self, text: 'str', *, anyway: 'bool' = False) -> 'HandedOff'",
    "remember": "(self, asked: 'Asked') -> 'Filed'",
    "forgettable": "(self, wanted: 'str', *, everything: 'bool' = False) -> 'list[Note]'",
    "is_named": "(self, note: 'Note', wanted: 'str') -> 'bool'",
    "forget": "(self, paths: 'Sequence[str]') -> 'str'",
    "shown_thought": "(self, ident: 'str', *, everything: 'bool' = False) -> 'tuple[Thought, float] | None'",
    "forgettable_thoughts": (
        "(self, wanted: 'str', *, everything: 'bool' = False, withdrawn: 'bool' = False) -> 'list[Thought]'"
    ),
    "forget_thoughts": "(self, ids: 'Sequence[str]') -> 'tuple[str, ...]'",
    "promotable": "(self) -> 'tuple[str, list[tuple[str, str]]]'",
    "promote": "(self, wanted: 'str', kind: 'str' = '') -> 'tuple[Filed, str]'",
    "note_files": "(self) -> 'int'",
    "prompts": "(self, words: 'Sequence[str]', most: 'int', *, everything: 'bool' = False) -> 'list[Listed]'",
    "check": (
        "(self, *, fix: 'bool' = False, everything: 'bool' = False, progress: 'Callable[[int], None]' = …) -> 'Report'"
    ),
    "reviews": "(self, *, everything: 'bool' = False) -> 'Reviews'",
    "review": (
        "(self, *, keep: 'Iterable[str]' = (), accept: 'Iterable[str]' = (), reject: 'Iterable[str]' = (), "
        "everything: 'bool' = False) -> 'list[Reviewed]'"
    ),
    "asker": "(self) -> 'Asker'",
    "arm": "(self, note: 'str', when: 'Mapping[str, Any]', *, dry_run: 'bool' = False) -> 'Arming'",
    "disarm": "(self, note: 'str', *, dry_run: 'bool' = False) -> 'Arming'",
    "history": "(self, note: 'str', count: 'int', *, everything: 'bool' = False) -> 'tuple[list[Entry], int]'",
    "undo": "(self, ident: 'str') -> 'Undone'",
    "undo_preview": "(self, ident: 'str') -> 'tuple[UndoPlan, str]'",
    "sync": "(self, remote: 'str' = '', *, join: 'bool' = False) -> 'Synced'",
    "sync_preview": "(self, remote: 'str' = '', *, join: 'bool' = False) -> 'Synced'",
    "purge_plan": "(self, paths: 'Sequence[str]', thoughts: 'Sequence[str]' = ()) -> 'PurgePlan'",
    "unfinished_purge": "(self) -> 'PurgePlan | None'",
    "purge": "(self, plan: 'PurgePlan', say: 'Callable[[str], None]' = …) -> 'Purged'",
    "propose_import": (
        "(self, paths: 'Sequence[str]', *, scope: 'str' = '', as_rules: 'bool' = False, "
        "all_hosts: 'bool' = False) -> 'Proposal'"
    ),
    "import_notes": "(self, proposal: 'Proposal') -> 'Imported'",
    "is_archive": "(self, path: 'str') -> 'bool'",
    "export": "(self, path: 'str', *, force: 'bool' = False) -> 'Exported'",
    "restore": "(self, path: 'str') -> 'Restored'",
    "catch_up_tasks": "(self) -> 'None'",
    "task_checkpoint": "(self, said: 'Words') -> 'Saved'",
    "task_decisions": "(self, *, everything: 'bool' = False, superseded: 'bool' = False) -> 'list[Decided]'",
    "task_finish": (
        "(self, ident: 'str', to: 'str', status: 'str', findings: 'Sequence[tuple[str, str]]' = (), "
        "promote: 'Sequence[str]' = (), *, anyway: 'bool' = False) -> 'Finished'"
    ),
    "task_doubts": "(self, ident: 'str' = '') -> 'str'",
    "task_reopen": "(self, ident: 'str', reason: 'str' = '') -> 'Saved'",
    "task_is_done": "(self, unit: 'str', ident: 'str' = '') -> 'bool | None'",
    "task_list": "(self, *, everything: 'bool' = False, also_over: 'bool' = False) -> 'list[Task]'",
    "task_move": "(self, ident: 'str', to: 'str', reason: 'str') -> 'Saved'",
    "task_promotable": "(self, ident: 'str') -> 'list[Offer]'",
    "task_promote": "(self, ident: 'str', wanted: 'Sequence[str]') -> 'list[Offer]'",
    "task_protocol": "(self, form: 'str') -> 'str'",
    "task_run": "(self, wish: 'Wish') -> 'Ran'",
    "task_show": "(self, ident: 'str' = '', *, whole: 'bool' = False) -> 'View'",
    "task_start": "(self, ident: 'str', goal: 'str', pending: 'Sequence[str]' = ()) -> 'Saved'",
    "choose_embedder": "(self, wanted: 'Settings') -> 'Chosen'",
    "embed": "(self) -> 'int'",
    "embedders": "(self) -> 'Shown'",
    "field": "(self) -> 'Field'",
    "follow_embedding": "(self, wait: 'Callable[[], None]') -> 'Iterator[Shown]'",
    "highways": "(self, scope: 'Scope', query: 'str' = '', most: 'int' = 10) -> 'list[Highway]'",
    "index": "(self) -> 'int'",
    "rebuild": "(self, progress: 'Callable[[int], None]' = …) -> 'Rebuilt'",
    "recall": "(self, query: 'str', scope: 'Scope', most: 'int' = 10) -> 'Answer'",
    "recalled": "(self, answer: 'Answer', agent: 'str' = '', session: 'str' = '') -> 'bool'",
    "scope": "(self, *, everything: 'bool' = False) -> 'Scope'",
    "think": "(self, said: 'Words') -> 'Thinking'",
    "thoughts": "(self, ids: 'Sequence[str]') -> 'dict[str, Thought]'",
    "wanted_embedder": "(self, name: 'str', **given: 'str') -> 'Settings'",
    "draft": "(self, ident: 'str') -> 'Draft'",
    "drafts": "(self, *, everything: 'bool' = False) -> 'list[Draft]'",
    "settle_draft": "(self, ident: 'str') -> 'Draft'",
    "used": "(self, ids: 'Sequence[str]', agent: 'str' = '', session: 'str' = '') -> 'bool'",
    "merge_projects": "(self, other: 'str', into: 'str' = '') -> 'MergedProject'",
    "split_project": "(self, wanted: 'str', name: 'str' = '') -> 'SplitProject'",
}


def test_the_public_face_is_what_it_was() -> None:
    """Add a line here when a method is added; changing or removing one breaks whoever builds on it."""
    assert memory.__all__ == ["Memory"]
    names = [name for name in dir(Memory) if not name.startswith("_")] + ["__init__"]
    found = {name: str(inspect.signature(getattr(Memory, name))) for name in names}
    assert {name: re.sub(r"<function \S+ at \w+>", "…", text) for name, text in found.items()} == PUBLIC


def test_it_has_no_state_of_its_own_and_looks_anew_each_time(vault: str) -> None:
    seen = Memory(vault, "/app", lambda: NOW)
    assert seen.queue() == queue.View((), (), True)
    flagging.take(vault, ["one"], SPEAKER, NOW)
    assert [entry.flag.text for entry in seen.queue().entries] == ["one"]
    assert [record["kind"] for record in seen.ledger(Wanted(), 5)] == ["flag"]


def test_looking_into_a_vault_that_is_not_there_makes_nothing(vault: str) -> None:
    seen = Memory(vault, "/app", lambda: NOW)
    assert (seen.queue().entries, seen.ledger(Wanted(), 5), seen.ledger_counts()) == ((), [], [])
    assert not os.path.exists(vault)


def test_its_clock_decides_what_a_lease_still_holds(vault: str) -> None:
    flagging.take(vault, ["one"], SPEAKER, NOW)
    settle.Settlement(f"{vault}/.state/queue", lambda: NOW).claim(1, 60)
    assert Memory(vault, "/app", lambda: NOW + 59).queue().of(queue.CLAIMED)
    assert Memory(vault, "/app", lambda: NOW + 60).queue().of(queue.WAITING)


def test_a_dead_flag_waits_again_after_a_retry(vault: str) -> None:
    taken = flagging.take(vault, ["one"], SPEAKER, NOW)
    owner = settle.Settlement(f"{vault}/.state/queue", lambda: NOW)
    for _ in range(queue.TRIES):
        claim = owner.claim(1, 60)
        assert claim
        owner.release(claim, [claim.flags[0].id], "no judge")
    seen = Memory(vault, "/app", lambda: NOW)
    assert seen.queue().of(queue.DEAD)
    assert seen.retry(None) == (taken.flags[0].id,)
    assert seen.queue().of(queue.WAITING)


def test_what_is_broken_is_copied_aside_and_stays_where_it_is(vault: str) -> None:
    flagging.take(vault, ["one"], SPEAKER, NOW)
    (path,) = segments.live(f"{vault}/.state/queue")
    with open(path, "ab") as file:
        file.write(b"\nHF1 00")
    before = Path(path).read_bytes()
    seen = Memory(vault, "/app", lambda: NOW)
    (copy,) = seen.set_broken_aside(seen.queue())
    assert copy.startswith(f"{vault}/.state/queue/broken/")
    assert Path(copy).read_bytes() == b"\nHF1 00"
    assert Path(path).read_bytes() == before
    assert seen.set_broken_aside(seen.queue()) == [copy]


def test_a_disk_that_takes_no_copy_does_not_keep_the_queue_from_being_shown(vault: str) -> None:
    flagging.take(vault, ["one"], SPEAKER, NOW)
    (path,) = segments.live(f"{vault}/.state/queue")
    with open(path, "ab") as file:
        file.write(b"\nHF1 00")
    Path(vault, ".state", "queue", "broken").write_text("in the way")
    seen = Memory(vault, "/app", lambda: NOW)
    assert seen.set_broken_aside(seen.queue()) == [path], "then the original is named"


def test_it_follows_the_ledger_and_shows_the_counts_of_old_days(vault: str) -> None:
    seen = Memory(vault, "/app", lambda: NOW)
    state = home.state(vault)
    following = seen.follow_ledger(Wanted(), lambda: ledger.append(state, "hook", NOW, n=1))
    assert next(following)["n"] == 1
    log.append(f"{state}/ledger/counts.log", [b'{"v":1,"day":"2020-01-01","counts":{"hook":3}}'], durable=False)
    assert seen.ledger_counts() == [{"v": 1, "day": "2020-01-01", "counts": {"hook": 3}}]


def test_the_project_is_that_of_the_folder_it_looks_from(vault: str, place: Path) -> None:
    (place / "one").mkdir()
    assert Memory(vault, f"{place}/one").project().root == f"{place}/one"
    assert Memory.here({"HOLDFAST_HOME": vault}, f"{place}/one").project().slug == "one"


def test_a_vault_of_a_newer_format_is_refused_in_a_sentence_that_destroys_nothing(vault: str) -> None:
    home.make_vault(vault)
    Path(vault, "format").write_text("2\n")
    with pytest.raises(NewerFormat, match=r"has format 2, this holdfast knows 1; nothing was changed\. Upgrade"):
        Memory(vault, "/app")


def test_the_vault_is_what_the_environment_says_else_in_the_users_home(place: Path) -> None:
    assert home.vault({"HOLDFAST_HOME": "/a/b/", "HOME": "/h"}) == "/a/b"
    assert home.vault({"HOLDFAST_HOME": "", "HOME": "/h/"}) == "/h/.holdfast"
    assert home.vault({"HOLDFAST_HOME": "sub"}) == f"{os.getcwd()}/sub"
    assert home.vault({}) == f"{pwd.getpwuid(os.getuid()).pw_dir.rstrip('/')}/.holdfast"
    assert Memory.here({"HOLDFAST_HOME": str(place)}).cwd == os.getcwd()


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
