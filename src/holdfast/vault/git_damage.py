"""Damage of the vault's repository: named, and told apart by whether it can be made anew.

Power loss, a full disk or a stray hand empties, cuts or removes any file below .git. Much of it can be made anew: the
index from the last commit, references from git's own record or from .state, settings from .state, objects from the
notes as they lie there (vault/git_mending). The rest is lost, and only the user decides to go on without it
(vault/new_history). Files are looked at first and without git, which refuses to start over some of them.
"""

from __future__ import annotations

import hashlib
import os
import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import faults, home, platform
from holdfast.errors import GitFailed, HistoryDamaged
from holdfast.vault import git_settings, last_commit, purge_history
from holdfast.vault.last_commit import IDENT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.vault.git import Repository

MAIN = "main"
PATIENCE = 20.0  # seconds for git to look at all of its objects
GONE, REPLACED, FOLDERS, CONFIG, HEAD, PACKED, REFS, BRANCH = (
    *("gone", "replaced", "folders", "config", "HEAD", "packed-refs", "refs", "branch"),
)
INDEX, OBJECTS, PACKS, GRAPH, LOST = "index", "objects", "packs", "graph", "lost"
MISSING = re.compile(r"missing (?:blob|tree|commit|tag) ([0-9a-f]{40,64})|broken link|invalid sha1 pointer")
MEND, BEGIN = "holdfast doctor --fix", "holdfast doctor --new-history"
NEEDED = "needed by the last commit"
LARGEST_INDEX = 1 << 30
HASHES = {40: hashlib.sha1, 64: hashlib.sha256}


@dataclass(frozen=True)
class Damage:
    """One part that is damaged, as a clause. `is_lost`: nothing that is left can make it anew. `goes_on`: the vault
    can be written all the same."""

    part: str
    what: str
    is_lost: bool = False
    goes_on: bool = False


def refuse(repository: Repository) -> None:
    """Raise HistoryDamaged where a vault that had a history has none to go on with. One git process as a rule; a
    repository that is being made, or never had a commit, passes."""
    vault, folder = repository.vault, repository.own_folder()
    known = last_commit.known(vault)
    if not known and not last_commit.recorded(folder):
        return
    found = next((one for one in in_files(repository) if not one.goes_on), None)
    if found is None:
        # The folders of the last commit: one that cannot be read would let a change go half way.
        if repository.attempt("ls-tree", "-d", "-r", "HEAD").returncode:
            raise explained(repository) or HistoryDamaged()
        is_other = known not in ("", last_commit.tip(folder)) and not _has(repository, known)
        if is_other and known not in purge_history.gone(vault):
            found = Damage(REPLACED, f"it has no commit {known[:10]}, at which it stood before", is_lost=True)
    if found is not None:
        raise as_error(vault, [found])


def explained(repository: Repository) -> HistoryDamaged | None:
    """The damage that made git fail, as an error; None where none is found."""
    found = [one for one in look(repository) if not one.goes_on]
    return as_error(repository.vault, found) if found else None


def as_error(vault: str, found: list[Damage]) -> HistoryDamaged:
    worst = next((one for one in found if one.is_lost), found[0])
    way = f"`{BEGIN}` goes on without it" if worst.is_lost else f"`{MEND}` mends it"
    return HistoryDamaged(
        f"The history of {vault} is damaged: {worst.what}. The notes are as they were, and flags wait; {way}.",
        is_lost=worst.is_lost,
        what=worst.what,
    )


def note_fault(vault: str, error: HistoryDamaged, now: float) -> None:
    """Starts say so until a writer goes through."""
    mine, other = (faults.HISTORY, faults.HISTORY_LOST)[:: -1 if error.is_lost else 1]
    before = [one for one in faults.standing(home.state(vault)) if one.name == other]
    faults.stand(home.state(vault), mine, error.what, min([now, *(one.since for one in before)]))
    faults.lift(home.state(vault), other)


