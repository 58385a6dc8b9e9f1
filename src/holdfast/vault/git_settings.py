"""Which settings of the vault's own repository git may see.

The file .git/config of a vault is no secret place: an agent can write to it, a folder that is synced brings another
machine's. So whatever in it could start a program, or lead git elsewhere, is not obeyed. Most of it is overruled at
every call (capture/git_process). The rest cannot be overruled by name, so git is not started until the line is gone:
filters, drivers and included files always, and whatever has a say in how a remote is reached before one is asked. The
same settings count in the user's own ~/.gitconfig, which no repository brings.
"""

from __future__ import annotations

import os
from functools import lru_cache

from holdfast.capture import git_process, platform
from holdfast.errors import GitFailed

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
    {
        "core",
        "gpg",
        "alias",
        "pager",
        "difftool",
        "mergetool",
        "browser",
        "man",
        "gui",
        "guitool",
        "trailer",
        "sendemail",
    }
    | {
        "submodule",
        "sequence",
        "instaweb",
        "remote",
        "interactive",
        "credential",
        "web",
        "help",
        "branch",
        "lfs",
        "tar",
    }
)
WORDS = ("command", "cmd", "driver", "helper", "hook", "process", "program", "textconv", "clean", "smudge", "external")


def refuse(folder: str, *, network: bool) -> None:
    """Raise GitFailed where the repository in this folder would steer git, or has no file where git opens one."""
    common = _common(folder)
    for name in OPENED:
        for place in dict.fromkeys((folder, common)):
            why = platform.oddity(f"{place}/{name}")
            if why and not (name == "index" and why.startswith("has ")):
                raise GitFailed(f"{place}/{name} {why}, so git was not started; nothing was changed. Move it away.")
    for path in dict.fromkeys(f"{place}/{name}" for place in (folder, common) for name in FILES):
        key = _steering(path, network=network)
        if key:
            raise GitFailed(
                f"{path} sets {key}, which can run a program, so git was not started; nothing was changed. Take the "
                "line out of it; a setting of your own counts in ~/.gitconfig."
            )


def _common(folder: str) -> str:
    try:
        said = platform.read_file(f"{folder}/commondir", 4096).decode("utf-8", "surrogateescape").strip()
    except OSError:
        return folder
    return os.path.normpath(os.path.join(folder, said))


def _steering(path: str, *, network: bool) -> str:
    try:
        raw = platform.read_small(path, LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise GitFailed(
            f"{path} cannot be read ({error.strerror}), so git was not started; nothing was changed."
        ) from None
    return next((key for key in _keys(raw) if is_steering(key, network=network)), "")


def names(raw: bytes) -> tuple[str, ...]:
    """The names of the settings in a file; none where git cannot read it."""
    return _keys(raw)


@lru_cache(maxsize=64)
def _keys(raw: bytes) -> tuple[str, ...]:
    """None of the keys where git cannot read them: it will say so itself, and start nothing."""
    return tuple(git_process.setting_names(raw) or ())


def is_steering(key: str, *, network: bool) -> bool:
    """Whether a setting can start a program, or lead elsewhere, in what we ask of git."""
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
