"""At how many tokens a host compacts by itself: its own rule, its model table, and what its user has set.

Watched on Claude Code 2.1.325 with each model: where it enforces a threshold, that is the window less 20,000 (kept for
the summary's answer) less 13,000; for the other models it waits until the model refuses the prompt, so the limit is
the window. CLAUDE_CODE_AUTO_COMPACT_WINDOW and the setting autoCompactWindow make the window smaller and the threshold
enforced; CLAUDE_AUTOCOMPACT_PCT_OVERRIDE lowers it; with auto compaction off the window itself is left.
Codex writes its window into the transcript, as 95 % of the real one, and compacts at 90 % of the real one, or at
model_auto_compact_token_limit in config.toml where that is less.

This runs at every tool call: settings files are read in one go and looked through for a word before they are parsed.
"""

from __future__ import annotations

from holdfast.model import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

ANSWER, BUFFER = 20_000, 13_000  # what Claude Code keeps free of its window
SMALL, LARGE = 200_000, 1_000_000
LEAST_WINDOW, MOST_WINDOW = 100_000, 1_000_000  # what Claude Code takes for a window that its user sets
CODEX_WINDOW = 258_400  # 95 % of 272,000: what Codex takes for a model that it does not know
LARGEST_SETTINGS = 256 << 10
LONG = "[1m]"


@value
class Rule:
    """A model's window, and whether the host compacts before it is full."""

    window: int
    enforced: bool


# By the longest beginning of the model's name; "" is what the host takes for a model that it does not know.
CLAUDE_MODELS = {
    "": Rule(LARGE, enforced=True),
    "claude-3": Rule(SMALL, enforced=False),
    "claude-haiku-3": Rule(SMALL, enforced=False),
    "claude-haiku-4": Rule(SMALL, enforced=False),
    "claude-sonnet-3": Rule(SMALL, enforced=False),
    "claude-sonnet-4": Rule(SMALL, enforced=False),
    "claude-sonnet-4-6": Rule(SMALL, enforced=True),
    "claude-opus-4": Rule(SMALL, enforced=False),
    "claude-opus-4-6": Rule(SMALL, enforced=True),
    "claude-opus-4-7": Rule(LARGE, enforced=True),
    "claude-opus-4-8": Rule(LARGE, enforced=True),
}


def claude(model: str, own: Mapping[str, Any], env: Mapping[str, str]) -> int:
    """The tokens at which Claude Code compacts. `own` is the operator's own entry for the model, which wins."""
    if _count(own.get("limit")):
        return _count(own["limit"])
    rule = _rule(model)
    window, enforced = _count(own.get("window")) or rule.window, rule.enforced
    if env.get("CLAUDE_CODE_DISABLE_1M_CONTEXT") and not own.get("window"):
        window = min(window, SMALL)
    settings = _claude_settings(env)
    if _is_off(env) or settings.get("autoCompactEnabled") is False:
        return window
    chosen = _window(env.get("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "")) or _chosen(settings, model)
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
    found = CLAUDE_MODELS[longest_beginning(bare, CLAUDE_MODELS)]
    # A window that is only long by request is not enforced: the host waits for the refusal.
    return Rule(LARGE, enforced=found.window == LARGE) if is_long else found


def longest_beginning(name: str, table: Mapping[str, object]) -> str:
    """The key of `table` that `name` begins with, the longest of several; "" where there is none."""
    return max((key for key in table if name.startswith(key)), key=len, default="")


def _is_off(env: Mapping[str, str]) -> bool:
    names = ("DISABLE_COMPACT", "DISABLE_AUTO_COMPACT")
    return any(env.get(name, "").lower() in ("1", "true", "yes", "on") for name in names)


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


def _chosen(settings: Mapping[str, Any], model: str) -> int:
    by_model = settings.get("modelSettings")
    entry = by_model.get(model.removesuffix(LONG)) if isinstance(by_model, dict) else None
    given = entry.get("autoCompactWindow") if isinstance(entry, dict) else None
    return _count(given) or _count(settings.get("autoCompactWindow"))


def _claude_settings(env: Mapping[str, str]) -> dict[str, Any]:
    """What the settings say of compaction: the user's, the project's over them, the project's local ones over both."""
    home = env.get("CLAUDE_CONFIG_DIR") or f"{env.get('HOME', '')}/.claude"
    project = env.get("CLAUDE_PROJECT_DIR", "")
    paths = [f"{home}/settings.json"]
    if project:
        paths += [f"{project}/.claude/settings.json", f"{project}/.claude/settings.local.json"]
    merged: dict[str, Any] = {}
    for path in paths:
        raw = _small_file(path)
        if b'"autoCompact' in raw:
            from holdfast.capture import codec

            try:
                found = codec.decode(raw)
            except ValueError:
                continue
            merged.update(found if isinstance(found, dict) else {})
    return merged


def codex(window: int, own: Mapping[str, Any], env: Mapping[str, str]) -> int:
    """The tokens at which Codex compacts, from the window that it wrote down (0 where it wrote none)."""
    if _count(own.get("limit")):
        return _count(own["limit"])
    usable = _count(own.get("window")) or window or CODEX_WINDOW
    full = usable * 100 // 95
    home = env.get("CODEX_HOME") or f"{env.get('HOME', '')}/.codex"
    wanted, scope = _codex_settings(_small_file(f"{home}/config.toml"))
    if scope == "body_after_prefix":
        return (
            usable  # counted without the prompt's beginning, whose size nobody tells us; the window holds all the same
        )
    return min(full * 9 // 10, wanted or usable, usable)


def _codex_settings(raw: bytes) -> tuple[int, str]:
    """The limit and its scope among the keys above the first table."""
    limit, scope = 0, ""
    if b"model_auto_compact_token_limit" not in raw:
        return limit, scope
    for line in raw.split(b"\n"):
        bare = line.strip()
        if bare[:1] == b"[":
            break
        name, _, given = bare.partition(b"=")
        text = given.partition(b"#")[0].strip().strip(b"\"'").decode("utf-8", "replace")
        if name.strip() == b"model_auto_compact_token_limit":
            digits = text.replace("_", "").removeprefix("+")
            limit = int(digits) if digits.isdecimal() and len(digits) < 16 else 0
        elif name.strip() == b"model_auto_compact_token_limit_scope":
            scope = text
    return limit, scope


def _small_file(path: str) -> bytes:
    """A settings file; b"" where there is none to read. A link is followed: people keep their settings elsewhere."""
    import posix

    from holdfast.capture.platform import A_FILE, FILE_TYPE

    try:
        fd = posix.open(path, posix.O_RDONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)
    except (OSError, ValueError):
        return b""
    try:
        seen = posix.fstat(fd)
        if seen.st_mode & FILE_TYPE != A_FILE or seen.st_size > LARGEST_SETTINGS:
            return b""
        return posix.read(fd, LARGEST_SETTINGS)
    except OSError:
        return b""
    finally:
        posix.close(fd)


def _count(given: object) -> int:
    return given if isinstance(given, int) and not isinstance(given, bool) and given > 0 else 0
