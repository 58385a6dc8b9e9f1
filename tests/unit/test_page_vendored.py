"""What the page has from others is what they published, with their licence beside it."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import holdfast.page

STATIC = Path(holdfast.page.__file__).parent / "static"
HTMX = "d6fdc75f204e6bdefa99b69bf1e6d4ac69b8a364f77929f45c13476b4000f717"  # dist/htmx.min.js of htmx.org 2.0.11
FORBIDDEN = re.compile(r"\sstyle=|\son(?!e=)[a-z]+=|hx-on|hx-vals=.js:|\|\s*safe\b|https?://")
OURS = {"page.js", "keyboard.js", "live.js", "page.css", "icon.svg"}


def test_htmx_is_the_published_file_with_its_licence() -> None:
    assert hashlib.sha256((STATIC / "htmx.min.js").read_bytes()).hexdigest() == HTMX
    assert "Zero-Clause BSD" in (STATIC / "htmx.LICENSE").read_text(encoding="utf-8")


def test_nothing_else_is_of_others_and_all_of_it_is_small() -> None:
    there = {path.name for path in STATIC.iterdir()}
    assert there == {*OURS, "htmx.min.js", "htmx.LICENSE"}
    assert sum(path.stat().st_size for path in STATIC.iterdir()) < 150_000


def test_no_template_needs_what_the_content_policy_forbids() -> None:
    for path in (STATIC.parent / "templates").iterdir():
        text = path.read_text(encoding="utf-8")
        assert not FORBIDDEN.search(text), path.name
