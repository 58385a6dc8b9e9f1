"""A visit: a request of a browser whose key counts, the memory as it sees it, and what it may do.

A visitor is the user. A key that was made to look only changes nothing; one that changes has to come from our own
page, which the browser says in headers that no script can set.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Protocol

from fastapi import Depends, Request

from holdfast.page import frame
from holdfast.page.errors import Elsewhere, LookOnly, SignedOut

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi import Response

    from holdfast.memory import Memory
    from holdfast.page.note_index import NoteIndex
    from holdfast.page.sign_in import Entry, Keys

SCHEME = "holdfast-page"
ALL = "all"
SPELT = "surrogateescape"  # a file's name may be no UTF-8


class Server(Protocol):
    """The server of a vault, as the page needs it."""

    vault: str
    state: str
    clock: Callable[[], float]

    @property
    def keys(self) -> Keys: ...
    @property
    def notes(self) -> NoteIndex: ...
    def users_memory(self, project: str) -> Memory:
        """The memory as the user sees it in a project; "" is that of the server's folder."""
        ...


@dataclass(frozen=True)
class Visit:
    """`everything` is whether all projects are shown; the memory then stands in the server's own."""

    server: Server
    memory: Memory
    everything: bool
    key: Entry
    is_part: bool  # a part of the page is asked for, not the whole
    path: str

    @property
    def project(self) -> str:
        """The id of the project that is shown, or "all"."""
        return ALL if self.everything else self.memory.at.project().id

    def link(self, path: str, **query: object) -> str:
        """An address of the page that keeps the project."""
        from urllib.parse import quote, urlencode

        named = {name: value for name, value in query.items() if value not in ("", None, False)}
        return f"/page/{quote(path, errors=SPELT)}?{urlencode({'project': self.project, **named}, errors=SPELT)}"

    def show(
        self, template: str, *, status: int = 200, headers: dict[str, str] | None = None, **values: Any
    ) -> Response:
        """A template with what every template has."""
        known = {"visit": self, "link": self.link, "can_change": not self.key.read_only, "now": self.server.clock()}
        return frame.answer(frame.render(template, **{**known, **values}), status, headers)


def key_of(request: Request) -> tuple[Entry, str]:
    """The key that a request brings, and its secret. Raises SignedOut, Elsewhere."""
    server: Server = request.app.state.serving
    kind, _, given = request.headers.get("authorization", "").partition(" ")
    key = server.keys.of(given.strip(), server.clock()) if kind.lower() == SCHEME and given else None
    if key is None:
        raise SignedOut
    is_ours = request.headers.get("sec-fetch-site", "same-origin") == "same-origin" and "origin" in request.headers
    if request.method not in ("GET", "HEAD") and not is_ours:
        raise Elsewhere
    return key, given.strip()


def visit(request: Request, project: str = "") -> Visit:
    """Raises SignedOut, LookOnly, Elsewhere, NotFound."""
    server: Server = request.app.state.serving
    key, _ = key_of(request)
    if key.read_only and request.method not in ("GET", "HEAD"):
        raise LookOnly
    everything = project == ALL
    memory = server.users_memory("" if everything else project)
    return Visit(server, memory, everything, key, "hx-request" in request.headers, request.url.path)


Visits = Annotated[Visit, Depends(visit)]