def look(repository: Repository, patience: float = PATIENCE) -> list[Damage]:
    """All damage that is found, the files first; objects are looked at only where git can be asked about them."""
    found = list(in_files(repository))
    if any(one.part in (GONE, FOLDERS, CONFIG, HEAD, PACKED) for one in found):
        return found
    known = last_commit.known(repository.vault)
    is_other = known and known not in purge_history.gone(repository.vault) and not _has(repository, known)
    if is_other and not any(one.is_lost for one in found) and _has(repository, "HEAD^{tree}"):
        found.append(Damage(REPLACED, f"it has no commit {known[:10]}, at which it stood before", is_lost=True))
    try:
        return [*found, *_objects(repository, patience)]
    except GitFailed:
        if not found:
            raise
        return found  # such as a pipe, over which git is not started


def in_files(repository: Repository) -> Iterator[Damage]:
    """What the files alone show, in the order in which git opens them. Nothing is started but a reader of settings."""
    folder = repository.own_folder()
    had = last_commit.known(repository.vault) or next(iter(last_commit.recorded(folder)), "")
    if not os.path.isdir(folder):
        if had:
            how = "is no repository" if os.path.lexists(repository.folder) else "is gone"
            yield Damage(GONE, f"{repository.folder} {how}", is_lost=True)
        return
    if os.path.isdir(f"{folder}/reftable") or os.path.exists(f"{folder}/commondir"):
        return  # not of our making, and kept in another way: git says itself what is wrong with it
    for name in ("objects", "refs"):
        if not os.path.isdir(f"{folder}/{name}"):
            if had:
                yield Damage(FOLDERS, f".git/{name} is gone", is_lost=name == "objects")
            return
    yield from _config(repository.vault, folder)
    head = platform.is_there(f"{folder}/HEAD")
    said = _bytes(f"{folder}/HEAD").strip() if head else b""
    if not last_commit.branch(folder) and not IDENT.fullmatch(said.decode("ascii", "replace")):
        if head or had:
            yield Damage(HEAD, f".git/HEAD is {_how(said, there=head)}")
        return
    main = f"refs/heads/{MAIN}"
    if had and last_commit.branch(folder) not in ("", main) and not last_commit.tip(folder) and _stands(folder, main):
        yield Damage(HEAD, f".git/HEAD names {last_commit.branch(folder)}, which has no commit")
    if not _is_packed(_bytes(f"{folder}/packed-refs")):
        yield Damage(PACKED, ".git/packed-refs cannot be read")
        return
    yield from _references(repository, folder, had)
    if why := _index(folder, is_expected=bool(last_commit.tip(folder))):
        yield Damage(INDEX, f".git/index {why}")


def _stands(folder: str, name: str) -> bool:
    return bool(IDENT.fullmatch(_bytes(f"{folder}/{name}").decode("ascii", "replace").strip())) or (
        name in last_commit.packed(folder)
    )


def _config(vault: str, folder: str) -> Iterator[Damage]:
    raw = _bytes(f"{folder}/config")
    if not raw.strip(b"\0 \n\r\t"):
        yield Damage(CONFIG, f".git/config is {_how(raw, there=platform.is_there(f'{folder}/config'))}")
    elif not git_settings.names(raw):
        yield Damage(CONFIG, ".git/config cannot be read")
    elif not raw.endswith(b"\n") and last_commit.known_config(vault).startswith(raw):
        yield Damage(CONFIG, ".git/config is cut short")


