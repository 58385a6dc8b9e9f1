"""Purge: after it, nothing below the vault holds a line of the note, whatever killed it on the way."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
import zlib
from pathlib import Path

import pytest
from hook_support import Home

from holdfast.capture import codec, ledger, log, platform, purging, queue, segments, settle
from holdfast.capture.flags import make
from holdfast.capture.gate import BY_UPKEEP, BY_USER
from holdfast.capture.purging import Scrubber
from holdfast.errors import Busy, GitFailed, NotFound, UsageError
from holdfast.model import Flag
from holdfast.vault import notes, purge, purge_history, sync
from holdfast.vault.git import Repository
from holdfast.vault.transaction import writing

pytestmark = pytest.mark.slow  # it starts processes by the hundred

NOW = 1_790_000_000.0
SECRET = "The staging gateway listens on port 8443 behind the old proxy"
FORMER = "The staging gateway used to listen on port 9443, says Ada"
OTHER = "Orders use optimistic locking since the double booking"
PATH = "knowledge/where-staging-listens.md"


def a_note(body: str, name: str = "Where staging listens", sources: tuple[str, ...] = ()) -> str:
    return notes.new_text(
        name=name,
        description=body,
        kind="knowledge",
        body=body,
        day="2026-09-21",
        project="shop",
        origin="agent",
        sources=sources,
    )


def commit(vault: str, subject: str, texts: dict[str, str | None]) -> None:
    with writing(vault, NOW) as writer:
        writer.commit(subject, texts, cause="test", by=BY_UPKEEP)


def flag(vault: str, text: str) -> Flag:
    made = make(text, now=NOW, episode="claude-code/s1/1", project="shop")[0]
    queue.append(f"{vault}/.state/queue", [made], NOW)
    ledger.append(f"{vault}/.state", "flag", NOW, id=made.id, flag="fact", episode=made.episode)
    return made


@pytest.fixture
def lived_in(vault: str) -> str:
    """A vault in which the note was edited, renamed and quoted, and whose flags lie in queue and ledger."""
    first, other = flag(vault, SECRET), flag(vault, OTHER)
    ledger.append(f"{vault}/.state", "injection", NOW, text=f"brief: {SECRET}")
    commit(vault, f"remember: {FORMER[:40]}…", {"knowledge/old-name.md": a_note(FORMER, sources=(first.id,))})
    commit(vault, "rename", {"knowledge/old-name.md": None, PATH: a_note(FORMER, sources=(first.id,))})
    commit(vault, f"remember: {SECRET}", {PATH: a_note(SECRET, sources=(first.id,))})
    quoting = a_note(f"{OTHER}.\nSee also: {SECRET}.", name="Locking", sources=(other.id,))
    commit(vault, "remember", {"knowledge/locking.md": quoting, "lineage/shop/1.md": f"## Done\n- {SECRET}\n- more\n"})
    Path(vault, "activity.log").write_text(f"2026-09-21 shop {SECRET[:30]}…\n2026-09-21 shop other\n")
    return vault


def everything(vault: str) -> bytes:
    """All bytes below a vault, git's objects unpacked."""
    parts = []
    for top, _, names in os.walk(vault):
        for name in names:
            raw = Path(top, name).read_bytes() if not Path(top, name).is_symlink() else b""
            parts.append(raw)
            if "/objects/" in f"{top}/" and raw[:1] == b"x":
                parts.append(zlib.decompress(raw))
    listed = subprocess.run(
        ["git", "-C", vault, "cat-file", "--batch-all-objects", "--batch"], capture_output=True, check=True
    )
    return b"\n".join([*parts, listed.stdout])


def assert_gone(vault: str) -> None:
    held = everything(vault)
    for text in (SECRET, FORMER, SECRET[:30], FORMER[:40], PATH, "old-name"):
        assert text.encode() not in held, text
    assert OTHER.encode() in held


def purged(vault: str) -> purge.Done:
    return purge.carry_out(vault, purge.plan(vault, PATH), NOW, by=BY_USER)


