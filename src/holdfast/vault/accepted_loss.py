"""Versions that are lost and that the user has accepted as lost: the alarm ends, and the history keeps its commits.

    .state/lost-versions    the ids of those objects, one to a line, the newest at the end

Only the user's word writes it (`holdfast doctor --accept-lost`), and only exactly those objects are meant: another loss
is an alarm again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.capture import faults, gate, home, platform
from holdfast.errors import NotFound
from holdfast.vault.last_commit import IDENT

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from holdfast.vault.git import Repository
    from holdfast.vault.git_parts import Damage

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
    faults.lift(home.state(vault), faults.VERSIONS)
    return lost


def accept_unreadable(repository: Repository, paths: Sequence[str]) -> None:
    """The committed versions of these files that git cannot give back. Raises OSError."""
    from holdfast.vault import kept_versions

    known = kept_versions.committed(repository, paths)
    accept(repository.vault, [one for one in known.values() if repository.attempt("cat-file", "blob", one).returncode])


def accept(vault: str, lost: Collection[str]) -> None:
    """Raises OSError."""
    known = idents(vault)
    if set(lost) <= known:
        return
    lines = [*sorted(known), *sorted(set(lost) - known)]
    text = "".join(f"{one}\n" for one in lines)
    platform.write_atomic(f"{home.state(vault)}/{NAME}", text.encode("ascii"), durable=True)