def _references(repository: Repository, folder: str, had: str) -> Iterator[Damage]:
    name = last_commit.branch(folder)
    for path in loose_references(folder):
        said = _bytes(f"{folder}/{path}").strip()
        if path != name and not said.startswith(b"ref: refs/") and not IDENT.fullmatch(said.decode("ascii", "replace")):
            yield Damage(REFS, f".git/{path} is {_how(said, there=True)}", goes_on=True)
    tip = last_commit.tip(folder)
    if tip and name and not platform.is_there(f"{folder}/{name}") and tip != _last_of(folder, name, tip):
        yield Damage(
            BRANCH, f".git/{name} is gone, and git would go on at an older commit", is_lost=not newest(repository)
        )
    if not had or tip:
        return
    what = f".git/{name} is {_how(_bytes(f'{folder}/{name}'), there=os.path.exists(f'{folder}/{name}'))}"
    yield Damage(BRANCH, what, is_lost=not newest(repository))


def _last_of(folder: str, name: str, default: str) -> str:
    """The commit that a branch stood at last by git's own record of it, which every move of a person's is in too."""
    found = last_commit.recorded_of(folder, name)
    return found[0] if found else default


def loose_references(folder: str) -> Iterator[str]:
    for top, _, names in os.walk(f"{folder}/refs"):
        for name in sorted(names):
            if not name.endswith(".lock"):
                yield os.path.relpath(f"{top}/{name}", folder)


def newest(repository: Repository) -> str:
    """The commit that the branch stood at last, by git's own record or by .state, whichever is later; "" where that
    one cannot be read any more: an older one in its place would be a loss that nobody was asked about."""
    known = last_commit.known(repository.vault)
    recorded = last_commit.recorded(repository.own_folder())[:1]
    found = [one for one in dict.fromkeys((*recorded, known)) if one]
    if not found or not all(_has(repository, one) for one in found):
        return ""
    if len(found) == 2 and repository.attempt("merge-base", "--is-ancestor", *found).returncode == 0:
        return found[1]
    return found[0]


def _has(repository: Repository, name: str) -> bool:
    try:
        return repository.attempt("cat-file", "-e", name if "^" in name else f"{name}^{{tree}}").returncode == 0
    except GitFailed:
        return False


def _index(folder: str, *, is_expected: bool) -> str:
    """Why the index is none, by its own checksum, which git looks at only when it is asked to; "" where it is one."""
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
    size = 20 if _is_short(folder) else 32
    digest = (hashlib.sha1 if size == 20 else hashlib.sha256)(raw[:-size], usedforsecurity=False).digest()
    return "" if raw[-size:] in (digest, bytes(size)) else "is cut short or overwritten"


def _is_short(folder: str) -> bool:
    """Whether ids have 40 digits, as they have unless somebody made the repository with longer ones."""
    return b"objectformat" not in _bytes(f"{folder}/config").lower()


def _objects(repository: Repository, patience: float) -> list[Damage]:
    """Objects, by git's own check, bounded in time."""
    words = ("--full", "--no-dangling", "--no-progress", "--no-reflogs")
    done = repository.attempt("fsck", *words, timeout=patience)
    said = (done.stdout + done.stderr).decode("utf-8", "replace")
    if not done.returncode:
        return []
    folder = repository.own_folder()
    bad = broken_loose(folder)
    if bad:
        return _broken(repository, {"".join(path.split("/")[-2:]) for path in bad})
    found = []
    if done.returncode & 0b110000 and done.returncode < 128:
        found.append(Damage(GRAPH, "what git keeps to be faster cannot be read", goes_on=True))
    packs = platform.names(f"{folder}/objects/pack")
    is_bare = any(one.endswith(".pack") and f"{one.removesuffix('.pack')}.idx" not in packs for one in packs)
    if is_bare or any(word in said for word in (".pack ", ".idx ", "packfile")):
        return [*found, Damage(PACKS, "a pack of git's objects is damaged")]
    missing = {one for one in MISSING.findall(said) if one}
    if missing or MISSING.search(said):
        found.append(_missing(repository, missing))
    elif done.returncode & 0b1111:
        first = next((line for line in said.splitlines() if line.startswith(("error", "fatal"))), "git fsck failed")
        found.append(Damage(LOST, first, is_lost=True, goes_on=True))
    return found


