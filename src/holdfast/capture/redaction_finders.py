"""Secrets that their surroundings give away: a block of a key, a URL, a header, a command, a cookie, a label.

Promise as in `redaction_match`: every run is bounded, so time grows with the length of the text. Loaded only where the
sieve has seen one of their signs. A value that only names a variable, or is a word that stands in for one, stays.
"""

from __future__ import annotations

import re

from holdfast.capture.redaction import is_dotted, is_stand_in, is_wordy, looks_secret
from holdfast.capture.redaction_match import pattern_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Span = tuple[int, int, str]

_BEGIN = r"(?i)-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_END = r"(?i)-{4,5} ?END [A-Z0-9 ]{0,40}KEY(?: BLOCK)? ?-{4,5}"
_PEM_BODY = (
    r"(?:\s{0,8}(?:Proc-Type: 4,ENCRYPTED|DEK-Info: [\w-]{1,30},[0-9A-F]{1,64}|"
    r"(?:Version|Comment): [^\n]{0,60}(?=\n)))*"
    r"(?:[\s\"'+\\|>#*]{0,16}[0-9A-Za-z+/=]{16,})++"
    r"(?:\s{0,8}[0-9A-Za-z+/]{0,63}(?:[0-9+/][0-9A-Za-z+/]{0,63}|=)={0,2}(?![0-9A-Za-z]))?"
)


def _private_keys(text: str) -> Iterator[Span]:
    for begin in pattern_of(_BEGIN).finditer(text):
        dashes = text.find("----", begin.end())
        end = pattern_of(_END).match(text, dashes) if dashes >= 0 else None
        body = pattern_of(_PEM_BODY).match(text, begin.end())
        whole = end if end and pattern_of(r"[0-9A-Za-z+/]{24}").search(text, begin.end(), end.start()) else body
        if whole:
            yield begin.start(), whole.end(), "private-key"


def _putty_keys(text: str) -> Iterator[Span]:
    for head in pattern_of(r"(?i)private-lines:\s{0,4}\d{1,4}").finditer(text):
        body = pattern_of(_PEM_BODY).match(text, head.end())
        if body:
            yield body.end() - len(body[0].lstrip()), body.end(), "private-key"


_LOGIN_WORDS = frozenset(("password", "pass", "passwd", "pwd", "secret", "token", "test", "user", "username", "yyy"))


def _is_login(value: str) -> bool:
    low = value.lower()
    named = len(low) > 2 and low[0] != "/" and low not in _LOGIN_WORDS
    return named and not is_stand_in(low.encode("ascii", "replace"))


def _urls(text: str) -> Iterator[Span]:
    for found in pattern_of(r"://([^\s/?#\"'`<>@:\0]{0,256}):([^\s/?\"'`<>\0]{1,256})@").finditer(text):
        if _is_login(found[2]) and not (found[2].isdigit() and len(found[2]) < 6):
            yield found.start(2), found.end(2), "url-password"
    for found in pattern_of(r"://([^\s/?#\"'`<>@:\0]{20,256})@").finditer(text):
        if looks_secret(found[1].encode("ascii", "replace"), password=False):
            yield found.start(1), found.end(1), "url-token"


def _authorizations(text: str) -> Iterator[Span]:
    source = (
        r"(?i)(?<![a-z0-9])authorization[\"'\\]{0,3}\s{0,3}[:=,]\s{0,3}[\"'`\\]{0,3}"
        r"(?:([a-z][a-z0-9-]{1,20})[ \t]{1,4})?([^\s\"'`,;<>\\\0]{8,8192})"
    )
    for found in pattern_of(source).finditer(text):
        scheme, value = (found[1] or "").lower(), found[2].encode("ascii", "replace")
        basic, given = scheme == "basic" and _is_basic(found[2]), scheme in ("bearer", "token", "apikey")
        if basic or looks_secret(value, password=False, given=given) or (given and is_dotted(value.lower())):
            yield found.start(2), found.end(2), "basic-auth" if basic else "authorization"


def _is_basic(value: str) -> bool:
    from binascii import Error, a2b_base64

    try:
        return b":" in a2b_base64(value + "=" * (-len(value) % 4), strict_mode=True)
    except (Error, ValueError):
        return False


def _bearers(text: str) -> Iterator[Span]:
    for found in pattern_of(r"(?i)(?<!\w)bearer[ \t:=]{1,4}[\"'`]?([\w.~+/=-]{8,8192})").finditer(text):
        if looks_secret(found[1].encode(), password=False):
            yield found.start(1), found.end(1), "bearer-token"


def _logins(text: str) -> Iterator[Span]:
    if "curl" in text:
        source = r"\s(?:-u|--user)[ \t=]{0,4}[\"']?([^\s:\"'\0]{0,128})[\"']?:[\"']?([^\s\"'\0]{0,256})(?!\0)"
        for found in pattern_of(source).finditer(text):
            group = 2 if found[2] else 1
            if _is_login(found[group]):
                yield found.start(group), found.end(group), "login"
    source = (
        r"(?:sshpass|mysql\w{0,8}|docker login|podman login|mongo\w{0,8}|redis-cli)\b[^\n|;&\0]{0,200}?\s"
        r"(?:-p|-a|--password|--pass)[ \t=]{0,2}[\"']?([^\s\"'\0-][^\s\"'\0]{5,128})"
    )
    for found in pattern_of(source).finditer(text):
        if looks_secret(found[1].encode("ascii", "replace"), password=True):
            yield found.start(1), found.end(1), "login"