def test_a_plan_names_what_will_go_and_changes_nothing(lived_in: str) -> None:
    with writing(lived_in, NOW):
        pass  # what the fixture left uncommitted becomes a commit
    before = everything(lived_in)
    plan = purge.plan(lived_in, PATH)
    assert plan.paths == (PATH, "knowledge/old-name.md")
    assert {SECRET, FORMER} <= set(plan.texts)
    assert len(plan.flags) == 1
    assert plan.commits == 3
    assert set(plan.quoted) == {"knowledge/locking.md", "lineage/shop/1.md", "activity.log", "BRAIN.md"}
    assert plan.records == 3
    assert everything(lived_in) == before


def test_nothing_of_a_purged_note_is_left_in_files_objects_and_logs(lived_in: str) -> None:
    old = Repository(lived_in).text("rev-parse", f"HEAD:{PATH}")
    head = Repository(lived_in).head()
    done = purged(lived_in)
    assert done.left == ()
    assert done.checked > 10
    assert_gone(lived_in)
    assert Repository(lived_in).attempt("cat-file", "-e", old).returncode
    assert Repository(lived_in).attempt("cat-file", "-e", head).returncode
    assert head.encode() not in b"".join(
        path.read_bytes() for path in Path(lived_in, ".git/logs").rglob("*") if path.is_file()
    )
    assert not Path(lived_in, ".state/purging").exists()


def test_a_server_that_listens_meanwhile_is_in_nobodys_way(lived_in: str) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"{lived_in}/.state/hook.sock")
        done = purge.carry_out(lived_in, purge.plan(lived_in, PATH), NOW, by=BY_USER)
    assert done.left == ()


def test_other_notes_keep_their_own_lines_and_can_still_be_read(lived_in: str) -> None:
    purged(lived_in)
    note = notes.read(lived_in, "knowledge/locking.md")
    assert isinstance(note, notes.Note)
    assert note.body == f"\n{OTHER}.\nSee also: [purged].\n"
    assert Path(lived_in, "lineage/shop/1.md").read_text() == "## Done\n- [purged]\n- more\n"
    assert Path(lived_in, "activity.log").read_text().splitlines()[1] == "2026-09-21 shop other"
    assert "Where staging" not in Path(lived_in, "BRAIN.md").read_text()


def test_a_description_that_quotes_the_note_from_its_first_word_stays_front_matter(lived_in: str) -> None:
    commit(lived_in, "remember", {"knowledge/copy.md": a_note(f"{SECRET} and then some", name="Copy")})
    purged(lived_in)
    note = notes.read(lived_in, "knowledge/copy.md")
    assert isinstance(note, notes.Note)
    assert note.description == "[purged] and then some"


def test_the_history_of_everything_else_stays_as_it_was(lived_in: str) -> None:
    repository = Repository(lived_in)
    commit(lived_in, "edit", {"knowledge/plain.md": a_note("A first version of something else", name="Plain")})
    commit(lived_in, "edit again", {"knowledge/plain.md": a_note("A second version of something else", name="Plain")})
    before = repository.run("log", "--format=%an %at %s", "-p", "--", "knowledge/plain.md")
    count = repository.text("rev-list", "--count", "HEAD")
    purged(lived_in)
    assert repository.run("log", "--format=%an %at %s", "-p", "--", "knowledge/plain.md") == before
    assert int(repository.text("rev-list", "--count", "HEAD")) >= int(count)
    assert repository.text("status", "--porcelain") == ""
    assert repository.attempt("fsck", "--strict").returncode == 0


def test_the_queue_keeps_every_other_flag_and_what_became_of_it(lived_in: str) -> None:
    folder = f"{lived_in}/.state/queue"
    kept = flag(lived_in, "A third flag that has nothing to do with it")
    settlement = settle.Settlement(folder, clock=lambda: NOW)
    claim = settlement.claim(10, 60.0)
    assert claim
    settlement.acknowledge(claim, [one.id for one in claim.flags if one.text != kept.text])
    settlement.release(claim, [kept.id], error="no disk")
    purged(lived_in)
    view = queue.read(folder, NOW)
    assert [(entry.flag.id, entry.tries, entry.error) for entry in view.entries] == [(kept.id, 1, "no disk")]
    assert not view.broken


def test_a_flag_that_waits_goes_too_even_under_another_id(lived_in: str) -> None:
    flag(lived_in, f"again: {SECRET}")
    purged(lived_in)
    assert [entry.flag.text for entry in queue.read(f"{lived_in}/.state/queue", NOW).entries] == [OTHER]


