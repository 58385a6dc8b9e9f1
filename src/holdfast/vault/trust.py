"""A vault that a repository brings is not the operator's: it counts only after they said so, on this machine.

A repository may name a vault in its .holdfast.toml (`vault = "memory"`, a folder below its root). Until the user runs
`holdfast trust` there it is ignored, whatever it says. The word is kept in the user's own vault, so no checkout, pull
or branch can give it.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass

from holdfast.capture import gitfiles, home, platform
from holdfast.errors import NotFound, UsageError


@dataclass(frozen=True)
class Offer:
    """What a repository asks for. `trusted` is whether the user has agreed."""

    root: str
    vault: str
    trusted: bool


def offer(own: str, cwd: str) -> Offer:
    """The vault that the repository around a folder names. Raises NotFound, or UsageError where it may not be."""
    git = gitfiles.checkout(cwd)
    root = git.root if git else cwd.rstrip("/")
    try:
        with open(f"{root}/.holdfast.toml", "rb") as file:
            named = tomllib.load(file).get("vault")
    except (OSError, ValueError):
        named = None
    if not isinstance(named, str) or not named:
        raise NotFound(f"{root}/.holdfast.toml names no vault; nothing was changed.")
    vault = os.path.realpath(os.path.join(root, named))
    if not vault.startswith(f"{os.path.realpath(root)}/") or "\n" in vault or "\t" in vault:
        raise UsageError(f"{root}/.holdfast.toml names a vault outside of the repository; it cannot be trusted.")
    return Offer(root, vault, home.trusted_vault(own, root) == vault)


def trust(own: str, cwd: str) -> Offer:
    """From now on this repository's vault is used in it."""
    found = offer(own, cwd)
    home.make_vault(own)
    _write(own, [*_others(own, found.root), f"{found.root}\t{found.vault}"])
    return Offer(found.root, found.vault, trusted=True)


def distrust(own: str, cwd: str) -> str:
    """Take the word back; returns the repository. Raises NotFound."""
    git = gitfiles.checkout(cwd)
    root = git.root if git else cwd.rstrip("/")
    if not home.trusted_vault(own, root):
        raise NotFound(f"{root} was not trusted; nothing was changed.")
    _write(own, _others(own, root))
    return root


def _others(own: str, root: str) -> list[str]:
    try:
        lines = platform.read_file(home.trusted_path(own)).decode("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return []
    return [line for line in lines if line.partition("\t")[0] != root]


def _write(own: str, lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    platform.write_atomic(home.trusted_path(own), text.encode("utf-8"), durable=True)
