"""Every route of the page as a request: what a test tries on all of them it tries on those of tomorrow too."""

from __future__ import annotations

import hashlib
import re
import time
from typing import TYPE_CHECKING

from holdfast.capture import gate
from holdfast.page import frame, routes, sign_in, views

if TYPE_CHECKING:
    from hook_support import Home
    from serve_support import Answer, Server

FORM = "application/x-www-form-urlencoded"
OPEN = ("/page/sign-in",)  # what changes something and asks for a link instead of a key


def all_routes() -> list[tuple[str, str]]:
    """(method, path), with something in the place of each part that a caller says."""
    found = []
    for router in (routes.router, *views.routers()):
        for one in router.routes:
            path = re.sub(r"\{[^}]+\}", "x", getattr(one, "path", ""))
            found += [(method, path) for method in sorted(getattr(one, "methods", None) or ())]
    return found


def reading() -> list[str]:
    """Those that show something remembered, or may."""
    open_to_all = ("/", "/page", "/page/static/x/x")
    return sorted({path for method, path in all_routes() if method == "GET" and path not in open_to_all})


def changing() -> list[tuple[str, str]]:
    return sorted(
        {(method, path) for method, path in all_routes() if method not in ("GET", "HEAD")} - {("POST", OPEN[0])}
    )


def key_of(server: Server, *, read_only: bool = False) -> str:
    """A key, got by a link as the page gets it."""
    state, now = str(server.home.vault / ".state"), time.time()
    made = sign_in.use_link(state, sign_in.make_link(state, now, by=gate.BY_USER, read_only=read_only), now)
    assert made
    return made


def ask(
    server: Server,
    method: str,
    path: str,
    key: str = "",
    *,
    origin: str | None = "ours",
    site: str | None = "same-origin",
    more: tuple[tuple[str, str], ...] = (),
    body: bytes | None = None,
) -> Answer:
    """As a browser sends it from our own page, but for what is said otherwise."""
    headers = [("Host", server.host), *more]
    if key:
        headers.append(("Authorization", f"Holdfast-Page {key}"))
    if origin is not None and method != "GET":
        headers.append(("Origin", f"http://127.0.0.1:{server.port}" if origin == "ours" else origin))
    if site is not None:
        headers.append(("Sec-Fetch-Site", site))
    if method != "GET" and not [name for name, _ in more if name == "Content-Type"]:
        headers.append(("Content-Type", FORM))
    return server.send(method, path, headers, body if body is not None or method == "GET" else b"")


def is_frame(answer: Answer) -> bool:
    """The frame, as it is for everybody."""
    return answer.body == frame.render("frame.html", views=views.ALL, path="").encode()


def on_disk(home: Home) -> dict[str, str]:
    """Each file of the vault, and the keys of the page; without what time itself changes."""
    kept = [path for path in home.vault.rglob("*") if path.is_file() and ".state" not in path.parts]
    kept += [home.vault / ".state" / sign_in.FILE, *(home.vault / ".state" / "queue").glob("*")]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in kept if path.is_file()}
