"""Refusals of the page, each the sentence that a visitor reads. The tool server imports them, so keep it light."""

from __future__ import annotations

from holdfast.errors import UsageError


class SignedOut(UsageError):
    """You are signed out. `holdfast page` opens the page with a link that signs in."""

    code = "signed-out"


class LookOnly(UsageError):
    """This page may only look; nothing was changed. `holdfast page` without --read-only opens one that may change."""

    code = "look-only"


class Elsewhere(UsageError):
    """This did not come from our own page; nothing was changed."""

    code = "origin"
