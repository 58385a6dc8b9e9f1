"""Claude Code as a judge: `claude -p`, one turn, no tools, nothing of the user's but their login.

Its own switches keep everything else out: safe mode leaves hooks, skills, plugins, MCP servers and CLAUDE.md aside,
`--tools ""` leaves no tool, and no session is written to disk. `--json-schema` is not used: it adds a tool and a second
round. How it was watched to behave stands in docs/adr/0015.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from holdfast.capture.redaction import redact
from holdfast.errors import JudgeFailed, Unusable
from holdfast.judge import programs, shapes, usage
from holdfast.judge.seam import Words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.judge.seam import Question

NAME = "claude-code"
TITLE = "Claude Code"
MODEL = "haiku"  # an alias: the newest small one, whatever it is called
KEPT = "nothing was changed"
OPTIONS = (
    *("-p", "--output-format", "json", "--tools", "", "--safe-mode", "--no-session-persistence"),
    *("--strict-mcp-config", "--disable-slash-commands", "--settings", '{"disableAllHooks": true}', "--effort", "low"),
)
QUIET = ("DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING")
AGAIN = (408, 409, 429)
LOGGED_OUT = ("/login", "not logged in", "invalid api key", "auth login", "oauth token")
MOST_MONEY = 1e6


class ClaudeCode:
    """The `claude` of this machine, with the user's own login."""

    def __init__(self, model: str, env: Mapping[str, str]) -> None:
        self.name = NAME
        self.model = model
        self._env = dict(env)

    def say(self, question: Question[Any], timeout: float) -> Words:
        program = self.program()
        with programs.scratch() as folder:
            told = f"{folder}/told"
            with open(told, "w", encoding="utf-8", errors="replace") as file:
                file.write(shapes.told(question))
            command = [program, *OPTIONS, "--model", self.model, "--system-prompt-file", told]
            env = self._alone(folder) | {"CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(question.most_out)}
            given = question.given or "Answer now."
            return self._words(programs.run(TITLE, command, env, f"{folder}/empty", given, timeout), question)

    def look(self, timeout: float) -> str:
        """What can be said without spending anything: its version, and whether somebody is logged in."""
        program = self.program()
        with programs.scratch() as folder:
            env, cwd = self._alone(folder), f"{folder}/empty"
            version = programs.run(TITLE, [program, "--version"], env, cwd, "", timeout)
            state = programs.run(TITLE, [program, "auth", "status"], env, cwd, "", timeout)
        try:
            is_in = json.loads(state.out)["loggedIn"]
        except (ValueError, KeyError, TypeError):
            is_in = None  # an older one that does not tell
        if is_in is False:
            raise JudgeFailed(f"{TITLE} is not logged in; {KEPT}. Run `claude auth login`.", final=True)
        return f"{TITLE} {version.out.split(' ')[0].strip()}{', logged in' if is_in else ''}, model {self.model}"

    def program(self) -> str:
        found = programs.find("claude", self._env)
        if not found:
            raise JudgeFailed(f"{TITLE} is not on this machine's PATH; {KEPT}.", final=True)
        return found

    def _alone(self, folder: str) -> dict[str, str]:
        # Retries are ours to count: its own would go on for minutes behind our back.
        own = {"CLAUDE_CODE_MAX_RETRIES": "0", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
        return {**programs.alone(self._env, folder), **own, **dict.fromkeys(QUIET, "1")}

    def _words(self, ran: programs.Ran, question: Question[Any]) -> Words:
        found = _result(ran.out)
        if found is None:
            if "unknown option" in ran.err:
                what = f"This {TITLE} is too old to be a judge; {KEPT}. Upgrade it."
                raise JudgeFailed(what, final=True, said=ran.last_words)
            what = f"{TITLE} ended without an answer; {KEPT}."
            raise JudgeFailed(what, again=True, spent=True, said=ran.last_words)
        text = found.get("result")
        text = text if isinstance(text, str) else ""
        if found.get("is_error"):
            raise _failed(found, text)
        models = found.get("modelUsage")
        model = next(iter(models), self.model) if isinstance(models, dict) else self.model
        return replace(usage.words(found, text, question, model), money=_money(found.get("total_cost_usd")))


def _result(out: str) -> dict[str, Any] | None:
    """The last line that is a result; a program around it may have said something before."""
    for line in reversed(out.splitlines()):
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and found.get("type") == "result":
            return found
    return None


def _money(found: object) -> float | None:
    """Dollars by its own account, which is an estimate, and said for a subscription too."""
    is_amount = isinstance(found, (int, float)) and not isinstance(found, bool) and 0 < found < MOST_MONEY
    return float(found) if isinstance(found, (int, float)) and is_amount else None


def _failed(found: dict[str, Any], text: str) -> JudgeFailed:
    """What is wrong, by the status where there is one: the words may be the server's, and quote what was asked."""
    status = found.get("api_error_status")
    status = status if isinstance(status, int) else 0
    said, low = redact(" ".join(text.split()))[0][:200], text.lower()
    if status in (401, 403) or (not status and any(words in low for words in LOGGED_OUT)):
        return JudgeFailed(f"{TITLE} is not logged in; {KEPT}. Run `claude auth login`.", final=True, said=said)
    if status in (0, 402, 429) and any(words in low for words in ("hit your", "usage limit", "limit reached")):
        return JudgeFailed(f"{TITLE} has reached the limit of your plan; {KEPT}.", final=True, said=said)
    if status in AGAIN or status >= 500:
        return JudgeFailed(f"{TITLE} was turned away with {status}; {KEPT}.", again=True, said=said)
    if found.get("api_error") == "connection_failed":
        return JudgeFailed(f"{TITLE} could not reach its model; {KEPT}.", again=True, said=said)
    if status == 413 or "prompt is too long" in low:
        return Unusable(f"{TITLE}: the question is too long for this model; {KEPT}.", said=said)
    return JudgeFailed(f"{TITLE} failed{f' with {status}' * bool(status)}; {KEPT}.", spent=True, said=said)
