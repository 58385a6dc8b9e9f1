"""The part of a handoff that nobody had to write: what was seen and said in the session, quoted.

It stands behind what was flagged and is cut by it: what a flag says already is not said again. After outside text had
entered the session, what the model said is told as coming from there, item by item where it could steer.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.capture import gitfiles, quoting
from holdfast.capture.flags import clean
from holdfast.capture.redaction import redact
from holdfast.witness import account as accounts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.capture.story import Story
    from holdfast.close.verify.evidence import Evidence
    from holdfast.vault.lineage import Handoff
    from holdfast.witness.account import Account

NOTE = "Quoted by holdfast from what was said and done; nobody wrote a handoff."
NOTED = "Written by holdfast from flags and prompts; nobody wrote a handoff."
ASKED = "goals"  # the user's own words, whatever entered later
MOST_FILES = 40
FEW_PROMPTS, FEW_WORDS = 3, 4000  # of a session in which nothing was changed: below that nothing was decided either


def account_of(evidence: Evidence) -> Account | None:
    """What was witnessed; None without a transcript."""
    return accounts.gathered(evidence.heard) if evidence.heard else None


def is_slight(told: Story, evidence: Evidence, account: Account | None) -> bool:
    """Whether nothing was changed and nothing can have been decided: a question and its answer."""
    if account is None or account.worked or told.files or evidence.edited:
        return False
    words = sum(len(one.text) for one in account.answers)
    return 0 < len(account.prompts) <= FEW_PROMPTS and words <= FEW_WORDS


def completed(made: Handoff, account: Account, cwd: str, origin: str, files: Sequence[str]) -> Handoff:
    """A handoff made of flags and prompts, with what was witnessed behind it."""
    own = {key: items for key, items in made.sections.items() if key not in ("goals", "worked_on", "files_modified")}
    found = accounts.sections(account, said=[item for key, items in own.items() if key != "note" for item in items])
    mark = quoting.from_mark(origin)
    where = [f"{_local(one, cwd)}{mark}" for one in found.pop("where", [])]
    found = {key: [f"{one}{'' if key == ASKED else mark}" for one in items] for key, items in found.items()}
    sections = {key: (*made.sections.get(key, ()), *map(_line, found.get(key, ()))) for key in (*own, *found)}
    sections["goals"] = tuple(map(_line, found.get("goals", ()))) or made.sections.get("goals", ())
    sections["files_modified"] = _files(where, files, cwd) or made.sections.get("files_modified", ())
    sections["note"] = tuple(NOTE if one == NOTED else one for one in made.sections.get("note", ()))
    return replace(made, sections={key: items for key, items in sections.items() if items})


def _line(text: str) -> str:
    return redact(clean(text)[0])[0]


def _local(text: str, cwd: str) -> str:
    """Paths as the project says them."""
    return _line(text.replace(f"{gitfiles.root_of(cwd)}/", ""))


def _files(where: Sequence[str], files: Sequence[str], cwd: str) -> tuple[str, ...]:
    """Those of which it is known what they are for, then the names of the others."""
    root = gitfiles.root_of(cwd)
    shown = [os.path.relpath(path, root) if path.startswith(f"{root}/") else path for path in files]
    told = " ".join(where)
    rest = [clean(path)[0] for path in shown if path not in told]
    more = f", and {len(rest) - MOST_FILES} more" if len(rest) > MOST_FILES else ""
    return (*where, *([f"{'also ' if where else ''}{', '.join(rest[:MOST_FILES])}{more}"] if rest else []))
