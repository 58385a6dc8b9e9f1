"""A vault that is not where this machine has it: what is said, and where capture goes until it is back.

Promise: nothing makes a new vault in its place in silence. Flags and session records go to a folder of the same shape
below this machine's own (capture/vault_id), named after the vault's id; when the vault is back, at its old place or a
new one, capture/vanished_merge moves them in, each once. Everything that needs the vault itself is refused in a
sentence.
"""

from __future__ import annotations

import time

from holdfast.capture import home, platform, vault_id
from holdfast.errors import VaultGone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NEW_VAULT = "holdfast init --new-vault"


def stand_in(vault: str, env: Mapping[str, str]) -> str:
    """The folder that takes captures for a vault that vanished, made if need be; "" where none vanished."""
    seen = vault_id.look(vault, env)
    if seen.status != vault_id.GONE or seen.known is None:
        return ""
    kept = kept_for(seen.known.id, env)
    if not home.format_of(kept):
        home.make_vault(kept, env)
        if platform.is_there(vault_id.paused_path(vault, env)):
            platform.write_atomic(home.paused_path(kept), b"", durable=True)
    return kept


def kept_for(ident: str, env: Mapping[str, str]) -> str:
    """Where captures for a vault lie while it is gone."""
    folder = vault_id.machine_folder(env)
    return f"{folder}/kept/{ident}" if folder and ident else ""


def refuse(vault: str, env: Mapping[str, str]) -> None:
    """Raises VaultGone where this machine's vault should be at a path and is not."""
    if home.format_of(vault):
        return
    seen = vault_id.look(vault, env)
    if seen.status == vault_id.GONE and seen.known:
        raise VaultGone(f"{gone(seen.known, env)} Nothing was changed. {way_out(seen.known, env)}")


def settle(vault: str, env: Mapping[str, str], now: float) -> int:
    """What every command does first: refuse where the vault vanished, else register it and take in what was kept for
    it. Returns how many flags joined it. Raises VaultGone, and what the disk says."""
    refuse(vault, env)
    if vault != home.own_vault(env) or not home.format_of(vault):
        return 0
    seen = vault_id.look(vault, env)
    ident = seen.id if seen.known else vault_id.register(vault, env, now)
    joined = 0
    for one in (ident, *(seen.known.before if seen.known and seen.status == vault_id.HERE else ())):
        kept = kept_for(one, env)
        if kept and platform.is_there(kept):
            from holdfast.capture import vanished_merge

            joined += vanished_merge.merge(kept, vault)
    return joined


def begin_anew(vault: str, env: Mapping[str, str], now: float) -> int:
    """The user says that the vault at this place is a new one, or the one that lies there now: from here on it is this
    machine's. What was kept for the one before joins it. Returns how many flags did."""
    seen = vault_id.look(vault, env)
    platform.make_folders(f"{home.state(vault)}/queue")
    if not home.format_of(vault):
        platform.write_atomic(f"{vault}/format", b"%d\n" % home.FORMAT, durable=True)
    if seen.status != vault_id.HERE:
        before = (seen.known.id, *seen.known.before) if seen.known else ()
        vault_id.register(vault, env, now, before)
    return settle(vault, env, now)


def gone(known: vault_id.Known, env: Mapping[str, str]) -> str:
    """What happened, as one sentence."""
    since = time.strftime("%Y-%m-%d", time.gmtime(known.since)) if known.since else ""
    had = f", where this machine has had it since {since}" if since else ""
    found = vault_id.elsewhere(known.id, known.path, env)
    return f"The vault is not at {known.path}{had}{f'; it is at {found} now' if found else ''}."


def way_out(known: vault_id.Known, env: Mapping[str, str]) -> str:
    """What to do about it."""
    found = vault_id.elsewhere(known.id, known.path, env)
    if found:
        return f"Set HOLDFAST_HOME={found}, or move the folder back to {known.path}."
    return (
        "Mount it or move it back, or set HOLDFAST_HOME to its new place; "
        f"`{NEW_VAULT}` says that a new one is meant here."
    )


def kept_words(known: vault_id.Known, env: Mapping[str, str]) -> str:
    """What becomes of captures meanwhile."""
    return (
        f"Flags and session records are kept in {kept_for(known.id, env)} and join the vault when it is back; "
        "its notes, rules and handoffs are not known until then."
    )


def replaced(seen: vault_id.Seen) -> str:
    """What a start, doctor and audit say where another vault lies at the known place; "" for none."""
    if seen.status != vault_id.OTHER or seen.known is None:
        return ""
    what = "Another vault than before" if seen.id else "A vault without this machine's own state (.state)"
    return (
        f"{what} is at {seen.known.path}: flags and session records go into it, and the one that this machine knew "
        f"(id {seen.known.id}) was not changed. Put that one back, or run `{NEW_VAULT}` to go on with this one."
    )


def told(vault: str, env: Mapping[str, str]) -> str:
    """All that a start says of a vault that vanished; "" where none did."""
    known = vault_id.known_at(vault, env)
    if known is None:
        return ""
    return f"{gone(known, env)} {kept_words(known, env)} {way_out(known, env)}"
