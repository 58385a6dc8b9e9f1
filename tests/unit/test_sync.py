"""Two machines with one vault: whatever both wrote is on both afterwards, and a kill changes nothing about that."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hook_support import SOURCE

from holdfast.capture.gate import BY_UPKEEP
from holdfast.errors import GitFailed, NewerFormat, NotFound, UsageError
from holdfast.vault import front_matter_edits, history, index, journal, note_facets, notes, remote
from holdfast.vault.git import Repository
from holdfast.vault.journal import beside_of
from holdfast.vault.sync import Conflict, Synced, preview, sync
from holdfast.vault.transaction import writing

pytestmark = pytest.mark.slow  # it starts processes by the hundred

if TYPE_CHECKING:
    from hook_support import Home, Terminal

NOW = 1_800_000_000.0
PATH = "knowledge/locks.md"
FIRST = "[2027-01-01 10:00:00] [shop] the first session\n"


def text(name: str = "locks", body: str = "One.\nTwo.\nThree.", **more: Any) -> str:
    return notes.new_text(
        name=name,
        description=name,
        kind="knowledge",
        body=body,
        day="2027-01-15",
        project="global",
        origin="user",
        **more,
    )


def write(vault: str, subject: str, texts: dict[str, str | None]) -> None:
    with writing(vault, NOW) as writer:
        writer.commit(subject, texts, cause="close", by=BY_UPKEEP)


def bare(folder: Path) -> str:
    subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", str(folder)], check=True)
    return str(folder)


def tree(vault: str) -> str:
    return Repository(vault).text("rev-parse", "HEAD^{tree}")


def head(vault: str) -> str:
    return Repository(vault).head()


def there(vault: str, path: str = PATH) -> str:
    return Path(vault, path).read_text(encoding="utf-8")


def is_clean(vault: str) -> bool:
    return Repository(vault).text("status", "--porcelain") == ""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bare remote, and two vaults that come from it and hold one note and one line of activity."""
    folder = tmp_path_factory.mktemp("machines")
    shared = bare(folder / "shared.git")
    one, two = f"{folder}/one", f"{folder}/two"
    write(one, "begin", {PATH: text(sources=["a"]), "activity.log": FIRST})
    sync(one, NOW, shared)
    sync(two, NOW, shared)
    sync(one, NOW)
    return folder


@pytest.fixture
def machines(place: Path, template: Path) -> tuple[str, str, str]:
    """The remote and the two vaults, for one test."""
    for name in ("shared.git", "one", "two"):
        shutil.copytree(template / name, place / name)
    for name in ("one", "two"):
        settings = place / name / ".git/config"
        settings.write_text(settings.read_text().replace(str(template), str(place)))
    return f"{place}/shared.git", f"{place}/one", f"{place}/two"


def close_a_session(vault: str, name: str, day: int) -> None:
    """What a close leaves: a note, a handoff, a line of activity, and a source more in a note that was there."""
    line = f"[2027-01-{day:02} 10:00:00] [shop] {name}\n"
    found = front_matter_edits.parse(there(vault))
    write(
        vault,
        f"close of {name}",
        {
            PATH: front_matter_edits.edit(
                found, {"sources": [*found.fields["sources"], name], "edited": f"2027-02-{day:02}"}
            ),
            f"knowledge/{name}.md": text(name),
            f"lineage/shop-1/2027-{name}.md": f"---\ntitle: {name}\n---\nNext: go on.\n",
            "activity.log": there(vault, "activity.log") + line,
        },
    )


def rest(one: str, two: str) -> None:
    """One more sync of each, and nothing is left to move."""
    sync(one, NOW)
    sync(two, NOW)
    assert head(one) == head(two)
    assert tree(one) == tree(two)
    for vault in (one, two):
        assert is_clean(vault)
        assert note_facets.is_current(there(vault, "BRAIN.md"), index.load(vault).notes)
    before = head(one)
    assert sync(one, NOW) == Synced(preview(one).remote, (), 0, (), before)
    assert sync(two, NOW).commit == before


