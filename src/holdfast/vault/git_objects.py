"""What a damaged repository has lost, held against the commit that it stood at last.

Promise: nothing is called mendable of which it was not seen that every object which that commit leads to is there, or
can be made from the vault's files. What is lost is named by file and commit, so that a person knows which version of
which note it is. Losses that the user has accepted (vault/accepted_loss) are no damage any more.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from holdfast.capture import platform
from holdfast.vault import accepted_loss, git_graph, git_view, last_commit, purge_history
from holdfast.vault.git_parts import BRANCH, GRAPH, LOST, OBJECTS, PACKS, REPLACED, UNSEEN, Damage

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from holdfast.vault.git import Repository
    from holdfast.vault.git_graph import Graph, Version
    from holdfast.vault.git_view import View

MISSING = re.compile(r"missing (?:blob|tree|commit|tag) ([0-9a-f]{40,64})")
NAMED = 3  # versions that a sentence names
NOW_WHOLE = "the notes as they are now are whole"
NEEDED = "needed by the last commit"


def judge(repository: Repository, in_files: list[Damage], said: str = "", status: int = 0) -> list[Damage]:
    """Everything that is wrong with objects, where the files already show the damage `in_files`, or git's own check
    ended with this `status` and has `said` why. Raises GitFailed."""
    with git_view.opened(repository) as view:
        graph = git_graph.read(view)
        accepted = accepted_loss.idents(repository.vault)
        found = list(_replaced(repository, graph, in_files))
        at = target(repository, graph, in_files)
        if not at and not any(one.is_lost for one in in_files):
            at = next(iter(_stood_at(repository)), "")
        absent = graph.absent(at) if at else {}
        lost = {ident: one for ident, one in absent.items() if ident not in graph.made and ident not in accepted}
        found += _mendable(view, graph, absent, lost, accepted)
        if lost:
            found.append(_lost(view, graph, at, lost))
        if not found or all(one.part == GRAPH for one in found):
            found += _others(repository, graph, said, status, accepted | absent.keys())
        if status < 128 and status & 0b110000:
            found.append(Damage(GRAPH, "what git keeps to be faster cannot be read", goes_on=True))
        return found


def target(repository: Repository, graph: Graph, in_files: Iterable[Damage]) -> str:
    """The commit that the branch stands at, or will once its files are mended; "" where that cannot be."""
    tip = last_commit.tip(repository.own_folder())
    is_right = tip and not any(one.part == BRANCH for one in in_files)
    return tip if is_right else newest(repository, graph)


def newest(repository: Repository, graph: Graph) -> str:
    """The commit that the branch stood at last, by git's own record or by .state, whichever is later; "" where that
    one cannot be read any more: an older one in its place would be a loss that nobody was asked about."""
    found = _stood_at(repository)
    have = graph.there | graph.made
    if not found or not all(one in graph.commits and graph.commits[one].tree in have for one in found):
        return ""
    return found[1] if len(found) == 2 and found[0] in graph.past([found[1]]) else found[0]


def _stood_at(repository: Repository) -> list[str]:
    recorded = last_commit.recorded(repository.own_folder())[:1]
    return [one for one in dict.fromkeys((*recorded, last_commit.known(repository.vault))) if one]


def _replaced(repository: Repository, graph: Graph, in_files: Iterable[Damage]) -> Iterable[Damage]:
    known, tip = last_commit.known(repository.vault), last_commit.tip(repository.own_folder())
    is_other = known and known not in graph.commits and known not in purge_history.gone(repository.vault)
    if is_other and tip in graph.commits and not any(one.part in (BRANCH, REPLACED) for one in in_files):
        yield Damage(REPLACED, f"it has no commit {known[:10]}, at which it stood before", is_lost=True)


def _mendable(
    view: View, graph: Graph, absent: dict[str, Version], lost: dict[str, Version], accepted: Collection[str]
) -> Iterable[Damage]:
    """Objects that the files have, or nobody needs, and packs: what can be read of them is taken out."""
    if view.packs:
        yield Damage(PACKS, "a pack of git's objects is damaged")
    broken = {"".join(path.split("/")[-2:]) for path in view.broken} - lost.keys() - set(accepted)
    made = {ident: one for ident, one in absent.items() if ident in graph.made}
    if broken:
        yield Damage(OBJECTS, f"{_many(len(broken))} cut short or empty{_of(made.values())}")
    elif made and not view.packs:
        yield Damage(OBJECTS, f"{_many(len(made))} gone{_of(made.values())}")


def _lost(view: View, graph: Graph, at: str, lost: dict[str, Version]) -> Damage:
    broken = {"".join(path.split("/")[-2:]) for path in view.broken}
    how = "cut short or empty" if lost.keys() <= broken else "gone or cut short" if lost.keys() & broken else "gone"
    now = {ident: one for ident, one in graph.lost(at, alone=True).items() if ident in lost}
    goes_on = all(one.is_file for one in now.values())
    if not now:
        end = f"which was replaced since; {NOW_WHOLE}"
    elif goes_on:
        end = "which its file does not have any more"
    else:
        end = NEEDED
    what = f"{_many(len(lost))} {how}{_of(lost.values())}, {end}"
    idents = tuple(sorted(lost)) if all(one.is_file for one in lost.values()) else ()
    return Damage(LOST, what, is_lost=True, goes_on=goes_on, idents=idents)


def _others(repository: Repository, graph: Graph, said: str, status: int, known: Collection[str]) -> Iterable[Damage]:
    """What git found besides the history itself: other references, or files that somebody staged."""
    missing = set(MISSING.findall(said)) - set(known)
    if missing and missing <= graph.made:
        yield Damage(OBJECTS, f"{_many(len(missing))} gone")
    elif missing:
        what = f"{_many(len(missing))} gone, of something besides the history; {NOW_WHOLE}"
        yield Damage(LOST, what, is_lost=True, goes_on=True, idents=tuple(sorted(missing)))
        return
    first = next((line for line in said.splitlines() if line.startswith(("error", "fatal"))), "git fsck failed")
    if status & 0b1111 and status < 128 and not known:
        yield Damage(LOST, first, is_lost=True, goes_on=True)
    elif status == 128:
        stale = platform.names(f"{repository.own_folder()}/objects/info")
        if any(name.startswith("commit-graph") for name in stale):
            yield Damage(GRAPH, "what git keeps to be faster cannot be read", goes_on=True)
        else:
            yield Damage(UNSEEN, first, goes_on=True)


def _of(versions: Iterable[Version]) -> str:
    """Which files of which commits they are, the newest first."""
    listed = sorted(versions, key=lambda one: (-one.time, one.path))
    if not listed:
        return ""
    more = f" and {len(listed) - NAMED:,} more" if len(listed) > NAMED else ""
    return f", of {', '.join(_name(one) for one in listed[:NAMED])}{more}"


def _name(one: Version) -> str:
    day = time.strftime(" of %Y-%m-%d", time.gmtime(one.time)) if one.time else ""
    return f"{one.path} in commit {one.commit[:10]}{day}" if one.path else f"commit {one.commit[:10]}{day}"


def _many(count: int) -> str:
    return f"{count or 'some'} of git's objects {'is' if count == 1 else 'are'}"
