"""The one line that a person sees at a start, where the host's interface can show one: that memory is there, how much,
and whether something waits for them; or, where the memory does not work, why not and the command that helps. Figures
and sentences of our own only, so nothing that was written by others reaches the screen this way.
"""

from __future__ import annotations

from holdfast.text.phrases import many, when

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.capture.brief_file import Cached
    from holdfast.hook.live import Live

HOUR, DAY = 3600.0, 86400.0


def line(cached: Cached, live: Live, now: float) -> str:
    """As "Holdfast: 18 notes, last handoff 2 h ago, 1 to review"."""
    if live.fault:
        return f"Holdfast: since {when(min(live.fault.since, now))}, {live.fault.what}; run `{live.fault.command}`"
    counts = cached.counts
    if not any(_number(counts, name) for name in ("notes", "handoff")) and not live.flags.items:
        return "Holdfast: nothing is remembered here yet"
    said = [many(_number(counts, "notes"), "note")]
    if waiting := len(live.flags.items):
        said.append(f"{waiting:,} not filed yet")
    written = _number(counts, "handoff")
    if written:
        said.append(f"last handoff {ago(now - written)}")
    if review := _number(counts, "review"):
        said.append(f"{review:,} to review")
    if warned := len(live.warnings.items):
        said.append(many(warned, "warning"))
    return f"Holdfast: {', '.join(said)}"


def ago(seconds: float) -> str:
    if seconds < HOUR:
        return f"{max(0, int(seconds // 60))} min ago"
    if seconds < 2 * DAY:
        return f"{int(seconds // HOUR)} h ago"
    return f"{int(seconds // DAY)} days ago"


def _number(counts: dict[str, object], name: str) -> int:
    found = counts.get(name)
    return found if type(found) is int and found > 0 else 0
