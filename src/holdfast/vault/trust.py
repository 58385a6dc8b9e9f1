"""A vault that a repository brings is not the operator's: it counts only after they said so, on this machine.

A repository may name a vault in its .holdfast.toml (`vault = "memory"`, a folder below its root). Until the user runs
`holdfast trust` there it is ignored, whatever it says. The word is kept in the user's own vault, so no checkout, pull
or branch can give it.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass

from holdfast.capture import gate, gitfiles, home, platform, projects
from holdfast.errors import NotFound, UsageError


@dataclass(frozen=True)
class Offer:
    """What a repository asks for. `trusted` is whether the user has agreed."""

    root: str
    vault: str
    trusted: bool


def offer(own: str, cwd: str) -> Offer:
    """The vault that the repository around a folder names. Raises NotFound, or UsageError where it may not be."""
    root = gitfiles.root_of(cwd)
    try:
        raw = platform.read_small(f"{root}/.holdfast.toml", projects.LARGEST_WISHES)
        named = tomllib.loads(raw.decode("utf-8")).get("vault")
    except (FileNotFoundError, ValueError, RecursionError):
        named = None
    except OSError as error:
        why = error.strerror
        raise UsageError(f"{root}/.holdfast.toml cannot be read ({why}); nothing was changed.") from error
    if not isinstance(named, str) or not named:
        raise NotFound(f"{root}/.holdfast.toml names no vault; nothing was changed.")
    vault = os.path.normpath(os.path.join(root, named))
    if not _is_inside(root, vault):
        raise UsageError(
            f"{root}/.holdfast.toml names a vault outside of the repository, or through a link; it cannot be trusted."
        )
    return Offer(root, vault, _listed(own).get(root) == vault)


def _is_inside(root: str, vault: str) -> bool:
    """A folder of its own below the root, not git's, and reached without a link: a link can be moved by a pull."""
    below = vault.removeprefix(f"{root}/")
    if below == vault or below.partition("/")[0].lower() == ".git" or any(letter in vault for letter in "\n\t\r\0"):
        return False
    parts = below.split("/")
    return not any(os.path.islink("/".join((root, *parts[: at + 1]))) for at in range(len(parts)))


def trust(own: str, cwd: str, *, by: gate.Asker) -> Offer:
    """From now on this repository's vault is used in it."""
    gate.require(by, gate.Change(gate.TRUST), "Trusting a repository's vault")
    found = offer(own, cwd)
    home.make_vault(own)
    _write(own, {**_listed(own), found.root: found.vault})
    return Offer(found.root, found.vault, trusted=True)


def distrust(own: str, cwd: str) -> str:
    """Take the word back; returns the repository. Raises NotFound."""
    root = gitfiles.root_of(cwd)
    listed = _listed(own)
    if root not in listed:
        raise NotFound(f"{root} was not trusted; nothing was changed.")
    del listed[root]
    _write(own, listed)
    return root


def _listed(own: str) -> dict[str, str]:
    try:
        lines = platform.read_file(home.trusted_path(own)).decode("utf-8", "surrogateescape").split("\n")
    except FileNotFoundError:
        return {}
    return {root: vault for root, tab, vault in (line.partition("\t") for line in lines) if tab}


def _write(own: str, listed: dict[str, str]) -> None:
    text = "".join(f"{root}\t{vault}\n" for root, vault in listed.items())
    platform.write_atomic(home.trusted_path(own), text.encode("utf-8", "surrogateescape"), durable=True)
