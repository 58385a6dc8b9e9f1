"""Files and processes as the operating system has them; all that differs between systems is here.

Linux is tested. macOS takes the branches that name it (F_FULLFSYNC, no /proc) and is untested. Native Windows
has none of what durability needs here and is refused by `python -m holdfast` in one sentence.

The fast path imports `posix` rather than `os`: the interpreter has it loaded already, while `os` costs a sixth of
a bare start (bench/imports.py).
"""

from __future__ import annotations

import posix
import sys

from holdfast.model import Process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MAC = sys.platform == "darwin"
CANNOT_SYNC = (1, 13, 22, 30, 38, 95)  # EPERM, EACCES, EINVAL, EROFS, ENOSYS, EOPNOTSUPP
FILE_TYPE, A_FILE, A_LINK, A_FOLDER = 0o170000, 0o100000, 0o120000, 0o040000
KINDS = {A_FOLDER: "a folder", 0o010000: "a pipe", 0o140000: "a socket", 0o020000: "a device", 0o060000: "a device"}
GROWTH = 4 << 20  # bytes that a file may grow by while it is read
KERNEL = "/proc/self"  # whose files have no size and are no files
RACY = 100_000_000  # ns within which a file's time cannot be believed: a second change could share it
LARGEST = 64 << 20  # bytes of a file that is read whole, or kept in the vault's history
ANCESTORS = 8  # folders above a file that may be of our making: state, vault, and what leads to it


def working_folder(env: Mapping[str, str]) -> str:
    """The current folder; where it was deleted under us, its former path."""
    try:
        return posix.getcwd()
    except OSError:
        return env.get("PWD") or "/"


def environ() -> dict[str, str]:
    """The environment as text. Callers pass it on, so that a test can pass another."""
    pairs = posix.environ.items()
    return {one.decode("utf-8", "surrogateescape"): two.decode("utf-8", "surrogateescape") for one, two in pairs}


def sync(fd: int) -> None:
    """Put what was written to `fd` on the medium; on a Mac fsync alone does not do so."""
    if MAC:
        import fcntl

        fcntl.fcntl(fd, fcntl.F_FULLFSYNC)  # type: ignore[attr-defined,unused-ignore]
    else:
        posix.fdatasync(fd)


def sync_folder(path: str) -> None:
    """Put the names in a folder on the medium: without it a new file can vanish with the power."""
    fd = posix.open(path, posix.O_RDONLY | posix.O_DIRECTORY | posix.O_CLOEXEC)
    try:
        posix.fsync(fd)
    finally:
        posix.close(fd)


def sync_names(path: str) -> None:
    """Put the names of a folder and of those above it on the medium. Whoever finds a file made cannot know that its
    maker came to sync its name, so all are synced; a folder without changes costs next to nothing."""
    sync_folder(path or "/")
    for _ in range(ANCESTORS):
        if not path:
            return
        path = path.rpartition("/")[0]
        try:
            sync_folder(path or "/")
        except OSError as error:
            if error.errno not in CANNOT_SYNC:
                raise
            return  # not of our making: not ours to read, or of a file system that has nothing to sync


def opened(path: str, flags: int = posix.O_RDONLY, mode: int = 0o600) -> int:
    """A descriptor of a plain file, through links. Raises OSError for anything else, without waiting for it: a pipe
    would keep us until somebody writes to it, and a device never ends."""
    try:
        fd = posix.open(path, flags | posix.O_NONBLOCK | posix.O_NOCTTY | posix.O_CLOEXEC, mode)
    except OSError as error:
        if error.errno != 6:  # ENXIO: a socket, or a pipe that nobody reads
            raise
        kind = posix.stat(path).st_mode & FILE_TYPE
    else:
        kind = posix.fstat(fd).st_mode & FILE_TYPE
        if kind == A_FILE:
            return fd
        posix.close(fd)
    raise OSError(21 if kind == A_FOLDER else 22, f"it is {KINDS.get(kind, 'no file')}", path)  # EISDIR, EINVAL


def refuse_odd(path: str) -> None:
    """Raise OSError where there is no plain file, without opening it: to close a database that is open elsewhere in
    this process would give its locks away."""
    seen = posix.stat(path)
    kind = seen.st_mode & FILE_TYPE
    if kind != A_FILE or (is_there(KERNEL) and seen.st_dev == posix.stat(KERNEL).st_dev):
        raise OSError(22, f"it is {KINDS.get(kind, 'no file')}", path)  # EINVAL


def make_way(path: str) -> None:
    """Take away a pipe, a socket, a device, or a link to one, that lies where we keep a file that can be made anew: it
    holds nothing. Raises OSError where a folder lies there."""
    try:
        refuse_odd(path)
    except FileNotFoundError:
        return
    except OSError:
        posix.unlink(path)


