"""Which project a folder belongs to.

A project is known by its keys: the normalised origin URL, else the root commit, else machine and path; so worktrees,
clones and subfolders are one. The first key seen gives the id, so two machines that share a vault agree without
talking. `projects.toml` in the vault holds id, slug and keys; a key that a known folder gains becomes an alias there.
If that key already names another project it is a clash: the key decides, as it would in a fresh clone, nothing is
merged, and the clash is reported.

What a folder was found to be is cached with the size and time of the files that said so, so the usual look is a few
stats and one small read. A project's own .holdfast.toml may switch capture off and name the tools that close a chapter;
of the rest nothing is believed.
"""

from __future__ import annotations

import posix

from holdfast.capture import codec, gitfiles, platform
from holdfast.capture.home import FORMAT, format_of, state
from holdfast.capture.ids import digest
from holdfast.capture.redaction import redact, redact_record
from holdfast.model import Project, replace, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_TOOLS = 20
LARGEST_WISHES = 1 << 16


def find(folder: str, vault: str) -> Project:
    """The project of a folder. Never fails: a registry that cannot be read or written only costs the aliases."""
    git = gitfiles.checkout(folder)
    root = git.root if git else (folder.rstrip("/") or "/")
    stamps = [
        _stamp(f"{git.common}/config") if git else "",
        "committed" if git and _stamp(f"{git.common}/logs/HEAD") else "",
        _stamp(f"{root}/.holdfast.toml"),
        _stamp(f"{vault}/projects.toml"),
    ]
    cache = f"{state(vault)}/projects/{digest(root)}"
    known = _cached(cache)
    if known.get("stamps") == stamps:
        return _project(known)
    before = _project(known) if known else None
    wishes = _wishes(root)
    if wishes.off:
        if before:
            return replace(before, off=True)
        key, slug = _key(root, git)
        return Project(f"{slug}-{digest(key, 8)}", slug, key, root, off=True)  # its name is written down nowhere
    birth = gitfiles.birth(git.common) if git else ""
    is_same = before is not None and known.get("birth") in (birth, "")
    project, registered = _identify(root, git, vault, before, is_same=is_same)
    project = replace(project, chapter_tools=wishes.chapter_tools, clash=project.clash or wishes.trouble)
    if not registered:
        return project
    stamps[3] = _stamp(f"{vault}/projects.toml")
    record: dict[str, object] = {
        "v": 1,
        "stamps": stamps,
        "project": {**project.__dict__, "chapter_tools": list(project.chapter_tools)},
        "birth": birth,
    }
    try:
        platform.make_folders(cache.rpartition("/")[0])
        platform.write_atomic(cache, codec.encode(redact_record(record)[0]), durable=False)
    except OSError:
        pass  # a disk that takes nothing must not keep the project from being known
    return project


def _stamp(path: str) -> str:
    try:
        seen = posix.stat(path)
    except (OSError, ValueError):
        return ""
    return f"{seen.st_mtime_ns}.{seen.st_size}"


def _cached(path: str) -> dict[str, Any]:
    try:
        record = codec.decode(platform.read_file(path, 1 << 16))
        _project(record)
    except (OSError, ValueError, TypeError, KeyError):
        return {}
    return record if isinstance(record, dict) else {}


def _project(record: dict[str, Any]) -> Project:
    found = Project(**record["project"])
    return replace(found, chapter_tools=tuple(found.chapter_tools))


def _identify(
    root: str, git: gitfiles.Checkout | None, vault: str, before: Project | None, *, is_same: bool
) -> tuple[Project, bool]:
    """The project, and whether the registry knows it now. `is_same`: the folder holds the repository it held before."""
    key, slug = _key(root, git)
    ident = f"{slug}-{digest(key, 8)}"
    registry, trouble = _registry(vault, key)
    clash, added = trouble, True
    moved = before is not None and before.key != key
    if key in registry:
        ident, slug = registry[key]
    elif before and is_same and (moved or trouble):
        ident, slug = before.id, before.slug
        added = not trouble and _add(vault, f"\n[[alias]]\nproject = {_quote(ident)}\nkey = {_quote(key)}\n")
    elif not trouble:
        added = _add(vault, f"\n[[project]]\nid = {_quote(ident)}\nslug = {_quote(slug)}\nkeys = [{_quote(key)}]\n")
    if before and moved and before.id != ident and not clash:
        clash = f"this folder was project {before.id}, now its {key.partition(':')[0]} says {ident}; none was merged"
    return Project(ident, slug, key, root, clash=clash), added


