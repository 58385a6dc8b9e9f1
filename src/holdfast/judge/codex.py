"""Codex as a judge: `codex exec`, one turn, in a home of its own that has the user's login and nothing else of theirs.

Codex has no switch for all of it: besides the home (judge/codex_home) it gets a catalog in which the asked model has no
tools, because the newest models bring theirs along, and every feature that adds some is switched off.
"""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Any

from holdfast.capture.redaction import redact
from holdfast.errors import JudgeFailed, Unusable
from holdfast.judge import codex_home, naming, programs, shapes
from holdfast.judge.asking import PER_TOKEN
from holdfast.judge.seam import Words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.judge.seam import Question

NAME = "codex"
TITLE = "Codex"
MODEL = "gpt-6-luna"  # what its catalog calls fast and affordable
KEPT = "nothing was changed"
STATUS = re.compile(r"\bstatus:? ([1-5]\d\d)\b")
AGAIN = ("429", "too many requests", "high demand", "overloaded", "connection failed", "stream disconnected")
FEATURES = (
    *("hooks", "shell_tool", "unified_exec", "apps", "plugins", "multi_agent", "view_image", "image_generation"),
    *("goals", "tool_suggest", "skill_search", "memories", "browser_use", "computer_use", "sleep_tool"),
    *("unbounded_connection_retries",),
)
SWITCHES = (
    *('web_search="disabled"', "project_doc_max_bytes=0", "notify=[]", 'model_reasoning_effort="low"'),
    *("analytics.enabled=false", "check_for_update_on_startup=false", "skills.include_instructions=false"),
    *("skills.bundled.enabled=false", "include_permissions_instructions=false", "include_environment_context=false"),
    *("include_collaboration_mode_instructions=false", "include_apps_instructions=false"),
    "tools.experimental_request_user_input.enabled=false",
)
WITHOUT_TOOLS: dict[str, Any] = {
    "tool_mode": "direct",
    "shell_type": "disabled",
    "apply_patch_tool_type": None,
    "multi_agent_version": None,
    "experimental_supported_tools": [],
    "supports_search_tool": False,
    "supports_parallel_tool_calls": False,
    "default_service_tier": None,  # the fast one costs more
    "model_messages": None,
}


