"""Secrets that a command, a header or a label gives away: passwords handed over by pipe, cookies, seed phrases.

Promise as in `redaction_match`: every run is bounded, so time grows with the length of the text. Loaded only where the
sieve has seen one of their signs. A value that only names a variable, or is a word that stands in for one, stays.
"""

from __future__ import annotations

import re

from holdfast.capture.redaction import SEED_LABELS, is_stand_in, looks_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[int, int, str]

# A word of a shell: in quotes, or without.
_VALUE = r"(?:'([^'\0\n]{1,256})'|\"([^\"\0\n]{1,256})\"|([^\s'\"|;&<>()\0]{1,256}))"
_TAKERS = (
    r"(?:(?:sudo[ \t]+)?(?:docker|podman|buildah|skopeo|nerdctl|helm|oras|crane|az|gcloud|gh|glab|npm|op|bw|vault|"
    r"gpg2?|openssl|cryptsetup|sudo|passwd|chpasswd|smbpasswd|kinit|argocd|flyctl|fly|heroku|vercel|netlify|doctl)\b"
    r"[^\n|;&\0]{0,200}?(?:--password-stdin|--with-token|--password-fd|--passphrase-fd|--stdin|--token-stdin|"
    r"-pass(?:in|out)?[ \t]+stdin|[ \t]-S\b|chpasswd|smbpasswd[ \t]+-s|--key-file[ =]-|kinit\b)"
    r"|(?:sudo[ \t]+)?(?:chpasswd|smbpasswd[ \t]+-s|kinit)\b|sudo[ \t]+-S\b)"
)
_PIPED = re.compile(
    r"(?:\becho(?:[ \t]+-[neE]{1,3})?|\bprintf(?:[ \t]+(?:--[ \t]+)?['\"]?%s(?:\\n|[ ]{2})?['\"]?)?)[ \t]+"
    + _VALUE
    + r"[ \t]*\|[ \t]*(?:\\\n[ \t]*)?"
    + _TAKERS,
    re.ASCII,
)
_HERE = re.compile(_TAKERS + r"[^\n|;&<\0]{0,120}<<<[ \t]*" + _VALUE, re.ASCII)
_HTPASSWD = re.compile(
    r"\bhtpasswd2?\b((?:[ \t]+-{1,2}[\w-]{1,12}(?:[ \t]+\d{1,3}(?=[ \t]))?){1,6})((?:[ \t]+(?:'[^'\0\n]{0,256}'|"
    r"\"[^\"\0\n]{0,256}\"|[^\s'\"|;&<>\0-][^\s'\"|;&<>\0]{0,255})){1,3})(?=[ \t]*(?:$|[|;&<>)\n`'\"]))",
    re.ASCII,
)
_OPENSSL = re.compile(r"\bopenssl\b[^\n|;&\0]{0,4000}", re.ASCII)
_OPENSSL_OPTION = re.compile(r"[ \t](?:-k|-K|-pass(?:in|out|word)?)[ \t]+(?:pass:)?" + _VALUE, re.ASCII)
_PASS_IN_QUOTES = "pass:"
_SOURCES = ("env:", "file:", "fd:", "stdin", "prompt")
_COOKIES = re.compile(
    r"(?i)(?<![a-z0-9])(set-cookie2?|cookie)[\"'\\]{0,3}\]?[ \t]{0,3}[:=,][ \t]{0,3}[\"'`\\]{0,3}"
    r"([!#-+\--:<-\[\]-~]{1,80}=[^\n\r\"'`\0]{4,8192})",
    re.ASCII,
)
_CURL_COOKIE = re.compile(r"\bcurl\b[^\n\0]{0,400}?[ \t](?:-b|--cookie)[ \t=]{1,3}" + _VALUE, re.ASCII)
_PAIR = re.compile(r"[ \t]{0,4}([^=;,\s]{1,80})=([^;\s\0]{1,4096})")
_ATTRIBUTES = frozenset(("path", "domain", "expires", "max-age", "samesite", "priority", "version", "comment", "port"))
_PUBLIC = ("csrf_exp", "_ga", "_gid", "utm", "lang", "locale", "theme", "tz", "timezone", "consent")
_LABEL = re.compile(
    r"(?i)(?:" + "|".join(re.escape(one) for one in SEED_LABELS) + r"|(?P<bare>seed))[\w -]{0,24}[\"'`*]{0,3}"
    r"(?:[ \t]{0,4}(?:[:=]{1,2}>?|->|is|was|are)|[ \t]{0,2}\n|(?=[ \t]{1,4}[\"'`]))[\s\"'`*>\[({]{0,12}"
)
_SEED_WORD = re.compile(r"(?:\d{1,2}[.):]?[ \t]{1,3})?[\"']?([a-z]{3,8})[\"']?(?![\w'-])")
_BETWEEN = re.compile(r"[\s,|/-]{1,6}")
_COUNTS = (24, 21, 18, 15, 12)
# Words that prose does not do without and that are in no list of seed words.
_PROSE = frozenset(("the", "and", "for", "are", "was", "not", "from", "with", "were", "has", "had", "but", "which"))


