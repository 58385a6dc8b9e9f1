"""Any other agent: the normalised shape itself (docs/hook.md), in and out.

In: {"event": one of model.EVENTS, "session": …, "cwd": …, and what else of a Moment there is}. Out: {"context": text}
where there is something to tell the model, "line" beside it with one line for the person, {"decision", "reason"} where
something is decided, else nothing. The event "flag" carries flags: [{text, kind, evidence}]. "carries": false says that
the model does not get to read the answer.
"""

from __future__ import annotations

from holdfast.capture.episodes import host_name
from holdfast.hosts import LONGEST, clean, end_of, text_of
from holdfast.model import Moment, Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

TEXTS = ("event", "session", "cwd", "source", "reason", "transcript", "parent", "agent", "tool", "prompt", "model",
         "turn", "call", "command", "input", "said")  # fmt: skip
WRITE_NOTHING = ()
HIDES_FAILURES = False
SWITCHES = {"is_again": "again", "asks": "asks", "failed": "failed"}
LISTS = ("files", "paths", "completed")
MOST = 64  # of each list
HIGHEST_PID = 1 << 31
CARRIERS = ("session-start", "prompt", "before-tool", "after-tool", "before-compaction", "after-compaction")


def moment(payload: Mapping[str, Any], env: Mapping[str, str]) -> Moment:
    fields: dict[str, Any] = {name: text_of(payload, name) for name in TEXTS}
    fields["session"] = fields["session"] or env.get("HOLDFAST_SESSION", "")
    host = host_name(text_of(payload, "host") or env.get("HOLDFAST_HOST", ""))
    pid = payload.get("pid")
    given = payload.get("flags")
    flags = tuple(one for one in given if isinstance(one, dict)) if isinstance(given, list) else ()
    lists: dict[str, Any] = {name: _texts(payload, name) for name in LISTS}
    fields["input"] = fields["input"] or fields["command"]
    fields["said"] = end_of(payload, "said")
    is_so: dict[str, Any] = {name: payload.get(given) is True for name, given in SWITCHES.items()}
    carries = payload.get("carries", fields["event"] in CARRIERS) is True
    pid = pid if type(pid) is int and 0 < pid < HIGHEST_PID else 0
    return Moment(host=host, pid=pid, flags=flags, carries=carries, **is_so, **lists, **fields)


def _texts(payload: Mapping[str, Any], name: str) -> tuple[str, ...]:
    given = payload.get(name)
    texts = given[:MOST] if isinstance(given, list) else ()
    return tuple(clean(one[:LONGEST]) for one in texts if isinstance(one, str))


def reply(moment: Moment, reply: Reply) -> str:  # noqa: ARG001
    said = {"context": reply.text, "decision": reply.decision, "reason": reply.reason, "line": reply.line}
    given = {name: text for name, text in said.items() if text}
    if not given:
        return ""
    from holdfast.capture import codec

    return codec.encode(given).decode("utf-8")