def _broken(repository: Repository, bad: set[str]) -> list[Damage]:
    """Objects that are there and hold nothing. Those that the files still have, or nobody needs, can be mended."""
    from holdfast.vault import git_mending

    rest = bad - git_mending.could_be_made(repository, bad)
    lost = _needed(repository, rest)
    found = (
        [Damage(OBJECTS, f"{_many(bad - rest if lost else bad)} cut short or empty")] if bad - rest or not lost else []
    )
    if lost:
        goes_on = not _needed(repository, rest, alone=True)
        of = "of versions that were replaced since; the notes as they are now are whole"
        what = f"{_many(rest)} cut short or empty, {of if goes_on else NEEDED}"
        found.append(Damage(LOST, what, is_lost=True, goes_on=goes_on))
    return found


def _needed(repository: Repository, idents: set[str], *, alone: bool = False) -> bool:
    """Whether the history, or the last commit `alone`, leads to one of these; also where git cannot follow it."""
    if not idents:
        return False
    done = repository.attempt("rev-list", "--objects", *(("--no-walk",) if alone else ()), "HEAD", "--")
    listed = {line.split(b" ", 1)[0].decode("ascii", "replace") for line in done.stdout.split(b"\n")}
    return bool(done.returncode or idents & listed)


def _many(idents: set[str]) -> str:
    return f"{len(idents) or 'some'} of git's objects {'is' if len(idents) == 1 else 'are'}"


def _missing(repository: Repository, missing: set[str]) -> Damage:
    """Objects that are not there at all."""
    from holdfast.vault import git_mending

    count = f"{_many(missing)} gone"
    if missing and missing <= git_mending.could_be_made(repository, missing):
        return Damage(OBJECTS, count)
    if is_whole(repository, "HEAD", alone=True):
        what = f"{count}, of versions that were replaced since; the notes as they are now are whole"
        return Damage(LOST, what, is_lost=True, goes_on=True)
    return Damage(LOST, f"{count}, {NEEDED}", is_lost=True)


def is_whole(repository: Repository, commit: str, *, alone: bool = False) -> bool:
    """Whether a commit is there with all that it leads to; `alone`: with its own files, whatever older ones lack."""
    words = ("--objects", "--quiet", *(("--no-walk",) if alone else ()))
    try:
        return repository.attempt("rev-list", *words, commit, "--").returncode == 0
    except GitFailed:
        return False


def broken_loose(folder: str) -> list[str]:
    """The files of single objects that do not hold what their name says."""
    found = []
    for part in sorted(platform.names(f"{folder}/objects")):
        if len(part) != 2:
            continue
        for name in sorted(platform.names(f"{folder}/objects/{part}")):
            path, ident = f"{folder}/objects/{part}/{name}", part + name
            if len(ident) in HASHES and not _holds(path, ident):
                found.append(path)
    return found


def _holds(path: str, ident: str) -> bool:
    try:
        raw = zlib.decompress(platform.read_file(path, largest=1 << 30))
    except FileNotFoundError:
        return True  # packed or pruned meanwhile
    except (OSError, zlib.error):
        return False
    return HASHES[len(ident)](raw, usedforsecurity=False).hexdigest() == ident


def _is_packed(raw: bytes) -> bool:
    lines = raw.decode("utf-8", "replace").split("\n")
    return all(
        not line or line[0] in "#^" or (IDENT.fullmatch(line.partition(" ")[0]) and "refs/" in line) for line in lines
    ) and (not raw or raw.endswith(b"\n"))


def _bytes(path: str) -> bytes:
    try:
        return platform.read_file(path)
    except OSError:
        return b""


def _how(raw: bytes, *, there: bool) -> str:
    if not there:
        return "gone"
    return "empty" if not raw else "zeros" if not raw.strip(b"\0") else "cut short or overwritten"
