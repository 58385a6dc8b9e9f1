"""Damage of the vault's repository: named, and told apart by whether it can be made anew.

Power loss, a full disk or a stray hand empties, cuts or removes any file below .git. Much of it can be made anew: the
index from the last commit, references from git's own record or from .state, settings from .state, objects from the
notes as they lie there (vault/git_repair). The rest is lost, and only the user decides to go on without it
(vault/new_history). Files are looked at first and without git, which refuses to start over some of them.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from holdfast.capture import gate, home, notices, platform
from holdfast.errors import GitFailed, HistoryDamaged, NotFound
from holdfast.vault import git_loose, git_objects, git_settings
from holdfast.vault.git_objects import Damage
from holdfast.vault.git_settings import IDENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.vault.git import Repository

MAIN = "main"
PATIENCE = 20.0  # seconds for git to look at all of its objects
MEND, BEGIN, LOOK = "holdfast doctor --fix", "holdfast doctor --new-history", "holdfast doctor"
LARGEST_INDEX = 1 << 30


def refuse(repository: Repository) -> None:
    """Raise HistoryDamaged where a vault that had a history has none to go on with; one without commits passes."""
    vault, folder = repository.vault, repository.own_folder()
    known = git_settings.known(vault)
    if not known and not git_settings.recorded(folder):
        return
    found = next((one for one in in_files(repository) if not one.goes_on), None)
    if found is not None:
        raise explained(repository) or as_error(vault, [found])
    # The folders of the last commit: one that cannot be read would let a change go half way.
    tip = git_settings.tip(folder)
    try:
        _check_folders(folder, tip)
    except LookupError:
        if repository.attempt("ls-tree", "-d", "-r", "HEAD").returncode:
            raise explained(repository) or HistoryDamaged() from None
    is_other = known not in ("", tip) and not _has(repository, known)
    if is_other and not _was_purged(vault, known):
        what = f"it has no commit {known[:10]}, at which it stood before"
        raise as_error(vault, [Damage(git_objects.REPLACED, what, is_lost=True)])


def _was_purged(vault: str, commit: str) -> bool:
    from holdfast.vault import purge_history

    return commit in purge_history.gone(vault)


def _check_folders(folder: str, commit: str) -> None:
    """Read every folder of a commit. Raises LookupError where that cannot be done without git."""
    waiting = [commit]
    while waiting:
        waiting += [ident for mode, ident in git_loose.tree(folder, waiting.pop()).values() if mode == git_loose.FOLDER]


def explained(repository: Repository) -> HistoryDamaged | None:
    """The damage that made git fail, as an error; None where none is found."""
    found = look(repository)
    return as_error(repository.vault, found) if any(not one.goes_on for one in found) else None


def as_error(vault: str, found: list[Damage]) -> HistoryDamaged:
    """As a sentence; `found` is all that a full look has found."""
    stops = [one for one in found if not one.goes_on]
    gone = next((one for one in found if one.is_lost and one.goes_on), None)
    worst = next((one for one in stops if one.is_lost), None) or (stops[0] if stops else gone or found[0])
    way = f"`{MEND}` mends it"
    if worst.is_lost:
        way = f"`{LOOK}` says how to go on" if worst.goes_on else f"`{BEGIN}` goes on without it"
    elif gone:
        way = f"`{MEND}` mends what can be mended, and this is lost: {gone.what}"
    said = f"The history of {vault} is damaged: {worst.what}. The notes are as they were, and flags wait; {way}."
    return HistoryDamaged(said, is_lost=worst.is_lost, what=worst.what)


@contextmanager
def told(repository: Repository) -> Iterator[None]:
    """Where git fails on its way through the history, the damage is told in git's place, with the next step."""
    try:
        yield
    except HistoryDamaged:
        raise
    except GitFailed as error:
        if not error.by_git:
            raise
        raise unreadable(repository) from None


def unreadable(repository: Repository) -> GitFailed:
    """The error for a version that git does not give back."""
    try:
        found = look(repository)
    except GitFailed as error:
        return error
    if found:
        return as_error(repository.vault, found)
    accepted = git_settings.accepted(repository.vault)
    why = "it is among the versions that you accepted as lost" if accepted else f"`{LOOK}` looks at all of it"
    return HistoryDamaged(
        f"A version in the history of {repository.vault} cannot be read; nothing was changed, and {why}.",
        is_lost=bool(accepted),
        what="a version cannot be read",
    )


