"""Claude Code as a judge: `claude -p`, one turn, no tools, nothing of the user's but their login.

Its own switches keep everything else out: safe mode leaves hooks, skills, plugins, MCP servers and CLAUDE.md aside,
`--tools ""` leaves no tool, and no session is written to disk. `--json-schema` is not used: it adds a tool and a second
round. How it was watched to behave stands in docs/adr/0015.
"""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from holdfast.capture import home, platform
from holdfast.capture.redaction import redact
from holdfast.errors import JudgeFailed, Unusable
from holdfast.hosts.claude_code import folder as folder_of
from holdfast.hosts.claude_code import settings
from holdfast.hosts.programs import BY_PLAN, BY_TOKEN, KEPT, Answer, Asked, Call, Ran

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TITLE = settings.HOST.title
MANAGED = settings.MANAGED[sys.platform == "darwin"]
MODEL = "haiku"  # an alias: the newest small one, whatever it is called
OPTIONS = (
    *("-p", "--output-format", "json", "--tools", "", "--safe-mode", "--no-session-persistence"),
    *("--strict-mcp-config", "--disable-slash-commands", "--settings", '{"disableAllHooks": true}', "--effort", "low"),
)
QUIET = ("DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING")
AGAIN = (408, 409, 429)
LOGGED_OUT = ("/login", "not logged in", "invalid api key", "auth login", "oauth token")
MOST_MONEY = 1e6
LARGEST = 1 << 24  # bytes of a settings file
# Variables that make Claude Code pay by token; it also takes them from the "env" of its settings.
KEYS = (
    *("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"),
    *("CLAUDE_CODE_USE_FOUNDRY", "CLAUDE_CODE_USE_ANTHROPIC_AWS", "CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD"),
    *("CLAUDE_CODE_USE_GATEWAY", "CLAUDE_CODE_USE_MANTLE"),
)


@contextmanager
def lent(env: Mapping[str, str], own: dict[str, str], folder: str, most_out: int) -> Iterator[dict[str, str]]:  # noqa: ARG001
    # Retries are ours to count: its own would go on for minutes behind our back.
    more = {"CLAUDE_CODE_MAX_RETRIES": "0", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    more |= {"CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(most_out)} if most_out else {}
    yield {**own, **more, **dict.fromkeys(QUIET, "1")}


def words(call: Call, asked: Asked, timeout: float) -> list[str]:  # noqa: ARG001
    told = call.file("told", asked.told)
    return [*OPTIONS, "--model", asked.model, "--system-prompt-file", told]


def look(call: Call, model: str, timeout: float) -> str:
    version, state = call.run(["--version"], "", timeout), call.run(["auth", "status"], "", timeout)
    try:
        is_in = json.loads(state.out)["loggedIn"]
    except (ValueError, KeyError, TypeError):
        is_in = None  # an older one that does not tell
    if is_in is False:
        raise JudgeFailed(f"{TITLE} is not logged in; {KEPT}. Run `claude auth login`.", final=True)
    return f"{TITLE} {version.out.split(' ')[0].strip()}{', logged in' if is_in else ''}, model {model}"


def answer(ran: Ran, asked: Asked) -> Answer:
    found = next((one for one in reversed(ran.records) if one.get("type") == "result"), None)
    if found is None:
        if "unknown option" in ran.err:
            what = f"This {TITLE} is too old to be a judge; {KEPT}. Upgrade it."
            raise JudgeFailed(what, final=True, said=ran.last_words)
        what = f"{TITLE} ended without an answer; {KEPT}."
        raise JudgeFailed(what, again=True, spent=True, said=ran.last_words)
    text, models, usage = (found.get(name) for name in ("result", "modelUsage", "usage"))
    text = text if isinstance(text, str) else ""
    if found.get("is_error"):
        raise _failed(found, text)
    model = next(iter(models), asked.model) if isinstance(models, dict) else asked.model
    return Answer(text, usage if isinstance(usage, dict) else {}, model, _money(found.get("total_cost_usd")))


def payer(env: Mapping[str, str]) -> str:
    """A key in the environment, a program that fetches one, or a login that has made one."""
    if any(env.get(name) for name in KEYS):
        return BY_TOKEN
    for path in (f"{folder_of(env)}/settings.json", MANAGED):
        found = _object(path)
        inner = found.get("env")
        if found.get("apiKeyHelper") or (isinstance(inner, dict) and any(inner.get(name) for name in KEYS)):
            return BY_TOKEN
    beside = env.get("CLAUDE_CONFIG_DIR") or home.user_home(env)
    return BY_TOKEN if _object(f"{beside}/.claude.json").get("primaryApiKey") else BY_PLAN


def _object(path: str) -> dict[str, Any]:
    try:
        found = json.loads(platform.read_file(path, LARGEST))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


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
