"""Asking the vault's own server what bears on a first prompt, with a hard deadline, and nobody else.

    .state/serve.hook      the socket of a `holdfast serve` that is up; one line of JSON there, one back

A prompt is somebody's words, so it goes only to a socket that lies in our own folder, where nobody but its owner can
put one, and whose other end the kernel says is the same user. There is no token that could leak, and no port that
another program could have taken. Whatever does not answer in time, or not as our server does, is not waited for:
`Unanswered` says why, and words alone answer.
"""

from __future__ import annotations

import posix
import sys
import time

from holdfast.capture import codec, platform
from holdfast.hook.recall import SOCKET

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket
    from typing import Any

SPOKEN = 1  # the version of what is said there
LONGEST = 3000  # characters of a prompt that are looked at
LARGEST = 1 << 16  # bytes of an answer
A_SOCKET = 0o140000
OTHERS_MAY_WRITE = 0o022
SLOW, GONE, FOREIGN, BUSY, ODD = "slow", "gone", "foreign", "busy", "odd"
ELSEWHERE, ANOTHER = "another vault", "another version"


class Unanswered(Exception):
    """Nobody answered as our server does, and in time."""


def ask(state: str, project: str, prompt: str, within: float) -> list[tuple[str, tuple[str, ...]]]:
    """The paths of notes that bear on a prompt, the best first, each with the words that it was found by. Raises
    Unanswered, after `within` seconds at the latest."""
    until = time.monotonic() + within
    path = f"{state}/{SOCKET}"
    whose = _owned(state, path)
    import _socket

    there = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        there.settimeout(_left(until))
        there.connect(path)
        _refuse_strangers(there)
        said = codec.encode({"v": SPOKEN, "project": project, "prompt": prompt[:LONGEST]}) + b"\n"
        there.settimeout(_left(until))
        there.sendall(said)
        return _understood(_line(there, until), whose)
    except TimeoutError:
        raise Unanswered(SLOW) from None
    except (ConnectionError, FileNotFoundError):
        raise Unanswered(GONE) from None
    except OSError:
        raise Unanswered(ODD) from None
    finally:
        there.close()


def identity(seen: posix.stat_result) -> str:
    """Which folder it is, by whatever name."""
    return f"{seen.st_dev}.{seen.st_ino}"


def _owned(state: str, path: str) -> str:
    """The identity of a folder that is ours alone to write in, with a socket of ours in it. Raises Unanswered."""
    try:
        seen, folder = posix.lstat(path), posix.stat(state)
    except OSError:
        raise Unanswered(GONE) from None
    me = posix.geteuid()
    is_ours = seen.st_mode & platform.FILE_TYPE == A_SOCKET and seen.st_uid == folder.st_uid == me
    if not is_ours or folder.st_mode & OTHERS_MAY_WRITE:
        raise Unanswered(FOREIGN)
    return identity(folder)


def _refuse_strangers(there: _socket.socket) -> None:
    """The kernel knows who listens. Where it does not tell (macOS), the folder is what there is."""
    import _socket

    if not hasattr(_socket, "SO_PEERCRED"):
        return
    told = there.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)  # pid, uid, gid
    if int.from_bytes(told[4:8], sys.byteorder) != posix.geteuid():
        raise Unanswered(FOREIGN)


def _line(there: _socket.socket, until: float) -> bytes:
    """One line, however it drips in. Raises Unanswered, OSError."""
    got = b""
    while not got.endswith(b"\n"):
        there.settimeout(_left(until))
        part = there.recv(LARGEST)
        if not part:
            raise Unanswered(GONE if not got else ODD)
        got += part
        if len(got) > LARGEST:
            raise Unanswered(ODD)
    return got


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise Unanswered(SLOW)
    return left


def _understood(line: bytes, whose: str) -> list[tuple[str, tuple[str, ...]]]:
    try:
        told: Any = codec.decode(line)
        if told["v"] != SPOKEN:
            raise Unanswered(ANOTHER)
        if told["state"] != whose:
            raise Unanswered(ELSEWHERE)
        if told["found"] is None:
            raise Unanswered(BUSY)  # it knows that it would take too long
        return [(str(path), tuple(str(word) for word in words)) for path, words in told["found"]]
    except (ValueError, KeyError, TypeError):
        raise Unanswered(ODD) from None
