"""The vault's own id, and this machine's record of which vault lies where.

    <vault>/.state/id                                 the id, made with the vault
    <machine>/vaults/<digest of a path>               the id of the vault at that path
    <machine>                                         $XDG_STATE_HOME/holdfast, else ~/.local/state/holdfast

Promise: a vault that this machine has used is not mistaken for a new beginning when its folder is empty, unmounted or
another one. The record lies outside the vault, or it would vanish with it. Only the user's own vault is recorded: a
repository's comes and goes with its clones. Without a home folder there is no record, and everything is as on a fresh
machine. The hook looks here at the start of a session and where there is no vault, so the other moments pay nothing.
While a vault is gone, captures go to a folder of this machine, and join it when it is back (capture/vanished_merge).
"""

from __future__ import annotations

import posix
import time

from holdfast.capture import codec, home, platform
from holdfast.capture.ids import digest, new_id
from holdfast.errors import VaultGone
from holdfast.model import VERSION, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

HERE, NEW, GONE, OTHER = "here", "new", "gone", "other"
LARGEST = 1 << 14
LONGEST_ID = 64


@value
class KnownVault:
    """One record of this machine: the vault that was at `path`, and when it was first seen there. `before` are the ids
    of those that the user has given up at this place: what was kept for them goes to this one."""

    id: str
    path: str
    since: float = 0.0
    before: tuple[str, ...] = ()


@value
class FoundVault:
    """The vault at a path now, by its `id`, "" where it has none, and the one that should be there."""

    status: str
    id: str = ""
    known: KnownVault | None = None


def machine_folder(env: Mapping[str, str]) -> str:
    """This machine's own folder for what must outlive a vault; "" where there is no home."""
    given = env.get("XDG_STATE_HOME", "")
    if given.startswith("/"):  # a relative one is to be ignored, says its specification
        return f"{given.rstrip('/')}/holdfast"
    return f"{home.user_home(env)}/.local/state/holdfast" if env.get("HOME") else ""


def look(vault: str, env: Mapping[str, str]) -> FoundVault:
    """Compare this machine's record of a path with the id of the vault that lies there: two small reads."""
    known = known_at(vault, env)
    try:
        ident = id_of(vault)
    except OSError:  # it is there and cannot be read: nobody can say that it is another
        return FoundVault(HERE if known else NEW, known.id if known else "", known)
    if known is None or ident == known.id:
        return FoundVault(HERE if known else NEW, ident, known)
    return FoundVault(OTHER if ident or home.format_of(vault) else GONE, ident, known)


def id_of(vault: str) -> str:
    """The vault's id; "" where it has none. Raises OSError where that cannot be told."""
    try:
        return platform.read_file(f"{home.state(vault)}/id", LONGEST_ID).decode("ascii", "replace").strip()
    except (FileNotFoundError, NotADirectoryError):
        return ""


def known_at(vault: str, env: Mapping[str, str]) -> KnownVault | None:
    """This machine's record of a path."""
    folder = machine_folder(env)
    return _read(_record_path(folder, vault)) if folder else None


def elsewhere(ident: str, vault: str, env: Mapping[str, str]) -> str:
    """Another path at which this machine has seen the same vault and at which it is now; "" for none."""
    at_place = (known.path for _, known in _at_place(machine_folder(env)) if known.id == ident)
    return next((path for path in at_place if path != vault), "")


def _at_place(folder: str) -> Iterator[tuple[str, KnownVault]]:
    """The records of vaults that are where they were last seen, each with its path."""
    for name in sorted(platform.names(f"{folder}/vaults")):
        known = _read(f"{folder}/vaults/{name}")
        try:
            if known and id_of(known.path) == known.id:
                yield f"{folder}/vaults/{name}", known
        except OSError:
            continue


def register(vault: str, env: Mapping[str, str], now: float, before: tuple[str, ...] = ()) -> str:
    """Give the user's own vault an id if it has none, and remember which one is here from now on. Returns the id; ""
    where nothing can be written down, which costs the alarm and nothing else."""
    folder = machine_folder(env)
    if not folder or env.get(home.CHILD) or vault != home.own_vault(env):
        return ""
    try:
        ident = _made(vault, now)
        record = {"v": VERSION, "id": ident, "path": vault, "since": round(now, 3), "before": list(before)}
        codec.write(_record_path(folder, vault), record, durable=True)
    except OSError:
        return ""
    return ident


def forget_here(env: Mapping[str, str]) -> list[str]:
    """Drop the records of vaults that are at their place: nobody captures into them any more. One that is gone keeps
    its record, and what was captured for it. Returns the folders that may be empty now."""
    folder = machine_folder(env)
    if not folder:
        return []
    for path, _ in _at_place(folder):
        platform.remove(path)
        platform.remove(f"{path}.paused")
    return [f"{folder}/vaults", f"{folder}/kept", folder, folder.rpartition("/")[0]]


def paused_path(vault: str, env: Mapping[str, str]) -> str:
    """Stands beside the record while capture is paused, so that a pause outlives the vault; "" where there is none."""
    return f"{_record_path(machine_folder(env), vault)}.paused" if known_at(vault, env) else ""


