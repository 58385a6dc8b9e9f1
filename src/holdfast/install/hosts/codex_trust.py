"""Which of our lines Codex has been told to trust.

Codex keeps one entry per hook in the user's config.toml: [hooks.state."FILE:event_name:GROUP:PLACE"] with the digest of
what was trusted: that of the hook's normalised form (event, matcher, command, timeout) as JSON with sorted keys. So it
is in 0.166 and in the public source. A digest of another shape than sha256 is a later version's way, and counts.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from typing import TYPE_CHECKING, Any

from holdfast.errors import HoldfastError
from holdfast.install import launcher, settings, toml_roots, writing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DEFAULT_TIMEOUT, AT_END, LONGEST_AT_END = 600, 1, 3  # seconds
ENDS = ("SessionEnd", "Interrupt")
WITHOUT_MATCHER = ("UserPromptSubmit", "Stop", "Interrupt")

# As Codex writes them, each after a blank line.
ENTRY = re.compile(
    r"(?:\r?\n)?^(?P<header>\[hooks\.state\.[^\r\n]+\])[ \t]*\r?\n"
    r'trusted_hash = "(?P<digest>sha256:[0-9a-f]{64})"[ \t]*(?:\r?\n|\Z)(?!\w)',
    re.MULTILINE,
)
EMPTY = re.compile(r"(?:\r?\n)?^\[hooks\.state\][ \t]*(?:\r?\n|\Z)(?!\w)", re.MULTILINE)


def untrusted(env: Mapping[str, str], cwd: str) -> list[str]:
    """The events at which Codex passes our line over."""
    from holdfast.install.hosts import codex

    state = _state(f"{codex.folder(env)}/config.toml")
    found = []
    for path in dict.fromkeys([codex.places(env, "user", cwd)[0], codex.places(env, "project", cwd)[0]]):
        for event, place, group, handler in _lines(path):
            keys = (f"{path}:{place}", f"{os.path.realpath(path)}:{place}")  # Codex follows a CODEX_HOME that is a link
            if not any(_is_trusted(state.get(key), digest(event, group, handler)) for key in keys):
                found.append(event)
    return found


def digest(event: str, group: Mapping[str, Any], handler: Mapping[str, Any]) -> str:
    """As Codex computes it for a hook of type command."""
    timeout = handler.get("timeout")
    if event in ENDS:
        timeout = min(max(AT_END if timeout is None else timeout, 1), LONGEST_AT_END)
    normal: dict[str, Any] = {
        "type": "command",
        "command": handler["command"],
        "timeout": max(DEFAULT_TIMEOUT if timeout is None else timeout, 1),
        "async": bool(handler.get("async", False)),
    }
    if handler.get("statusMessage") is not None:
        normal["statusMessage"] = handler["statusMessage"]
    identity: dict[str, Any] = {"event_name": label(event), "hooks": [normal]}
    if group.get("matcher") is not None and event not in WITHOUT_MATCHER:
        identity["matcher"] = group["matcher"]
    data = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(data.encode('utf-8')).hexdigest()}"


def label(event: str) -> str:
    """SessionStart -> session_start."""
    return re.sub(r"(?<!^)([A-Z])", r"_\1", event).lower()


def forgotten(data: bytes, before: bytes | None, env: Mapping[str, str]) -> bytes:
    """A config.toml without the trust in our lines, which are gone with it; what was in `before` stays."""
    from holdfast.install.hosts import codex

    line = launcher.registered_line(codex.NAME, env)
    ours = {digest(event, {}, settings.group(line, wait)["hooks"][0]) for event, wait in codex.EVENTS.items()}
    text, kept = data.decode("utf-8"), (before or b"").decode("utf-8")

    def unless_ours(entry: re.Match[str]) -> str:
        return "" if entry["digest"] in ours and entry["header"] not in kept else entry[0]

    bare = ENTRY.sub(unless_ours, text)
    if bare != text and "[hooks.state." not in bare and "[hooks.state]" not in kept:
        bare = EMPTY.sub("", bare)
    return bare.encode("utf-8")


def _lines(path: str) -> Iterator[tuple[str, str, Mapping[str, Any], Mapping[str, Any]]]:
    """Event, place as the state names it, group and handler of each line of ours."""
    try:
        hooks = settings.value(settings.text_of(writing.read(path), path), "hooks")
    except HoldfastError:
        return  # which Codex does not read either
    for event, groups in (hooks if isinstance(hooks, dict) else {}).items():
        for number, group in enumerate(groups if isinstance(groups, list) else []):
            handlers = group.get("hooks") if isinstance(group, dict) else None
            for place, handler in enumerate(handlers if isinstance(handlers, list) else []):
                if isinstance(handler, dict) and settings.is_ours(handler.get("command")):
                    yield event, f"{label(event)}:{number}:{place}", group, handler


def _is_trusted(entry: object, wanted: str) -> bool:
    if not isinstance(entry, dict) or entry.get("enabled") is False:
        return False
    known = entry.get("trusted_hash")
    is_known_shape = isinstance(known, str) and re.fullmatch(r"sha256:[0-9a-f]{64}", known)
    return known == wanted if is_known_shape else known is not None


def _state(path: str) -> Mapping[str, object]:
    try:
        hooks = toml_roots.parse(writing.read(path), path).get("hooks")
    except HoldfastError:
        return {}
    state = hooks.get("state") if isinstance(hooks, dict) else None
    return state if isinstance(state, dict) else {}
