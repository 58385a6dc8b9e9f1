"""Git's own files, read without starting git: the hook has milliseconds, git alone takes several.

Where a folder's repository is and what it is on; whether the index tracks a file; and a glance at the vault's .git, by
a few stats and small reads, for the damage that a start can see by itself.
"""

from __future__ import annotations

import posix

from holdfast.capture import platform
from holdfast.model import value

SMALL = 4096
LARGEST_INDEX = 1 << 23
MOST_HOPS = 5  # from one symbolic reference to the next
# Hosts that take Owner/Name and owner/name for the same repository.
WITHOUT_CASE = ["github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "gitea.com", "gitee.com", "dev.azure.com"]
LARGEST = 1 << 25  # bytes of an index that is searched, about 300,000 files
MOST_PACKED = 60_000  # entries of an index of version 4 that are walked
HEADER = 12
BEFORE_ID = 40  # bytes of an entry of the index before its object's id
IDS = (20, 32)  # bytes of an object's id: SHA-1 and SHA-256
EXTENDED, LENGTH = 0x4000, 0x0FFF  # of an entry's flags: two more bytes of them; the length of its name
EMPTY = "is empty"
ODD = ("commondir", "reftable")  # of a worktree, and of references in tables


@value
class Checkout:
    """A work tree: its top folder, and the repository that all its worktrees share."""

    root: str
    common: str


def checkout(folder: str) -> Checkout | None:
    """The work tree that a folder lies in, or None."""
    at = folder.rstrip("/")
    while at:
        found = own_folder(at)
        if found:
            return Checkout(at, _common(found))
        at = at.rpartition("/")[0]
    return None


def root_of(folder: str) -> str:
    """The top of the work tree that a folder lies in; outside of git, the folder itself."""
    found = checkout(folder)
    return found.root if found else folder.rstrip("/") or "/"


def repository(folder: str) -> Checkout | None:
    """The repository in exactly this folder, bare or not."""
    found = own_folder(folder)
    if found:
        return Checkout(folder, _common(found))
    is_bare = platform.is_there(f"{folder}/objects") and platform.is_there(f"{folder}/HEAD")
    return Checkout(folder, folder) if is_bare else None


def own_folder(folder: str) -> str:
    """The git folder of this one work tree: its .git, or in a worktree or submodule where that leads; "" for none."""
    path = f"{folder}/.git"
    try:
        if posix.stat(path).st_mode & platform.FILE_TYPE == platform.A_FOLDER:
            posix.stat(f"{path}/HEAD")  # without it git takes no notice either; sandboxes leave empty ones behind
            return path
    except (OSError, ValueError):
        return ""  # not there, or a path that cannot be
    text = platform.text(path, SMALL, "surrogateescape")
    return resolve(folder, text[len("gitdir:") :].strip()) if text.startswith("gitdir:") else ""


def _common(git: str) -> str:
    text = platform.text(f"{git}/commondir", SMALL, "surrogateescape")
    return resolve(git, text.strip()) if text else git


def is_staged(root: str, path: str) -> bool:
    """True if git's index has a file as it lies there: after a commit that went well it is in the commit. The entry is
    found by its name and compared by time and size, as git does it. An index that packs its names (version 4), or has
    longer ids, has none of them: the answer is no."""
    try:
        index = platform.read_file(f"{own_folder(root)}/index", LARGEST_INDEX)
        file = posix.stat(f"{root}/{path}")
        name = path.encode("utf-8", "surrogateescape")
    except (OSError, ValueError):
        return False
    before_name = BEFORE_ID + IDS[0]
    at = index.find(min(len(name), LENGTH).to_bytes(2, "big") + name + b"\0") - before_name
    if at < 0 or index[:4] != b"DIRC":
        return False
    written, size = int.from_bytes(index[at + 8 : at + 12], "big"), int.from_bytes(index[at + 36 : at + 40], "big")
    return (written, size) == (int(file.st_mtime) & 0xFFFFFFFF, file.st_size & 0xFFFFFFFF)


def resolve(base: str, path: str) -> str:
    """A path as seen from a folder, without dots in it."""
    parts: list[str] = []
    for part in (path if path.startswith("/") else f"{base}/{path}").split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)


def branch(folder: str) -> str:
    """The branch that a folder's work tree is on, or the short commit where it is on none; "" outside of git."""
    found = checkout(folder)
    text = _line(f"{own_folder(found.root)}/HEAD") if found else ""
    name = text.removeprefix("ref: refs/heads/")
    return name if name != text else text[:10]


def head_commit(folder: str) -> str:
    """The id of the commit that a folder's work tree stands at; "" before the first one, and outside of git. Where
    references are kept in tables (git's reftable), they are not read."""
    found = checkout(folder)
    if not found:
        return ""
    git, name = own_folder(found.root), "HEAD"
    for _ in range(MOST_HOPS):
        text = _line(f"{git}/{name}") or _line(f"{found.common}/{name}")
        if not text.startswith("ref:"):
            return text if _is_id(text) else _packed(found.common, name)
        name = text[len("ref:") :].strip()
        if ".." in name or not name.startswith("refs/"):
            return ""
    return ""