def read_file(path: str, limit: int = -1, largest: int = LARGEST, flags: int = posix.O_RDONLY) -> bytes:
    """A whole file, or its first `limit` bytes. Raises OSError for what is no file, and for a whole one that is larger
    than anything of ours."""
    fd = opened(path, flags)
    try:
        return read_all(fd, limit) if limit >= 0 else _whole(fd, path, largest)
    finally:
        posix.close(fd)


def text(path: str, limit: int = LARGEST, errors: str = "replace") -> str:
    """The beginning of a file as text; "" where it cannot be read."""
    try:
        return read_file(path, limit).decode("utf-8", errors)
    except (OSError, ValueError):
        return ""


def _whole(fd: int, path: str, largest: int) -> bytes:
    """All of an open file, by what comes out of it: the kernel's own files have no size, and some no end."""
    size = posix.fstat(fd).st_size
    room = min(largest, size + GROWTH)
    raw = b"" if size > largest else read_all(fd, room + 1)
    if size > largest or len(raw) > room:
        most = f"{largest >> 20} MB" if largest >= 1 << 20 else f"{largest:,} bytes"
        raise OSError(27, f"it has over {most}", path)  # EFBIG
    return raw


def oddity(path: str) -> str:
    """The reason why a path is no plain file, as the end of a sentence; "" where it is one, or nothing is there."""
    try:
        seen = posix.stat(path)
    except (OSError, ValueError) as error:
        return "leads round in a circle" if getattr(error, "errno", 0) == 40 else ""  # ELOOP
    kind = seen.st_mode & FILE_TYPE
    if kind != A_FILE:
        return f"is {KINDS.get(kind, 'no file')}"
    return f"has over {LARGEST >> 20} MB" if seen.st_size > LARGEST else ""


