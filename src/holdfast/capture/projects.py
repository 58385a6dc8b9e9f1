"""The project that a folder belongs to.

A project is known by its keys: the normalised origin URL, else the root commit, else machine and path; so worktrees,
clones and subfolders are one. The first key seen gives the id, so two machines that share a vault agree without
talking. `projects.toml` in the vault holds id, slug and keys; a key that a known folder gains becomes an alias there.
If that key already names another project it is a clash: the key decides, as it would in a fresh clone, nothing is
merged, and the clash is reported.

A folder that was renamed or moved stays its project (capture/same_project); so does a session whose folder is gone.
The answer is cached with the size and time of the files that gave it, so the usual look is a few stats and one small
read. A project's own .holdfast.toml may switch capture off and name the tools that close a chapter;
of the rest nothing is believed.
"""

from __future__ import annotations

import posix

from holdfast.capture import codec, gitfiles, platform, same_project
from holdfast.capture.home import FORMAT, format_of, state
from holdfast.capture.ids import digest
from holdfast.capture.redaction import redact, redact_record
from holdfast.errors import Busy
from holdfast.model import Project, replace, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_TOOLS = 20
UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)
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
        return Project.from_record(known["project"])
    if not git and not _stamp(root) and (gone := _of_gone_folder(root, vault)):
        return gone
    cached = Project.from_record(known["project"]) if known else None
    before = replace(cached, id=str(known.get("own") or cached.id)) if cached else None
    wishes = _wishes(root)
    if wishes.off:
        if cached:
            return replace(cached, off=True)
        key, slug = _key(root, git)
        return Project(f"{slug}-{digest(key, 8)}", slug, key, root, off=True)  # its name is written down nowhere
    birth = gitfiles.birth(git.common) if git else ""
    is_same = before is not None and known.get("birth") in (birth, "")
    project, own, registered = _identify(root, git, vault, before, is_same=is_same)
    project = replace(project, chapter_tools=wishes.chapter_tools, clash=project.clash or wishes.trouble)
    if not registered:
        return project
    stamps[3] = _stamp(f"{vault}/projects.toml")
    record: dict[str, object] = {"v": 1, "stamps": stamps, "project": project.as_record(), "own": own, "birth": birth}
    try:
        codec.write(cache, redact_record(record)[0], durable=False)
    except OSError:
        pass  # a disk that takes nothing must not keep the project from being known
    return project


def _of_gone_folder(folder: str, vault: str) -> Project | None:
    """The project of a folder that was moved or deleted under a session, or of the nearest one above it, gone too."""
    while folder and not _stamp(folder):
        known = _cached(f"{state(vault)}/projects/{digest(folder)}")
        if known:
            found = Project.from_record(known["project"])
            first, *merged = same_project.ids(vault, str(known.get("own") or found.id))
            return replace(found, id=first, merged=tuple(merged))
        folder = folder.rpartition("/")[0]
    return None


def _stamp(path: str) -> str:
    try:
        seen = posix.stat(path)
    except (OSError, ValueError):
        return ""
    return f"{seen.st_mtime_ns}.{seen.st_size}"


def _cached(path: str) -> dict[str, Any]:
    record = codec.read(path, 1 << 16)
    try:
        Project.from_record(record["project"])
    except (ValueError, TypeError, KeyError):
        return {}
    return record


def _identify(
    root: str, git: gitfiles.Checkout | None, vault: str, before: Project | None, *, is_same: bool
) -> tuple[Project, str, bool]:
    """The project, the id that the folder has without merges, and whether the registry knows it now. `before` has such
    an id, too. `is_same`: the folder holds the repository it held before."""
    key, slug = _key(root, git)
    ident = f"{slug}-{digest(key, 8)}"
    registry, merges, trouble = _registry(vault, key)
    clash, added = trouble, True
    moved = before is not None and before.key != key
    if key in registry:
        ident, slug = registry[key]
    elif before and is_same and (moved or trouble):
        ident, slug = before.id, before.slug
        added = not trouble and _add(vault, table("alias", project=ident, key=key))
    elif not trouble and key.startswith("path:") and (moved_here := same_project.before(state(vault), root))[0]:
        ident, slug = moved_here
        added = _add(vault, table("alias", project=ident, key=key))
    elif not trouble:
        added = _add(vault, table("project", id=ident, slug=slug, keys=[key]))
    if added and key.startswith("path:"):
        same_project.remember(state(vault), root, ident, slug)
    if before and moved and before.id != ident and not clash:
        clash = f"this folder was project {before.id}, now its {key.partition(':')[0]} says {ident}; none was merged"
    first, *merged = same_project.family(merges.names, ident)
    slug = merges.slugs.get(first, slug if first == ident else first)
    clash = clash or next((merges.clashes[one] for one in (ident, first) if one in merges.clashes), "")
    return Project(first, slug, key, root, clash=clash, merged=tuple(merged)), ident, added


def _key(root: str, git: gitfiles.Checkout | None, hops: int = 3) -> tuple[str, str]:
    """The strongest key of a folder, and a short name. A clone of a local repository is that repository's project."""
    if git:
        url = gitfiles.normal_url(gitfiles.origin_url(git.common))
        if url:
            return _plain(f"url:{url}"), short_name(url)
        origin = gitfiles.local_origin(git.common)
        if origin and hops:
            return _key(origin, gitfiles.repository(origin), hops - 1)
        root, first = git.common.removesuffix("/.git"), gitfiles.root_commit(git.common)
        if first:
            return f"root:{first}", short_name(root)
    return _plain(f"path:{platform.machine()}:{root}"), short_name(root)