def _line(path: str) -> str:
    return platform.text(path, SMALL).strip()


def _is_id(text: str) -> bool:
    return len(text) in (40, 64) and not text.strip("0123456789abcdef")


def _packed(common: str, name: str) -> str:
    """The commit of a reference in the list that git makes of many."""
    for line in platform.text(f"{common}/packed-refs").split("\n"):
        ident, _, named = line.partition(" ")
        if named.strip() == name and _is_id(ident):
            return ident
    return ""


def has_long_ids(common: str) -> bool:
    """True if a repository names its objects by SHA-256."""
    return "objectformat=sha256" in "".join(platform.text(f"{common}/config", 1 << 20).lower().split())


def origin_url(common: str) -> str:
    """The url of the remote `origin`, as the repository's own config spells it."""
    inside = False
    for raw in platform.text(f"{common}/config", 1 << 20).splitlines():
        line = raw.strip()
        if line.startswith("["):
            section, _, name = line[1:].partition("]")[0].partition(" ")
            inside = section.lower() == "remote" and name.strip() == '"origin"'
            line = line.partition("]")[2].strip()
        if inside:
            name, equals, setting = line.partition("=")
            if equals and name.strip().lower() == "url":
                return setting.partition(" #")[0].partition(" ;")[0].strip().strip('"')
    return ""


def birth(common: str) -> str:
    """The time of the files that git never touches again: it tells a repository from another one in its place."""
    for name in ("description", "info/exclude"):
        try:
            return str(posix.stat(f"{common}/{name}").st_mtime_ns)
        except OSError:
            continue
    return ""


def root_commit(common: str) -> str:
    """The first commit, if the repository's own history of HEAD still begins with it."""
    line = platform.text(f"{common}/logs/HEAD", SMALL).partition("\n")[0]
    old, _, rest = line.partition(" ")
    new = rest.partition(" ")[0]
    made_here = "\tcommit (initial)" in line
    return new if made_here and not old.strip("0") and len(new) >= 40 else ""


def local_origin(common: str) -> str:
    """The folder of a remote `origin` on this machine, or ""."""
    url = origin_url(common).removeprefix("file://")
    if not url or normal_url(url) or "://" in url:
        return ""
    return resolve(common.removesuffix("/.git"), url)


def normal_url(url: str) -> str:
    """`host/path` whatever the protocol, without user, password, port or .git; "" for a local path."""
    scheme, apart, rest = url.partition("://")
    if apart:
        if scheme.lower() == "file":
            return ""
        # A password may hold a slash, so the last @ parts it from the host, unless what precedes is host and port.
        before, at, behind = rest.rpartition("@")
        port = before.partition(":")[2].partition("/")[0]
        rest = behind if at and ":" in before and not port.isdecimal() else rest
        address, _, path = rest.partition("/")
    else:
        address, colon, path = url[url.rfind("@", 0, url.rfind(":")) + 1 :].partition(":")
        if not colon or "/" in address:
            return ""
    host = address.rpartition("@")[2].lower()
    host = host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]
    path = path.partition("?")[0].strip("/")
    path = path[:-4] if path.endswith(".git") else path
    return folded(f"{host}/{path}") if host and path else ""


def folded(url: str) -> str:
    """`host/path` as its host compares it: some do not tell case in owner and name, of the others nothing is known."""
    return url.lower() if url.partition("/")[0] in WITHOUT_CASE else url


class Index:
    """One index file, read once: versions 2, 3 and 4, SHA-1 and SHA-256. A look searches the file's bytes; in version 4
    names are packed and have to be walked. A file that is too large, torn or of an unknown version tracks nothing, as
    far as we can say: the caller counts that as unknown."""

    def __init__(self, path: str) -> None:
        try:
            data = platform.read_regular(path, LARGEST)
        except (OSError, ValueError):
            data = b""
        version = int.from_bytes(data[4:8], "big") if data[:4] == b"DIRC" else 0
        self._data = data if version in (2, 3, 4) else b""
        self._found = b"", HEADER  # the name that was found last, and where
        self._names = _packed_names(self._data) if version == 4 else None

    def has(self, name: str) -> bool:
        """True if a path, as seen from the top of the work tree, is tracked."""
        wanted = name.encode("utf-8", "surrogateescape")
        if not wanted or b"\0" in wanted:
            return False
        if self._names is not None:
            return wanted in self._names
        # Entries are in order: asked in order too, all names together cost one way through the file.
        before, begin = self._found
        at = self._data.find(wanted + b"\0", begin if before <= wanted else HEADER)
        while at >= 0:
            if self._is_entry(at, len(wanted)):
                self._found = wanted, at
                return True
            at = self._data.find(wanted + b"\0", at + 1)
        return False

    def has_below(self, folder: str) -> bool:
        """True if anything in a folder is tracked."""
        wanted = folder.encode("utf-8", "surrogateescape") + b"/"
        if self._names is not None:
            return any(name.startswith(wanted) for name in self._names)
        at = self._data.find(wanted, HEADER)
        while at >= 0:
            end = self._data.find(b"\0", at)
            if end > at and self._is_entry(at, end - at):
                return True
            at = self._data.find(wanted, at + 1)
        return False

    def _is_entry(self, at: int, length: int) -> bool:
        """True if an entry's name begins here: its flags say how long it is, and entries begin every eighth byte."""
        for extra in (0, 2):
            flags = int.from_bytes(self._data[at - extra - 2 : at - extra], "big")
            begins = [at - extra - 2 - size - BEFORE_ID for size in IDS]
            is_fit = flags & LENGTH == min(length, LENGTH) and bool(flags & EXTENDED) == bool(extra)
            if is_fit and any(begin >= HEADER and (begin - HEADER) % 8 == 0 for begin in begins):
                return True
        return False


