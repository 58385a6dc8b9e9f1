"""Settings of the vault's own repository that git may see, and the references in it, read without git.

The file .git/config of a vault is no secret place: an agent can write to it, a folder that is synced brings another
machine's. So whatever in it could start a program, or lead git elsewhere, is not obeyed. Most of it is overruled at
every call (capture/git_process). The rest cannot be overruled by name, so git is not started until the line is gone:
filters, drivers and included files always, and whatever has a say in how a remote is reached before one is asked. The
same settings count in the user's own ~/.gitconfig, which no repository brings.

`.state` keeps the last commit that a writer saw, git's settings at that time, and the losses that the user accepted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import lru_cache

from holdfast.capture import calls, git_process, home, platform
from holdfast.errors import GitFailed
from holdfast.vault.git_loose import readable

LARGEST = 1 << 20
FILES = ("config", "config.worktree")
OPENED = ("HEAD", "index", "packed-refs", "commondir", "info/exclude", "info/attributes", "refs/heads/main")
ALWAYS = frozenset({"include", "includeif", "filter", "hook"})
NETWORK = frozenset({"credential", "http", "https", "url", "ssh", "protocol"})
REACHING = frozenset({"core.sshcommand", "core.gitproxy", "core.askpass"})
OF_REMOTES = frozenset(
    {"url", "pushurl", "fetch", "push", "tagopt", "prune", "prunetags", "mirror", "skipdefaultupdate"}
)
# Sections of git that have such a word in a key, and nothing to do with what we ask of it.
IDLE = frozenset(
    (
        *("core", "gpg", "alias", "pager", "difftool", "mergetool", "browser", "man", "gui", "guitool", "trailer"),
        *("sendemail", "submodule", "sequence", "instaweb", "remote", "interactive", "credential", "web", "help"),
        *("branch", "lfs", "tar"),
    )
)
PLAIN = re.compile(rb'(?:\[[a-z]+(?: "[a-z][\w./-]*")?\]\n(?:\t[a-z]+ = [\w./:@*+~-]+\n)+)+')
WORDS = ("command", "cmd", "driver", "helper", "hook", "process", "program", "textconv", "clean", "smudge", "external")
IDENT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
SMALL = 4096
LARGEST_CONFIG = 1 << 16
LOST = "lost-versions"


def refuse(folder: str, *, network: bool) -> None:
    """Raise GitFailed where the repository in this folder would steer git, or has no file where git opens one."""
    common = _common(folder)
    places = (folder,) if common == folder else (folder, common)
    for name in OPENED:
        for place in places:
            why = platform.oddity(f"{place}/{name}")
            if why and not (name == "index" and why.startswith("has ")):
                raise GitFailed(f"{place}/{name} {why}, so git was not started; nothing was changed. Move it away.")
    for path in [f"{place}/{name}" for place in places for name in FILES]:
        key = _steering(path, network=network)
        if key:
            raise GitFailed(
                f"{path} sets {key}, which can run a program, so git was not started; nothing was changed. Take the "
                "line out of it; a setting of your own counts in ~/.gitconfig."
            )


def _common(folder: str) -> str:
    said = platform.text(f"{folder}/commondir", SMALL, "surrogateescape").strip()
    return os.path.normpath(os.path.join(folder, said)) if said else folder


def _steering(path: str, *, network: bool) -> str:
    try:
        raw = platform.read_file(path, largest=LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        why = f"{path} cannot be read ({error.strerror})"
        raise GitFailed(f"{why}, so git was not started; nothing was changed.") from None
    return next((key for key in names(raw) if is_steering(key, network=network)), "")


@lru_cache(maxsize=64)
def names(raw: bytes) -> tuple[str, ...]:
    """The names of the settings in a file. None where git cannot read them: it will say so itself, and start nothing.
    Git itself reads all but the plainest files, as it writes them."""
    if not PLAIN.fullmatch(raw):
        return tuple(git_process.setting_names(raw) or ())
    found, section = [], ""
    for line in raw.decode("ascii").splitlines():
        if line.startswith("["):
            section = line.strip('[]"').replace(' "', ".")
        else:
            found.append(f"{section}.{line.split()[0]}")
    return tuple(found)


def is_steering(key: str, *, network: bool) -> bool:
    """True if a setting can start a program, or lead elsewhere, in what we ask of git."""
    section, _, rest = key.partition(".")
    section, named, last = section.lower(), "." in rest, rest.rpartition(".")[2].lower()
    if section in ALWAYS or (section == "diff" and (named or last == "external")):
        return True
    if section == "merge" and named:
        return True
    if network and (section in NETWORK or f"{section}.{last}" in REACHING):
        return True
    if network and section == "remote" and last not in OF_REMOTES:
        return True
    return section not in IDLE | NETWORK and any(word in last for word in WORDS)


def known(vault: str) -> str:
    """The last commit that is known of; "" where there never was one."""
    state = home.state(vault)
    said = _line(f"{state}/head")
    return said if IDENT.fullmatch(said) else next(iter(IDENT.findall(calls.settled(state).head)), "")


def known_config(vault: str) -> bytes:
    """Git's settings as they were; b"" where nobody kept them."""
    return readable(f"{home.state(vault)}/git-config", largest=LARGEST_CONFIG)