def _made(vault: str, now: float) -> str:
    """The id of the vault, made if need be. Of several processes at once one is first, by a lock on the folder."""
    from holdfast.capture import locks

    ident = id_of(vault)
    if ident:
        return ident
    with locks.held(posix.open(home.state(vault), posix.O_RDONLY | posix.O_CLOEXEC)):
        if not id_of(vault):
            platform.write_atomic(f"{home.state(vault)}/id", f"{new_id(now)}\n".encode(), durable=True)
    return id_of(vault)


def _read(path: str) -> KnownVault | None:
    try:
        record = codec.read(path, LARGEST)
        before = tuple(str(one) for one in record.get("before", ()))
        return KnownVault(str(record["id"]), str(record["path"]), float(record.get("since", 0.0)), before)
    except (ValueError, KeyError, TypeError):
        return None


def _record_path(folder: str, vault: str) -> str:
    return f"{folder}/vaults/{digest(vault, 24)}"


NEW_VAULT = "holdfast init --new-vault"


def stand_in(vault: str, env: Mapping[str, str]) -> str:
    """The folder that takes captures for a vault that vanished, made if need be; "" where none vanished."""
    seen = look(vault, env)
    kept = kept_for(seen.known.id, env) if seen.known and seen.status == GONE else ""
    if kept and not home.format_of(kept):
        home.make_vault(kept, env)
        if platform.is_there(paused_path(vault, env)):
            platform.write_atomic(home.paused_path(kept), b"", durable=True)
    return kept


def kept_for(ident: str, env: Mapping[str, str]) -> str:
    """The folder of captures for a vault while it is gone."""
    folder = machine_folder(env)
    return f"{folder}/kept/{ident}" if folder and ident else ""


def refuse(vault: str, env: Mapping[str, str]) -> None:
    """Raises VaultGone where this machine's vault should be at a path and is not."""
    _refuse(look(vault, env), vault, env)


def _refuse(seen: FoundVault, vault: str, env: Mapping[str, str]) -> None:
    if seen.status == GONE and seen.known and not home.format_of(vault):
        raise VaultGone(f"{gone(seen.known, env)} Nothing was changed. {way_out(seen.known, env)}")


def settle(vault: str, env: Mapping[str, str], now: float) -> int:
    """Refuse where the vault vanished, else register it and take in what was kept for it, as every command does first.
    Returns how many flags joined it. Raises VaultGone, and what the disk says."""
    seen = look(vault, env)
    _refuse(seen, vault, env)
    if vault != home.own_vault(env) or not home.format_of(vault):
        return 0
    ident = seen.id if seen.known else register(vault, env, now)
    joined = 0
    for one in (ident, *(seen.known.before if seen.known and seen.status == HERE else ())):
        kept = kept_for(one, env)
        if kept and platform.is_there(kept):
            from holdfast.capture import vanished_merge

            joined += vanished_merge.merge(kept, vault)
    return joined


def begin_anew(vault: str, env: Mapping[str, str], now: float) -> int:
    """Take the vault at this place, a new one or the one that lies there now, as this machine's from here on: the user
    said so. What was kept for the one before joins it. Returns how many flags did."""
    seen = look(vault, env)
    home.lay_out(vault)
    if seen.status != HERE:
        before = (seen.known.id, *seen.known.before) if seen.known else ()
        register(vault, env, now, before)
    return settle(vault, env, now)


def gone(known: KnownVault, env: Mapping[str, str]) -> str:
    """A sentence that says where the vault was, and where it is now if this machine knows."""
    since = time.strftime("%Y-%m-%d", time.gmtime(known.since))
    had = f", where this machine has had it since {since}" if known.since else ""
    found = elsewhere(known.id, known.path, env)
    return f"The vault is not at {known.path}{had}{f'; it is at {found} now' if found else ''}."


def way_out(known: KnownVault, env: Mapping[str, str]) -> str:
    """A sentence that says what to do about it."""
    found = elsewhere(known.id, known.path, env)
    if found:
        return f"Set HOLDFAST_HOME={found}, or move the folder back to {known.path}."
    return (
        "Mount it or move it back, or set HOLDFAST_HOME to its new place; "
        f"`{NEW_VAULT}` says that a new one is meant here."
    )


def kept_words(known: KnownVault, env: Mapping[str, str]) -> str:
    """A sentence that says where captures go meanwhile."""
    return (
        f"Flags and session records are kept in {kept_for(known.id, env)} and join the vault when it is back; "
        "its notes, rules and handoffs are not known until then."
    )


def replaced(seen: FoundVault) -> str:
    """The sentences of a start, doctor and audit where another vault lies at the known place; "" for none."""
    if seen.status != OTHER or seen.known is None:
        return ""
    what = "Another vault than before" if seen.id else "A vault without this machine's own state (.state)"
    return (
        f"{what} is at {seen.known.path}: flags and session records go into it, and the one that this machine knew "
        f"(id {seen.known.id}) was not changed. Put that one back, or run `{NEW_VAULT}` to go on with this one."
    )


def told(vault: str, env: Mapping[str, str]) -> str:
    """All that a start says of a vault that vanished; "" where none did."""
    known = known_at(vault, env)
    return f"{gone(known, env)} {kept_words(known, env)} {way_out(known, env)}" if known else ""
