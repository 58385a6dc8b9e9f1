"""The vault's history written anew without some files and texts.

Everything that references lead to is exported, filtered and imported into a fresh repository beside the old one; then
the two change places in one step, so a kill leaves the old one or the new one, whole. Everything that only the old one
had (reflogs, dropped stashes, what a remote was last seen to have) goes with it. Filtering what is clean gives the same
commits again, so doing it twice is harmless.

The ids of the commits that went are kept, here and in the vault's file `purged`, which travels: nothing else lets
another machine know that it still has them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from holdfast.capture import gate, home, locks, platform
from holdfast.errors import Busy, GitFailed
from holdfast.vault import front_matter_edits
from holdfast.vault.git import LITERAL, Repository

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from holdfast.capture.purging import Scrubber
    from holdfast.vault.transaction import Writer

FRESH = "purge.git"
OLD = "purge.git.old"
GONE = "purged"  # in .state, and in the vault itself
IDENT = re.compile(r"^[0-9a-f]{40}(?:[0-9a-f]{24})?$", re.MULTILINE)
KEPT_HEAD = "refs/holdfast/head"
FURNITURE = ("config", "description", "info", "hooks")
PATH_AT = {b"M": 3, b"D": 1}  # how many words stand before a path
ALIKE = "-M75%"  # short notes share most of their front matter: less alike is another note


@dataclass(frozen=True)
class Beside(Repository):
    """A repository of the vault that lies elsewhere."""

    place: str = ""

    @property
    def folder(self) -> str:
        return self.place


def rewrite(repository: Repository, paths: Iterable[str], scrubber: Scrubber) -> None:
    """Write the history anew and put it in place. The vault's lock is held."""
    state = home.state(repository.vault)
    fresh = Beside(repository.vault, repository.held, f"{state}/{FRESH}")
    for left in (FRESH, OLD):
        shutil.rmtree(f"{state}/{left}", ignore_errors=True)
    fresh.run("init", "--quiet")
    head = platform.read_file(f"{repository.folder}/HEAD")
    is_detached = not head.startswith(b"ref:")
    if is_detached:
        repository.run("update-ref", KEPT_HEAD, "HEAD")
    _stream(repository, fresh, {path.encode("utf-8", "surrogateescape") for path in paths}, scrubber)
    if is_detached:
        head = fresh.run("rev-parse", KEPT_HEAD)
        fresh.run("update-ref", "-d", KEPT_HEAD)
    _furnish(repository, fresh, head, scrubber)
    fresh.run("read-tree", "HEAD")
    # Commits that are no longer ours, so that a sync does not bring them back from a remote that still has them.
    before, after = (set(one.text("rev-list", "--all").split()) for one in (repository, fresh))
    lines = "\n".join(sorted(gone(repository.vault) | (before - after)))
    platform.write_atomic(f"{state}/{GONE}", lines.encode("ascii"), durable=True)
    sync_all(fresh.folder)
    os.chmod(fresh.folder, 0o700)
    exchange(fresh.folder, repository.folder, f"{state}/{OLD}")
    for left in (FRESH, OLD):
        shutil.rmtree(f"{state}/{left}", ignore_errors=True)
    repository.run("update-index", "-q", "--refresh", allowed=(0, 1))


def gone(vault: str) -> set[str]:
    """The commits that purges have taken out of the history, on this machine or on another one."""
    found = set()
    for path in (f"{home.state(vault)}/{GONE}", f"{vault}/{GONE}"):
        try:
            found |= idents(platform.read_file(path))
        except (FileNotFoundError, IsADirectoryError):
            continue
    return found


def idents(raw: bytes) -> set[str]:
    """The commits that a list of them names; whatever else stands there is nobody's id."""
    return set(IDENT.findall(raw.decode("ascii", "replace").replace("\r\n", "\n")))


def former_names(repository: Repository, path: str) -> tuple[str, ...]:
    """The path and what the note was called before."""
    found = [path]
    if not repository.exists() or not repository.head():
        return (path,)
    for one in found:
        words = ("log", "--all", "--follow", ALIKE, "--name-status", "-z", "--format=", "--", one)
        parts = iter(repository.run(*words, env=LITERAL).decode("utf-8", "surrogateescape").split("\0"))
        for status in parts:
            if not status.strip():
                continue
            seen = [next(parts), next(parts)] if status.strip()[0] in "RC" else [next(parts)]
            if status.strip()[0] == "R" and seen[1] in found and seen[0] not in found:
                found.append(seen[0])
    return tuple(found)


def versions(repository: Repository, paths: tuple[str, ...]) -> tuple[int, list[bytes]]:
    """The number of commits that touched the note, and every content it ever had there."""
    if not paths or not repository.exists() or not repository.head():
        return 0, []
    words = ("log", "--all", "-m", "--full-history", "--no-renames", "--raw", "--no-abbrev", "--format=commit %H")
    lines = repository.run(*words, "--", *paths, env=LITERAL).decode("utf-8", "surrogateescape").splitlines()
    commits = {line for line in lines if line.startswith("commit ")}
    blobs = {ident for line in lines if line.startswith(":") for ident in line.split()[2:4] if ident.strip("0")}
    return len(commits), [repository.run("cat-file", "blob", ident) for ident in sorted(blobs)]


def publish(writer: Writer) -> None:
    """The commits that are gone, in the vault's own list, so that other machines learn of it. What we have is not gone:
    somebody may have put an old history back by hand, and a list with it would lock this very vault out."""
    text = writer.read(GONE) or ""
    missing = gone(writer.vault) - idents(text.encode("utf-8", "surrogateescape"))
    if missing:
        missing -= set(writer.repository.text("rev-list", "HEAD").split())
    if missing and not os.path.isdir(f"{writer.vault}/{GONE}"):
        listed = "".join(f"{one}\n" for one in sorted({*text.splitlines(), *missing}))
        writer.commit("purge: which commits are gone", {GONE: listed}, cause="purge", by=gate.BY_UPKEEP)


