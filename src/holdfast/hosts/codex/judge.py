"""Codex as a judge: `codex exec`, one turn, in a home of its own that has the user's login and nothing else of theirs.

Codex has no switch for all of it: besides the home it gets a catalog in which the asked model has no tools, because the
newest models bring theirs along, and every feature that adds some is switched off.

The home is a scratch folder. The login in it is a link, so that one that Codex renews is renewed for the user too, and
whatever becomes of the call: the old one is void from then on. Of the settings only those are copied that say which
model provider is used. So there are no hooks, no instructions, no skills, no MCP servers and no record of the session.
Where the login is in the system's keyring, which knows a login by the folder's name, the user's own folder has to do.
"""

from __future__ import annotations

import json
import os
import re
import stat
import tomllib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from holdfast.capture import platform
from holdfast.capture.redaction import redact
from holdfast.errors import JudgeFailed, Unusable
from holdfast.hosts import programs
from holdfast.hosts.codex import folder as folder_of
from holdfast.hosts.codex.settings import HOST
from holdfast.hosts.programs import BY_PLAN, BY_TOKEN, HERE, KEPT, NO_TELLING, Answer, Asked, Call, Ran, is_here
from holdfast.text.transcript import table_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TITLE = HOST.title
MODEL = "gpt-6-luna"  # what its catalog calls fast and affordable
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
    "experimental_supported_tools": [],
    "default_service_tier": None,  # the fast one costs more
    **dict.fromkeys(("supports_search_tool", "supports_parallel_tool_calls"), False),
    **dict.fromkeys(("apply_patch_tool_type", "multi_agent_version", "model_messages")),
}
LOGIN = ("auth.json", "auth.lock")
LARGEST = 1 << 20
OWN = (
    *("model_provider", "model_providers", "openai_base_url", "chatgpt_base_url", "forced_login_method"),
    *("forced_chatgpt_workspace_id", "cli_auth_credentials_store"),
)
OWN_PROVIDER = "openai"
LOCAL_PROVIDERS = ("ollama", "lmstudio", "ollama-chat")
BY_KEY = ("apikey", "bedrockapikey")


def words(call: Call, asked: Asked, timeout: float) -> list[str]:
    settings = [*SWITCHES, *(f"features.{name}=false" for name in FEATURES)]
    settings.append(f"model_instructions_file={json.dumps(call.file('told', asked.told))}")
    catalog = _catalog(call, asked.model, timeout)
    if catalog:
        settings.append(f"model_catalog_json={json.dumps(call.file('catalog', catalog))}")
    if is_in_keyring(call.users):
        names = table_in(settings_of(call.users), "mcp_servers")
        settings += [f"mcp_servers.{json.dumps(name)}.enabled=false" for name in names]
    options = ["exec", "--json", "--skip-git-repo-check", "--ephemeral", "--ignore-rules", "-s", "read-only"]
    if asked.schema:
        options += ["--output-schema", call.file("schema", json.dumps(asked.schema))]
    return [*options, "-m", asked.model, *(word for one in settings for word in ("-c", one)), "-"]


def _catalog(call: Call, model: str, timeout: float) -> str:
    """What this Codex knows of the model, less its tools; "" for one that it does not know, which has none of its own.
    Where there is no telling, it is not asked: a judge has no tools."""
    if "catalog" not in call.kept:
        ran = call.run(["debug", "models", "--bundled"], "", min(timeout, 20.0))
        try:
            known = [one for one in json.loads(ran.out)["models"] if one["slug"]]
        except (ValueError, KeyError, TypeError, RecursionError):
            what = f"This {TITLE} does not say which tools its models have; {KEPT}. Upgrade it."
            raise JudgeFailed(what, final=True, said=ran.last_words) from None
        ours = [{**one, **WITHOUT_TOOLS} for one in known if one["slug"] == model]
        call.kept["catalog"] = json.dumps({"models": ours}) if ours else ""
    return call.kept["catalog"]


def look(call: Call, model: str, timeout: float) -> str:
    version, state = call.run(["--version"], "", timeout), call.run(["login", "status"], "", timeout)
    provider = provider_of(call.users)
    needs = provider.get("requires_openai_auth", not provider)
    if state.status and needs and not call.users.get("CODEX_API_KEY"):
        raise JudgeFailed(f"{TITLE} is not logged in; {KEPT}. Run `codex login`.", final=True)
    key = provider.get("env_key")
    if isinstance(key, str) and not call.users.get(key):
        named = programs.shown(key, "that env_key names")
        raise JudgeFailed(f"{TITLE} wants a key in the variable {named}, which is not set; {KEPT}.", final=True)
    return f"{TITLE} {version.out.split(' ')[-1].strip()}, ready, model {model}"