def test_a_flag_being_appended_at_that_moment_is_waited_for_and_kept(lived_in: str) -> None:
    folder = f"{lived_in}/.state/queue"
    fd, _ = segments._open_current(folder, segments.ROLL_AT, f"{folder}/current")
    late = make("A flag whose writer was in the middle of it", now=NOW)[0]
    cleaning = threading.Thread(target=purging.clean_queue, args=(folder, Scrubber([SECRET]), NOW))
    cleaning.start()
    cleaning.join(0.05)
    assert cleaning.is_alive()
    log.write(fd, [codec.encode(late.as_record())], durable=True)
    os.close(fd)
    cleaning.join()
    flag(lived_in, "A flag that came after it")
    texts = [entry.flag.text for entry in queue.read(folder, NOW).entries]
    assert texts == [OTHER, late.text, "A flag that came after it"]


def test_archived_segments_and_broken_pieces_are_cleaned(lived_in: str) -> None:
    folder = Path(lived_in, ".state/queue")
    (folder / "broken").mkdir()
    (folder / "broken" / "x.0-9.damage").write_bytes(b"...%s..." % SECRET.encode())
    archived = log.frame(codec.encode({"id": "1", "text": SECRET})) + log.frame(
        codec.encode({"id": "2", "text": OTHER})
    )
    (folder / "archive").mkdir()
    (folder / "archive" / "a.log").write_bytes(archived)
    assert purged(lived_in).left == ()
    assert list(log.records(log.scan_file(f"{folder}/archive/a.log"))) == [codec.encode({"id": "2", "text": OTHER})]
    assert list((folder / "broken").iterdir()) == []


def test_the_ledger_keeps_its_place_so_that_a_hook_may_append_meanwhile(lived_in: str) -> None:
    path = ledger.day_path(f"{lived_in}/.state", NOW)
    inode, size = os.stat(path).st_ino, os.stat(path).st_size
    with open(path, "ab") as hook:
        purged(lived_in)
        hook.write(log.frame(codec.encode({"v": 1, "t": NOW, "kind": "hook"})))
    kinds = [record["kind"] for record in ledger.read(f"{lived_in}/.state", ledger.Wanted())]
    assert os.stat(path).st_ino == inode
    assert os.stat(path).st_size > size
    assert kinds.count("purged") == 2
    assert kinds[-1] == "hook"
    assert "error" not in kinds


def test_a_note_edited_by_hand_after_the_plan_was_shown_goes_with_the_new_lines(lived_in: str) -> None:
    plan = purge.plan(lived_in, PATH)
    added = "A line that a person typed while reading the question"
    Path(lived_in, PATH).write_text(a_note(f"{SECRET}\n{added}"))
    assert purge.carry_out(lived_in, plan, NOW, by=BY_USER).left == ()
    assert added.encode() not in everything(lived_in)


def test_an_editors_backup_is_cleaned_and_its_open_file_is_named(lived_in: str) -> None:
    Path(lived_in, f"{PATH}~").write_text(SECRET)
    swap = Path(lived_in, "knowledge/.where.md.swp")
    swap.write_text(SECRET)
    assert purged(lived_in).left == ("knowledge/.where.md.swp",)
    assert Path(lived_in, f"{PATH}~").read_text() == "[purged]"


def test_other_armed_notes_stay_armed(lived_in: str) -> None:
    rule = notes.with_fields(a_note(OTHER, name="Armed"), when={"tool": "Bash", "words": ["deploy"]})
    commit(lived_in, "arm", {"knowledge/armed.md": rule})
    before = Path(lived_in, ".state/armed").read_bytes()
    assert b"deploy" in before
    purged(lived_in)
    assert Path(lived_in, ".state/armed").read_bytes() == before


def test_branches_tags_and_stashes_are_written_anew_and_remotes_are_named(lived_in: str) -> None:
    repository = Repository(lived_in)
    repository.run("tag", "-a", "v1", "-m", f"about {SECRET}")
    repository.run("branch", "side", "HEAD~1")
    repository.run("remote", "add", "origin", "https://git.example/vault.git")
    repository.run("update-ref", "refs/remotes/origin/main", "HEAD")
    done = purged(lived_in)
    assert done.left == ()
    assert done.remotes == ("origin (https://git.example/vault.git)",)
    assert repository.text("remote", "get-url", "origin") == "https://git.example/vault.git"
    refs = repository.text("for-each-ref", "--format=%(refname)").splitlines()
    assert refs == ["refs/heads/main", "refs/heads/side", "refs/tags/v1"]


