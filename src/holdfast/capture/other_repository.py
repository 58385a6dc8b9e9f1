"""Git as a reader of a repository that is not ours.

Promise: nothing that stands in the repository is carried out, whatever its settings, attributes, hooks, submodules and
remotes say, and whatever a later git learns to read from them. Git is given a repository of our own making instead,
made for the one question and removed after it: no settings at all, a head at the same commit, the other's objects,
its index, and its list of ignored files. So a filter, a file system monitor or a promisor that the other one names is
a name that nobody has defined.

What comes out is as honest as the files are. A file that a filter changes on its way into a commit is "changed" as soon
as its times differ from the index: that errs on the side of leaving it alone.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast.capture import git_process, gitfiles, platform

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE = 20.0  # seconds for one answer
SMALL = 1 << 20
LARGEST_INDEX = 1 << 28
NONE = "ref: refs/heads/none"  # a head before the first commit
# Files that git opens whatever it is asked, in the objects and at the top of the work tree.
OPENED = ("info/alternates", "info/commit-graph")
TOP = (".gitignore", ".gitattributes", ".gitmodules")


def ask(folder: str, *words: str, excludes: str = "") -> subprocess.CompletedProcess[bytes] | None:
    """Git's answer about the work tree that a folder lies in, asked at its top; None where there is no repository, no
    git, something that is no file where git expects one, or no answer in time. `excludes` is the user's own list of
    ignored files."""
    found = gitfiles.checkout(folder)
    if not found or not os.path.isdir(found.root) or trouble(found):
        return None
    env = git_process.environment()
    settings = ["diff.ignoreSubmodules=all", *([f"core.excludesFile={excludes}"] if excludes else [])]
    try:
        with _stand_in(found) as made:
            env |= {
                "GIT_DIR": made,
                "GIT_WORK_TREE": found.root,
                "GIT_OBJECT_DIRECTORY": f"{found.common}/objects",
                "GIT_LITERAL_PATHSPECS": "" if words[0] == "check-ignore" else "1",  # which knows no such thing
            }
            return git_process.run(words, found.root, env, settings=settings, timeout=PATIENCE)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None


def trouble(found: gitfiles.Checkout) -> str:
    """What lies where git expects a file and is none, as a sentence; "" where all are as they should be."""
    own = gitfiles.own_folder(found.root)
    objects = f"{found.common}/objects"
    packs = [f"{objects}/pack/{name}" for name in platform.names(f"{objects}/pack")]
    places = [*(f"{own}/{name}" for name in ("HEAD", "index")), f"{found.common}/config"]
    places += [*(f"{objects}/{name}" for name in OPENED), *(f"{found.root}/{name}" for name in TOP)]
    for path in places:
        why = platform.oddity(path)
        if why and not (path.endswith("/index") and why.startswith("has ")):
            return f"{path} {why}"
    return next((f"{path} {why}" for path in packs if (why := _kind(path))), "")


def _kind(path: str) -> str:
    why = platform.oddity(path)
    return "" if why.startswith("has ") else why  # a pack may be large


def alone(folder: str, *words: str) -> subprocess.CompletedProcess[bytes] | None:
    """Git in a folder of our own that is no repository."""
    env = git_process.environment() | {"GIT_CEILING_DIRECTORIES": os.path.dirname(os.path.realpath(folder))}
    try:
        return git_process.run(words, os.path.realpath(folder), env, timeout=PATIENCE)
    except (OSError, subprocess.TimeoutExpired):
        return None


def users_excludes() -> str:
    """The file in which the user's own settings list what they never commit; "" where they name none."""
    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
        env = git_process.environment(users=True) | {"GIT_CEILING_DIRECTORIES": os.path.dirname(folder)}
        words = ("config", "--type=path", "--get", "core.excludesFile")
        try:
            done = git_process.run(words, folder, env, timeout=PATIENCE)
        except (OSError, subprocess.TimeoutExpired):
            return ""
    path = os.fsdecode(done.stdout).strip() if done.returncode == 0 else ""
    return path if path and not platform.oddity(path) else ""


@contextmanager
def _stand_in(found: gitfiles.Checkout) -> Iterator[str]:
    """A repository of our own that knows the other's commits, index and ignored files."""
    own = gitfiles.own_folder(found.root)
    head = gitfiles.head_commit(found.root)
    with tempfile.TemporaryDirectory(prefix="holdfast-git-") as made:
        for name in ("objects", "refs/heads", "info"):
            os.makedirs(f"{made}/{name}")
        long_ids = len(head) == 64 or (not head and gitfiles.has_long_ids(found.common))
        settings = "[core]\n\tbare = false\n\tfilemode = false\n\trepositoryformatversion = "
        settings += "1\n[extensions]\n\tobjectFormat = sha256\n" if long_ids else "0\n"
        for name, text in (("config", settings), ("HEAD", f"{head or NONE}\n")):
            with open(f"{made}/{name}", "x", encoding="ascii") as file:
                file.write(text)
        shared = [name for name in platform.names(own) if name.startswith("sharedindex.")]
        for name, source, most in (
            *((name, f"{own}/{name}", LARGEST_INDEX) for name in ("index", *shared)),
            ("info/exclude", f"{found.common}/info/exclude", SMALL),
            ("shallow", f"{found.common}/shallow", SMALL),
        ):
            if os.path.isfile(source) and os.stat(source).st_size <= most:
                os.symlink(os.path.abspath(source), f"{made}/{name}")
        yield made