class Codex:
    """The `codex` of this machine, with the user's own login."""

    def __init__(self, model: str, env: Mapping[str, str]) -> None:
        self.name = NAME
        self.model = model
        self._env = dict(env)
        self._catalog: str | None = None

    def say(self, question: Question[Any], timeout: float) -> Words:
        program = self.program()
        with programs.scratch() as folder, codex_home.lent(self._env, folder) as env:
            ends = time.monotonic() + timeout
            command = [program, "exec", *self._options(program, folder, env, question, timeout), "-"]
            given, left = question.given or "Answer now.", max(0.1, ends - time.monotonic())
            ran = programs.run(TITLE, command, env, f"{folder}/empty", given, left)
        return self._words(ran, question)

    def look(self, timeout: float) -> str:
        """What can be said without spending anything: its version, and whether somebody is logged in."""
        program = self.program()
        with programs.scratch() as folder, codex_home.lent(self._env, folder) as env:
            cwd = f"{folder}/empty"
            version = programs.run(TITLE, [program, "--version"], env, cwd, "", timeout)
            state = programs.run(TITLE, [program, "login", "status"], env, cwd, "", timeout)
        provider = codex_home.provider(self._env)
        needs = provider.get("requires_openai_auth", not provider)
        if state.status and needs and not self._env.get("CODEX_API_KEY"):
            raise JudgeFailed(f"{TITLE} is not logged in; {KEPT}. Run `codex login`.", final=True)
        key = provider.get("env_key")
        if isinstance(key, str) and not self._env.get(key):
            named = naming.shown(key, "that env_key names")
            raise JudgeFailed(f"{TITLE} wants a key in the variable {named}, which is not set; {KEPT}.", final=True)
        return f"{TITLE} {version.out.split(' ')[-1].strip()}, ready, model {self.model}"

    def program(self) -> str:
        found = programs.find("codex", self._env)
        if not found:
            raise JudgeFailed(f"{TITLE} is not on this machine's PATH; {KEPT}.", final=True)
        return found

    def _options(
        self, program: str, folder: str, env: Mapping[str, str], question: Question[Any], timeout: float
    ) -> list[str]:
        told = f"{folder}/told"
        with open(told, "w", encoding="utf-8", errors="replace") as file:
            file.write(shapes.told(question))
        settings = [*SWITCHES, *(f"features.{name}=false" for name in FEATURES)]
        settings.append(f"model_instructions_file={json.dumps(told)}")
        catalog = self._catalog_for(program, folder, env, timeout)
        if catalog:
            with open(f"{folder}/catalog", "w", encoding="utf-8") as file:
                file.write(catalog)
            settings.append(f"model_catalog_json={json.dumps(f'{folder}/catalog')}")
        if codex_home.is_in_keyring(self._env):
            servers = codex_home.settings(self._env).get("mcp_servers")
            names = servers if isinstance(servers, dict) else ()
            settings += [f"mcp_servers.{json.dumps(name)}.enabled=false" for name in names]
        schema = shapes.strict(question)
        options = ["--json", "--skip-git-repo-check", "--ephemeral", "--ignore-rules", "-s", "read-only"]
        if schema:
            with open(f"{folder}/schema", "w", encoding="utf-8") as file:
                json.dump(schema, file)
            options += ["--output-schema", f"{folder}/schema"]
        return [*options, "-m", self.model, *(word for one in settings for word in ("-c", one))]

    def _catalog_for(self, program: str, folder: str, env: Mapping[str, str], timeout: float) -> str:
        """What this Codex knows of the model, less its tools; "" for one that it does not know, which has none of its
        own. Where there is no telling, it is not asked: a judge has no tools."""
        if self._catalog is None:
            command = [program, "debug", "models", "--bundled"]
            ran = programs.run(TITLE, command, env, f"{folder}/empty", "", min(timeout, 20.0))
            try:
                known = [one for one in json.loads(ran.out)["models"] if one["slug"]]
            except (ValueError, KeyError, TypeError, RecursionError):
                what = f"This {TITLE} does not say which tools its models have; {KEPT}. Upgrade it."
                raise JudgeFailed(what, final=True, said=ran.last_words) from None
            ours = [{**one, **WITHOUT_TOOLS} for one in known if one["slug"] == self.model]
            self._catalog = json.dumps({"models": ours}) if ours else ""
        return self._catalog

    def _words(self, ran: programs.Ran, question: Question[Any]) -> Words:
        events = list(_events(ran.out))
        said = [_item(one).get("text") for one in events if _item(one).get("type") == "agent_message"]
        usage = [one.get("usage") for one in events if one.get("type") == "turn.completed"]
        if not usage:
            failed = [one for one in events if one.get("type") in ("turn.failed", "error")]
            raise _failed(failed[-1] if failed else {}, ran)
        text = said[-1] if said and isinstance(said[-1], str) else ""
        counted = usage[-1] if isinstance(usage[-1], dict) else {}
        taken, given = (counted.get(name) for name in ("input_tokens", "output_tokens"))
        is_counted = isinstance(taken, int) and taken > 0
        return Words(
            text,
            taken if isinstance(taken, int) and is_counted else len(question.given) // PER_TOKEN,
            given if isinstance(given, int) else len(text) // PER_TOKEN,
            self.model,
            is_estimated=not is_counted,
        )


def _events(out: str) -> list[dict[str, Any]]:
    found = []
    for line in out.splitlines():
        try:
            one = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(one, dict):
            found.append(one)
    return found


def _item(event: dict[str, Any]) -> dict[str, Any]:
    found = event.get("item") if event.get("type") == "item.completed" else None
    return found if isinstance(found, dict) else {}


def _failed(event: dict[str, Any], ran: programs.Ran) -> JudgeFailed:
    """Codex tells failures in words only; these are the ones that it was heard to say. Where it names a status, that
    decides: the words behind it are the server's, and may quote what was asked."""
    told = event.get("error") if isinstance(event.get("error"), dict) else event
    text = str(told.get("message", "")) if isinstance(told, dict) else ""
    said = redact(" ".join(text.split()))[0][:200] or ran.last_words
    low, found = said.lower(), STATUS.search(said.lower())
    status = int(found[1]) if found else 0

    def is_said(*words: str) -> bool:
        return any(one in low for one in words)

    if status in (401, 403) or (not status and is_said("unauthorized", "not logged in", "log in", "access token")):
        return JudgeFailed(f"{TITLE} is not logged in; {KEPT}. Run `codex login`.", final=True, said=said)
    if status in (0, 402, 429) and is_said("usage limit", "quota"):
        return JudgeFailed(f"{TITLE} has reached the limit of your plan; {KEPT}.", final=True, said=said)
    if status in (0, 400, 413) and is_said("context window", "too long", "maximum context"):
        return Unusable(f"{TITLE}: the question is too long for this model; {KEPT}.", said=said)
    if status in (408, 409, 429) or status >= 500 or (not status and is_said(*AGAIN)):
        return JudgeFailed(f"{TITLE} was turned away{f' with {status}' * bool(status)}; {KEPT}.", again=True, said=said)
    if not event:
        return JudgeFailed(f"{TITLE} ended without an answer; {KEPT}.", again=True, spent=True, said=said)
    return JudgeFailed(f"{TITLE} failed{f' with {status}' * bool(status)}; {KEPT}.", spent=True, said=said)