def test_a_detached_head_stays_detached(lived_in: str) -> None:
    repository = Repository(lived_in)
    repository.run("checkout", "--quiet", "--detach")
    assert purged(lived_in).left == ()
    assert repository.attempt("symbolic-ref", "-q", "HEAD").returncode == 1
    assert repository.text("for-each-ref", "--format=%(refname)") == "refs/heads/main"


def test_odd_file_names_are_found_in_the_history(vault: str) -> None:
    odd = 'knowledge/a "quoted"\tname é.md'
    commit(vault, "odd", {odd: a_note(SECRET), "knowledge/b c.md": a_note(OTHER, name="Other")})
    done = purge.carry_out(vault, purge.plan(vault, odd), NOW, by=BY_USER)
    assert done.left == ()
    listed = Repository(vault).text("log", "--all", "--name-only", "--format=")
    assert "quoted" not in listed
    assert "knowledge/b c.md" in listed


def test_a_forgotten_note_can_still_be_purged_from_the_history(lived_in: str) -> None:
    commit(lived_in, "forget", {PATH: None})
    assert purged(lived_in).left == ()
    assert_gone(lived_in)


def test_a_note_that_never_was_is_not_found(lived_in: str) -> None:
    with pytest.raises(NotFound):
        purge.plan(lived_in, "knowledge/never.md")


def test_nothing_is_purged_while_a_close_files_one_of_the_flags(lived_in: str) -> None:
    claim = settle.Settlement(f"{lived_in}/.state/queue", clock=lambda: NOW).claim(10, 60.0)
    assert claim
    with pytest.raises(Busy):
        purged(lived_in)
    assert Path(lived_in, PATH).exists()
    assert not Path(lived_in, ".state/purging").exists()


def test_a_repository_that_is_shared_with_another_folder_is_refused(lived_in: str, place: Path) -> None:
    Repository(lived_in).run("worktree", "add", "--quiet", f"{place}/elsewhere", "HEAD~1")
    with pytest.raises(GitFailed, match="shared"):
        purge.plan(lived_in, PATH)
    assert Path(lived_in, PATH).exists()


def killed_at(vault: str, nth: int) -> bool:
    """Carry the purge out in a process that is killed at its n-th step; whether it came so far."""
    child = os.fork()
    if not child:
        steps = iter(range(100))

        def die_at_last(_: str) -> None:
            if next(steps) == nth:
                os.kill(os.getpid(), signal.SIGKILL)

        try:
            purge.carry_out(vault, purge.plan(vault, PATH), NOW, die_at_last, by=BY_USER)
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


@pytest.mark.parametrize("nth", range(6))
def test_a_purge_killed_between_two_effects_is_finished_by_the_next_run(lived_in: str, nth: int) -> None:
    assert killed_at(lived_in, nth)
    pending = purge.unfinished(lived_in)
    assert pending
    assert purge.plan(lived_in, PATH) == pending
    assert purge.carry_out(lived_in, pending, NOW, by=BY_USER).left == ()
    assert_gone(lived_in)
    assert purge_history.idents(Path(lived_in, "purged").read_bytes()) == purge_history.gone(lived_in) != set()
    assert purge.unfinished(lived_in) is None


def test_a_repository_caught_between_two_places_is_put_back(lived_in: str) -> None:
    head = Repository(lived_in).head()
    os.rename(f"{lived_in}/.git", f"{lived_in}/.state/{purge_history.OLD}")
    purge_history.mend(lived_in)
    assert Repository(lived_in).head() == head


def test_folders_change_places_on_a_system_without_an_exchange(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "exchange", lambda *_: False)
    for name in ("one", "other"):
        (place / name).mkdir()
        (place / name / "was").write_text(name)
    purge_history.exchange(f"{place}/one", f"{place}/other", f"{place}/aside")
    assert (place / "other" / "was").read_text() == "one"
    assert (place / "aside" / "was").read_text() == "other"


