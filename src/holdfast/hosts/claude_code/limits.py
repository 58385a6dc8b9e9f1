"""At how many tokens Claude Code compacts by itself: its own rule, its model table, and what its user has set.

Watched on 2.1.325 with each model: where it enforces a threshold, that is the window less 20,000 (kept for the
summary's answer) less 13,000; for the other models it waits until the model refuses the prompt, so the limit is the
window. CLAUDE_CODE_AUTO_COMPACT_WINDOW and the setting autoCompactWindow make the window smaller and the threshold
enforced; CLAUDE_AUTOCOMPACT_PCT_OVERRIDE lowers it; with auto compaction off the window itself is left.

This runs at every tool call: settings files are read in one go and looked through for a word before they are parsed.
"""

from __future__ import annotations

from holdfast.hosts import longest_beginning, small_file
from holdfast.hosts.claude_code import folder
from holdfast.model import value
from holdfast.text import transcript
from holdfast.text.transcript import MOST, Usage, count, table_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

COUNTED = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
ANSWER, BUFFER = 20_000, 13_000  # kept free of the window
SMALL, LARGE = 200_000, 1_000_000
LEAST_WINDOW, MOST_WINDOW = 100_000, 1_000_000  # taken for a window that its user sets
LONG = "[1m]"


@value
class Rule:
    """A model's window, and whether the host compacts before it is full."""

    window: int
    enforced: bool


# By the longest beginning of the model's name; "" is what the host takes for a model that it does not know.
MODELS = {
    "": Rule(LARGE, enforced=True),
    **dict.fromkeys(("claude-3", "claude-haiku-3", "claude-haiku-4", "claude-sonnet-3"), Rule(SMALL, enforced=False)),
    **dict.fromkeys(("claude-sonnet-4", "claude-opus-4"), Rule(SMALL, enforced=False)),
    **dict.fromkeys(("claude-sonnet-4-6", "claude-opus-4-6"), Rule(SMALL, enforced=True)),
    **dict.fromkeys(("claude-opus-4-7", "claude-opus-4-8"), Rule(LARGE, enforced=True)),
}


def used(path: str, model: str) -> Usage | None:
    """Of the newest answer on the main chain; after a compaction what the host says it left, or nothing. The
    transcript knows the model of now, `model` also whether its window was asked to be long."""
    left, long = 0, LONG if model.lower().endswith(LONG) else ""
    for _, line in transcript.back(path, MOST):
        if b'"compact_boundary"' in line:
            record = transcript.decoded(line)
            if record.get("type") == "system" and record.get("subtype") == "compact_boundary":
                left = left or count(table_in(record, "compactMetadata").get("postTokens"))
                if not left:
                    return None
        elif b'"usage"' in line and b'"assistant"' in line:
            record = transcript.decoded(line)
            if record.get("type") != "assistant" or record.get("isSidechain") or record.get("isApiErrorMessage"):
                continue
            message = table_in(record, "message")
            usage = table_in(message, "usage")
            total = sum(count(usage.get(name)) for name in COUNTED)
            if total:
                said = message.get("model")
                return Usage(left or total, f"{said if isinstance(said, str) else ''}{long}")
    return Usage(left, long) if left else None


def limit(usage: Usage, own: Mapping[str, Any], env: Mapping[str, str]) -> int:
    """The tokens at which it compacts. `own` is the operator's own entry for the model, which wins."""
    found = _limit(usage.model, own, env)
    # More than fits into the small window: it is a long one, and nobody told us.
    return LARGE if usage.used > SMALL >= found and not own else found


def _limit(model: str, own: Mapping[str, Any], env: Mapping[str, str]) -> int:
    if count(own.get("limit")):
        return count(own["limit"])
    rule = _rule(model)
    window, enforced = count(own.get("window")) or rule.window, rule.enforced
    if env.get("CLAUDE_CODE_DISABLE_1M_CONTEXT") and not own.get("window"):
        window = min(window, SMALL)
    settings = _settings(env)
    switches = (env.get(name, "").lower() for name in ("DISABLE_COMPACT", "DISABLE_AUTO_COMPACT"))
    if any(one in ("1", "true", "yes", "on") for one in switches) or settings.get("autoCompactEnabled") is False:
        return window
    by_model = table_in(table_in(settings, "modelSettings"), model.removesuffix(LONG))
    wanted = count(by_model.get("autoCompactWindow")) or count(settings.get("autoCompactWindow"))
    chosen = _window(env.get("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "")) or wanted
    if chosen:
        window, enforced = min(window, chosen), True
    if not enforced:
        return window
    usable = window - ANSWER
    percent = _percent(env.get("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE", ""))
    return min(usable - BUFFER, int(usable * percent / 100)) if percent else usable - BUFFER


def _rule(model: str) -> Rule:
    bare = model.lower()
    bare = bare[max(0, bare.find("claude-")) :]  # cloud providers write their own name before it
    is_long = bare.endswith(LONG)
    found = MODELS[longest_beginning(bare, MODELS)]
    # A window that is only long by request is not enforced: the host waits for the refusal.
    return Rule(LARGE, enforced=found.window == LARGE) if is_long else found


def _window(text: str) -> int:
    """A window as Claude Code reads it: 200000, 200k or 1M; 0 where it is none."""
    bare = text.strip().lower()
    factor = {"k": 1000, "m": 1_000_000}.get(bare[-1:], 1)
    try:
        size = int(float(bare.rstrip("km")) * factor)
    except (ValueError, OverflowError):
        return 0
    return min(max(size, LEAST_WINDOW), MOST_WINDOW) if size > 0 else 0


def _percent(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        return 0.0
    return found if 0 < found <= 100 else 0.0


def _settings(env: Mapping[str, str]) -> dict[str, Any]:
    """What the settings say of compaction: the user's, the project's over them, the project's local ones over both."""
    project = env.get("CLAUDE_PROJECT_DIR", "")
    paths = [f"{folder(env)}/settings.json"]
    if project:
        paths += [f"{project}/.claude/settings.json", f"{project}/.claude/settings.local.json"]
    merged: dict[str, Any] = {}
    for raw in map(small_file, paths):
        if b'"autoCompact' in raw:
            merged |= transcript.decoded(raw)
    return merged
