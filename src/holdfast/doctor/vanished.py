"""Whether the vault is the one that this machine knows, and whether anything is still kept for one that was gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.capture import home, platform, vanished, vault_id
from holdfast.doctor.checks import bad, good, note

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.doctor.checks import Check, Place

NAME = "vault-place"


def check_place(place: Place) -> Iterator[Check]:
    if place.vault != home.own_vault(place.env):
        yield good(NAME, "a repository's own vault, which you trusted")
        return
    seen = vault_id.look(place.vault, place.env)
    if seen.status == vault_id.GONE and seen.known:
        what = f"{vanished.gone(seen.known, place.env)} {vanished.kept_words(seen.known, place.env)}"
        yield bad(NAME, what, vanished.way_out(seen.known, place.env))
        return
    if seen.status == vault_id.OTHER:
        said = vanished.replaced(seen)
        what, _, fix = said.partition(". Put ")
        yield bad(NAME, what, f"put {fix}".rstrip("."))
        return
    kept = vanished.kept_for(seen.id, place.env)
    if kept and platform.is_there(kept):
        yield note(NAME, f"what was kept while the vault was gone lies in {kept}", "the next start takes it in")
    elif seen.known is None and home.format_of(place.vault):
        yield note(NAME, "this machine has not recorded the vault's id yet", "the next start does")
    else:
        yield good(NAME, "the vault is the one that this machine knows" if seen.known else "there is no vault yet")
