"""The vault's history written anew without some files and texts.

Everything that references lead to is exported, filtered and imported into a fresh repository beside the old one; then
the two change places in one step, so a kill leaves the old one or the new one, whole. What only the old one had
(reflogs, dropped stashes, what a remote was last seen to have) goes with it. Filtering what is clean gives the same
commits again, so doing it twice is harmless.

The ids of the commits that went are kept, here and in the vault's file `purged`, which travels: nothing else lets
another machine know that it still has them.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from holdfast.capture import gate, home, platform
from holdfast.errors import GitFailed
from holdfast.vault import frontmatter
from holdfast.vault.git import Repository

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from holdfast.capture.purging import Scrubber
    from holdfast.vault.writing import Writer

FRESH = "purge.git"
OLD = "purge.git.old"
GONE = "purged"  # in .state, and in the vault itself
IDENT = re.compile(r"^[0-9a-f]{40}(?:[0-9a-f]{24})?$", re.MULTILINE)
KEPT_HEAD = "refs/holdfast/head"
FURNITURE = ("config", "description", "info", "hooks")
PATH_AT = {b"M": 3, b"D": 1}  # how many words stand before a path
ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


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
    _note_gone(repository, fresh)
    sync_all(fresh.folder)
    os.chmod(fresh.folder, 0o700)
    exchange(fresh.folder, repository.folder, f"{state}/{OLD}")
    for left in (FRESH, OLD):
        shutil.rmtree(f"{state}/{left}", ignore_errors=True)
    repository.run("update-index", "-q", "--refresh", allowed=(0, 1))


def _note_gone(old: Repository, fresh: Repository) -> None:
    """Which commits are no longer ours, so that a sync does not bring them back from a remote that still has them."""
    before, after = (set(one.text("rev-list", "--all").split()) for one in (old, fresh))
    known = gone(old.vault)
    path = f"{home.state(old.vault)}/{GONE}"
    platform.write_atomic(path, "\n".join(sorted(known | (before - after))).encode("ascii"), durable=True)


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


def publish(writer: Writer) -> None:
    """The commits that are gone, in the vault's own list, so that other machines learn of it. What we have is not gone:
    somebody may have put an old history back by hand, and a list with it would lock this very vault out."""
    text = writer.read(GONE) or ""
    missing = gone(writer.vault) - idents(text.encode("utf-8", "surrogateescape"))
    if missing:
        missing -= set(writer.repository.text("rev-list", "HEAD").split())
    if missing and not os.path.isdir(f"{writer.vault}/{GONE}"):
        lines = sorted({*text.splitlines(), *missing})
        writer.commit(
            "purge: which commits are gone",
            {GONE: "".join(f"{one}\n" for one in lines)},
            cause="purge",
            by=gate.BY_UPKEEP,
        )


def mend(vault: str) -> None:
    """Put the old repository back where a kill came between the two steps that a file system without exchange needs."""
    old, place = f"{home.state(vault)}/{OLD}", f"{vault}/.git"
    if os.path.exists(place) or not os.path.isdir(old):
        return
    fd = os.open(f"{home.state(vault)}/vault.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.exists(place):
            os.rename(old, place)
    except BlockingIOError:
        return  # whoever holds the lock is between the two steps now
    finally:
        os.close(fd)


def exchange(one: str, other: str, aside: str) -> None:
    """Two folders change places, in one step where the system has it. Else `other` waits at `aside` for a moment."""
    if not platform.exchange(one, other):
        os.rename(other, aside)
        os.rename(one, other)
    for path in (one, other):
        platform.sync_folder(os.path.dirname(path))


def _stream(old: Repository, fresh: Repository, paths: set[bytes], scrubber: Scrubber) -> None:
    export: tuple[str, ...] = (
        "fast-export",
        "--signed-tags=strip",
        "--tag-of-filtered-object=rewrite",
        "--reencode=no",
    )
    export += ("--use-done-feature", "--exclude=refs/remotes/*", "--glob=refs/*")
    trouble = f"{fresh.folder}/trouble"
    with open(trouble, "w+b") as said:
        exporter = old.start(*export, said=said)
        importer = fresh.start("fast-import", "--force", "--quiet", "--done", said=said, given=subprocess.PIPE)
        assert exporter.stdout
        assert importer.stdin
        try:
            for part in filtered(exporter.stdout, paths, scrubber):
                importer.stdin.write(part)
        except BrokenPipeError:
            pass  # its status says why
        finally:
            exporter.stdout.close()
            _hang_up(importer.stdin)
            statuses = (exporter.wait(), importer.wait())
        said.seek(0)
        if any(statuses):
            words = said.read().decode("utf-8", "replace").strip().splitlines() or ["no reason"]
            raise GitFailed(f"The history could not be written anew ({words[0]}); it is as it was. Run it again.")
    os.unlink(trouble)


def _hang_up(pipe: IO[bytes]) -> None:
    try:
        pipe.close()
    except BrokenPipeError:
        return


def filtered(stream: IO[bytes], paths: set[bytes], scrubber: Scrubber) -> Iterator[bytes]:
    """A fast-export stream without the files at these paths, every text in it scrubbed."""
    while line := stream.readline():
        words = line.split(b" ", 1)
        if words[0] == b"data":
            data = scrub(stream.read(int(words[1])), scrubber)
            yield b"data %d\n" % len(data)
            yield data
        elif words[0] not in PATH_AT or _path_in(line) not in paths:
            yield line


def scrub(raw: bytes, scrubber: Scrubber) -> bytes:
    """A file without the texts; one with front matter can still be read as a note."""
    if not raw.startswith(b"---") or not scrubber.holds(raw):
        return scrubber.scrubbed(raw)
    text = raw.decode("utf-8", "surrogateescape")
    try:
        document = frontmatter.parse(text)
        fields = {key: scrubber.cleaned(value) for key, value in document.fields.items()}
        changed = {key: value for key, value in fields.items() if value != document.fields[key]}
        text = frontmatter.edit(document, changed)
    except frontmatter.Unparsable:
        pass  # it is no note, so its text is all there is to it
    return scrubber.scrubbed(text.encode("utf-8", "surrogateescape"))


def _path_in(line: bytes) -> bytes:
    words = line.rstrip(b"\n").split(b" ", PATH_AT[line[:1]])
    return unquoted(words[-1])


def unquoted(path: bytes) -> bytes:
    """A path as git prints it, in quotes and escaped where it has odd characters."""
    if not path.startswith(b'"'):
        return path
    out, at, end = b"", 1, len(path) - 1
    while at < end:
        letter = path[at : at + 1]
        if letter != b"\\":
            out, at = out + letter, at + 1
        elif path[at + 1 : at + 2].isdigit():
            out, at = out + bytes([int(path[at + 1 : at + 4], 8)]), at + 4
        else:
            escaped = path[at + 1 : at + 2]
            out, at = out + ESCAPES.get(escaped, escaped), at + 2
    return out


def _furnish(old: Repository, fresh: Repository, head: bytes, scrubber: Scrubber) -> None:
    """What a repository has besides its history: the remotes and the operator's own settings."""
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
