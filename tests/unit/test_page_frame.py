"""What the page shows of remembered text: the text, and nothing that it would do."""

from __future__ import annotations

import re
import time
from html.parser import HTMLParser

import pytest
from hostile_texts import BREAKOUTS

from holdfast.page import frame

HARMLESS = {"a", "p", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "code", "pre", "em", "strong", "blockquote", "hr"}
HARMLESS |= {"br", "table", "thead", "tbody", "tr", "th", "td", "s"}
HOSTILE = (
    *BREAKOUTS,
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<style>*{display:none}</style>",
    "<a href='javascript:alert(1)'>x</a>",
    "<button hx-post='/page/sign-out?everywhere=true' hx-trigger='load'>x</button>",
    "<div data-row=x data-press=a data-copy=y>x</div>",
    "<base href=//evil.example><meta http-equiv=refresh content=0><iframe src=/page/today></iframe>",
    "<form action=/page/sign-out method=post><input name=x></form>",
    "</main></body><template id=signed-out>",
    "{{ visit.memory }} {% include 'bar.html' %} ${7*7}",
    '"><svg onload=alert(1)>',
    "![x](http://evil.example/p.png)",
    "```<script>\nalert(1)\n```",
    "| <script> | a |\n|-|-|\n| <img src=x onerror=y> | `<b>` |",
    "&lt;script&gt;alert(1)&lt;/script&gt; &#60;b&#62;",
)