def mend(vault: str) -> None:
    """Put the old repository back where a kill came between the two steps that a file system without exchange needs."""
    old, place = f"{home.state(vault)}/{OLD}", f"{vault}/.git"
    if os.path.exists(place) or not os.path.isdir(old):
        return
    try:
        with locks.held(f"{home.state(vault)}/vault.lock", wait=False):
            if not os.path.exists(place):
                os.rename(old, place)
    except Busy:
        return  # whoever holds the lock is between the two steps now


def exchange(one: str, other: str, aside: str) -> None:
    """Two folders change places, in one step where the system has it. Else `other` waits at `aside` for a moment."""
    if not platform.exchange(one, other):
        os.rename(other, aside)
        os.rename(one, other)
    for path in (one, other):
        platform.sync_folder(os.path.dirname(path))


def _stream(old: Repository, fresh: Repository, paths: set[bytes], scrubber: Scrubber) -> None:
    export = (
        *("fast-export", "--signed-tags=strip", "--tag-of-filtered-object=rewrite", "--reencode=no"),
        *("--use-done-feature", "--exclude=refs/remotes/*", "--glob=refs/*"),
    )
    trouble = f"{fresh.folder}/trouble"
    with open(trouble, "w+b") as said:
        exporter = old.start(*export, said=said)
        importer = fresh.start("fast-import", "--force", "--quiet", "--done", said=said, given=subprocess.PIPE)
        assert exporter.stdout
        assert importer.stdin
        try:
            with suppress(BrokenPipeError):  # its status says why
                importer.stdin.writelines(filtered(exporter.stdout, paths, scrubber))
        finally:
            exporter.stdout.close()
            with suppress(BrokenPipeError):
                importer.stdin.close()
            statuses = (exporter.wait(), importer.wait())
        said.seek(0)
        if any(statuses):
            words = said.read().decode("utf-8", "replace").strip().splitlines() or ["no reason"]
            raise GitFailed(f"The history could not be written anew ({words[0]}); it is as it was. Run it again.")
    os.unlink(trouble)


def filtered(stream: IO[bytes], paths: set[bytes], scrubber: Scrubber) -> Iterator[bytes]:
    """A fast-export stream without the files at these paths, every text in it scrubbed."""
    while line := stream.readline():
        words = line.split(b" ", 1)
        if words[0] == b"data":
            data = scrub(stream.read(int(words[1])), scrubber)
            yield b"data %d\n" % len(data)
            yield data
        elif words[0] not in PATH_AT or unquoted(line.rstrip(b"\n").split(b" ", PATH_AT[words[0]])[-1]) not in paths:
            yield line


def scrub(raw: bytes, scrubber: Scrubber) -> bytes:
    """A file without the texts; one with front matter can still be read as a note."""
    if not raw.startswith(b"---") or not scrubber.holds(raw):
        return scrubber.scrubbed(raw)
    text = raw.decode("utf-8", "surrogateescape")
    try:
        document = front_matter_edits.parse(text)
        fields = {key: scrubber.cleaned(value) for key, value in document.fields.items()}
        changed = {key: value for key, value in fields.items() if value != document.fields[key]}
        text = front_matter_edits.edit(document, changed)
    except front_matter_edits.Unparsable:
        pass  # it is no note, so its text is all there is to it
    return scrubber.scrubbed(text.encode("utf-8", "surrogateescape"))


def unquoted(path: bytes) -> bytes:
    """A path as git prints it, in quotes and escaped where it has odd characters."""
    if not path.startswith(b'"'):
        return path
    return path[1:-1].decode("unicode_escape").encode("latin-1")  # whose escapes are git's, byte for byte


def _furnish(old: Repository, fresh: Repository, head: bytes, scrubber: Scrubber) -> None:
    """Copy what a repository has besides its history: the remotes and the operator's own settings."""
    for name in FURNITURE:
        source, place = f"{old.folder}/{name}", f"{fresh.folder}/{name}"
        if os.path.isdir(source):
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(source, place, symlinks=True)
        elif os.path.isfile(source):
            shutil.copy2(source, place)
    for top, _, names in os.walk(f"{fresh.folder}/info"):
        for name in names:
            raw = platform.read_file(f"{top}/{name}")
            platform.write_atomic(f"{top}/{name}", scrubber.scrubbed(raw), durable=False)
    platform.write_atomic(f"{fresh.folder}/HEAD", head, durable=False)


def sync_all(folder: str) -> None:
    """Everything below a folder is on the medium."""
    for top, _, names in os.walk(folder):
        for name in names:
            if not os.path.islink(f"{top}/{name}"):
                fd = platform.opened(f"{top}/{name}")
                try:
                    os.fsync(fd)
                finally:
                    os.close(fd)
        platform.sync_folder(top)


def objects(repository: Repository) -> Iterator[tuple[str, str, bytes]]:
    """Every object that the repository has, reachable or not: id, type, content."""
    process = repository.start("cat-file", "--batch-all-objects", "--batch", "--unordered", said=subprocess.DEVNULL)
    assert process.stdout
    try:
        while header := process.stdout.readline():
            ident, kind, size = header.decode("ascii").split()
            content = process.stdout.read(int(size) + 1)[:-1]
            yield ident, kind, content
    finally:
        process.stdout.close()
        status = process.wait()
    if status:
        raise GitFailed("git could not list its objects, so nobody can say whether the text is gone. Run it again.")
