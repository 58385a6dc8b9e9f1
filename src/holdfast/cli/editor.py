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
    with tempfile.NamedTemporaryFile("w+", suffix=".md", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        try:
            status = subprocess.run([*shlex.split(editor), file.name], check=False).returncode
        except OSError as error:
            raise UsageError(
                f"{editor} cannot be started ({error.strerror}); nothing was written. Set EDITOR."
            ) from error
        with open(file.name, encoding="utf-8", errors="replace") as saved:
            after = saved.read()
    if status or after == text:
        raise UsageError("The editor saved nothing; nothing was written.")
    return after
