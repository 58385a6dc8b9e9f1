"""Proof below a note's words: added under the heading that is there, else under one of its own at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.vault.index import EVIDENCE

if TYPE_CHECKING:
    from collections.abc import Sequence


def with_proofs(text: str, proofs: Sequence[str]) -> str:
    """The note's text with these lines below the proofs that it has."""
    heading = f"\n{EVIDENCE}\n"
    at = text.rfind(heading)
    if at < 0:
        return with_lines(text, ["", EVIDENCE, *proofs])
    at += len(heading)
    while text.startswith("- ", at):
        newline = text.find("\n", at)
        at = len(text) if newline < 0 else newline + 1
    return with_lines(text[:at], proofs) + text[at:]


def with_lines(text: str, lines: Sequence[str]) -> str:
    """A text with lines after it, each ended."""
    if lines and not text.endswith("\n"):
        text += "\n"
    return text + "".join(f"{line}\n" for line in lines)