def _key(root: str, git: gitfiles.Checkout | None, hops: int = 3) -> tuple[str, str]:
    """The strongest key of a folder, and a short name. A clone of a local repository is that repository's project."""
    if git:
        url = gitfiles.normal_url(gitfiles.origin_url(git.common))
        if url:
            return _plain(f"url:{url}"), _slug(url)
        origin = gitfiles.local_origin(git.common)
        if origin and hops:
            return _key(origin, gitfiles.repository(origin), hops - 1)
        first = gitfiles.root_commit(git.common)
        home = git.common.removesuffix("/.git")
        if first:
            return f"root:{first}", _slug(home)
        return _plain(f"path:{platform.machine()}:{home}"), _slug(home)
    return _plain(f"path:{platform.machine()}:{root}"), _slug(root)


def _plain(key: str) -> str:
    """A key that may be written down: one with invisible characters or a secret in it is named by its digest."""
    is_fit = key.isprintable() and not redact(key)[1]
    return key if is_fit else f"{key.partition(':')[0]}:{digest(key, 24)}"


def _slug(path: str) -> str:
    name = path.rstrip("/").rpartition("/")[2].lower()
    clean = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in name)
    short = clean.strip("-")[:40].strip("-")
    return short if short and not redact(name)[1] else "project"


def _quote(text: str) -> str:
    return codec.encode(text).decode("utf-8")


def _registry(vault: str, key: str) -> tuple[dict[str, tuple[str, str]], str]:
    """Known keys and what they name; and a sentence where an edit or a sync left something that concerns `key`."""
    import tomllib

    known: dict[str, tuple[str, str]] = {}
    try:
        table = tomllib.loads(platform.read_file(f"{vault}/projects.toml").decode("utf-8", "replace"))
        slugs = {one["id"]: one.get("slug", one["id"]) for one in table.get("project", [])}
        pairs = [(name, one["id"]) for one in table.get("project", []) for name in one.get("keys", [])]
        pairs += [(one["key"], one["project"]) for one in table.get("alias", [])]
    except FileNotFoundError:
        return {}, ""
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        return {}, f"projects.toml cannot be read ({error}); projects keep the names their keys give"
    twice = ""
    for name, ident in pairs:
        named = known.setdefault(name, (ident, slugs.get(ident, ident)))[0]
        if named != ident and name == key:
            twice = f"projects.toml gives {key} to {named} and to {ident}; the first counts"
    return known, twice


def _add(vault: str, text: str) -> bool:
    """Add one table at the end, whole or not at all; False if it is not there now.

    Where it cannot be done now it is left: the id is derived from the key, so it comes out the same without the
    registry, and the next look at the folder tries again.
    """
    import fcntl

    path = f"{vault}/projects.toml"
    if format_of(vault) > FORMAT:
        return False
    try:
        platform.make_folders(f"{state(vault)}/projects")
        lock = posix.open(f"{state(vault)}/projects.lock", posix.O_RDWR | posix.O_CREAT | posix.O_CLOEXEC, 0o600)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        before = platform.read_file(path) if _stamp(path) else b""
        if text.encode("utf-8") not in before:
            platform.write_atomic(path, before + text.encode("utf-8"), durable=True)
        return True
    except OSError:
        return False
    finally:
        posix.close(lock)


@value
class Wishes:
    """What a project's own .holdfast.toml may say: it can only narrow, and name its chapter tools."""

    off: bool = False
    chapter_tools: tuple[str, ...] = ()
    trouble: str = ""  # a sentence where the file is none that can be read


def _wishes(root: str) -> Wishes:
    path = f"{root}/.holdfast.toml"
    try:
        text = platform.read_small(path, LARGEST_WISHES).decode("utf-8", "replace")
    except FileNotFoundError:
        return Wishes()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "its path cannot be one"
        return Wishes(trouble=f"{path} cannot be read ({why}), so it switches nothing off")
    import tomllib

    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError):
        # A merge conflict or a misspelling must not switch on what somebody wanted off.
        return Wishes(any("".join(line.split()).lower().startswith("off=true") for line in text.splitlines()))
    tables = [table, *(one for one in table.values() if isinstance(one, dict))]
    named = [one.get("chapter_tools") for one in tables]
    tools = [tool for one in named if isinstance(one, list) for tool in one if isinstance(tool, str)]
    is_off = any(str(one.get("off", "")).lower() in ("true", "yes", "on", "1") for one in tables)
    return Wishes(is_off, tuple(tools[:MOST_TOOLS]))


def registered(vault: str) -> frozenset[str]:
    """The ids of all projects that the vault knows; none where that cannot be read."""
    import tomllib

    try:
        table = tomllib.loads(platform.read_file(f"{vault}/projects.toml").decode("utf-8", "replace"))
        return frozenset(str(one["id"]) for one in table.get("project", []))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return frozenset()
