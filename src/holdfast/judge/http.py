"""One HTTP call to a model, with an end: at most so many seconds from first to last byte, at most so many bytes.

A timeout of the client's own counts each read, so a server that drips a byte a second would hold a close for ever;
here the whole call has one. No redirect is followed, since it would carry memory and key to another host; no
compressed answer is asked for, since a small one can be made to unfold. The key stands in a header and nowhere else.
A failure's sentence has a status, a host and our own words, since sessions are told of it; what the other side said
is kept apart in `said`, without the key.
"""

from __future__ import annotations

import asyncio
import email.utils
import importlib.util
import ipaddress
import json
import os
import ssl
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from holdfast.capture.redaction import redact
from holdfast.errors import JudgeFailed, Unusable, UsageError
from holdfast.hosts import programs

if TYPE_CHECKING:
    from collections.abc import Mapping

LARGEST = 8 << 20
KEPT = "nothing was changed"
AGAIN = (408, 409, 425, 429)  # and all of 5xx
FINAL = (401, 403, 404)  # whatever is asked
TOO_LONG = ("too long", "context length", "context window", "maximum context", "exceed_context", "too large")
EXTRA = (
    "This judge needs httpx2, which is not installed; nothing was changed. "
    f"Run `{sys.executable} -m pip install httpx2`, then the same command again."
)


class Refused(JudgeFailed):
    """The model's server refused the call; nothing was changed."""

    status = 0


@dataclass(frozen=True)
class Place:
    """An endpoint as it is called in sentences, with the secret that no sentence may have."""

    name: str
    url: str
    key: str = ""
    key_env: str = ""

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc


