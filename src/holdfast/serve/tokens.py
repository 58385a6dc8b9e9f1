"""The tokens that let a caller in, and what each says of its owner.

The operator's own lies in .state/serve.token for their eyes only; of the others only digests are kept, so one is shown
once. What cannot be read lets nobody in, and is not written over.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, episodes, gate, locks, platform
from holdfast.errors import NotFound, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.model import Project

OWN, OTHERS = "serve.token", "serve.tokens"
OPERATOR = "operator"  # the name of whoever has the operator's own
PREFIX = "holdfast_"
LONGEST_NAME = 40
LARGEST = 1 << 20
VERSION = 1
PATIENCE = 60.0  # seconds for another that changes the tokens


@dataclass(frozen=True)
class Caller:
    """`project` is the one that its token is for, "" that of the folder the server was started in; `all` whether it may
    ask for all projects, or say which one it is in; `folder` where the token was made."""

    name: str
    project: str = ""
    all: bool = False
    folder: str = ""


def own(state: str) -> str:
    """The operator's token, made when there is none. Raises OSError, also where the vault was taken away: whoever asks,
    with a token or without, must not make another in its place."""
    path = f"{state}/{OWN}"
    try:
        found = platform.read_regular(path, 1 << 12).decode("ascii", "replace").strip()
        if len(found) >= 32:
            os.chmod(path, 0o600)
            return found
    except FileNotFoundError:
        pass
    made = new_token()
    platform.write_atomic(path, f"{made}\n".encode("ascii"), durable=True)
    return made


def add(state: str, name: str, project: Project, *, by: gate.Asker, everything: bool = False) -> str:
    """A token for an agent, which is shown once and kept nowhere. Raises UsageError, OSError."""
    gate.require(by, gate.Change(gate.TOKEN), "Making a token")
    if not name or name != episodes.host_name(name) or name == OPERATOR:  # else it had two names, and counted twice
        raise UsageError(
            f'"{name[:60]}" is no name for a token; nothing was made. '
            f"A name has 1 to {LONGEST_NAME} letters of a-z, digits, - and _, and is not {OPERATOR}."
        )
    platform.make_folders(state)
    with _changing(state) as known:
        if any(caller.name == name for caller in known.values()):
            raise UsageError(
                f"{name} has a token already; nothing was made. `holdfast serve --revoke {name}` ends it first."
            )
        made = new_token()
        known[_digest(made)] = Caller(name, project.id, everything, project.root)
    return made


def revoke(state: str, name: str, *, by: gate.Asker) -> None:
    """Raises NotFound, UsageError, OSError."""
    gate.require(by, gate.Change(gate.TOKEN, gate.LIFTED), "Ending a token")
    if all(caller.name != name for caller in _kept(state).values()):
        raise NotFound(f'No token is named "{name[:60]}"; nothing was changed.')
    with _changing(state) as known:
        for digest in [digest for digest, caller in known.items() if caller.name == name]:
            del known[digest]


class Tokens:
    """All that count, as they are on disk now."""

    def __init__(self, state: str) -> None:
        self._state = state
        self._stamp = ""
        self._known: dict[str, Caller] = {}

    def caller(self, given: str) -> Caller | None:
        """The owner of a token. Every one is compared with, each in the same time."""
        wanted = _digest(given)
        found: Caller | None = None
        for digest, caller in self._all().items():
            if hmac.compare_digest(digest.encode("utf-8"), wanted.encode("utf-8")):
                found = caller
        return found

    def _all(self) -> dict[str, Caller]:
        stamp = f"{_stamp(f'{self._state}/{OWN}')} {_stamp(f'{self._state}/{OTHERS}')}"
        if stamp != self._stamp:
            self._known = {**_others(self._state), _digest(own(self._state)): Caller(OPERATOR, all=True)}
            self._stamp = stamp
        return self._known


def new_token() -> str:
    """A secret of enough chance that nobody guesses it."""
    return f"{PREFIX}{secrets.token_urlsafe(32)}"


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def _stamp(path: str) -> str:
    try:
        seen = os.stat(path)
    except OSError:
        return ""
    return f"{seen.st_mtime_ns}.{seen.st_ino}.{seen.st_size}"


def _others(state: str) -> dict[str, Caller]:
    """By digest; what is none of ours lets nobody in."""
    try:
        return _kept(state)
    except (OSError, UsageError):
        return {}


def _kept(state: str) -> dict[str, Caller]:
    """By digest. Raises UsageError, OSError: what cannot be read must not be written over."""
    try:
        found = codec.decode(platform.read_regular(f"{state}/{OTHERS}", LARGEST))
        return {str(one["digest"]): _caller(one) for one in found["tokens"]}
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UsageError(
            f".state/{OTHERS} cannot be read; nothing was changed. Move it aside: the tokens in it count no more."
        ) from None


def _caller(told: dict[str, Any]) -> Caller:
    return Caller(str(told["name"]), str(told["project"]), told["all"] is True, str(told.get("folder", "")))


@contextmanager
def _changing(state: str) -> Iterator[dict[str, Caller]]:
    lock = locks.taken(f"{state}/{OTHERS}.lock", PATIENCE)
    try:
        known = _kept(state)
        yield known
        told = [{"digest": digest, **asdict(caller)} for digest, caller in known.items()]
        platform.write_atomic(f"{state}/{OTHERS}", codec.encode({"v": VERSION, "tokens": told}), durable=True)
    finally:
        os.close(lock)