def read_all(fd: int, limit: int = -1) -> bytes:
    parts = []
    left = limit if limit >= 0 else 1 << 62
    while left and (part := posix.read(fd, min(1 << 20, left))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def read_regular(path: str, largest: int = -1) -> bytes:
    """The whole of a plain file. Raises OSError for anything else, a link included, and where it is larger."""
    return read_file(path, largest=LARGEST if largest < 0 else largest, flags=posix.O_RDONLY | posix.O_NOFOLLOW)


def is_behind_link(top: str, relative: str) -> bool:
    """True if a path below `top`, or a folder on the way to it, is a link. What is not there leads nowhere."""
    path = top
    for name in relative.split("/") if relative else ():
        path = f"{path}/{name}"
        if kind(path) == A_LINK:
            return True
    return False


def exchange(one: str, other: str) -> bool:
    """Two files or folders change places in one step; False where the system or the file system has no such step."""
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    names = one.encode("utf-8", "surrogateescape"), other.encode("utf-8", "surrogateescape")
    here, swap = -100, 2  # AT_FDCWD; RENAME_EXCHANGE of Linux and RENAME_SWAP of macOS
    try:
        status = library.renamex_np(*names, swap) if MAC else library.renameat2(here, names[0], here, names[1], swap)
    except AttributeError:
        return False
    if status == 0:
        return True
    number = ctypes.get_errno()
    if number in (22, 38, 45, 95):  # EINVAL, ENOSYS, ENOTSUP of macOS and of Linux
        return False
    raise OSError(number, "the two could not change places", other)


def make_folders(path: str) -> None:
    """The folder and its parents, each readable by its owner only, each name synced into its parent."""
    try:
        posix.mkdir(path, 0o700)
    except FileExistsError:
        return
    except FileNotFoundError:
        parent = path.rstrip("/").rpartition("/")[0]
        if not parent:
            raise
        make_folders(parent)
        try:
            posix.mkdir(path, 0o700)
        except FileExistsError:
            return
    try:
        sync_folder(path.rstrip("/").rpartition("/")[0] or "/")
    except OSError as error:
        if error.errno not in CANNOT_SYNC:
            raise


def write_new(path: str, data: bytes, *, durable: bool) -> None:
    """Make a small file that must not be there yet, whole or not at all; where `durable`, its bytes are on the medium,
    its name may not be yet."""
    fd = posix.open(path, posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_CLOEXEC, 0o600)
    try:
        if posix.write(fd, data) != len(data):
            raise OSError(28, "short write", path)  # ENOSPC: the rest did not fit
        if durable:
            sync(fd)
    except OSError:
        remove(path)
        raise
    finally:
        posix.close(fd)


def straggler_of(path: str) -> str:
    """A name beside a file that nobody else takes, for what is to become it."""
    return f"{path}.{posix.getpid()}.{posix.urandom(4).hex()}.tmp"


def write_atomic(path: str, data: bytes, *, durable: bool) -> None:
    """Replace a small file whole: a reader sees the old bytes or the new ones, a crash leaves a straggler at most."""
    straggler = straggler_of(path)
    write_new(straggler, data, durable=durable)
    try:
        posix.rename(straggler, path)
    except OSError:
        remove(straggler)
        raise
    if durable:
        sync_names(path.rpartition("/")[0])


def remove(path: str) -> None:
    """Remove a file if it is there and may be removed; what stays behind is swept by a later try."""
    try:
        posix.unlink(path)
    except OSError:
        return


def remove_folder(path: str) -> None:
    """Remove a folder if it is empty."""
    try:
        posix.rmdir(path)
    except OSError:
        return


def kind(path: str) -> int:
    """A_FILE, A_FOLDER or A_LINK, without following a link; 0 where nothing can be seen."""
    try:
        return posix.lstat(path).st_mode & FILE_TYPE
    except (OSError, ValueError):
        return 0


def is_there(path: str) -> bool:
    try:
        posix.stat(path)
    except (OSError, ValueError):
        return False
    return True


def names(path: str) -> list[str]:
    """The names in a folder; none where there is no such folder."""
    try:
        return posix.listdir(path)
    except (FileNotFoundError, NotADirectoryError):
        return []


def newest(folder: str, beginnings: tuple[str, ...]) -> list[str]:
    """The paths of the files in a folder whose names begin so, the newest first; stragglers left out."""
    found = [f"{folder}/{name}" for name in names(folder) if name.startswith(beginnings) and not name.endswith(".tmp")]
    return sorted(found, key=lambda path: (modified(path), path), reverse=True)


def modified(path: str) -> float:
    """The time at which a file was changed last; 0 where nothing can be seen."""
    try:
        return posix.stat(path).st_mtime
    except OSError:
        return 0.0


def machine() -> str:
    """A name for this machine that survives reboots. Containers often share a machine-id, hence the host name too."""
    ident = text("/etc/machine-id", 64).strip()[:12]
    return f"{posix.uname().nodename}.{ident}" if ident else posix.uname().nodename


def boot_id() -> str:
    found = text("/proc/sys/kernel/random/boot_id", 64).strip()
    return _ask("/usr/sbin/sysctl", "-n", "kern.bootsessionuuid") if MAC and not found else found


def booted_at(now: float) -> float:
    """The wall time at which this machine started."""
    try:
        return now - float(read_file("/proc/uptime", 64).split()[0])
    except (OSError, ValueError, IndexError):
        return 0.0


def namespace() -> str:
    """The namespace of our pids: a container's pid 7 is not the host's."""
    try:
        return posix.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def process(pid: int) -> Process | None:
    """The process that has this pid now, or None."""
    start = _stat(pid)[1] if pid > 0 else 0
    return Process(machine(), boot_id(), namespace(), pid, start) if start else None


def parent_of(pid: int) -> int:
    return _stat(pid)[0]


def start_of(pid: int) -> int:
    """The start of a process, in the kernel's own ticks; 0 if there is none."""
    return _stat(pid)[1]


def command_of(pid: int) -> list[str]:
    """The argument list of a process; empty where it cannot be read."""
    try:
        raw = read_file(f"/proc/{pid}/cmdline", 4096)
    except OSError:
        raw = _ask("/bin/ps", "-o", "command=", "-p", str(pid)).replace(" ", "\0").encode() if MAC else b""
    return [part.decode("utf-8", "replace") for part in raw.split(b"\0") if part]


def _stat(pid: int) -> tuple[int, int]:
    """(parent pid, start) from /proc/PID/stat; a zombie counts as gone, because it will never speak again."""
    if MAC:
        import zlib

        words = _ask("/bin/ps", "-o", "ppid=,lstart=", "-p", str(pid)).split(None, 1)
        return (int(words[0]), zlib.crc32(words[1].encode())) if len(words) == 2 else (0, 0)
    try:
        raw = read_file(f"/proc/{pid}/stat", 4096)
        fields = raw[raw.rindex(b")") + 2 :].split()
        return (0, 0) if fields[0] in (b"Z", b"X") else (int(fields[1]), int(fields[19]))
    except (OSError, ValueError, IndexError):
        return (0, 0)


def _ask(*command: str) -> str:
    import subprocess

    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def alive(known: Process | None, last_moment: float, now: float, *, silence: float = 24 * 3600.0) -> bool:
    """Tell whether a process may still live: no only on proof, or, where we cannot look, after a long silence.

    Proof: its pid is gone or belongs to a process that began at another time; or its machine has booted since.
    A process of another machine or container cannot be looked at, so there only the age of its last moment counts.
    """
    is_heard = now - last_moment < silence
    if known is None or known.machine != machine():
        return is_heard
    if known.boot != boot_id():
        return is_heard and booted_at(now) < last_moment
    return start_of(known.pid) == known.start if known.namespace == namespace() else is_heard
