"""The one place that starts git; a test looks for any other.

Promise: a git that we start takes nothing from the environment that it was started in: every GIT_* variable is
dropped, editors, pagers and question windows have no name, and the program is looked for in absolute folders only,
never in the folder that it works in. Without `users` the settings of the user and of the machine do not count either,
and no other repository is reached, by whatever transport a setting or a missing object asks for.

A repository's own settings are the caller's to keep out: `ask` does it for those that are not ours, vault/git for the
vault.
"""

from __future__ import annotations

import os
import subprocess
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Any

from holdfast.capture import gitfiles, home, platform

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

TRANSPORTS = "file:git:http:https:ssh"  # none that is a command, as ext:: is
USERS = ("GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_CONFIG_GLOBAL", "GIT_SSL_CAINFO", "GIT_PROXY_COMMAND")
PROGRAMS = ("PAGER", "EDITOR", "VISUAL", "SSH_ASKPASS", "BROWSER")
# Nothing starts a program by a name of its own that is not part of what a caller asked for.
SETTINGS = (
    *("core.fsmonitor=false", "core.hooksPath=/dev/null", "core.attributesFile=/dev/null", "core.editor=:"),
    *("core.alternateRefsCommand=:", "core.pager=cat", "core.untrackedCache=false", "commit.gpgSign=false"),
    *("tag.gpgSign=false", "push.gpgSign=false", "log.showSignature=false", "submodule.recurse=false", "gc.auto=0"),
    *("maintenance.auto=false", "protocol.ext.allow=never"),
)


def environment(users: bool = False) -> dict[str, str]:
    """The surroundings of a git process. `users`: with the user's own settings and credentials, and a network."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    if users:
        kept |= {name: text for name, text in os.environ.items() if name in USERS}
    else:
        kept = {name: text for name, text in kept.items() if name not in PROGRAMS}
        kept |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        kept |= {"GIT_NO_LAZY_FETCH": "1", "GIT_ASKPASS": "false"}
    kept |= {"GIT_ATTR_NOSYSTEM": "1", "GIT_EDITOR": ":", "GIT_NO_REPLACE_OBJECTS": "1", "GIT_OPTIONAL_LOCKS": "0"}
    kept |= {"GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C.UTF-8", home.CHILD: "1"}
    folders = [one for one in kept.get("PATH", os.defpath).split(os.pathsep) if one.startswith("/")]
    path = os.pathsep.join(folders) or os.defpath
    return {**kept, "PATH": path, "GIT_ALLOW_PROTOCOL": TRANSPORTS if users else ""}


def run(
    words: Sequence[str],
    cwd: str,
    env: Mapping[str, str],
    *,
    settings: Iterable[str] = (),
    given: bytes | None = None,
    timeout: float | None = None,
    held: int = -1,
) -> subprocess.CompletedProcess[bytes]:
    """Run git from start to end. `held` is a descriptor that it inherits. Raises OSError, TimeoutExpired."""
    how = _how(words, cwd, env, settings, held)
    return subprocess.run(**how, input=given or b"", capture_output=True, check=False, timeout=timeout)


def start(
    words: Sequence[str],
    cwd: str,
    env: Mapping[str, str],
    *,
    settings: Iterable[str] = (),
    given: IO[bytes] | int = subprocess.DEVNULL,
    said: IO[bytes] | int = subprocess.DEVNULL,
    held: int = -1,
) -> subprocess.Popen[bytes]:
    """Start git and talk with it while it runs; with `given` it is told something, else it is listened to."""
    heard = subprocess.PIPE if given == subprocess.DEVNULL else subprocess.DEVNULL
    return subprocess.Popen(**_how(words, cwd, env, settings, held), stdin=given, stdout=heard, stderr=said)


def _how(words: Sequence[str], cwd: str, env: Mapping[str, str], settings: Iterable[str], held: int) -> dict[str, Any]:
    """The command and the surroundings of a process."""
    program = _program(env["PATH"])
    set_so = [part for one in (*SETTINGS, *settings) for part in ("-c", one)]
    around = {"cwd": cwd, "env": dict(env), "pass_fds": (held,) if held >= 0 else (), "umask": 0o077}
    return {"args": [program, "--no-pager", *set_so, *words], **around}


def _program(path: str) -> str:
    """Git's own file, in the first of these folders that has one; `shutil` would bring readers of archives along."""
    places = (os.path.join(folder, "git") for folder in path.split(os.pathsep))
    return next((one for one in places if os.access(one, os.X_OK) and not os.path.isdir(one)), "git")