def _given(found: re.Match[str], first: int = 1) -> tuple[int, int] | None:
    for group in range(first, first + 3):
        if found[group]:
            return found.start(group), found.end(group)
    return None


def _is_given(value: str) -> bool:
    """Whether a word stands for itself: no variable, no command, no documentation word."""
    low = value.lower()
    plain = low.strip("'\"")
    return (
        len(plain) > 3
        and plain[0] not in "$`"
        and "$(" not in plain
        and "${" not in plain
        and not plain.startswith(("%s", "<"))
        and plain.strip("*x.") != ""
        and plain not in _WORDS
        and not is_stand_in(low.encode("ascii", "replace"))
    )


_WORDS = frozenset(
    ("password", "passwd", "pass", "secret", "token", "yes", "done", "hello", "username", "user:password")
)


def piped(text: str) -> Iterator[Span]:
    """echo SECRET | docker login --password-stdin, and what other commands read the same way."""
    for found in _PIPED.finditer(text):
        span = _given(found)
        if span and _is_given(text[span[0] : span[1]]):
            start = span[0]
            if "chpasswd" in found[0] and ":" in text[start : span[1]]:
                start += text[start : span[1]].index(":") + 1
            yield start, span[1], "login"
    for found in _HERE.finditer(text):
        span = _given(found)
        if span and _is_given(text[span[0] : span[1]]):
            yield *span, "login"


def htpasswd(text: str) -> Iterator[Span]:
    """htpasswd -b FILE USER SECRET; with -n no file stands before the user."""
    for found in _HTPASSWD.finditer(text):
        options = {letter for word in found[1].split() if word[:2] != "--" for letter in word[1:]}
        words = list(re.finditer(r"'[^']*'|\"[^\"]*\"|\S+", found[2]))
        place = 1 if "n" in options else 2
        if "b" in options and len(words) > place:
            word = words[place]
            trim = 1 if word[0][0] in "'\"" else 0
            start, end = found.start(2) + word.start() + trim, found.start(2) + word.end() - trim
            if _is_given(text[start:end]):
                yield start, end, "login"


def openssl(text: str) -> Iterator[Span]:
    """openssl … -k SECRET, -pass pass:SECRET, -K HEX, each option of the line."""
    for command in _OPENSSL.finditer(text):
        for found in _OPENSSL_OPTION.finditer(text, command.start(), command.end()):
            span = _given(found)
            if span and text.startswith(_PASS_IN_QUOTES, span[0]):
                span = span[0] + len(_PASS_IN_QUOTES), span[1]
            if span and _is_given(text[span[0] : span[1]]) and not text.startswith(_SOURCES, span[0]):
                yield *span, "login"


def cookies(text: str) -> Iterator[Span]:
    """What cookies hold, by their header or an option of curl; names and attributes stay readable."""
    places = [(found.start(2), found.end(2)) for found in _COOKIES.finditer(text)]
    places += [span for found in _CURL_COOKIE.finditer(text) if (span := _given(found)) and "=" in text[slice(*span)]]
    for start, end in places:
        for pair in _PAIR.finditer(text, start, end):
            name, value = pair[1].lower().strip("\"'"), pair[2].rstrip("\"'")
            if name in _ATTRIBUTES or name.startswith(_PUBLIC) or "%%" in value:
                continue
            raw = value.encode("ascii", "replace")
            random = looks_secret(raw, password=False, given=True)
            if random or (len(value) > 15 and not is_stand_in(raw.lower()) and any(sign.isdigit() for sign in value)):
                yield pair.start(2), pair.start(2) + len(value), "session"


def seeds(text: str) -> Iterator[Span]:
    """The words behind "seed phrase:" and its like: twelve to twenty-four small ones, and no sentence."""
    for label in _LABEL.finditer(text):
        at, words = label.end(), 0
        if label["bare"] and text[at - 1 : at] not in ("'", '"', "`"):
            continue  # seeds of a database, of chance
        start = end = at
        found = _SEED_WORD.match(text, at)
        while found and words <= _COUNTS[0]:
            if found[1] in _PROSE:
                words = 0
                break
            words += 1
            if words == 1:
                start = found.start(1)
            end = found.end(1)
            gap = _BETWEEN.match(text, found.end())
            found = _SEED_WORD.match(text, gap.end()) if gap else None
        if words in _COUNTS:
            yield start, end, "seed-phrase"