def test_a_text_is_found_across_line_breaks_and_where_it_was_cut() -> None:
    scrubber = Scrubber([SECRET])
    wrapped = SECRET.replace(" port ", "\n   port ")
    assert scrubber.clean(f"a {wrapped} b") == "a [purged] b"
    assert scrubber.clean(f"a {SECRET[:25]}… b") == "a [purged] b"
    assert scrubber.clean(f"a {SECRET[:25]} b") == f"a {SECRET[:25]} b"
    assert scrubber.clean(f"a {SECRET[:10]}… b") == f"a {SECRET[:10]}… b"


def test_a_short_name_goes_only_where_it_stands_by_itself() -> None:
    scrubber = Scrubber(["Use the VPN", "rules/vpn.md"])
    assert scrubber.clean("Use the VPN, and reUse the VPNs") == "[purged], and reUse the VPNs"
    assert scrubber.clean("(rules/vpn.md) (rules/vpn.md.bak) my-rules/vpn.md") == (
        "([purged]) ([purged].bak) my-rules/vpn.md"
    )


def test_a_log_in_the_vault_stays_a_log() -> None:
    scrubber = Scrubber(['He said "never on a Friday afternoon"'])
    record = {"id": "1", "text": 'so: He said "never on a Friday afternoon".'}
    raw = log.frame(codec.encode(record)) + log.frame(codec.encode({"id": "2", "text": "kept"}))
    found = list(log.scan(scrubber.scrubbed(raw)))
    assert [one.what for one in found] == [log.RECORD, log.RECORD]
    assert codec.decode(found[0].payload)["text"] == "so: [purged]."
    assert scrubber.holds(raw)
    assert not scrubber.holds(scrubber.scrubbed(raw))


def test_a_purge_works_in_a_vault_made_by_the_command_line(fresh: Home) -> None:
    vault = str(fresh.vault)
    taken = fresh.flag(SECRET)
    commit(vault, "close", {PATH: a_note(SECRET, sources=(taken.id,))})
    assert purged(vault).left == ()
    assert fresh.texts() == []


def test_a_sync_does_not_bring_back_what_was_purged(lived_in: str, place: Path) -> None:
    shared = f"{place}/shared.git"
    subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", shared], check=True)
    sync.sync(lived_in, NOW, shared)
    other = f"{place}/other"
    sync.sync(other, NOW, shared)
    purge.carry_out(lived_in, purge.plan(lived_in, PATH), NOW, by=BY_USER)
    with pytest.raises(UsageError, match="still has what was purged"):
        sync.sync(lived_in, NOW)
    commit(other, "remember", {"knowledge/more.md": a_note(OTHER, name="More")})
    sync.sync(other, NOW)
    with pytest.raises(UsageError, match="still has what was purged"):
        sync.sync(lived_in, NOW)
    assert SECRET.encode() not in everything(lived_in)
    fresh = f"{place}/fresh.git"
    subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", fresh], check=True)
    assert sync.sync(lived_in, NOW, fresh).sent


def a_remote(place: Path, name: str) -> str:
    subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", f"{place}/{name}"], check=True)
    return f"{place}/{name}"


def held_by(repository: str) -> bytes:
    """Every object of a remote that some reference leads to."""
    listed = subprocess.run(
        ["git", "-C", repository, "rev-list", "--all", "--objects"], capture_output=True, check=True
    ).stdout
    names = b"".join(line.split()[0] + b"\n" for line in listed.splitlines())
    shown = subprocess.run(
        ["git", "-C", repository, "cat-file", "--batch"], input=names, capture_output=True, check=True
    )
    return shown.stdout


def test_a_machine_that_still_has_what_was_purged_elsewhere_cannot_bring_it_back(lived_in: str, place: Path) -> None:
    old, new, other = a_remote(place, "old.git"), a_remote(place, "new.git"), f"{place}/other"
    sync.sync(lived_in, NOW, old)
    sync.sync(other, NOW, old)
    assert purged(lived_in).left == ()
    sync.sync(lived_in, NOW, new)
    commit(other, "remember", {"knowledge/more.md": a_note("Something that only this one has", name="More")})
    head = Repository(other).head()
    for joining in (False, True):
        with pytest.raises(
            UsageError, match=r"^This machine still has what was purged elsewhere.*nothing was changed.*HO"
        ):
            sync.sync(other, NOW, new, joining=joining)
        with pytest.raises(UsageError, match="purged elsewhere"):
            sync.preview(other, new, joining=joining)
    assert Repository(other).head() == head
    assert Repository(other).text("remote", "get-url", "origin") == old
    assert SECRET.encode() not in held_by(new)
    assert OTHER.encode() in held_by(new)


