"""Flags of one kind, taken as an agent's command would."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.capture.flags import Given, Speaker, Taken, take_all


def take(
    vault: str, texts: Sequence[str], speaker: Speaker, now: float, *, kind: str = "fact", evidence: Sequence[str] = ()
) -> Taken:
    return take_all(vault, [Given(text, kind, tuple(evidence)) for text in texts], speaker, now)
