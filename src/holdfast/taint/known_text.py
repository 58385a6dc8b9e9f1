"""Whether the text of a file is known: the user's, this repository's, or the agent's own.

Known are files that git tracks in this repository and its work trees, files that the agent wrote while its context
was clean, the vault but for what waits in it for a person, what the host keeps of this very session, and the folders
that this machine's settings name. Everything else is unknown: other repositories, the home folder, and within the
tree untracked and ignored files. Folders of dependencies and build output are others' text even where git tracks
them.
"""

from __future__ import annotations

import posix

from holdfast.capture import gitfiles, platform
from holdfast.model import word_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.capture.agent_files import OwnFiles
    from holdfast.capture.gitfiles import Index

OTHERS = word_set(
    "node_modules bower_components jspm_packages vendor vendored _vendor third_party thirdparty third-party "
    "site-packages dist-packages venv .venv virtualenv .tox .nox .eggs Pods Carthage .yarn .pnpm-store .cargo "
    ".gradle .m2 .bundle .terraform __pycache__ _build dist build target out .next .nuxt .svelte-kit .parcel-cache "
    ".cache .git _deps"
)
DEVICES = ("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero")
LINKS = 40
SHORTEST = 16  # letters of a session's id that nobody could have guessed
TASK = "task:"  # before the name of a command that goes on in the background
HOSTS_FOLDERS = ("tasks", "tool-results", "subagents")  # what hosts keep of a session's calls, below its id


class Ground:
    """The known text around one session. `place` names its repository, or its folder where there is none."""

    def __init__(
        self, cwd: str, vault: str, *, home: str = "", session: str = "", transcript: str = "", state: str = "",
        trusted: Iterable[str] = (),
    ) -> None:  # fmt: skip
        found = gitfiles.checkout(real(cwd))
        self.common = found.common if found else ""
        self.root = found.root if found else real(cwd)
        self.place = self.common or self.root
        self.vault = real(vault)
        self.home, self.session, self.transcript, self.state = home, session, transcript, state
        self.trusted = tuple(real(gitfiles.resolve(home or "/", one.removeprefix("~/"))) for one in trusted if one)
        self._written: OwnFiles | None = None
        self._trees: dict[str, str] = {}
        self._indexes: dict[str, Index] = {}

    def at_home(self, path: str) -> str:
        """A path as a shell would write out its `~`."""
        return self.home + path[1:] if path.startswith("~/") and self.home else path

    def has(self, path: str, at: str) -> bool:
        """Whether a file's text is known. One that is not there is known only by its name."""
        named = gitfiles.resolve(at or "/", path)
        if named in DEVICES or named.startswith("/dev/fd/"):
            return True
        whole = real(named)
        if self._is_kept(whole) or self.is_tracked(whole) or self.written.has(whole):
            return True
        folder, _, name = whole.rpartition("/")  # of a known command that went on in the background
        return folder.endswith("/tasks") and name.endswith(".output") and self.written.has(f"{TASK}{name[:-7]}")

    def is_tracked(self, whole: str) -> bool:
        """Whether git has a file in this repository's tree, and not in a folder of others'."""
        tree = self._tree(whole)
        inner = whole[len(tree) + 1 :]
        return bool(tree) and not is_others(inner) and self._index(tree).has(inner)

    def has_folder(self, path: str, at: str) -> bool:
        """Whether the names in a folder are known: it has something that is tracked, or that the agent put there."""
        whole = self.whole(path, at)
        if self._is_kept(f"{whole}/") or whole in self.trusted:
            return True
        tree = self._tree(f"{whole}/.")
        inner = whole[len(tree) + 1 :] if tree else ""
        is_own = not inner or (not is_others(inner) and (self._index(tree).has_below(inner) or not is_there(whole)))
        return (bool(tree) and is_own) or self.written.has(whole)

    def has_module(self, name: str, at: str) -> bool:
        """Whether a module of this name is the project's own."""
        inner = name.replace(".", "/")
        tops = dict.fromkeys((at, self.root, f"{self.root}/src", f"{self.root}/lib"))
        places = [f"{top}/{inner}{end}" for top in tops for end in (".py", "/__init__.py", "/__main__.py")]
        return any(self.has(place, "/") for place in places)

    def is_in_tree(self, path: str, at: str) -> bool:
        """Whether a place is this repository's and no folder of others', tracked or not."""
        whole = self.whole(path, at)
        tree = self._tree(whole) or self._tree(f"{whole}/.")
        return bool(tree) and not is_others(whole[len(tree) + 1 :])

    def is_elsewhere(self, path: str, at: str) -> bool:
        """Whether a place lies neither in this repository nor in a folder that is trusted."""
        whole = self.whole(path, at)
        is_in_tree = self._tree(whole) or self._tree(f"{whole}/.")
        return not (is_in_tree or self._is_kept(whole) or self.written.has(whole))

    @property
    def written(self) -> OwnFiles:
        """The files that agents wrote here, read when they are first asked for."""
        if self._written is None:
            from holdfast.capture.agent_files import OwnFiles

            self._written = OwnFiles(self.state, self.place, self.session)
        return self._written

    def whole(self, path: str, at: str) -> str:
        return real(gitfiles.resolve(at or "/", path))

    def _is_kept(self, whole: str) -> bool:
        if whole.startswith(f"{self.vault}/"):
            return not whole.startswith(f"{self.vault}/quarantine/")
        if any(whole == one or whole.startswith(f"{one}/") for one in self.trusted):
            return True
        beside = f"{self.transcript.removesuffix('.jsonl')}/"
        if self.transcript and (whole == self.transcript or whole.startswith(beside)):
            return True
        return len(self.session) >= SHORTEST and any(f"/{self.session}/{one}/" in whole for one in HOSTS_FOLDERS)

    def _tree(self, whole: str) -> str:
        """The work tree of this repository that a place lies in; "" where none. A folder that only says of itself that
        it is one is not: git's own list must name it."""
        folder = whole.rpartition("/")[0]
        if not self.common:
            return ""
        if folder not in self._trees:
            found = gitfiles.checkout(folder)
            is_ours = found and found.common == self.common and (found.root == self.root or _is_listed(found))
            self._trees[folder] = found.root if found and is_ours else ""
        return self._trees[folder]

    def _index(self, tree: str) -> Index:
        if tree not in self._indexes:
            from holdfast.capture.gitfiles import Index

            self._indexes[tree] = Index(f"{gitfiles.own_folder(tree)}/index")
        return self._indexes[tree]


