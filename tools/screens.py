"""Pictures of the page, taken in Chromium.

    python tools/screens.py                 those of the documentation, from what `holdfast demo` leaves
    python tools/screens.py --all FOLDER    every view at 1280 and 390 px, light and dark, of docs/a-month.md
    python tools/screens.py --home FOLDER   from that home, which `python tools/month.py FOLDER` has made

A picture of the documentation has at most 150 KB: it is one window high, at one pixel for each of CSS.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import month

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests" / "unit")]

from hook_support import Home  # noqa: E402

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
    from serve_support import Server

LARGEST = 150_000
HEIGHT = {1280: 800, 390: 844}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--all", type=Path, metavar="FOLDER", help="every view, wide and narrow, light and dark")
    parser.add_argument("--home", type=Path, help="a home to show; without it a month is played, which takes a minute")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="holdfast-screens-") as folder:
        if options.home or options.all:
            home = Home((options.home or month.play(Path(folder, "home"))).absolute())
        else:
            home = _demo(folder)
        for path in _taken(home, options.all):
            print(f"{path.stat().st_size / 1000:6.0f} KB  {path}")
    return 0


def _demo(folder: str) -> Home:
    """What the demonstration leaves, with times of today."""
    command = [sys.executable, "-P", "-m", "holdfast", "demo", "--keep"]
    env = {**os.environ, "TMPDIR": folder, "PYTHONPATH": str(ROOT / "src")}
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)
    (made,) = Path(folder).glob("holdfast-demo-*")
    home = Home(made)
    home.vault = made / "vault"
    return home


def _taken(home: Home, into: Path | None) -> list[Path]:
    from playwright.sync_api import sync_playwright
    from serve_support import serving
    from web_support import launched

    from holdfast.page import views

    taken = []
    with serving(home) as server, sync_playwright() as playwright:
        browser = launched(playwright)
        for dark in (False, True):
            if into is None:
                page = _signed_in(browser, server, 1280, dark=dark)
                for view in ("notes",) if dark else ("today", "notes", "recall?q=locking"):
                    path = ROOT / "docs" / f"page-{view.partition('?')[0]}{'-dark' if dark else ''}.png"
                    taken.append(_shot(page, server, view, path, whole=False))
                    if path.stat().st_size > LARGEST:
                        raise SystemExit(f"{path.name} has more than {LARGEST:,} bytes")
                continue
            into.mkdir(parents=True, exist_ok=True)
            for width in HEIGHT:
                page = _signed_in(browser, server, width, dark=dark)
                for view, _, _ in views.ALL:
                    name = f"{view}-{width}-{'dark' if dark else 'light'}.png"
                    taken.append(_shot(page, server, view, into / name, whole=True))
        browser.close()
    return taken


def _signed_in(browser: Browser, server: Server, width: int, *, dark: bool) -> Page:
    from web_support import Tab, link_of

    context = browser.new_context(
        viewport={"width": width, "height": HEIGHT[width]},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
        timezone_id="UTC",
        locale="en-GB",
    )
    tab = Tab(context.new_page(), server)
    tab.sign_in(link_of(server))
    return tab.page


def _shot(page: Page, server: Server, view: str, path: Path, *, whole: bool) -> Path:
    from web_support import opened

    opened(page, server, view)
    page.screenshot(path=str(path), full_page=whole)
    return path


if __name__ == "__main__":
    sys.exit(main())
