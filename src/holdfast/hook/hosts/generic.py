"""Any other agent: the normalised shape itself (docs/hook.md), in and out.

In: {"event": one of model.EVENTS, "session": …, "cwd": …, and what else of a Moment there is}. Out: {"context": text}
where there is something to tell the model, else nothing. The event "flag" carries flags: [{text, kind, evidence}].
"""

from __future__ import annotations

from holdfast.capture.episodes import host_name
from holdfast.hook.hosts import LONGEST, text_of
from holdfast.model import Moment, Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

TEXTS = ("event", "session", "cwd", "source", "reason", "transcript", "parent", "agent", "tool", "prompt")


def moment(payload: Mapping[str, Any], env: Mapping[str, str]) -> Moment:
    fields = {name: text_of(payload, name) for name in TEXTS}
    fields["session"] = fields["session"] or env.get("HOLDFAST_SESSION", "")
    host = host_name(text_of(payload, "host") or env.get("HOLDFAST_HOST", ""))
    pid = payload.get("pid")
    given = payload.get("flags")
    flags = tuple(one for one in given if isinstance(one, dict)) if isinstance(given, list) else ()
    touched = payload.get("files")
    files = tuple(one[:LONGEST] for one in touched if isinstance(one, str)) if isinstance(touched, list) else ()
    return Moment(host=host, pid=pid if isinstance(pid, int) and pid > 0 else 0, files=files, flags=flags, **fields)


def reply(moment: Moment, reply: Reply) -> str:  # noqa: ARG001
    if not reply.text:
        return ""
    from holdfast.capture import codec

    return codec.encode({"context": reply.text}).decode("utf-8")
