"""The vault's git repository and its history, a change that was cut short, and faults that a close has left."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from holdfast.capture import notices, platform
from holdfast.close import work
from holdfast.errors import GitFailed, HistoryDamaged
from holdfast.health.finding import MEND, bad, good, lost, note, reason
from holdfast.text.layout import first_of, many, when
from holdfast.vault import git_damage, git_repair, git_settings
from holdfast.vault.git import BRANCH, LOCKS, Repository, remove_stale_locks
from holdfast.vault.git_objects import UNSEEN
from holdfast.vault.transaction import UNMERGED, is_being_written, locked, writing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.health.finding import Finding, Place
    from holdfast.vault.git_objects import Damage

PATIENCE = 10.0
TRIED_AGAIN = (notices.CLOSE, notices.UNWRITABLE, notices.HISTORY)  # a close that works ends them
LOOKED_AT = (notices.OBJECTS, notices.VERSIONS)  # of a history that is written all the same: `history` judges it anew


def check_git(place: Place) -> list[Finding]:
    """Git runs, the repository has a head on its branch, nobody's merge is half done, no lock of a dead git is left."""
    if not os.path.isdir(place.vault):
        return []
    repository = Repository(place.vault)
    version = repository.run("--version", timeout=PATIENCE).decode("utf-8", "replace").strip()
    damaged = note("git", f"{version}; the line `history` says what is wrong with the vault's repository")
    if any(git_damage.in_files(repository)):
        return [damaged]
    if not repository.exists():
        return [good("git", f"{version}; the first change to the vault makes its history")]
    try:
        found = _repository(place, repository)
    except GitFailed:
        if not git_damage.look(repository):
            raise
        found = damaged
    return [found or good("git", f"{version}, at commit {repository.head()[:10] or 'none yet'}")]


def _repository(place: Place, repository: Repository) -> Finding | None:
    begun = repository.begun_by_hand()
    if begun:
        return bad("git", f"a {begun} that somebody began in {place.vault} is not finished", "finish it with git there")
    locks = [] if is_being_written(place.vault) else stale_locks(repository)
    if locks:
        fix = f"{MEND} removes it on proof that its owner is dead, and so does the next change"
        return bad("git", f"a git that was killed left {first_of(locks)}", fix, can_fix=True)
    looked = ("status", "--porcelain", "-z", "--untracked-files=no", "--no-renames", "--ignore-submodules=all")
    raw = repository.run(*looked, timeout=PATIENCE)
    lines = [line for line in raw.split(b"\0") if line]
    torn = [line[3:].decode("utf-8", "replace") for line in lines if line[:2] in UNMERGED]
    if torn:
        return bad("git", f"in conflict: {first_of(torn)}", "mend it and `git add` it in the vault")
    if repository.head() and repository.attempt("symbolic-ref", "--quiet", "HEAD", timeout=PATIENCE).returncode:
        behind = repository.attempt("merge-base", "--is-ancestor", f"refs/heads/{BRANCH}", "HEAD", timeout=PATIENCE)
        if behind.returncode == 1:
            what = f"{place.vault} stands at an old commit, apart from its branch {BRANCH}; nothing is filed"
            return bad("git", what, f"`git checkout {BRANCH}` in it brings the memory back")
    return None


def check_history(place: Place) -> list[Finding]:
    """The repository is whole: its files, its references, and all objects that the last commit leads to."""
    if not os.path.isdir(place.vault) or is_being_written(place.vault):
        return []
    repository = Repository(place.vault)
    if not repository.exists() and not any(git_damage.in_files(repository)):
        return []
    try:
        found = git_damage.look(repository)
    except GitFailed as error:
        return [note("history", f"all of it could not be looked at: {reason(error)}")]
    if not found:
        accepted = len(git_settings.accepted(place.vault))
        but = f", but for {many(accepted, 'object')} that you accepted as lost" if accepted else ""
        return [good("history", f"every object of it can be read{but}")]
    return [_damage(found)]


def _damage(found: list[Damage]) -> Finding:
    what = "; ".join(one.what for one in found)
    can_mend = any(not one.is_lost and one.part != UNSEEN for one in found)
    gone = [one for one in found if one.is_lost]
    if not gone:
        is_seen = all(one.part != UNSEEN for one in found)
        sure = "mends it; nothing is lost" if is_seen else "mends what is named; whether anything is lost is seen then"
        return bad("history", what, f"{MEND} {sure}", can_fix=True)
    first = f"{MEND} mends the rest; " if can_mend else ""
    way = "`holdfast doctor --new-history` keeps the old history beside and goes on with the notes as they are"
    if all(one.goes_on for one in gone):
        way = f"closes go on; {way}"
    if all(one.goes_on and one.idents for one in gone):
        way = (
            "closes go on; `holdfast doctor --accept-lost` ends this alarm and keeps every commit, "
            "`holdfast doctor --new-history` begins anew from the last whole one"
        )
    return lost("history", what, f"{first}{way}", can_fix=can_mend)


def stale_locks(repository: Repository) -> list[str]:
    """Lock files of git that are there now, by name."""
    folder = repository.own_folder()
    found = [name for name in LOCKS if os.path.lexists(f"{folder}/{name}")]
    for top, _, names in os.walk(f"{folder}/refs"):
        found += [os.path.relpath(f"{top}/{name}", folder) for name in names if name.endswith(".lock")]
    return found


def check_journal(place: Place) -> list[Finding]:
    """A change to several files that was cut short waits in the journal."""
    if not os.path.isdir(place.state):
        return []
    names = platform.names(f"{place.state}/writing")
    unreadable = [f".state/writing/{name}" for name in names if name.startswith("journal.unreadable-")]
    if unreadable:
        fix = "look whether `holdfast history` has the change; the file can then be put away"
        return [bad("journal", f"a change was cut short and cannot be read: {first_of(unreadable)}", fix)]
    if "journal" in names and not is_being_written(place.vault):
        fix = f"{MEND} finishes it, and so does the next change to the vault"
        return [bad("journal", "a change to the vault was cut short", fix, can_fix=True)]
    return [good("journal", "no change was cut short")]


def check_faults(place: Place) -> Iterator[Finding]:
    """One check for each that stands, the worst first."""
    found = [one for one in notices.standing(place.state) if one.name not in LOOKED_AT]
    for one in found:
        what = f"since {when(one.since)}, {one.what}{f' ({one.detail})' if one.detail else ''}"
        yield bad("faults", what, f"`{one.command}`; a close that works ends it", can_fix=one.name in TRIED_AGAIN)
    if not found:
        yield good("faults", "no command has failed for good")


def mend_locks(place: Place) -> str:
    with locked(place.vault, PATIENCE) as repository:
        removed = remove_stale_locks(repository)
    return f"removed {', '.join(os.path.basename(path) for path in removed) or 'no lock'}, whose owner is dead"


def mend_history(place: Place) -> str:
    """Mend what is derived in the repository; then a writer goes through, which ends the fault that starts tell of. The
    check tells what is left, once."""
    with locked(place.vault, PATIENCE) as repository:
        done = git_repair.mend(repository, place.clock())
        left = git_damage.look(repository)
    said = f"mended the history: {'; '.join(done) or 'nothing was left to do'}"
    try:
        with writing(place.vault, place.clock(), PATIENCE):
            pass
    except HistoryDamaged:
        return f"{said}; not all of it could be"
    work.note(place.vault, left, place.clock())
    return said


def mend_journal(place: Place) -> str:
    with writing(place.vault, place.clock(), PATIENCE):
        return "finished the change that was cut short"