def is_others(inner: str) -> bool:
    """Whether a path, as seen from the top of the tree, leads through a folder of dependencies or build output."""
    return any(part in OTHERS or part.endswith((".egg-info", ".dist-info")) for part in inner.split("/"))


def real(path: str) -> str:
    """A path without links in it, as far as it is there."""
    left = [part for part in path.split("/") if part and part != "."][::-1]
    done: list[str] = []
    links = 0
    while left:
        part = left.pop()
        if part == "..":
            del done[-1:]
            continue
        here = "/".join(("", *done, part))
        try:
            target = posix.readlink(here)
        except (OSError, ValueError):
            done.append(part)
            continue
        links += 1
        if links > LINKS:
            return "/\x01"  # leads nowhere
        if target.startswith("/"):
            done = []
        left += [one for one in target.split("/") if one and one != "."][::-1]
    return "/" + "/".join(done)


def _is_listed(found: gitfiles.Checkout) -> bool:
    """Whether the repository itself knows of this work tree: it lies beside it, or is one that it lists."""
    own = gitfiles.own_folder(found.root)
    if own == found.common:
        return own == f"{found.root}/.git"
    try:
        back = platform.read_regular(f"{own}/gitdir", 4096).decode("utf-8", "surrogateescape").strip()
    except (OSError, ValueError):
        return False
    return real(back) == f"{found.root}/.git"


def kind_of(path: str) -> int:
    """The type of what lies at a path; 0 where nothing does."""
    try:
        return posix.stat(path).st_mode & platform.FILE_TYPE
    except (OSError, ValueError):
        return 0


def is_there(path: str) -> bool:
    return kind_of(path) != 0