def note_fault(vault: str, error: HistoryDamaged, now: float) -> None:
    """Starts say so until a writer goes through."""
    mine, other = (notices.HISTORY, notices.HISTORY_LOST)[:: -1 if error.is_lost else 1]
    before = [one for one in notices.standing(home.state(vault)) if one.name == other]
    notices.stand(home.state(vault), mine, error.what, min([now, *(one.since for one in before)]))
    notices.lift(home.state(vault), other)


def look(repository: Repository, patience: float = PATIENCE) -> list[Damage]:
    """All damage that is found, the files first. Objects are held against the commit that the branch stands at once its
    files are mended, so that nothing is called mendable which is lost."""
    found = list(in_files(repository))
    if any(one.part in (git_objects.GONE, git_objects.FOLDERS) and one.is_lost for one in found):
        return found
    try:
        if found:
            return [*found, *git_objects.judge(repository, found)]
    except GitFailed as error:
        return [*found, Damage(git_objects.UNSEEN, f"git's objects could not be looked at ({error})", goes_on=True)]
    # Git's own check of everything, bounded in time; only where that finds something, more is asked.
    words = ("--full", "--no-dangling", "--no-progress", "--no-reflogs")
    done = repository.attempt("fsck", *words, timeout=patience)
    known = git_settings.known(repository.vault)
    is_there = not known or known == git_settings.tip(repository.own_folder()) or _has(repository, known)
    if not done.returncode and (is_there or _was_purged(repository.vault, known)):
        return []
    said = (done.stdout + done.stderr).decode("utf-8", "replace")
    return git_objects.judge(repository, [], said, done.returncode)


def in_files(repository: Repository) -> Iterator[Damage]:
    """Damage that the files alone show, in the order in which git opens them. At most its settings are read by git."""
    folder = repository.own_folder()
    had = git_settings.known(repository.vault) or next(iter(git_settings.recorded(folder)), "")
    if not os.path.isdir(folder):
        if had:
            how = "is no repository" if os.path.lexists(repository.folder) else "is gone"
            yield Damage(git_objects.GONE, f"{repository.folder} {how}", is_lost=True)
        return
    if os.path.isdir(f"{folder}/reftable") or os.path.exists(f"{folder}/commondir"):
        return  # not of our making, and kept in another way: git says itself what is wrong with it
    for name in ("objects", "refs"):
        if not os.path.isdir(f"{folder}/{name}"):
            if had:
                yield Damage(git_objects.FOLDERS, f".git/{name} is gone", is_lost=name == "objects")
            return
    yield from _config(repository.vault, folder)
    head = platform.is_there(f"{folder}/HEAD")
    said = _text(f"{folder}/HEAD") if head else ""
    name, tip = git_settings.branch(folder), git_settings.tip(folder)
    if not name and not IDENT.fullmatch(said):
        if head or had:
            yield Damage(git_objects.HEAD, f".git/HEAD is {_how(said, there=head)}")
        return
    main = f"refs/heads/{MAIN}"
    stands = IDENT.fullmatch(_text(f"{folder}/{main}")) or main in git_settings.packed(folder)
    if had and stands and name not in ("", main) and not tip:
        yield Damage(git_objects.HEAD, f".git/HEAD names {name}, which has no commit")
    if not _is_packed(git_loose.readable(f"{folder}/packed-refs")):
        yield Damage(git_objects.PACKED, ".git/packed-refs cannot be read")
        return
    yield from _references(repository, folder, had, name, tip)
    if why := _index(folder, is_expected=bool(tip)):
        yield Damage(git_objects.INDEX, f".git/index {why}")


def _config(vault: str, folder: str) -> Iterator[Damage]:
    raw = git_loose.readable(f"{folder}/config")
    if not raw.strip(b"\0 \n\r\t"):
        yield Damage(git_objects.CONFIG, f".git/config is {_how(raw, there=platform.is_there(f'{folder}/config'))}")
    elif not git_settings.names(raw):
        yield Damage(git_objects.CONFIG, ".git/config cannot be read")
    elif not raw.endswith(b"\n") and git_settings.known_config(vault).startswith(raw):
        yield Damage(git_objects.CONFIG, ".git/config is cut short")


