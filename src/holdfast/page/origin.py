"""Origins in plain words: whose words something is, and why it waits, without saying how that is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.capture import episodes, once
from holdfast.model import TRUSTED
from holdfast.vault import agent_edits, review

if TYPE_CHECKING:
    from holdfast.vault.notes import Note

WORDS = {
    "user": "your own words",
    "agent": "the agent's own words",
    "tool": "outside text: what a tool answered",
    "web": "outside text: a web page",
    "repository": "outside text: a file of a repository",
    "import": "outside text: an imported file",
}
SHORT = {"user": "you", "agent": "agent", "tool": "tool answer", "web": "web page", "repository": "repository file"}
SESSION = 8  # letters of a session's id that are enough to name it


def words(origin: str) -> str:
    return WORDS.get(origin, f"outside text ({origin})")


def short(origin: str) -> str:
    return SHORT.get(origin, origin)


def is_outside(origin: str) -> bool:
    return origin not in TRUSTED


def of_note(state: str, note: Note) -> str:
    """A sentence: whose words, from which session, by which tool they came."""
    by = note.fields.get("came_from")
    parts = [f"From {words(note.origin)}" + (f", accepted by you; they came from {words(str(by))}" if by else "")]
    if session := review.session_id(note):
        parts.append(f"in session {session[:SESSION]}")
    if note.session and (tool := once.read(state, note.session, once.TAINTED_BY)):
        parts.append(f"into which outside text came with {tool}")
    said = " ".join((f"{parts[0]},", *parts[1:])) if len(parts) > 1 else parts[0]
    made = note.created and f" on {note.created}"
    told = f"{said}{made or ''}."
    if note.fields.get(agent_edits.BY_AGENT):
        told += " An agent wrote it into the vault's files with its own tools."
    return told


def of_text(origin: str, episode: str) -> str:
    session = episodes.session_of(episode) if episode else ""
    return f"From {words(origin)}" + (f", in session {session[:SESSION]}" if session else "") + "."
