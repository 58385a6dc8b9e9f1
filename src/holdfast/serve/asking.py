"""What routes are given besides their own parameters: the server, who calls, and the check that a body is JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.security import HTTPBearer

from holdfast.serve import answers, problems, shapes
from holdfast.serve.guard import Refused
from holdfast.serve.serving import Served, Serving
from holdfast.serve.tokens import Caller

JSON = "application/json"
# The door has looked at it already; here it is for whoever reads /openapi.json.
BEARER = HTTPBearer(auto_error=False, description="The token in .state/serve.token, or one of --new-token.")


def json_only(request: Request) -> None:
    """A form is what a page elsewhere can send without asking, so it is no body of ours. Raises Refused."""
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given != JSON:
        raise Refused(415, *problems.SAID[415])


@dataclass(frozen=True)
class Asking:
    """One request: the server, who calls, and the memory as the caller may see it."""

    serving: Serving
    caller: Caller

    def memory(self, project: str = "", *, everything: bool = False) -> Served:
        return self.serving.memory(self.caller, project, everything=everything)

    def placed(self, where: shapes.Placed) -> Served:
        return self.memory(where.project, everything=where.everything)


def asking(request: Request) -> Asking:
    return Asking(request.app.state.serving, request.state.caller)


Asks = Annotated[Asking, Depends(asking)]


def _problem(description: str) -> dict[str, Any]:
    return {"model": answers.Problem, "description": description}


PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: _problem("It cannot be read."),
    401: _problem("No token, or none that counts."),
    403: _problem("Not for this token, or of an Origin that is not ours."),
    404: _problem("There is no such thing, or not for this caller."),
    408: _problem("The body did not come in time."),
    413: _problem("The body is too large."),
    421: _problem("The Host is not served here."),
    422: _problem("It was read and cannot be accepted."),
    500: _problem("Something went wrong."),
    503: _problem("Not now: another is writing, or the system refused."),
}
WRITING: dict[int | str, dict[str, Any]] = {
    409: _problem("Capture is switched off here."),
    415: _problem("The body is no JSON."),
    507: _problem("The disk refused; nothing was acknowledged."),
}