class Seen(HTMLParser):
    """The elements and attributes of a piece of HTML, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def links(self) -> list[str | None]:
        return [given.get("href") for tag, given in self.elements if tag == "a"]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:40]))
def test_hostile_markdown_becomes_harmless_elements_only(text: str) -> None:
    seen = Seen(frame.markdown(text))
    assert {tag for tag, _ in seen.elements} <= HARMLESS
    assert {name for _, given in seen.elements for name in given} <= {"href", "rel", "target"}
    assert not [link for link in seen.links() if link and not re.match("https?://", link)]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:40]))
def test_a_template_prints_hostile_text_as_text(text: str) -> None:
    shown = frame.templates().from_string('<p title="{{ text }}">{{ text }}</p>').render(text=text)
    ((tag, given),) = Seen(shown).elements
    assert (tag, given, Seen(shown).text) == ("p", {"title": frame.plain(text)}, frame.plain(text))


@pytest.mark.parametrize(
    ("link", "is_shown"),
    [
        ("https://example.com/a?b=c", True),
        ("HTTP://example.com", True),
        ("javascript:alert(1)", False),
        ("JaVaScRiPt:alert(1)", False),
        ("java&#10;script:alert(1)", False),
        ("data:text/html,x", False),
        ("vbscript:x", False),
        ("file:///etc/passwd", False),
        ("/page/sign-out", False),
        ("page/sign-out", False),
        ("?everywhere=true", False),
        ("#link=x", False),
        ("//evil.example", False),
        ("http:page/today", False),
        ("\\\\evil.example", False),
        ("mailto:ada@example.com", False),
    ],
)
def test_links_lead_to_the_web_and_say_nothing_of_us(link: str, is_shown: bool) -> None:
    seen = Seen(frame.markdown(f"[words](<{link}>) and more"))
    assert "words" in seen.text
    assert len([one for one in seen.links() if one]) == is_shown
    for tag, given in seen.elements:
        if tag == "a":
            assert given["rel"] == "noopener noreferrer nofollow"
            assert given["target"] == "_blank", "it never replaces the page, and is not loaded by it"


def test_headings_of_a_note_are_an_outline_below_the_views_own() -> None:
    html = frame.markdown("#### deep\n\n# top\n\n### below\n\n###### far below\n\nSetext\n===\n")
    assert re.findall(r"<(h\d)>", html) == ["h2", "h2", "h3", "h4", "h2"]
    assert re.findall(r"</(h\d)>", html) == ["h2", "h2", "h3", "h4", "h2"]


SLOW = (
    "[",
    "*a_ ",
    "`a``b",
    ">",
    "- ",
    "<",
    "&",
    "[a](",
    "](",
    "**a ",
    "[[a](b)",
    "<http:",
    "|a",
    "\\",
    "![",
    "<!--",
    "~~a",
)


@pytest.mark.slow
@pytest.mark.parametrize("piece", SLOW)
def test_no_text_takes_long(piece: str) -> None:
    began = time.process_time()
    frame.markdown(piece * 500_000)
    assert time.process_time() - began < 5


HIDDEN = "\u202e\u2066\u200b\ufeff\x00\x1b\x7f\x9b\u2028\u00ad\u034f\u3164\U000e0041\U000e0100\udc80\ud800\r"


@pytest.mark.parametrize("sign", HIDDEN, ids=lambda sign: f"{ord(sign):x}")
def test_a_sign_that_hides_or_reorders_is_shown_as_its_number(sign: str) -> None:
    said = f"\u27e8U+{ord(sign):04X}\u27e9"
    assert frame.plain(f"a{sign}b") == f"a{said}b"
    assert said in frame.markdown(f"a{sign}b")
    answer = frame.answer(frame.templates().from_string("{{ text }}").render(text=f"a{sign}b"))
    assert said.encode() in bytes(answer.body)
    assert sign not in frame.toast(f"a{sign}b")["hx-trigger"]


@pytest.mark.parametrize("text", ["", "plain", "line\nline\ttab", "größer 日本語 עברית 👍 ❤\ufe0f", "a\r\nb"])
def test_what_is_drawn_stays_as_it_is(text: str) -> None:
    assert frame.plain(text) == text.replace("\r\n", "\n")


def test_a_header_says_any_sentence_in_ascii() -> None:
    said = frame.toast('"quoted" größer\n👍', undo="/page/notes/undo?id=1")["hx-trigger"]
    assert said.isascii()
    assert "\n" not in said


def test_a_moment_is_exact_for_machines_and_short_for_people() -> None:
    shown = frame.moment(1_790_000_000.5, "day")
    assert shown == '<time datetime="2026-09-21T14:13:20Z" data-form="day">2026-09-21 14:13 UTC</time>'
    assert frame.moment(None) == frame.moment(0) == ""


@pytest.mark.parametrize(
    ("said", "exact"),
    [
        ("2026-10-01", "2026-10-01"),
        ("20261001", "2026-10-01"),
        ("2026-W40-4", "2026-10-01"),
        ("2026-10-01T12:00:00Z", "2026-10-01T12:00:00Z"),
        ("2026-10-01T12:00:00", "2026-10-01T12:00:00Z"),
        ("2026-10-01T12:00:00+02:00", "2026-10-01T10:00:00Z"),
        ("0999-10-01T12:00:00Z", "0999-10-01T12:00:00Z"),
    ],
)
def test_every_spelling_of_a_time_becomes_one_that_browsers_read(said: str, exact: str) -> None:
    assert f'datetime="{exact}"' in frame.moment_of(said)


@pytest.mark.parametrize(
    "said", ["", "soon", "<b>", "0001-01-01T00:00+14:00", "9999-12-31T23:59:59-23:00", "2026-13-01"]
)
def test_what_is_no_time_is_shown_as_it_was_said(said: str) -> None:
    assert Seen(frame.moment_of(said)).text == said
    assert "<time" not in frame.moment_of(said)


@pytest.mark.parametrize("seconds", [1e20, -1e20, float("nan"), float("inf")])
def test_seconds_of_no_calendar_are_no_failure(seconds: float) -> None:
    assert "<time" not in frame.moment(seconds)


def test_a_static_file_has_a_name_of_its_contents_and_only_files_of_ours_are_there() -> None:
    assert frame.STATICS.url("page.js") == f"/page/static/{frame.STATICS.digest}/page.js"
    assert set(frame.STATICS.files) >= {"page.js", "page.css", "htmx.min.js"}
    assert not [name for name in frame.STATICS.files if name.endswith((".LICENSE", ".py", ".html"))]