def _kubernetes(text: str) -> Iterator[Span]:
    data = re.search(r"(?m)^\s{0,40}data:", text)
    if data and re.search(r"(?im)^\s{0,40}kind:\s{0,4}[\"']?secret[\"']?\s{0,40}$", text):
        source = (
            r"(?m)^[ \t]{1,40}[\w.-]{1,80}:\s{0,4}(?:[|>][-+]?\s{1,40})?[\"']?"
            r"([0-9A-Za-z+/]{10,65536}={0,2})[\"']?\s{0,40}$"
        )
        for found in pattern_of(source).finditer(text, data.end()):
            if len(found[1]) % 4 == 0 and not is_wordy(found[1].lower().encode()):
                yield found.start(1), found.end(1), "kubernetes-secret"


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
# The names that people give to the words of a wallet.
_SEED_LABELS = (
    *("seed phrase", "seed-phrase", "seed_phrase", "seedphrase", "seed words", "mnemonic", "recovery phrase"),
    *("recovery words", "recovery_phrase", "secret phrase", "secret recovery", "backup phrase", "wallet words"),
    *("wallet phrase", "bip39 words"),
)
_LABEL = re.compile(
    r"(?i)(?:" + "|".join(re.escape(one) for one in _SEED_LABELS) + r"|(?P<bare>seed))[\w -]{0,24}[\"'`*]{0,3}"
    r"(?:[ \t]{0,4}(?:[:=]{1,2}>?|->|is|was|are)|[ \t]{0,2}\n|(?=[ \t]{1,4}[\"'`]))[\s\"'`*>\[({]{0,12}"
)
_SEED_WORD = re.compile(r"(?:\d{1,2}[.):]?[ \t]{1,3})?[\"']?([a-z]{3,8})[\"']?(?![\w'-])")
_BETWEEN = re.compile(r"[\s,|/-]{1,6}")
_COUNTS = (24, 21, 18, 15, 12)
# Words that prose does not do without and that are in no list of seed words.
_PROSE = frozenset(("the", "and", "for", "are", "was", "not", "from", "with", "were", "has", "had", "but", "which"))


def _given(found: re.Match[str]) -> tuple[int, int]:
    """The place of the word that _VALUE has found, without its quotes."""
    group = next(group for group in (1, 2, 3) if found[group])
    return found.start(group), found.end(group)


def _is_given(value: str) -> bool:
    """True if a word stands for itself: no variable, no command, no documentation word."""
    low = value.lower()
    plain = low.strip("'\"")
    is_variable = plain.startswith(("$", "`", "%s", "<")) or "$(" in plain or "${" in plain
    is_word = len(plain) > 3 and plain.strip("*x.") != "" and plain not in _WORDS
    return is_word and not is_variable and not is_stand_in(low.encode("ascii", "replace"))


_WORDS = frozenset(
    ("password", "passwd", "pass", "secret", "token", "yes", "done", "hello", "username", "user:password")
)


def _piped(text: str) -> Iterator[Span]:
    """echo SECRET | docker login --password-stdin, and what other commands read the same way."""
    for found in (*_PIPED.finditer(text), *_HERE.finditer(text)):
        start, end = _given(found)
        if _is_given(text[start:end]):
            if found.re is _PIPED and "chpasswd" in found[0] and ":" in text[start:end]:
                start = text.index(":", start) + 1
            yield start, end, "login"


def _htpasswd(text: str) -> Iterator[Span]:
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


def _openssl(text: str) -> Iterator[Span]:
    """openssl … -k SECRET, -pass pass:SECRET, -K HEX, each option of the line."""
    for command in _OPENSSL.finditer(text):
        for found in _OPENSSL_OPTION.finditer(text, command.start(), command.end()):
            start, end = _given(found)
            start += len(_PASS_IN_QUOTES) if text.startswith(_PASS_IN_QUOTES, start) else 0
            if _is_given(text[start:end]) and not text.startswith(_SOURCES, start):
                yield start, end, "login"


def _cookies(text: str) -> Iterator[Span]:
    """The values of cookies, by their header or an option of curl; names and attributes stay readable."""
    places = [(found.start(2), found.end(2)) for found in _COOKIES.finditer(text)]
    places += [span for found in _CURL_COOKIE.finditer(text) if "=" in text[slice(*(span := _given(found)))]]
    for start, end in places:
        for pair in _PAIR.finditer(text, start, end):
            name, value = pair[1].lower().strip("\"'"), pair[2].rstrip("\"'")
            if name in _ATTRIBUTES or name.startswith(_PUBLIC) or "%%" in value:
                continue
            raw = value.encode("ascii", "replace")
            random = looks_secret(raw, password=False, given=True)
            if random or (len(value) > 15 and not is_stand_in(raw.lower()) and any(sign.isdigit() for sign in value)):
                yield pair.start(2), pair.start(2) + len(value), "session"


def _seeds(text: str) -> Iterator[Span]:
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


FINDERS: dict[str, Callable[[str], Iterator[Span]]] = {
    "private key": _private_keys,
    "private-lines": _putty_keys,
    "://": _urls,
    "authorization": _authorizations,
    "bearer": _bearers,
    "-u": _logins,
    "kind:": _kubernetes,
    "stdin": _piped,
    "htpasswd": _htpasswd,
    "openssl": _openssl,
    "cookie": _cookies,
    "seed words": _seeds,
}