def test_an_empty_remote_gets_everything_and_becomes_the_origin(place: Path, vault: str) -> None:
    shared = bare(place / "shared.git")
    write(vault, "begin", {PATH: text()})
    done = sync(vault, NOW, shared)
    assert (done.remote, done.taken, done.sent, done.commit) == (shared, (), 2, head(vault))
    assert Repository(vault).text("remote", "get-url", "origin") == shared
    assert sync(vault, NOW).sent == 0


def test_a_fresh_machine_takes_the_vault_over_and_is_part_of_its_history(machines: tuple[str, str, str]) -> None:
    _, one, two = machines
    assert there(two) == there(one)
    assert there(two, "activity.log") == FIRST
    assert index.load(two).known.keys() == {PATH}
    rest(one, two)


@pytest.mark.parametrize("order", ["first to first", "last to first"])
def test_two_machines_that_both_closed_sessions_lose_nothing(machines: tuple[str, str, str], order: str) -> None:
    _, one, two = machines
    close_a_session(one, "carts", 2)
    close_a_session(two, "boats", 3)
    close_a_session(one, "trees", 4)
    mine, other = (one, two) if order == "first to first" else (two, one)
    sync(mine, NOW)
    done = sync(other, NOW)
    assert done.conflicts == ()
    rest(one, two)
    assert there(one, "activity.log") == FIRST + "".join(
        f"[2027-01-0{day} 10:00:00] [shop] {name}\n" for day, name in ((2, "carts"), (3, "boats"), (4, "trees"))
    )
    fields = front_matter_edits.parse(there(one)).fields
    assert sorted(fields["sources"]) == ["a", "boats", "carts", "trees"]
    assert fields["edited"] == "2027-02-04"
    for name in ("carts", "boats", "trees"):
        assert there(one, f"knowledge/{name}.md") == text(name)
        assert Path(one, f"lineage/shop-1/2027-{name}.md").exists()
        assert f"knowledge/{name}.md" in there(one, "BRAIN.md")
    assert history.changes(one, "knowledge/boats.md")[0].subject == "close of boats"


def test_a_machine_that_wrote_nothing_ends_at_their_very_commit(machines: tuple[str, str, str]) -> None:
    _, one, two = machines
    sync(one, NOW)
    close_a_session(one, "carts", 2)
    done = sync(one, NOW)
    taken = sync(two, NOW)
    assert (done.sent, taken.sent) == (1, 0)
    assert head(two) == head(one)
    assert taken.taken == ("activity.log", "knowledge/carts.md", PATH, "lineage/shop-1/2027-carts.md")
    assert is_clean(two)


def test_what_both_changed_differently_is_kept_twice_and_said(machines: tuple[str, str, str]) -> None:
    _, one, two = machines
    write(one, "ours", {PATH: text(body="One.\n2.\nThree.", sources=["a"])})
    write(two, "theirs", {PATH: text(body="One.\nII.\nThree.", sources=["a"])})
    sync(one, NOW)
    done = sync(two, NOW)
    place = beside_of(PATH, Repository(one).text("rev-parse", f"HEAD:{PATH}"))
    assert re.fullmatch(r"knowledge/locks\.theirs-[0-9a-f]{7}\.md", place)
    assert done.conflicts == (Conflict(PATH, place, "both changed the same lines"),)
    rest(one, two)
    assert there(one) == text(body="One.\nII.\nThree.", sources=["a"])
    assert there(one, place) == text(body="One.\n2.\nThree.", sources=["a"])
    assert place in there(one, "BRAIN.md")


def test_a_note_removed_on_one_machine_and_changed_on_the_other_stays_and_is_said(
    machines: tuple[str, str, str],
) -> None:
    _, one, two = machines
    write(one, "forget", {PATH: None})
    write(two, "longer", {PATH: text(body="Four.")})
    sync(one, NOW)
    assert [(found.path, found.theirs) for found in sync(two, NOW).conflicts] == [(PATH, "")]
    rest(one, two)
    assert there(one) == text(body="Four.")


def test_a_note_removed_on_one_machine_is_removed_on_the_other(machines: tuple[str, str, str]) -> None:
    _, one, two = machines
    write(one, "forget", {PATH: None})
    write(two, "close", {"knowledge/boats.md": text("boats")})
    sync(one, NOW)
    sync(two, NOW)
    rest(one, two)
    assert not Path(two, PATH).exists()
    assert PATH not in there(two, "BRAIN.md")