def _references(repository: Repository, folder: str, had: str, name: str, tip: str) -> Iterator[Damage]:
    """`name` is the branch that HEAD names, `tip` the commit that it leads to; each "" for none."""
    for path in loose_references(folder):
        said = _text(f"{folder}/{path}")
        if path != name and not said.startswith("ref: refs/") and not IDENT.fullmatch(said):
            yield Damage(git_objects.REFS, f".git/{path} is {_how(said, there=True)}", goes_on=True)
    if (
        tip
        and name
        and not platform.is_there(f"{folder}/{name}")
        and tip != next(iter(git_settings.recorded_of(folder, name)), tip)
    ):
        what = f".git/{name} is gone, and git would go on at an older commit"
        yield Damage(git_objects.BRANCH, what, is_lost=not newest(repository))
    if not had or tip:
        return
    what = f".git/{name} is {_how(git_loose.readable(f'{folder}/{name}'), there=os.path.exists(f'{folder}/{name}'))}"
    yield Damage(git_objects.BRANCH, what, is_lost=not newest(repository))


def loose_references(folder: str) -> Iterator[str]:
    for top, _, names in os.walk(f"{folder}/refs"):
        for name in sorted(names):
            if not name.endswith(".lock"):
                yield os.path.relpath(f"{top}/{name}", folder)


def newest(repository: Repository) -> str:
    """The commit that the branch stood at last; "" where it cannot be read any more."""
    from holdfast.vault import git_view

    with suppress(GitFailed), git_view.opened(repository) as view:
        return git_objects.newest(repository, git_objects.read(view))
    return ""


def _has(repository: Repository, commit: str) -> bool:
    with suppress(GitFailed):
        return repository.attempt("cat-file", "-e", f"{commit}^{{tree}}").returncode == 0
    return False


def _index(folder: str, *, is_expected: bool) -> str:
    """The damage of the index, by its own checksum, which git looks at only when it is asked to; "" for none."""
    try:
        raw = platform.read_file(f"{folder}/index", largest=LARGEST_INDEX)
    except FileNotFoundError:
        return "is gone" if is_expected else ""
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    if not raw.strip(b"\0"):
        return f"is {_how(raw, there=True)}"
    if raw[:4] != b"DIRC" or len(raw) < 32:
        return "is cut short or overwritten"
    length = git_loose.digits(folder)
    size = length // 2
    digest = git_loose.hashed(raw[:-size], length)
    return "" if raw[-size:] in (digest, bytes(size)) else "is cut short or overwritten"


def _is_packed(raw: bytes) -> bool:
    lines = raw.decode("utf-8", "replace").split("\n")
    return all(
        not line or line[0] in "#^" or (IDENT.fullmatch(line.partition(" ")[0]) and "refs/" in line) for line in lines
    ) and (not raw or raw.endswith(b"\n"))


def _text(path: str) -> str:
    return git_loose.readable(path).decode("ascii", "replace").strip()


def _how(raw: bytes | str, *, there: bool) -> str:
    if not there:
        return "gone"
    zeros = raw.strip("\0") if isinstance(raw, str) else raw.strip(b"\0")
    return "empty" if not raw else "cut short or overwritten" if zeros else "zeros"


def losses(vault: str, *, by: gate.Asker) -> list[Damage]:
    """The losses that would be accepted. Raises gate.Refused, and NotFound where the history could not go on so."""
    from holdfast.vault.git import Repository

    gate.require(by, gate.Change(gate.HISTORY, gate.LIFTED), "Accepting a loss")
    lost = [one for one in look(Repository(vault)) if one.is_lost]
    beyond = next((one for one in lost if not (one.goes_on and one.idents)), None)
    if beyond:
        raise NotFound(
            f"The history of {vault} cannot go on as it is: {beyond.what}; nothing was changed. "
            f"`{BEGIN}` keeps it beside and begins a new one."
        )
    if not lost:
        raise NotFound(f"Nothing in the history of {vault} is lost; nothing was changed.")
    return lost


def accept_losses(vault: str, *, by: gate.Asker) -> list[Damage]:
    """Accept what is lost, by the user's word, and let starts be silent about it; returns it. Raises as `losses`."""
    lost = losses(vault, by=by)
    git_settings.accept(vault, [ident for one in lost for ident in one.idents])
    notices.lift(home.state(vault), notices.VERSIONS)
    return lost


def accept_unreadable(repository: Repository, paths: Sequence[str]) -> None:
    """The committed versions of these files that git cannot give back. Raises OSError."""
    known = git_loose.committed(repository, paths)
    lost = [one for one in known.values() if repository.attempt("cat-file", "blob", one).returncode]
    git_settings.accept(repository.vault, lost)