def note(vault: str, folder: str) -> None:
    """Keep where the repository in this folder stands. A disk that refuses it costs the next alarm, nothing else."""
    state = home.state(vault)
    head = tip(folder)
    try:
        if head and head != _line(f"{state}/head"):
            _put(f"{state}/head", f"{head}\n".encode("ascii"))
        config = platform.read_file(f"{folder}/config", largest=LARGEST_CONFIG)
        if config != known_config(vault) and names(config):
            _put(f"{state}/git-config", config)
    except OSError:
        return


def forget(vault: str) -> None:
    """Forget what was known, by the user's word."""
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
    if name and not platform.is_there(f"{folder}/{name}"):
        return packed(folder).get(name, "")
    said = _line(f"{folder}/{name or 'HEAD'}")
    return said if IDENT.fullmatch(said) else ""


def packed(folder: str) -> dict[str, str]:
    """References that are packed, each with its commit; lines that are none are passed over."""
    raw = readable(f"{folder}/packed-refs").decode("utf-8", "replace")
    pairs = [line.split(" ", 1) for line in raw.split("\n") if not line.startswith(("#", "^"))]
    return {one[1]: one[0] for one in pairs if len(one) == 2 and IDENT.fullmatch(one[0]) and one[1].startswith("refs/")}


def recorded(folder: str) -> list[str]:
    """The commits that HEAD and the main branch have stood at, by git's own record of it, the newest first."""
    names = dict.fromkeys((branch(folder) or "refs/heads/main", "refs/heads/main", "HEAD"))
    return list(dict.fromkeys(one for name in names for one in recorded_of(folder, name)))


def recorded_of(folder: str, name: str) -> list[str]:
    raw = readable(f"{folder}/logs/{name}").decode("utf-8", "replace")
    parts = [line.split(" ", 2) for line in reversed(raw.split("\n"))]
    return [one[1] for one in parts if len(one) == 3 and IDENT.fullmatch(one[1]) and one[1].strip("0")]


def _line(path: str) -> str:
    return platform.text(path, SMALL).strip()


def _put(path: str, data: bytes) -> None:
    fresh = f"{path}.{os.getpid()}.{os.urandom(4).hex()}.tmp"
    platform.write_new(fresh, data, durable=True)
    os.rename(fresh, path)


def accepted(vault: str) -> frozenset[str]:
    """Versions that are lost and that the user has accepted as lost: no alarm, and the history keeps its commits."""
    raw = readable(f"{home.state(vault)}/{LOST}").decode("ascii", "replace")
    return frozenset(line for line in raw.split() if IDENT.fullmatch(line))


def accept(vault: str, lost: Iterable[str]) -> None:
    """Raises OSError."""
    known = accepted(vault)
    fresh = sorted(set(lost) - known)
    if fresh:
        text = "".join(f"{one}\n" for one in (*sorted(known), *fresh))
        platform.write_atomic(f"{home.state(vault)}/{LOST}", text.encode("ascii"), durable=True)
