"""Before a text is displaced, git can read it: the history is then its only holder.

`forget`, an edit and what replaces a note all say that the history brings the old text back. A disk that has spoilt
the object of that very text makes it a lie that nobody notices before the text is gone. So whatever is about to be
replaced is looked for in the repository first, to its last byte, and written again from the file where it cannot be
read: the same bytes under the same id, so the damage is healed. What a person has replaced already is only told of.

Versions that are lost and that the user has accepted as lost: the alarm ends, and the history keeps its commits.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from holdfast.capture import gate, home, ledger, notices, platform
from holdfast.errors import HoldfastError, NotFound
from holdfast.vault import git_view
from holdfast.vault.git_settings import IDENT

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from holdfast.vault.git import Repository
    from holdfast.vault.git_objects import Damage
    from holdfast.vault.journal import Change


LITERAL = {"GIT_LITERAL_PATHSPECS": "1"}


def displaced(vault: str, change: Change) -> dict[str, bytes]:
    """The texts that only the history has once a change is made."""
    from holdfast.vault import journal

    found = {}
    for one in change.files:
        try:
            now = journal.content(vault, one.path) if one.before is not None else None
        except OSError:
            continue
        after = None if one.after is None else one.after.encode("utf-8", "surrogateescape")
        if now and journal.digest(now) == one.before and not (after or b"").startswith(now):
            found[one.path] = now
    return found


def make_sure(repository: Repository, texts: Mapping[str, bytes]) -> list[str]:
    """Of files that are about to be replaced, those whose committed version was written again. Raises OSError and
    GitFailed: then nothing has been replaced yet."""
    folder = repository.own_folder()
    length = git_view.digits(folder)
    idents = {path: git_view.blob_id(data, length) for path, data in texts.items()}
    broken = [path for path, ident in idents.items() if not _holds(folder, ident)]
    apart = [path for path, ident in idents.items() if path not in broken and not _is_loose(folder, ident)]
    if apart:
        unread = _unread(repository, {idents[path]: texts[path] for path in apart})
        had = committed(repository, [path for path in apart if idents[path] in unread]) if unread else {}
        broken += [path for path in apart if had.get(path) == idents[path]]
    if broken:
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        for path in broken:
            git_view.write_blob(folder, texts[path], f"{home.state(repository.vault)}/aside/git-{stamp}")
        _tell(repository.vault, broken)
    return broken


def tell_lost(repository: Repository, head: str, paths: Sequence[str], now: float) -> None:
    """Of files that a person has changed or removed: where the committed version cannot be read, nothing has it any
    more, and starts say so until `holdfast doctor` was heard."""
    folder = repository.own_folder()
    for path, ident in (committed(repository, paths, head) if head and paths else {}).items():
        if not _holds(folder, ident):
            what = f"{path} as it was committed last cannot be read, and its file was changed since"
            notices.stand(home.state(repository.vault), notices.VERSIONS, what, now, path)


def committed(repository: Repository, paths: Sequence[str], commit: str = "HEAD") -> dict[str, str]:
    """The ids that these files have in a commit."""
    if not paths:
        return {}
    raw = repository.attempt("ls-tree", "-r", "-z", "--full-tree", commit, "--", *paths, env=LITERAL).stdout
    rows = [line.partition("\t") for line in raw.decode("utf-8", "surrogateescape").split("\0") if line]
    return {path: told.rpartition(" ")[2] for told, _, path in rows}


def _holds(folder: str, ident: str) -> bool:
    return git_view.holds(git_view.path_of(folder, ident), ident)


def _is_loose(folder: str, ident: str) -> bool:
    return platform.is_there(git_view.path_of(folder, ident))


def _unread(repository: Repository, texts: Mapping[str, bytes]) -> set[str]:
    """Of objects by id those that git does not give back byte for byte."""
    given = repository.objects(list(texts))
    return {ident for ident, data in texts.items() if given.get(ident) != data}


def _tell(vault: str, paths: Sequence[str]) -> None:
    try:
        ledger.append(home.state(vault), "vault", time.time(), cause="mended", what=f"git's object of {paths[0]}")
    except HoldfastError:
        return


NAME = "lost-versions"


def idents(vault: str) -> frozenset[str]:
    try:
        raw = platform.read_file(f"{home.state(vault)}/{NAME}").decode("ascii", "replace")
    except OSError:
        return frozenset()
    return frozenset(line for line in raw.split() if IDENT.fullmatch(line))


def plan(vault: str, *, by: gate.Asker) -> list[Damage]:
    """What is lost, and would be accepted. Raises gate.Refused, and NotFound where nothing is lost that the history
    could go on without."""
    from holdfast.vault import git_damage
    from holdfast.vault.git import Repository

    gate.require(by, gate.Change(gate.HISTORY, gate.LIFTED), "Accepting a loss")
    lost = [one for one in git_damage.look(Repository(vault)) if one.is_lost]
    beyond = next((one for one in lost if not (one.goes_on and one.idents)), None)
    if beyond:
        raise NotFound(
            f"The history of {vault} cannot go on as it is: {beyond.what}; nothing was changed. "
            f"`{git_damage.BEGIN}` keeps it beside and begins a new one."
        )
    if not lost:
        raise NotFound(f"Nothing in the history of {vault} is lost; nothing was changed.")
    return lost


def by_word(vault: str, *, by: gate.Asker) -> list[Damage]:
    """Accept what is lost, by the user's word, and let starts be silent about it; returns it. Raises as `plan`."""
    lost = plan(vault, by=by)
    accept(vault, [ident for one in lost for ident in one.idents])
    notices.lift(home.state(vault), notices.VERSIONS)
    return lost


def accept_unreadable(repository: Repository, paths: Sequence[str]) -> None:
    """The committed versions of these files that git cannot give back. Raises OSError."""

    known = committed(repository, paths)
    accept(repository.vault, [one for one in known.values() if repository.attempt("cat-file", "blob", one).returncode])


def accept(vault: str, lost: Collection[str]) -> None:
    """Raises OSError."""
    known = idents(vault)
    if set(lost) <= known:
        return
    lines = [*sorted(known), *sorted(set(lost) - known)]
    text = "".join(f"{one}\n" for one in lines)
    platform.write_atomic(f"{home.state(vault)}/{NAME}", text.encode("ascii"), durable=True)