def folded(key: str) -> str:
    """A key that an older version wrote down with the case of its URL."""
    kind, _, url = key.partition(":")
    return f"{kind}:{gitfiles.folded(url)}" if kind == "url" else key


def _plain(key: str) -> str:
    """A key that may be written down: one with invisible characters or a secret in it is named by its digest."""
    is_fit = key.isprintable() and not redact(key)[1]
    return key if is_fit else f"{key.partition(':')[0]}:{digest(key, 24)}"


def short_name(path: str) -> str:
    """The short name of a project: the last part of a path or URL, in plain letters."""
    name = path.rstrip("/").rpartition("/")[2].lower()
    clean = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in name)
    short = clean.strip("-")[:40].strip("-")
    return short if short and not redact(name)[1] else "project"


def table(name: str, **values: str | list[str]) -> str:
    """One table as projects.toml has it, with a blank line before it."""
    lines = [f"{key} = {quoted(value)}" for key, value in values.items()]
    return "\n".join(("", f"[[{name}]]", *lines, ""))


def quoted(value: str | list[str]) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(quoted, value))}]"
    return codec.encode(value).decode("utf-8")


@value
class Merges:
    """The merges in the registry, as capture/same_project reads them, and the short name of each project."""

    names: dict[str, str]
    clashes: dict[str, str]
    slugs: dict[str, str]


def _tables(vault: str) -> dict[str, Any]:
    """All of projects.toml. Raises one of UNREADABLE, as do those who find something else in it."""
    import tomllib

    return tomllib.loads(platform.read_file(f"{vault}/projects.toml").decode("utf-8", "replace"))


def _registry(vault: str, key: str) -> tuple[dict[str, tuple[str, str]], Merges, str]:
    """The known keys with their projects; the merges; and a sentence where something is wrong that concerns `key`."""
    known: dict[str, tuple[str, str]] = {}
    nothing = Merges({}, {}, {})
    try:
        table = _tables(vault)
        slugs = {one["id"]: one.get("slug", one["id"]) for one in table.get("project", [])}
        pairs = [(name, one["id"]) for one in table.get("project", []) for name in one.get("keys", [])]
        pairs += [(one["key"], one["project"]) for one in table.get("alias", [])]
    except FileNotFoundError:
        return {}, nothing, ""
    except UNREADABLE as error:
        return {}, nothing, f"projects.toml cannot be read ({error}); projects keep the names their keys give"
    twice = ""
    for written, ident in pairs:
        name = folded(written)
        named = known.setdefault(name, (ident, slugs.get(ident, ident)))[0]
        if named != ident and name == key:
            twice = f"projects.toml gives {key} to {named} and to {ident}; the first counts"
    return known, Merges(*same_project.of_table(table), slugs), twice


def _add(vault: str, text: str) -> bool:
    """Add one table at the end, whole or not at all; False if it is not there now. Then it is left: the id is derived
    from the key, so it comes out the same without the registry, and the next look at the folder tries again."""
    from holdfast.capture import locks

    path = f"{vault}/projects.toml"
    if format_of(vault) > FORMAT:
        return False
    try:
        platform.make_folders(f"{state(vault)}/projects")
        with locks.held(f"{state(vault)}/projects.lock", wait=False):
            before = platform.read_file(path) if _stamp(path) else b""
            if text.encode("utf-8") not in before:
                platform.write_atomic(path, before + text.encode("utf-8"), durable=True)
        return True
    except (OSError, Busy):
        return False


@value
class Wishes:
    """The wishes of a project's own .holdfast.toml: it can only narrow, and name its chapter tools."""

    off: bool = False
    chapter_tools: tuple[str, ...] = ()
    trouble: str = ""  # a sentence where the file is none that can be read


def _wishes(root: str) -> Wishes:
    path = f"{root}/.holdfast.toml"
    try:
        text = platform.read_file(path, largest=LARGEST_WISHES).decode("utf-8", "replace")
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


def adopt(kept: str, vault: str) -> dict[str, str]:
    """Bring the projects of one registry into another. Returns the ids of those that the other knows by another id."""
    try:
        rows = [
            (str(one["id"]), str(one.get("slug", "")), list(map(str, one["keys"]))) for one in _tables(kept)["project"]
        ]
    except UNREADABLE:
        return {}
    known, _, _ = _registry(vault, "")
    names: dict[str, str] = {}
    for ident, slug, keys in rows:
        there = next((known[key][0] for key in keys if key in known), "")
        if there and there != ident:
            names[ident] = there
        elif not there:
            _add(vault, table("project", id=ident, slug=slug, keys=keys))
    return names


def listed(vault: str) -> tuple[list[tuple[str, str, list[str]]], str]:
    """Every project of the registry: id, short name, keys with its aliases; and a sentence where it cannot be read."""
    try:
        table = _tables(vault)
        rows = table.get("project", [])
        found = {str(one["id"]): (str(one.get("slug", "")), list(one.get("keys", []))) for one in rows}
        for one in table.get("alias", []):
            found.setdefault(str(one["project"]), ("", []))[1].append(one["key"])
    except FileNotFoundError:
        return [], ""
    except UNREADABLE as error:
        return [], f"projects.toml cannot be read ({error}); nothing was changed. Mend it in an editor."
    return [(ident, slug, [str(key) for key in keys]) for ident, (slug, keys) in sorted(found.items())], ""


def registered(vault: str) -> frozenset[str]:
    """The ids of all projects that the vault knows; none where that cannot be read."""
    try:
        return frozenset(str(one["id"]) for one in _tables(vault).get("project", []))
    except UNREADABLE:
        return frozenset()
