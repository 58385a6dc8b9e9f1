"""A text edited by a person in their own editor."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile

from holdfast.errors import UsageError


def edit(text: str) -> str:
    """What the person saved. Raises UsageError where the editor failed or nothing was changed."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
        path = f"{folder}/handoff.md"  # in a folder of its own: editors save by a new file of that name
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        try:
            status = subprocess.run([*shlex.split(editor), path], check=False).returncode
            with open(path, encoding="utf-8", errors="replace") as saved:
                after = saved.read()
        except FileNotFoundError as error:
            what = "saved nothing" if error.filename == path else "cannot be started (there is no such command)"
            raise UsageError(f"{editor} {what}; nothing was written. Set EDITOR.") from None
        except (OSError, ValueError) as error:
            raise UsageError(f"{editor} cannot be started ({error}); nothing was written. Set EDITOR.") from None
    if status or after == text:
        raise UsageError("The editor saved nothing; nothing was written.")
    return after
