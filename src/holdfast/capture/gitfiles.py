"""What a folder's .git files say, read without starting git: the hook has milliseconds, git alone takes several."""

from __future__ import annotations

import posix

from holdfast.capture import platform
from holdfast.model import value

NEVER = "0" * 40
LARGEST_INDEX = 1 << 23
MOST_HOPS = 5  # from one symbolic reference to the next
WITHOUT_CASE = (  # hosts that take Owner/Name and owner/name for the same repository
    *("github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "gitea.com", "gitee.com", "dev.azure.com"),
)
BEFORE_NAME, LONGEST_NAME = 60, 0xFFF  # of an entry of git's index: bytes before its name's length; the largest length


@value
class Checkout:
    """A work tree: its top folder, and the repository that all its worktrees share."""

    root: str
    common: str


def checkout(folder: str) -> Checkout | None:
    """The work tree that a folder lies in, or None."""
    at = folder.rstrip("/")
    while at:
        found = _git_folder(at)
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
    found = _git_folder(folder)
    if found:
        return Checkout(folder, _common(found))
    try:
        posix.stat(f"{folder}/objects")
        posix.stat(f"{folder}/HEAD")
    except (OSError, ValueError):
        return None
    return Checkout(folder, folder)


def _git_folder(folder: str) -> str:
    """The repository of a work tree: its .git, or, in a worktree or submodule, where that file leads."""
    path = f"{folder}/.git"
    try:
        if (posix.stat(path).st_mode & 0o170000) == 0o040000:
            posix.stat(f"{path}/HEAD")  # without it git takes no notice either; sandboxes leave empty ones behind
            return path
        text = platform.read_file(path, 4096).decode("utf-8", "surrogateescape")
    except (OSError, ValueError):
        return ""  # not there, or a path that cannot be
    if not text.startswith("gitdir:"):
        return ""
    return resolve(folder, text[len("gitdir:") :].strip())


def _common(git: str) -> str:
    try:
        text = platform.read_file(f"{git}/commondir", 4096).decode("utf-8", "surrogateescape")
    except OSError:
        return git
    return resolve(git, text.strip())


def own_folder(root: str) -> str:
    """What git keeps of this one work tree; "" where there is none."""
    return _git_folder(root)


def is_staged(root: str, path: str) -> bool:
    """Whether git's index has a file as it lies there: after a commit that went well it is in the commit. The entry is
    found by its name and compared by time and size, as git does it. An index that packs its names (version 4), or has
    longer ids, has none of them: the answer is no."""
    try:
        index = platform.read_file(f"{own_folder(root)}/index", LARGEST_INDEX)
        file = posix.stat(f"{root}/{path}")
        name = path.encode("utf-8", "surrogateescape")
    except (OSError, ValueError):
        return False
    at = index.find(min(len(name), LONGEST_NAME).to_bytes(2, "big") + name + b"\0") - BEFORE_NAME
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
    git = _git_folder(found.root) if found else ""
    try:
        text = platform.read_file(f"{git}/HEAD", 4096).decode("utf-8", "replace").strip() if git else ""
    except OSError:
        return ""
    name = text.removeprefix("ref: refs/heads/")
    return name if name != text else text[:10]


def head_commit(folder: str) -> str:
    """The id of the commit that a folder's work tree stands at; "" before the first one, and outside of git. Where
    references are kept in tables (git's reftable), they are not read."""
    found = checkout(folder)
    git = _git_folder(found.root) if found else ""
    if not found or not git:
        return ""
    name = "HEAD"
    for _ in range(MOST_HOPS):
        text = next((text for place in (git, found.common) if (text := _line(f"{place}/{name}"))), "")
        if not text.startswith("ref:"):
            return text if _is_id(text) else _packed(found.common, name)
        name = text[len("ref:") :].strip()
        if ".." in name or not name.startswith("refs/"):
            return ""
    return ""


def _line(path: str) -> str:
    try:
        return platform.read_file(path, 4096).decode("utf-8", "replace").strip()
    except (OSError, ValueError):
        return ""


def _is_id(text: str) -> bool:
    return len(text) in (40, 64) and not text.strip("0123456789abcdef")


def _packed(common: str, name: str) -> str:
    """The commit of a reference in the list that git makes of many."""
    try:
        text = platform.read_file(f"{common}/packed-refs").decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
    for line in text.split("\n"):
        ident, _, named = line.partition(" ")
        if named.strip() == name and _is_id(ident):
            return ident
    return ""


def has_long_ids(common: str) -> bool:
    """Whether a repository names its objects by SHA-256."""
    lines = "".join(_text(f"{common}/config").lower().split())
    return "objectformat=sha256" in lines


def origin_url(common: str) -> str:
    """The url of the remote `origin`, as the repository's own config spells it."""
    text = _text(f"{common}/config")
    inside = False
    for raw in text.splitlines():
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


def _text(path: str) -> str:
    try:
        return platform.read_file(path, 1 << 20).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""


def birth(common: str) -> str:
    """What tells a repository from another one in its place: when git wrote the files that it never touches again."""
    for name in ("description", "info/exclude"):
        try:
            return str(posix.stat(f"{common}/{name}").st_mtime_ns)
        except OSError:
            continue
    return ""


def root_commit(common: str) -> str:
    """The first commit, if the repository's own history of HEAD still begins with it."""
    try:
        line = platform.read_file(f"{common}/logs/HEAD", 4096).decode("utf-8", "replace").partition("\n")[0]
    except OSError:
        return ""
    old, _, rest = line.partition(" ")
    new = rest.partition(" ")[0]
    made_here = "\tcommit (initial)" in line
    return new if made_here and not old.strip("0") and len(new) >= len(NEVER) else ""


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