def place(name: str, url: str, key_env: str, env: Mapping[str, str]) -> Place:
    """Raises UsageError for an address that cannot be called, a key or an extra that is not there."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"What {name} has as its url is no address of a model; {KEPT}. Give one as https://host/v1.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UsageError(
            f"The address of {name} may have no password, query or fragment; {KEPT}. "
            "Keep the key in a variable and name that: --key-env VAR."
        )
    key = env.get(key_env, "").strip() if key_env else ""
    if key_env and not programs.is_name(key_env):
        raise UsageError(
            f"key_env of {name} is no variable's name; {KEPT}. It names the variable that holds the key, and is not "
            "the key itself: put that into a variable."
        )
    shown = programs.shown(key_env, "that key_env names")
    if key_env and not key:
        raise UsageError(f"{name} needs a key in the variable {shown}, which is not set; {KEPT}.")
    if not key.isprintable() or not key.isascii():
        raise UsageError(f"What the variable {shown} holds is no key; {KEPT}.")
    if importlib.util.find_spec("httpx2") is None:
        raise UsageError(EXTRA)
    return Place(name, url.rstrip("/"), key, key_env)


def is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def call(
    where: Place, path: str, headers: Mapping[str, str], timeout: float, body: Mapping[str, Any] | None = None
) -> Any:
    """The JSON that a request is answered with; a GET without a body. Raises JudgeFailed, or Unusable where the
    question itself was refused."""
    try:
        import httpx2 as httpx
    except ImportError:
        raise JudgeFailed(EXTRA, final=True) from None
    data = None if body is None else json.dumps(body).encode("utf-8")
    who = f"{where.name} ({where.host})"
    try:
        status, told, raw = asyncio.run(_exchange(httpx, where, path, headers, data, timeout))
    except TimeoutError:
        what = f"{who} did not answer within {timeout:.0f} s; {KEPT}."
        raise JudgeFailed(what, again=True, spent=body is not None) from None
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as error:
        why = _system(error)
        what = f"{where.name} cannot be reached at {where.host}{why}; {KEPT}."
        raise JudgeFailed(what, again=True, said="" if why else _tidy(str(error), where)) from None
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
        said = _tidy(str(error), where) or type(error).__name__
        what = f"{who} broke off in the middle of its answer; {KEPT}."
        raise JudgeFailed(what, again=True, spent=body is not None, said=said) from None
    except OSError as error:
        what = f"{where.name} cannot be reached at {where.host}{_system(error)}; {KEPT}."
        raise JudgeFailed(what, again=True) from None
    if status != 200:
        raise _refused(where, status, told, raw)
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        kind = "a web page" if told.get("content-type", "").startswith("text/html") else "something"
        what = f"{who} answered with {kind} that is no JSON; {KEPT}. Is the address right?"
        raise JudgeFailed(what, spent=True) from None


def _system(error: BaseException) -> str:
    """The reason, where this machine's own system gives it: its words are nobody else's."""
    under: BaseException | None = error
    while under is not None:
        if isinstance(under, OSError) and under.strerror and not isinstance(under, ssl.SSLError):
            # The event loop puts its own words in place of the system's.
            number = under.errno or 0
            return f" ({os.strerror(number) if number > 0 else under.strerror})"
        several = under.exceptions if isinstance(under, BaseExceptionGroup) else ()
        under = several[0] if several else under.__cause__ or under.__context__
    return ""


def _client(httpx: Any, where: Place) -> Any:
    """A proxy of the environment is for the world outside, never for a server on this machine."""
    try:
        return httpx.AsyncClient(timeout=None, trust_env=not is_loopback(where.url))
    except (ImportError, ValueError, TypeError, httpx.InvalidURL):
        raise JudgeFailed(
            f"The proxy that the environment names cannot be used for {where.name} ({where.host}); {KEPT}. Name one "
            "with http://, or put the host into NO_PROXY.",
            final=True,
        ) from None


async def _exchange(
    httpx: Any, where: Place, path: str, headers: Mapping[str, str], data: bytes | None, timeout: float
) -> tuple[int, Mapping[str, str], bytes]:
    own = {"accept": "application/json", "accept-encoding": "identity", "user-agent": "holdfast", **headers}
    if data is not None:
        own["content-type"] = "application/json"
    async with asyncio.timeout(timeout):
        async with _client(httpx, where) as client:
            method = "GET" if data is None else "POST"
            async with client.stream(method, f"{where.url}{path}", headers=own, content=data) as answer:
                read = bytearray()
                async for part in answer.aiter_raw():
                    read += part
                    if len(read) > LARGEST:
                        what = f"{where.name} ({where.host}) answers without end, over {LARGEST >> 20} MB; {KEPT}."
                        raise JudgeFailed(what, spent=True)
                return answer.status_code, dict(answer.headers), bytes(read)


def _refused(where: Place, status: int, told: Mapping[str, str], raw: bytes) -> JudgeFailed:
    """An answer other than 200, as the failure that it is."""
    said = _tidy(message(raw), where)
    begin = f"{where.name} ({where.host}) answered {status}"
    if status == 413 or (status == 400 and any(words in said.lower() for words in TOO_LONG)):
        return Unusable(f"{begin}; the question is too long for this model; {KEPT}.", said=said)
    is_used_up = status == 402 or (status == 429 and "quota" in said.lower())
    if status in (401, 403):
        begin += (
            f"; the key in {where.key_env} is not accepted" if where.key_env else "; it wants a key (--key-env VAR)"
        )
    elif status == 404:
        begin += "; it does not know the address or the model"
    elif is_used_up:
        begin += "; the credit there is used up"
    elif 300 <= status < 400:
        begin += "; it sends us to another address, which is not followed"
    may_later = (status in AGAIN or status >= 500) and not is_used_up
    failed = Refused(
        f"{begin}; {KEPT}.",
        again=may_later,
        wait=retry_after(told) if may_later else 0.0,
        final=is_used_up or status in FINAL or 300 <= status < 400,
        said=said,
    )
    failed.status = status
    return failed


def message(raw: bytes) -> str:
    """A server's own words on what is wrong, in any of the shapes that they use."""
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return ""
    for _ in range(3):
        if isinstance(found, dict):
            found = next((found[name] for name in ("error", "message", "detail") if found.get(name)), "")
    return found if isinstance(found, str) else ""


def retry_after(told: Mapping[str, str]) -> float:
    """Seconds that the other side asks us to wait; 0 where it says nothing that can be read."""
    said = {name.lower(): text for name, text in told.items()}.get("retry-after", "").strip()
    try:
        return max(0.0, min(float(said), 86400.0)) if said else 0.0
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(said).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return 0.0


def _tidy(text: str, where: Place) -> str:
    """One short line of what the other side said, without the key."""
    clean = text.replace(where.key, "…") if where.key else text
    return " ".join(redact(clean)[0].split())[:200]
