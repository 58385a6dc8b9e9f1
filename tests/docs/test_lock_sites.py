"""Files are locked in one place, and by the few modules whose own rules are about locks."""

from __future__ import annotations

import rooms

OWN_RULES = ("capture/segments.py", "capture/settle.py", "vault/journal.py")


def test_only_the_lock_helper_and_the_logs_themselves_name_flock() -> None:
    named = {
        str(path.relative_to(rooms.SOURCE))
        for path in rooms.SOURCE.rglob("*.py")
        if "flock" in path.read_text(encoding="utf-8")
    }
    assert sorted(named) == sorted(("capture/locks.py", *OWN_RULES)), "ask holdfast.capture.locks instead"