def _packed_names(data: bytes) -> frozenset[bytes]:
    """The names of a version 4 index: each says how much of the one before it goes on. Without them all, none."""
    count = int.from_bytes(data[8:12], "big")
    walked = (_walk(data, count, size) for size in IDS if count <= MOST_PACKED)
    return frozenset(next((names for names in walked if names is not None), ()))


def _walk(data: bytes, count: int, size: int) -> list[bytes] | None:
    names: list[bytes] = []
    at, before = HEADER, b""
    for _ in range(count):
        at += BEFORE_ID + size
        flags = int.from_bytes(data[at : at + 2], "big")
        at += 4 if flags & EXTENDED else 2
        dropped = data[at] & 0x7F if at < len(data) else 0
        while at < len(data) and data[at] & 0x80:
            at += 1
            dropped = ((dropped + 1) << 7) | (data[at] & 0x7F if at < len(data) else 0)
        at += 1
        end = data.find(b"\0", at)
        if end < 0 or dropped > len(before):
            return None
        before = before[: len(before) - dropped] + data[at:end]
        if flags & LENGTH != min(len(before), LENGTH):
            return None
        names.append(before)
        at = end + 1
    return names


def damage(vault: str) -> str:
    """The damage to the vault's .git, as a clause such as ".git/index is empty"; "" where a glance finds none."""
    known = _line(f"{vault}/.state/head")
    if not _is_id(known):
        return ""
    folder = f"{vault}/.git"
    try:
        mode = posix.stat(folder).st_mode
    except FileNotFoundError:
        return f"{folder} is gone"
    except OSError:
        return ""
    if mode & platform.FILE_TYPE != platform.A_FOLDER or any(platform.is_there(f"{folder}/{name}") for name in ODD):
        return ""  # not of our making
    return _damaged_files(folder) or _damaged_branch(folder, known)


def _damaged_files(folder: str) -> str:
    for name in ("objects", "refs"):
        if not platform.is_there(f"{folder}/{name}"):
            return f".git/{name} is gone"
    for name in ("config", "HEAD", "index"):
        try:
            raw = platform.read_file(f"{folder}/{name}", 8)
        except FileNotFoundError:
            return f".git/{name} is gone"
        except OSError:
            return ""  # a command says what is wrong with it
        if not raw.strip(b"\0"):
            return f".git/{name} {'is zeros' if raw else EMPTY}"
        if name == "index" and not raw.startswith(b"DIRC"):
            return f".git/{name} is overwritten"
    return ""


def _damaged_branch(folder: str, known: str) -> str:
    said = _line(f"{folder}/HEAD")
    name = said.removeprefix("ref: ").strip()
    if name == said:
        return "" if _is_id(said) else ".git/HEAD cannot be read"
    if not name.startswith("refs/") or ".." in name:
        return ".git/HEAD cannot be read"
    if not platform.is_there(f"{folder}/{name}"):
        return "" if platform.is_there(f"{folder}/packed-refs") else f".git/{name} is gone"
    tip = _line(f"{folder}/{name}")
    if not _is_id(tip):
        return f".git/{name} {'cannot be read' if tip else EMPTY}"
    return _damaged_commit(folder, tip) or (_damaged_commit(folder, known) if known != tip else "")


def _damaged_commit(folder: str, ident: str) -> str:
    """The last commit, where it lies in a file of its own: git compresses, so the first byte tells."""
    try:
        raw = platform.read_file(f"{folder}/objects/{ident[:2]}/{ident[2:]}", 2)
    except OSError:
        return ""  # packed, or another's
    return "" if raw[:1] == b"x" else f"the commit {ident[:10]} {'cannot be read' if raw else EMPTY}"