def test_the_operators_words_of_both_machines_are_in_the_brain(machines: tuple[str, str, str]) -> None:
    _, one, two = machines
    Path(one, "BRAIN.md").write_text("Above.\n" + there(one, "BRAIN.md"), encoding="utf-8")
    Path(two, "BRAIN.md").write_text(there(two, "BRAIN.md") + "Below.\n", encoding="utf-8")
    write(two, "close", {"knowledge/boats.md": text("boats")})
    sync(one, NOW)
    assert "BRAIN.md" in sync(two, NOW).taken
    rest(one, two)
    shown = there(one, "BRAIN.md")
    assert shown.startswith("Above.\n")
    assert shown.endswith("Below.\n")
    assert "boats.md" in shown


def test_a_person_who_saves_a_file_during_the_merge_keeps_it_and_theirs_is_merged_in(
    machines: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, one, two = machines
    write(one, "first line", {PATH: text(body="1.\nTwo.\nThree.", sources=["a"])})
    sync(one, NOW)
    real = journal.apply
    saved: list[str] = []

    def apply(repository: Repository, change: journal.Change) -> journal.Applied:
        if change.parents and not saved:
            Path(two, PATH).write_text(text(body="One.\nTwo.\n3.", sources=["a"]), encoding="utf-8")
            saved.append(change.id)
        return real(repository, change)

    monkeypatch.setattr(journal, "apply", apply)
    done = sync(two, NOW)
    assert saved
    assert done.conflicts == ()
    assert there(two) == text(body="1.\nTwo.\n3.", sources=["a"])
    assert "hand" in [entry.cause for entry in history.changes(two)]
    rest(one, two)


def test_somebody_who_pushes_in_between_costs_one_more_round(
    machines: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, one, two = machines
    close_a_session(one, "carts", 2)
    close_a_session(two, "boats", 3)
    real = remote.push
    tried: list[str] = []

    def push(repository: Repository, name: str, commit: str) -> bool:
        if not tried:
            tried.append(commit)
            assert real(Repository(one), "origin", head(one))
        return real(repository, name, commit)

    monkeypatch.setattr(remote, "push", push)
    done = sync(two, NOW)
    assert tried != [done.commit]
    rest(one, two)
    assert there(two, "knowledge/carts.md") == text("carts")


def test_a_remote_that_cannot_be_reached_is_one_sentence_and_changes_nothing(
    machines: tuple[str, str, str],
) -> None:
    shared, one, _ = machines
    close_a_session(one, "carts", 2)
    before = head(one)
    os.rename(shared, f"{shared}.away")
    with pytest.raises(
        GitFailed, match=r"^/.*shared\.git: .*; nothing was changed\. Run `holdfast sync` again later\.$"
    ):
        sync(one, NOW)
    assert head(one) == before
    os.rename(f"{shared}.away", shared)
    assert sync(one, NOW).sent == 1


def refuse_pushes(shared: str) -> None:
    with open(f"{shared}/config", "a", encoding="utf-8") as config:
        config.write("[receive]\n\thideRefs = refs/heads/main\n")


def test_a_remote_that_refuses_our_commits_is_said_and_nothing_is_forced(machines: tuple[str, str, str]) -> None:
    shared, one, _ = machines
    close_a_session(one, "carts", 2)
    refuse_pushes(shared)
    with pytest.raises(GitFailed, match=r"refused our commits .*hidden ref.*ours are kept here"):
        sync(one, NOW)


def test_a_vault_that_shares_no_history_is_refused(machines: tuple[str, str, str], place: Path) -> None:
    shared, one, _ = machines
    other = f"{place}/other"
    write(other, "begin", {"knowledge/own.md": text("own")})
    before = head(other)
    with pytest.raises(UsageError, match=r"shares no history with this one; nothing was changed\..* `--join`"):
        sync(other, NOW, shared)
    assert head(other) == before
    assert Repository(other).text("remote") == ""
    assert sync(one, NOW).taken == ()


def begin_apart(vault: str, words: str) -> None:
    """A second machine that was already used: a note like theirs, one unlike theirs, one of its own, own words."""
    write(
        vault,
        "begin apart",
        {PATH: text(sources=["a"]), "knowledge/own.md": text("own"), "knowledge/both.md": text("both", "Here.")},
    )
    write(vault, "own words", {"BRAIN.md": there(vault, "BRAIN.md").replace("# Brain\n", f"# Brain\n{words}\n")})
    write(vault, "a session", {"activity.log": "[2027-01-02 10:00:00] [shop] apart\n"})


def test_two_vaults_that_began_apart_are_joined_where_that_is_wanted(
    machines: tuple[str, str, str], place: Path
) -> None:
    shared, one, two = machines
    other = f"{place}/other"
    begin_apart(other, "Mine: tea.")
    write(one, "both", {"knowledge/both.md": text("both", "There.")})
    write(one, "words", {"BRAIN.md": there(one, "BRAIN.md").replace("# Brain\n", "# Brain\nTheirs: coffee.\n")})
    sync(one, NOW)
    mine, theirs = head(other), head(one)
    shown = preview(other, shared, joining=True)
    assert head(other) == mine
    done = sync(other, NOW, shared, joining=True)
    assert (done.taken, done.conflicts) == (shown.taken, shown.conflicts)
    beside = beside_of("knowledge/both.md", Repository(one).text("rev-parse", "HEAD:knowledge/both.md"))
    assert done.conflicts == (Conflict("knowledge/both.md", beside, "both changed the same lines"),)
    assert Repository(other).text("rev-list", "--parents", "-n1", "HEAD").split()[1:] == [mine, theirs]
    sync(one, NOW)
    rest(one, other)
    assert there(one) == text(sources=["a"])
    assert (there(one, "knowledge/own.md"), there(one, "knowledge/both.md")) == (text("own"), text("both", "Here."))
    assert there(one, beside) == text("both", "There.")
    assert there(one, "activity.log") == FIRST + "[2027-01-02 10:00:00] [shop] apart\n"
    assert there(one, "BRAIN.md").startswith("# Brain\nMine: tea.\nTheirs: coffee.\n\nWhat every session")
    assert there(one, "BRAIN.md").count(note_facets.BEGIN) == 1
    sync(two, NOW)
    assert head(two) == head(other)


def test_joining_vaults_that_share_their_history_is_a_sync_as_ever(machines: tuple[str, str, str]) -> None:
    _, one, two = machines
    write(one, "shorter", {PATH: None})
    write(two, "more", {"knowledge/more.md": text("more")})
    sync(one, NOW, joining=True)
    assert sync(two, NOW, joining=True).conflicts == ()
    rest(one, two)
    assert not os.path.exists(f"{two}/{PATH}")


def test_an_address_that_a_sync_succeeded_with_is_the_origin_from_then_on(
    machines: tuple[str, str, str], place: Path
) -> None:
    shared, one, _ = machines
    other = bare(place / "other.git")
    repository = Repository(one)
    repository.run("config", "remote.origin.pushurl", shared)
    assert preview(one, other).origin_was == ""
    assert repository.text("remote", "get-url", "origin") == shared
    done = sync(one, NOW, other)
    assert (done.remote, done.origin_was) == (other, shared)
    write(one, "more", {"knowledge/more.md": text("more")})
    again = sync(one, NOW)
    assert (again.remote, again.sent, again.origin_was) == (other, 1, "")
    assert Repository(other).attempt("rev-parse", "HEAD").returncode
    heads = [repository.attempt("ls-remote", where, network=True).stdout for where in (other, shared)]
    assert again.commit.encode() in heads[0]
    assert again.commit.encode() not in heads[1]
    assert sync(one, NOW, other).origin_was == ""


def test_an_address_that_refused_our_commits_does_not_become_the_origin(
    machines: tuple[str, str, str], place: Path
) -> None:
    shared, one, _ = machines
    other = bare(place / "other.git")
    refuse_pushes(other)
    with pytest.raises(GitFailed, match="refused our commits"):
        sync(one, NOW, other)
    assert Repository(one).text("remote", "get-url", "origin") == shared


def test_a_remote_known_by_its_name_does_not_become_the_origin(machines: tuple[str, str, str], place: Path) -> None:
    shared, one, _ = machines
    other = bare(place / "other.git")
    Repository(one).run("config", "remote.backup.url", other)
    assert (sync(one, NOW, "backup").remote, sync(one, NOW).remote) == (other, shared)


@pytest.mark.parametrize("address", ["{place}/none.git", "file://{place}/none.git", "./none.git", "{place}/no:ne.git"])
def test_an_address_where_nothing_is_says_what_is_wrong_with_it(vault: str, place: Path, address: str) -> None:
    with pytest.raises(
        NotFound, match=r"^There is nothing at /.*ne\.git; nothing was changed\. .*git init --bare"
    ) as no:
        sync(vault, NOW, address.format(place=place))
    assert "again later" not in str(no.value)
    assert not os.path.exists(vault)


def test_a_folder_that_is_no_repository_says_what_is_wrong_with_it(vault: str, place: Path) -> None:
    (place / "plain").mkdir()
    with pytest.raises(GitFailed, match=r"plain: .*not appear to be a git repository; .*git init --bare") as refused:
        sync(vault, NOW, f"{place}/plain")
    assert "again later" not in str(refused.value)


def test_an_address_without_its_ending_is_found_as_git_finds_it(vault: str, place: Path) -> None:
    bare(place / "shared.git")
    write(vault, "begin", {PATH: text()})
    assert sync(vault, NOW, f"{place}/shared").sent == 2


def test_the_command_joins_and_says_which_origin_is_new(
    fresh: Home, terminal: Terminal, machines: tuple[str, str, str], place: Path
) -> None:
    shared, _, _ = machines
    vault, first = str(fresh.vault), bare(place / "first.git")
    begin_apart(vault, "Mine: tea.")
    assert "origin is now" not in terminal("sync", "--remote", first).out
    refused = terminal("sync", "--remote", shared)
    assert (refused.status, refused.out) == (2, "")
    assert "`--join`" in refused.err
    assert "would be taken" in terminal("sync", "--remote", shared, "--join", "--dry-run").out
    done = terminal("sync", "--remote", shared, "--join")
    assert f"\norigin is now {shared} (was {first})\n" in done.out
    assert terminal("sync").out == f"{shared}: 0 files taken, 0 commits sent\n"


def test_a_repository_that_holds_no_vault_is_refused(place: Path, vault: str) -> None:
    shared = bare(place / "code.git")
    write(vault, "begin", {PATH: text()})
    assert Repository(vault).attempt("push", shared, "HEAD:refs/heads/trunk", network=True).returncode == 0
    with pytest.raises(UsageError, match="has no branch main but others"):
        sync(vault, NOW, shared)


@pytest.mark.parametrize("wanted", ["--upload-pack=touch x", "-x", "a\nb"])
def test_what_is_no_address_is_refused(vault: str, wanted: str) -> None:
    with pytest.raises(UsageError, match="is no remote"):
        sync(vault, NOW, wanted)


def test_a_command_as_an_address_is_never_run(vault: str, place: Path) -> None:
    with pytest.raises(GitFailed):
        sync(vault, NOW, f"ext::sh -c touch% {place}/owned")
    assert not (place / "owned").exists()
    assert Repository(vault).text("remote") == ""


def test_without_a_remote_it_says_how_to_set_one(vault: str) -> None:
    with pytest.raises(NotFound, match="--remote ADDRESS"):
        sync(vault, NOW)
    assert not os.path.exists(vault)
    write(vault, "begin", {PATH: text()})
    with pytest.raises(NotFound, match="--remote ADDRESS"):
        sync(vault, NOW)
    with pytest.raises(NotFound, match="There is no remote upstream"):
        sync(vault, NOW, "upstream")


def push_entry(shared: str, vault: str, mode: str, path: str, content: bytes) -> None:
    """A commit with one entry that no vault of ours would write, made without a work tree."""
    repository = Repository(vault)
    blob = repository.run("hash-object", "-w", "--stdin", given=content).decode().strip()
    if mode == "160000":
        blob = head(vault)
    first, _, below = path.partition("/")
    entry = (mode, "commit" if mode == "160000" else "blob", blob, below or first)
    made = "{} {} {}\t{}\0".format(*entry).encode()
    if below:
        inner = repository.run("mktree", "-z", given=made).decode().strip()
        made = f"040000 tree {inner}\t{first}\0".encode()
    kept = [
        line
        for line in repository.run("ls-tree", "-z", "HEAD").split(b"\0")
        if line and not line.endswith(f"\t{first}".encode())
    ]
    whole = repository.run("mktree", "-z", given=b"".join(line + b"\0" for line in kept) + made).decode().strip()
    commit = repository.text("commit-tree", whole, "-p", "HEAD", "-m", "odd")
    assert repository.attempt("push", shared, f"{commit}:refs/heads/main", network=True).returncode == 0


@pytest.mark.parametrize(
    ("mode", "path", "why"),
    [
        ("120000", "knowledge-link.md", "is a link"),
        ("160000", "sub", "is another repository"),
        ("100644", ".state/armed", "lies outside"),
        ("100644", ".State/armed", "lies outside"),
        ("100644", ".git/config", "lies outside"),
        ("100644", "x" * 300, "has too long a name"),
    ],
)
def test_what_could_reach_out_of_the_notes_is_refused_whole(
    machines: tuple[str, str, str], mode: str, path: str, why: str
) -> None:
    shared, one, two = machines
    sync(one, NOW)
    sync(two, NOW)
    before = head(two)
    push_entry(shared, one, mode, path, b"/etc/passwd")
    with pytest.raises(UsageError, match=why):
        sync(two, NOW)
    assert head(two) == before
    assert is_clean(two)
    write(two, "and it goes on", {"knowledge/on.md": text("on")})


def test_a_link_of_our_own_is_not_sent(machines: tuple[str, str, str]) -> None:
    _, one, _ = machines
    os.symlink("/etc/passwd", f"{one}/knowledge/link.md")
    with pytest.raises(UsageError, match=r"knowledge/link\.md is a link"):
        sync(one, NOW)


def test_a_program_becomes_a_plain_file_and_the_machines_agree(machines: tuple[str, str, str]) -> None:
    shared, one, two = machines
    sync(one, NOW)
    sync(two, NOW)
    push_entry(shared, one, "100755", "run.md", b"words\n")
    sync(one, NOW)
    sync(two, NOW)
    rest(one, two)
    assert Repository(one).text("ls-tree", "HEAD", "run.md").startswith("100644")
    assert not os.stat(f"{one}/run.md").st_mode & 0o111


def test_a_newer_format_is_left_alone(machines: tuple[str, str, str]) -> None:
    shared, one, two = machines
    sync(one, NOW)
    push_entry(shared, one, "100644", "format", b"99\n")
    with pytest.raises(NewerFormat, match="format 99"):
        sync(two, NOW)
    assert there(two, "format") != "99\n"


def test_a_file_here_and_a_folder_there_are_refused_before_a_byte_is_written(machines: tuple[str, str, str]) -> None:
    _, one, two = machines
    write(one, "a file", {"outputs/x": "file\n"})
    write(two, "a folder", {"outputs/x/y": "below\n", "knowledge/boats.md": text("boats")})
    sync(one, NOW)
    before = head(two)
    with pytest.raises(UsageError, match="is a file on one machine and a folder on the other"):
        sync(two, NOW)
    assert head(two) == before
    write(two, "renamed", {"outputs/x/y": None, "outputs/z": "below\n"})
    rest(two, one)


def test_bytes_that_are_no_text_arrive_as_they_are(machines: tuple[str, str, str]) -> None:
    _, one, two = machines
    name = os.fsdecode(b"outputs/caf\xe9")
    os.mkdir(f"{one}/outputs")
    Path(one, name).write_bytes(b"\xff\x00\r\n\xfe")
    rest(one, two)
    assert Path(two, name).read_bytes() == b"\xff\x00\r\n\xfe"
    write(two, "and it goes on", {"knowledge/on.md": text("on")})


def test_a_fetch_that_was_cut_short_is_made_again(machines: tuple[str, str, str]) -> None:
    _, one, two = machines
    close_a_session(one, "carts", 2)
    sync(one, NOW)
    commit = Repository(one).run("cat-file", "commit", head(one))
    left = Repository(two).run("hash-object", "-w", "-t", "commit", "--stdin", given=commit).decode().strip()
    assert left == head(one)
    rest(one, two)
    assert there(two, "knowledge/carts.md") == text("carts")


def test_a_preview_changes_and_sends_nothing(machines: tuple[str, str, str]) -> None:
    _, one, two = machines
    close_a_session(one, "carts", 2)
    close_a_session(two, "boats", 3)
    sync(one, NOW)
    before = head(two)
    shown = preview(two)
    assert shown.dry_run
    assert "knowledge/carts.md" in shown.taken
    assert (head(two), is_clean(two)) == (before, True)
    done = sync(two, NOW)
    assert (done.taken, done.conflicts) == (shown.taken, shown.conflicts)


def test_an_address_is_shown_without_its_secrets(vault: str, token: str) -> None:
    write(vault, "begin", {PATH: text()})
    with pytest.raises(GitFailed) as refused:
        sync(vault, NOW, f"https://ann:{token}@127.0.0.1:1/vault.git")
    assert token not in str(refused.value)
    assert "https://127.0.0.1:1/vault.git" in str(refused.value)


KILLED = """
import os, sys
from holdfast.vault.sync import sync

last = int(sys.argv[2])
seen = 0
def count(event, args):
    global seen
    if event in ("os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "subprocess.Popen"):
        seen += 1
        if seen == last:
            os._exit(9)
sys.addaudithook(count)
sync(sys.argv[1], 1_800_000_000.0)
print(seen)
"""


def sync_until_killed(vault: str, last: int) -> int:
    """Sync in a process that dies before its n-th effect; how many effects there were, 0 where it died."""
    command = [sys.executable, "-c", KILLED, vault, str(last)]
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode in (0, 9), done.stderr
    return int(done.stdout) if done.returncode == 0 else 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["merge", "taken over"])
def test_a_sync_killed_at_any_point_comes_to_the_same_tree(
    machines: tuple[str, str, str], place: Path, kind: str
) -> None:
    _, one, two = machines
    rest(one, two)
    close_a_session(one, "carts", 2)
    write(one, "conflict", {PATH: text(body="One.\n2.\nThree."), "knowledge/gone.md": text("gone")})
    if kind == "merge":
        close_a_session(two, "boats", 3)
        write(two, "conflict", {PATH: text(body="One.\nII.\nThree.")})
    sync(one, NOW)
    shutil.copytree(place, f"{place}.kept", symlinks=True)
    effects = sync_until_killed(two, 0)
    wanted = tree(two)
    points = range(1, effects + 1, max(1, effects // int(os.environ.get("HOLDFAST_KILLS", "6"))))
    try:
        for point in points:
            shutil.rmtree(place)
            shutil.copytree(f"{place}.kept", place, symlinks=True)
            assert sync_until_killed(two, point) == 0, point
            sync(two, NOW)
            assert tree(two) == wanted, point
            assert is_clean(two)
            assert "hand" not in [entry.cause for entry in history.changes(two)], point
            sync(one, NOW)
            assert head(one) == head(two), point
    finally:
        shutil.rmtree(f"{place}.kept")


def test_the_command_says_what_was_taken_sent_and_in_conflict(
    fresh: Home, terminal: Terminal, machines: tuple[str, str, str]
) -> None:
    shared, one, _ = machines
    none = terminal("sync")
    assert (none.status, none.out) == (4, "")
    first = terminal("sync", "--remote", shared)
    assert first.out.startswith(f"{shared}: 2 files taken, ")
    vault = str(fresh.vault)
    write(one, "ours", {PATH: text(body="One.\n2.\nThree.")})
    write(vault, "theirs", {PATH: text(body="One.\nII.\nThree.")})
    sync(one, NOW)
    shown = json.loads(terminal("sync", "--dry-run", "--json").out)
    assert (shown["dry_run"], shown["sent"]) == (True, 1)
    assert "would be sent" in terminal("sync", "--dry-run").out
    done = terminal("sync")
    assert done.status == 0
    assert f"CONFLICT {PATH}: both changed the same lines\n    theirs is kept as knowledge/locks.theirs-" in done.out
    again = json.loads(terminal("sync", "--json").out)
    assert set(again) == {"remote", "taken", "sent", "conflicts", "commit", "dry_run", "origin_was"}
    assert (again["taken"], again["sent"], again["conflicts"]) == ([], 0, [])