def test_a_fresh_folder_takes_the_purged_vault_and_its_list_and_refuses_the_old_remote(
    lived_in: str, place: Path
) -> None:
    old, new, third = a_remote(place, "old.git"), a_remote(place, "new.git"), f"{place}/third"
    sync.sync(lived_in, NOW, old)
    purged(lived_in)
    sync.sync(lived_in, NOW, new)
    sync.sync(third, NOW, new)
    assert purge_history.gone(third) == purge_history.gone(lived_in) != set()
    assert not Path(third, ".state/purged").exists()
    with pytest.raises(UsageError, match="still has what was purged here"):
        sync.sync(third, NOW, old)
    commit(third, "remember", {"knowledge/more.md": a_note("A third machine goes on", name="More")})
    sync.sync(third, NOW)
    assert "knowledge/more.md" in sync.sync(lived_in, NOW).taken
    assert SECRET.encode() not in everything(third)


def test_the_list_of_a_purge_holds_the_commits_that_went_and_nothing_else(lived_in: str) -> None:
    repository = Repository(lived_in)
    before = set(repository.text("rev-list", "HEAD").split())
    purged(lived_in)
    lines = Path(lived_in, "purged").read_text().splitlines()
    after = set(repository.text("rev-list", "HEAD").split())
    assert before - after <= set(lines)
    assert not after.intersection(lines)
    assert lines == sorted(set(lines))
    assert all(len(line) == 40 and set(line) <= set("0123456789abcdef") for line in lines)
    assert repository.text("show", "HEAD:purged").splitlines() == lines
    assert repository.text("status", "--porcelain") == ""
    commit(lived_in, "another", {"knowledge/second.md": a_note("A second note that has to go", name="Second")})
    assert purge.carry_out(lived_in, purge.plan(lived_in, "knowledge/second.md"), NOW, by=BY_USER).left == ()
    assert set(lines) < set(Path(lived_in, "purged").read_text().splitlines())


def test_a_purge_older_than_the_list_or_cut_short_before_it_is_told_by_the_next_sync(
    lived_in: str, place: Path
) -> None:
    old, new, other = a_remote(place, "old.git"), a_remote(place, "new.git"), f"{place}/other"
    sync.sync(lived_in, NOW, old)
    sync.sync(other, NOW, old)
    purged(lived_in)
    told = Path(lived_in, "purged").read_text()
    commit(lived_in, "as it was before", {"purged": None})
    sync.sync(lived_in, NOW, new)
    assert Path(lived_in, "purged").read_text() == told
    with pytest.raises(UsageError, match="purged elsewhere"):
        sync.sync(other, NOW, new)


def test_a_history_put_back_by_hand_does_not_lock_its_own_vault_out(lived_in: str, place: Path) -> None:
    with writing(lived_in, NOW):
        pass
    head = Repository(lived_in).head()
    Path(lived_in, ".state/purged").write_text(f"{head}\n")
    new = a_remote(place, "new.git")
    sync.sync(lived_in, NOW, new)
    assert sync.sync(lived_in, NOW).sent == 0
    assert not Path(lived_in, "purged").exists()


def test_purged_commits_that_somebody_fetched_by_hand_are_not_merged(lived_in: str, place: Path) -> None:
    old = a_remote(place, "old.git")
    sync.sync(lived_in, NOW, old)
    other = f"{place}/other"
    sync.sync(other, NOW, old)
    commit(other, "remember", {"knowledge/more.md": a_note(OTHER, name="More")})
    sync.sync(other, NOW)
    purged(lived_in)
    head = Repository(lived_in).head()
    assert Repository(lived_in).attempt("fetch", old, "refs/heads/main", network=True).returncode == 0
    with pytest.raises(UsageError, match="still has what was purged here"):
        sync.sync(lived_in, NOW)
    assert Repository(lived_in).head() == head


def test_words_of_a_persons_own_in_a_file_of_that_name_stay(lived_in: str) -> None:
    commit(lived_in, "mine", {"purged": "a list of mine\n"})
    purged(lived_in)
    lines = Path(lived_in, "purged").read_text().splitlines()
    assert "a list of mine" in lines
    assert purge_history.gone(lived_in) == set(lines) - {"a list of mine"}
