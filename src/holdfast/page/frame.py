"""The frame of every view: templates, headers, and answers as a whole page or as the part that changes.

A browser asks for a page without its key, since it sends no header of ours by itself: it gets the frame, which holds
nothing that is remembered. The script in it then asks for the view with the key. Remembered text is other people's
text: every value is escaped, and signs that reorder or hide a text are shown as their number.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from datetime import UTC, datetime
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import jinja2
from fastapi import Response
from markupsafe import Markup

from holdfast import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

HERE = os.path.dirname(__file__)
STATIC = f"{HERE}/static"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "vary": "Authorization, HX-Request",
}
FOR_EVER = {"cache-control": "public, max-age=31536000, immutable"}  # the name of a static file has its digest
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
HIDING = (
    re.compile(  # control characters, bidi, zero width, fillers, tags that spell a text nobody sees, lone surrogates
        "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
        "\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb"
        "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    )
)
ELSEWHERE = re.compile(r"https?://", re.IGNORECASE)  # an address that is whole
LONGEST = 20_000  # characters of a text that is shown at once; a view says how to see the rest
GOOD, BAD = "good", "bad"


def plain(text: object) -> str:
    """A text without signs that hide or reorder it: each is shown as its number."""
    return HIDING.sub(lambda sign: f"\u27e8U+{ord(sign[0]):04X}\u27e9", str(text).replace("\r\n", "\n"))


def _shown(value: object) -> object:
    """Each value that a template prints."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return "" if value is None else value
    return plain(value)


def number(value: float) -> str:
    """12,345; a fraction keeps one digit."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def moment(seconds: float | None, form: str = "ago") -> Markup:
    """A time, which the script puts into the reader's zone. `form`: ago, day, time or both."""
    try:
        return _moment(seconds, form) if seconds else Markup("")
    except (ValueError, OverflowError, OSError):  # of no calendar, in somebody's note
        return Markup("{}").format(seconds)


def moment_of(said: str, form: str = "ago") -> Markup:
    """The same for a time in ISO form, as notes and handoffs have it."""
    try:
        found = datetime.fromisoformat(said)
        if len(said) <= 10:
            day = found.date().isoformat()
            return Markup('<time datetime="{}" data-form="date">{}</time>').format(day, day)
        return _moment(found.replace(tzinfo=found.tzinfo or UTC).timestamp(), form)
    except (ValueError, OverflowError, OSError):
        return Markup("{}").format(plain(said))


def _moment(seconds: float, form: str) -> Markup:
    exact = datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None).isoformat(timespec="seconds")
    words = f"{exact[:10]} {exact[11:16]} UTC"
    return Markup('<time datetime="{}Z" data-form="{}">{}</time>').format(exact, form, words)


TAGS = frozenset((
    "p", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "code", "pre", "em", "strong", "blockquote", "hr", "br",
    "table", "thead", "tbody", "tr", "th", "td", "s", "a",
))  # fmt: skip


def markdown(text: str) -> Markup:
    """A note's text as HTML: no HTML of its own, no pictures, and links to the web only, which open beside the page and
    say nothing of us. Its headings are below those of the view, in order."""
    import nh3

    done = nh3.clean(
        _markdown_reader().render(plain(text[:LONGEST])),
        tags=set(TAGS),
        attributes={"a": {"href"}},
        set_tag_attribute_values={"a": {"target": "_blank"}},
        url_schemes={"http", "https"},
        attribute_filter=_web_only,
        link_rel="noopener noreferrer nofollow",
    )
    return Markup(done)


def _web_only(_tag: str, name: str, said: str) -> str | None:
    """A link to elsewhere in the vault leads nowhere from a page."""
    return said if name != "href" or ELSEWHERE.match(said) else None


@cache
def _markdown_reader() -> Any:
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    made.core.ruler.push("headings", _put_headings_in_order)
    return made


def _put_headings_in_order(state: Any) -> None:
    """From the second level on, and none left out: what a reader of the page hears is an outline."""
    last = 1
    for token in state.tokens:
        if token.type == "heading_open":
            last = min(int(token.tag[1]) + 1, last + 1, 6)
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{last}"


class Statics:
    """The files beside the templates, below a name that changes with the contents of any of them: scripts import each
    other by bare names."""

    @cached_property
    def files(self) -> dict[str, tuple[bytes, str]]:
        """Contents and type by name."""
        found = {}
        for name in sorted(os.listdir(STATIC)):
            ending = os.path.splitext(name)[1]
            if ending in TYPES:
                with open(f"{STATIC}/{name}", "rb") as file:
                    found[name] = (file.read(), TYPES[ending])
        return found

    @cached_property
    def digest(self) -> str:
        return hashlib.sha256(b"".join(data for data, _ in self.files.values())).hexdigest()[:16]

    def url(self, name: str) -> str:
        return f"/page/static/{self.digest}/{name}"


STATICS = Statics()


@cache
def templates() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(f"{HERE}/templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
        auto_reload=False,
    )
    made.filters.update(number=number, moment=moment, moment_of=moment_of, markdown=markdown)
    made.globals.update(static=STATICS.url, version=__version__)
    return made


def render(template: str, /, **values: Any) -> str:
    return templates().get_template(template).render(**values)


def answer(html: str, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(html, status, {**HEADERS, **(headers or {})}, "text/html")


def events(**said: object) -> dict[str, str]:
    """The header by which an answer starts events in the page: `toast` says a sentence, `changed` has views look
    again."""
    return {"hx-trigger": json.dumps(said)}


def toast(sentence: str, kind: str = GOOD, undo: str = "") -> dict[str, str]:
    """The header that says a change was made; `undo` is the address that takes it back."""
    return events(toast={"text": plain(sentence), "kind": kind, "undo": undo}, changed=True)