def answer(ran: Ran, asked: Asked) -> Answer:
    events = ran.records
    said = [_item(one).get("text") for one in events if _item(one).get("type") == "agent_message"]
    usage = [one.get("usage") for one in events if one.get("type") == "turn.completed"]
    if not usage:
        failed = [one for one in events if one.get("type") in ("turn.failed", "error")]
        raise _failed(failed[-1] if failed else {}, ran)
    text = said[-1] if said and isinstance(said[-1], str) else ""
    return Answer(text, usage[-1] if isinstance(usage[-1], dict) else {}, asked.model)


def payer(env: Mapping[str, str]) -> str:
    """By its provider first: only OpenAI's own, and one that wants its login, are paid by that."""
    provider = provider_of(env)
    named = settings_of(env).get("model_provider") or OWN_PROVIDER
    if provider and not provider.get("requires_openai_auth"):
        return HERE if is_here(str(provider.get("base_url") or "")) else BY_TOKEN
    if not provider and named in LOCAL_PROVIDERS:
        return HERE
    if (not provider and named != OWN_PROVIDER) or env.get("CODEX_API_KEY"):
        return BY_TOKEN
    return _login(env)


def _login(env: Mapping[str, str]) -> str:
    forced = settings_of(env).get("forced_login_method")
    if forced in ("chatgpt", "api"):
        return BY_PLAN if forced == "chatgpt" else BY_TOKEN
    if is_in_keyring(env):
        return NO_TELLING
    login = login_of(env)
    mode = login.get("auth_mode")
    has_key = bool(login.get("bedrock_api_key") or login.get("OPENAI_API_KEY"))
    by_token = mode.lower() in BY_KEY if isinstance(mode, str) and mode else has_key
    return BY_TOKEN if by_token else BY_PLAN


def _item(event: dict[str, Any]) -> dict[str, Any]:
    found = event.get("item") if event.get("type") == "item.completed" else None
    return found if isinstance(found, dict) else {}


def _failed(event: dict[str, Any], ran: Ran) -> JudgeFailed:
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


def settings_of(env: Mapping[str, str]) -> dict[str, Any]:
    try:
        return tomllib.loads(platform.read_file(f"{folder_of(env)}/config.toml", 1 << 20).decode("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}


def provider_of(env: Mapping[str, str]) -> Mapping[str, Any]:
    """The user's own model provider; {} for the one that is built in."""
    found = settings_of(env)
    return table_in(table_in(found, "model_providers"), str(found.get("model_provider", "")))


def is_in_keyring(env: Mapping[str, str]) -> bool:
    return settings_of(env).get("cli_auth_credentials_store") in ("keyring", "auto")


def login_of(env: Mapping[str, str]) -> dict[str, Any]:
    """The user's login; {} where there is no file of it."""
    try:
        found = json.loads(_login_file(env) or b"")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


@contextmanager
def lent(env: Mapping[str, str], own: dict[str, str], folder: str, most_out: int) -> Iterator[dict[str, str]]:  # noqa: ARG001
    """The environment of calls, with the home in the scratch folder; a login that was renewed there is brought back
    also where a call failed. Raises JudgeFailed where it cannot be."""
    if is_in_keyring(env):
        yield own
        return
    made = f"{folder}/home"
    before = _login_file(env)
    os.mkdir(made, 0o700)
    for name in LOGIN:
        os.symlink(f"{folder_of(env)}/{name}", f"{made}/{name}")
    import tomlkit

    kept = {name: one for name, one in settings_of(env).items() if name in OWN}
    with open(f"{made}/config.toml", "w", encoding="utf-8", opener=lambda path, how: os.open(path, how, 0o600)) as file:
        file.write(tomlkit.dumps(_without_retries(kept)))
    try:
        yield {**own, "CODEX_HOME": made}
    finally:
        _bring_back(env, f"{made}/auth.json", before)


def _bring_back(env: Mapping[str, str], made: str, before: bytes | None) -> None:
    """Codex writes through the link; one that replaces it leaves a file there, which is the only login that is left.
    Where the user's own has changed meanwhile, theirs is the newer."""
    if os.path.islink(made) or not os.path.isfile(made) or _login_file(env) != before:
        return
    path = os.path.realpath(f"{folder_of(env)}/auth.json")
    try:
        mode = stat.S_IMODE(os.stat(path).st_mode) if before is not None else 0o600
        platform.write_atomic(path, platform.read_file(made), durable=True)
        os.chmod(path, mode)
    except OSError as error:
        what = f"Codex renewed your login, and {path} cannot be written ({error.strerror}); nothing else was changed."
        raise JudgeFailed(f"{what} Run `codex login`.", spent=True, final=True) from error


def _login_file(env: Mapping[str, str]) -> bytes | None:
    try:
        return platform.read_file(f"{folder_of(env)}/auth.json", LARGEST)
    except OSError:
        return None


def _without_retries(kept: dict[str, Any]) -> dict[str, Any]:
    """Retries are ours to count."""
    every = kept.get("model_providers")
    if not isinstance(every, dict):
        return kept
    none = {"request_max_retries": 0, "stream_max_retries": 0}
    return {**kept, "model_providers": {name: {**one, **none} for name, one in every.items() if isinstance(one, dict)}}
