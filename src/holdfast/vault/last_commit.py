"""The last commit of the vault that a writer saw, and git's settings at that time, kept in .state.

    .state/head          the commit that the vault stood at when the last writer left it
    .state/git-config    the repository's own settings then

Promise: a history that vanishes is noticed. Where git alone is asked, a repository without a branch looks like one that
was made a moment ago, and the next commit would begin anew in silence. Both files are replaced whole, and their bytes
are synced before their names: power loss leaves the old ones or the new ones. An older holdfast left only the commit
that it vouched for (capture/calls), which serves as well.
"""

from __future__ import annotations

import os
import re

from holdfast.capture import calls, home, platform
from holdfast.vault import git_settings

IDENT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
SMALL = 4096
LARGEST_CONFIG = 1 << 16


def known(vault: str) -> str:
    """The last commit that is known of; "" where there never was one."""
    state = home.state(vault)
    said = _line(f"{state}/head")
    return said if IDENT.fullmatch(said) else next(iter(IDENT.findall(calls.settled(state).head)), "")


def known_config(vault: str) -> bytes:
    """Git's settings as they were; b"" where nobody kept them."""
    try:
        return platform.read_small(f"{home.state(vault)}/git-config", LARGEST_CONFIG)
    except OSError:
        return b""


def note(vault: str, folder: str) -> None:
    """Keep where the repository in this folder stands. A disk that refuses it costs the next alarm, nothing else."""
    state = home.state(vault)
    head = tip(folder)
    try:
        if head and head != _line(f"{state}/head"):
            _put(f"{state}/head", f"{head}\n".encode("ascii"))
        config = platform.read_small(f"{folder}/config", LARGEST_CONFIG)
        if config != known_config(vault) and git_settings.names(config):
            _put(f"{state}/git-config", config)
    except OSError:
        return


def forget(vault: str) -> None:
    """What was known is no longer true, by the user's word."""
    platform.remove(f"{home.state(vault)}/head")
    platform.remove(f"{home.state(vault)}/calls/settled")


def branch(folder: str) -> str:
    """The reference that HEAD names; "" where it names a commit, or nothing that can be read."""
    said = _line(f"{folder}/HEAD")
    name = said.removeprefix("ref: ").strip()
    is_one = name != said and name.startswith("refs/") and not name.endswith("/") and ".." not in name
    return name if is_one else ""


def tip(folder: str) -> str:
    """The commit that HEAD leads to, by the files alone; "" where they lead to none."""
    name = branch(folder)
    if not name:
        said = _line(f"{folder}/HEAD")
        return said if IDENT.fullmatch(said) else ""
    if not platform.is_there(f"{folder}/{name}"):
        return packed(folder).get(name, "")
    said = _line(f"{folder}/{name}")
    return said if IDENT.fullmatch(said) else ""


def packed(folder: str) -> dict[str, str]:
    """References that are packed, each with its commit; lines that are none are passed over."""
    try:
        raw = platform.read_file(f"{folder}/packed-refs").decode("utf-8", "replace")
    except OSError:
        return {}
    pairs = [line.split(" ", 1) for line in raw.split("\n") if not line.startswith(("#", "^"))]
    return {one[1]: one[0] for one in pairs if len(one) == 2 and IDENT.fullmatch(one[0]) and one[1].startswith("refs/")}


def recorded(folder: str) -> list[str]:
    """The commits that HEAD and the main branch have stood at, by git's own record of it, the newest first."""
    names = dict.fromkeys((branch(folder) or "refs/heads/main", "refs/heads/main", "HEAD"))
    return list(dict.fromkeys(one for name in names for one in recorded_of(folder, name)))


def recorded_of(folder: str, name: str) -> list[str]:
    """The same of one reference."""
    try:
        raw = platform.read_file(f"{folder}/logs/{name}").decode("utf-8", "replace")
    except OSError:
        return []
    parts = [line.split(" ", 2) for line in reversed(raw.split("\n"))]
    return [one[1] for one in parts if len(one) == 3 and IDENT.fullmatch(one[1]) and one[1].strip("0")]


def _line(path: str) -> str:
    try:
        return platform.read_file(path, SMALL).decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _put(path: str, data: bytes) -> None:
    fresh = f"{path}.{os.getpid()}.{os.urandom(4).hex()}.tmp"
    platform.write_synced(fresh, data)
    os.rename(fresh, path)
