"""At how many tokens Codex compacts by itself.

It writes its window into the transcript, as 95 % of the real one, and compacts at 90 % of the real one, or at
model_auto_compact_token_limit in config.toml where that is less. This runs at every tool call.
"""

from __future__ import annotations

from holdfast.hosts import small_file
from holdfast.hosts.codex import folder
from holdfast.text import transcript
from holdfast.text.transcript import MOST, Usage, count, table_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

LIMIT = b"model_auto_compact_token_limit"
WINDOW = 258_400  # 95 % of 272,000: what it takes for a model that it does not know


def used(path: str, model: str) -> Usage | None:  # noqa: ARG001
    for _, line in transcript.back(path, MOST):
        if b'"token_count"' in line:
            payload = table_in(transcript.decoded(line), "payload")
            info = table_in(payload, "info")
            total = count(table_in(info, "last_token_usage").get("total_tokens"))
            if payload.get("type") == "token_count" and total:
                return Usage(total, "", count(info.get("model_context_window")))
        elif b'"compacted"' in line and transcript.decoded(line).get("type") == "compacted":
            return None
    return None


def limit(usage: Usage, own: Mapping[str, Any], env: Mapping[str, str]) -> int:
    """The tokens at which it compacts, from the window that it wrote down (0 where it wrote none)."""
    if count(own.get("limit")):
        return count(own["limit"])
    usable = count(own.get("window")) or usage.window or WINDOW
    full = usable * 100 // 95
    wanted, scope = _settings(small_file(f"{folder(env)}/config.toml"))
    if scope == "body_after_prefix":
        return usable  # counted without the prompt's beginning, of unknown size; the window holds all the same
    return min(full * 9 // 10, wanted or usable, usable)


def _settings(raw: bytes) -> tuple[int, str]:
    """The limit and its scope among the keys above the first table."""
    found = {}
    for line in raw.split(b"\n") if LIMIT in raw else ():
        if line.strip()[:1] == b"[":
            break
        name, _, given = line.partition(b"=")
        found[name.strip()] = given.partition(b"#")[0].strip().strip(b"\"'").decode("utf-8", "replace")
    digits = found.get(LIMIT, "").replace("_", "").removeprefix("+")
    return int(digits) if digits.isdecimal() and len(digits) < 16 else 0, found.get(LIMIT + b"_scope", "")
