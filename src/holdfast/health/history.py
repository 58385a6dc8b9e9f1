"""The vault's git repository, damaged files of the memory, a change that was cut short, and files made for hooks."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from holdfast.capture import codec, gate, notices, platform
from holdfast.errors import GitFailed
from holdfast.health.finding import MEND, bad, good, lost, note, reason
from holdfast.text.layout import first_of, many, when
from holdfast.vault import armed_file, damage, git_damage, git_settings
from holdfast.vault.git import BRANCH, LOCKS, Repository
from holdfast.vault.git_objects import UNSEEN
from holdfast.vault.transaction import UNMERGED, is_being_written, locked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.health.finding import Finding, Place
    from holdfast.vault.git_objects import Damage

PATIENCE = 10.0
FILES = "memory-files"
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


def check_derived(place: Place) -> Iterator[Finding]:
    """The files that the hook reads are compiled ahead: one that cannot be read costs a start its memory."""
    if not os.path.isdir(place.state):
        return
    broken, briefs = broken_derived(place), _briefs(place)
    if broken:
        what = f"cannot be read in .state: {first_of(broken)}"
        yield bad("derived", what, f"{MEND} makes them anew", can_fix=True)
    else:
        yield good("derived", f"{many(len(briefs), 'brief')} made ahead")
    try:
        text = platform.read_file(f"{place.state}/check", 32).decode("ascii", "replace").strip()
    except OSError:
        return
    if text.isdecimal() and int(text):
        what = f"the last check found {many(int(text), 'error')} in the notes"
        yield note("notes", what, "`holdfast check` lists them")


def broken_derived(place: Place) -> list[str]:
    broken = []
    for name in ("armed", *_briefs(place)):
        try:
            data = platform.read_file(f"{place.state}/{name}")
            is_good = armed_file.is_readable(data) if name == "armed" else isinstance(codec.decode(data), dict)
            broken += [] if is_good else [name]
        except FileNotFoundError:
            continue  # no note is armed
        except (OSError, ValueError):
            broken.append(name)
    return broken


def _briefs(place: Place) -> list[str]:
    return [f"brief/{name}" for name in platform.names(f"{place.state}/brief") if not name.endswith(".tmp")]


def check_faults(place: Place) -> Iterator[Finding]:
    """One check for each that stands, the worst first."""
    found = [one for one in notices.standing(place.state) if one.name not in LOOKED_AT]
    for one in found:
        what = f"since {when(one.since)}, {one.what}{f' ({one.detail})' if one.detail else ''}"
        yield bad("faults", what, f"`{one.command}`; a close that works ends it", can_fix=one.name in TRIED_AGAIN)
    if not found:
        yield good("faults", "no command has failed for good")


def check_damaged(place: Place) -> list[Finding]:
    repository = Repository(place.vault)
    if not os.path.isdir(place.vault) or not repository.exists():
        return []
    try:
        found = damage.find(repository)
        gone = [one.path for one in found if damage.is_lost(repository, one)]
    except GitFailed:
        return [note(FILES, "looked at once the history can be read again, which knows how each file was")]
    if not found:
        return [good(FILES, "every file of the memory can be read and is whole")]
    named = first_of([f"{one.path} {one.why}" for one in found])
    if gone:
        fix = f"{MEND} keeps what is left of it in .state/{damage.ASIDE}, brings back the rest, and ends this alarm"
        what = f"{many(len(found), 'file')} damaged: {named}; the history has no whole version of {first_of(gone)}"
        return [lost(FILES, what, fix, can_fix=True)]
    fix = f"{MEND} brings back what the history has, and keeps the damaged file beside"
    if all(one.why == damage.UNREADABLE for one in found):
        fix = f"{MEND} opens what is yours; another user's file is theirs to give back"
    if any(one.why == damage.GONE for one in found):
        fix += "; if you removed it yourself, say so with a commit in the vault"
    return [bad(FILES, f"{many(len(found), 'file')} damaged: {named}", fix, can_fix=True)]


def mend_damaged(place: Place) -> str:
    may_accept = gate.decide(gate.asker(place.env, place.cwd, place.vault), gate.Change(gate.HISTORY, gate.LIFTED))
    with locked(place.vault, PATIENCE) as repository:
        found = damage.find(repository)
        if may_accept == gate.APPLY:  # the user has been told, and their own word lets it go
            gone = [one.path for one in found if damage.is_lost(repository, one)]
            git_damage.accept_unreadable(repository, gone)
        done = list(damage.restore(repository, found))
        damage.lift_fault(repository)
        return "; ".join(done) or "found nothing damaged any more"
