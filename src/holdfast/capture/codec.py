"""JSON for the fast path, without importing `json`.

`import json` pulls in `re` and `enum` and by itself costs a hook more than everything else it does
(bench/imports.py prints it). The C scanner and encoder beneath it are importable on their own. Should an
interpreter lack them, or should they refuse what they are given, the standard module takes over, so the result
is always the one that `json` would give.

Small files that hold one record, and logs of records, are read here too.
"""

from __future__ import annotations

from holdfast.capture import platform

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Context:
    """The settings that the C scanner reads: the defaults of json.JSONDecoder, control characters allowed."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = {"NaN": None, "Infinity": None, "-Infinity": None}.get
    memo: dict[str, str] = {}  # noqa: RUF012  the C scanner asks for the attribute; it keeps its own memo


def decode(text: str | bytes) -> Any:
    """The value in `text`. Raises ValueError where it is not one JSON value."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    text = text.strip(" \t\r\n\ufeff")
    try:
        import _json

        scan = _json.make_scanner(_Context)  # type: ignore[arg-type]
    except (ImportError, AttributeError, TypeError):
        return _decode_slowly(text)
    try:
        found, end = scan(text, 0)
    except (StopIteration, SystemError):
        # SystemError: the C scanner wants to raise json's own error class, and json is not imported
        raise ValueError("not JSON") from None
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None
    if end != len(text):
        raise ValueError(f"more than one JSON value (the first ends at {end})")
    return found


def _decode_slowly(text: str) -> Any:
    import json

    try:
        return json.loads(text, strict=False, parse_constant=_Context.parse_constant)
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None


def encode(value: object) -> bytes:
    """One line of JSON in UTF-8; a lone surrogate becomes its escape, so that any text can be written."""
    try:
        from _json import encode_basestring, make_encoder
    except ImportError:
        return _encode_slowly(value)
    try:
        make = make_encoder(None, _refuse, encode_basestring, None, ":", ",", False, False, False)
        text = "".join(make(value, 0))
    except TypeError:
        return _encode_slowly(value)
    return _utf8(text)


def _encode_slowly(value: object) -> bytes:
    import json

    return _utf8(json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False))


def _refuse(value: object) -> object:
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def _utf8(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        import json

        return json.dumps(json.loads(text), ensure_ascii=True, separators=(",", ":")).encode("ascii")


def read(path: str, limit: int = -1) -> dict[str, Any]:
    """The record in a small file; {} where there is none that can be read."""
    try:
        return _record(platform.read_file(path, limit))
    except OSError:
        return {}


def write(path: str, record: object, *, durable: bool) -> None:
    """Put a record into a file of its own, and its folder where it is missing. Raises OSError."""
    platform.make_folders(path.rpartition("/")[0])
    platform.write_atomic(path, encode(record), durable=durable)


def logged(path: str, newest: int = 0, having: tuple[bytes, ...] = (b"",)) -> list[dict[str, Any]]:
    """The records of a log that can be read, of its `newest` bytes where that is given, and only those with one of some
    words in their bytes; [] where there is no log."""
    from holdfast.capture import log

    try:
        payloads = log.records(log.scan_tail(path, newest) if newest else log.scan_file(path))
        return [record for raw in payloads if any(word in raw for word in having) and (record := _record(raw))]
    except OSError:
        return []


def _record(raw: bytes) -> dict[str, Any]:
    try:
        found = decode(raw)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