def setting_names(raw: bytes) -> list[str] | None:
    """The names of all settings in a file of git's settings, by git's own reader, without the files that it includes;
    None where it is none. Nothing that stands in it is carried out."""
    words = ("config", "--file", "-", "--no-includes", "--list", "--name-only", "-z")
    try:
        done = run(words, "/", environment(), given=raw, timeout=20.0)
    except (OSError, subprocess.TimeoutExpired):
        return None
    names = done.stdout.decode("utf-8", "surrogateescape").split("\0")
    return [name for name in names if name] if done.returncode == 0 else None


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
    return ask_all(folder, words, excludes=excludes)[0]


def ask_all(
    folder: str, *questions: Sequence[str], excludes: str = ""
) -> list[subprocess.CompletedProcess[bytes] | None]:
    """The same of several questions in a row; one that is not answered leaves the others alone."""
    answers: list[subprocess.CompletedProcess[bytes] | None] = [None] * len(questions)
    found = gitfiles.checkout(folder)
    if not found or not os.path.isdir(found.root) or trouble(found):
        return answers
    env = environment()
    settings = ["diff.ignoreSubmodules=all", *([f"core.excludesFile={excludes}"] if excludes else [])]
    with suppress(OSError, ValueError), _stand_in(found) as made:
        for nth, words in enumerate(questions):
            env |= {
                "GIT_DIR": made,
                "GIT_WORK_TREE": found.root,
                "GIT_OBJECT_DIRECTORY": f"{found.common}/objects",
                "GIT_LITERAL_PATHSPECS": "" if words[0] == "check-ignore" else "1",  # which knows no such thing
            }
            with suppress(OSError, ValueError, subprocess.TimeoutExpired):
                answers[nth] = run(words, found.root, env, settings=settings, timeout=PATIENCE)
    return answers


def trouble(found: gitfiles.Checkout) -> str:
    """The sentence that names something where git expects a file and that is none; "" where all is as it should be."""
    own = gitfiles.own_folder(found.root)
    objects = f"{found.common}/objects"
    small = [f"{own}/HEAD", f"{found.common}/config", *(f"{objects}/{name}" for name in OPENED)]
    small += [f"{found.root}/{name}" for name in TOP]
    large = [f"{own}/index", *(f"{objects}/pack/{name}" for name in platform.names(f"{objects}/pack"))]
    for path in (*small, *large):
        why = platform.oddity(path)
        if why and (path in small or not why.startswith("has ")):
            return f"{path} {why}"
    return ""


def alone(folder: str, *words: str, users: bool = False) -> subprocess.CompletedProcess[bytes] | None:
    """Git in a folder of our own that is no repository; None where it gives no answer."""
    place = os.path.realpath(folder)
    env = environment(users) | {"GIT_CEILING_DIRECTORIES": os.path.dirname(place)}
    try:
        return run(words, place, env, timeout=PATIENCE)
    except (OSError, subprocess.TimeoutExpired):
        return None


def users_excludes() -> str:
    """The file in which the user's own settings list what they never commit; "" where they name none."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
        done = alone(folder, "config", "--type=path", "--get", "core.excludesFile", users=True)
    path = os.fsdecode(done.stdout).strip() if done and done.returncode == 0 else ""
    return path if path and not platform.oddity(path) else ""


@contextmanager
def _stand_in(found: gitfiles.Checkout) -> Iterator[str]:
    """A repository of our own that knows the other's commits, index and ignored files."""
    own = gitfiles.own_folder(found.root)
    head = gitfiles.head_commit(found.root)
    import tempfile

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
