"""Who pays for what an agent's own command line asks, as far as its own files and variables tell.

With a login of a plan it is the plan; with a key it is by token, whatever the login; a provider on this machine costs
nothing. Where there is no telling, as with a login in the system's keyring, that is what is said: a cap on money is
then no place for a guess.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from holdfast.capture import home, platform
from holdfast.judge import codex_home

if TYPE_CHECKING:
    from collections.abc import Mapping

BY_PLAN, BY_TOKEN, HERE, NO_TELLING = "plan", "token", "here", "unknown"
# Variables that make Claude Code pay by token; it also takes them from the "env" of its settings.
CLAUDE_KEYS = (
    *("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"),
    *("CLAUDE_CODE_USE_FOUNDRY", "CLAUDE_CODE_USE_ANTHROPIC_AWS", "CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD"),
    *("CLAUDE_CODE_USE_GATEWAY", "CLAUDE_CODE_USE_MANTLE"),
)
MANAGED = (
    "/Library/Application Support/ClaudeCode/managed-settings.json"
    if sys.platform == "darwin"
    else "/etc/claude-code/managed-settings.json"
)
OWN_PROVIDER = "openai"
LOCAL_PROVIDERS = ("ollama", "lmstudio", "ollama-chat")
BY_KEY = ("apikey", "bedrockapikey")
LARGEST = 1 << 24


def of(judge: str, env: Mapping[str, str]) -> str:
    """Who pays for a judge's calls; "" where it is no agent's command line."""
    found = AGENTS.get(judge)
    return found(env) if found else ""


def claude_code(env: Mapping[str, str]) -> str:
    """A key in the environment, a program that fetches one, or a login that has made one."""
    if any(env.get(name) for name in CLAUDE_KEYS):
        return BY_TOKEN
    folder = env.get("CLAUDE_CONFIG_DIR") or f"{home.user_home(env)}/.claude"
    for path in (f"{folder}/settings.json", MANAGED):
        found = _object(path)
        inner = found.get("env")
        if found.get("apiKeyHelper") or (isinstance(inner, dict) and any(inner.get(name) for name in CLAUDE_KEYS)):
            return BY_TOKEN
    beside = f"{folder}/.claude.json" if env.get("CLAUDE_CONFIG_DIR") else f"{home.user_home(env)}/.claude.json"
    return BY_TOKEN if _object(beside).get("primaryApiKey") else BY_PLAN


def codex(env: Mapping[str, str]) -> str:
    """By its provider first: only OpenAI's own, and one that wants its login, are paid by that."""
    provider = codex_home.provider(env)
    named = codex_home.settings(env).get("model_provider") or OWN_PROVIDER
    if provider and not provider.get("requires_openai_auth"):
        return HERE if is_here(str(provider.get("base_url") or "")) else BY_TOKEN
    if not provider and named in LOCAL_PROVIDERS:
        return HERE
    if (not provider and named != OWN_PROVIDER) or env.get("CODEX_API_KEY"):
        return BY_TOKEN
    return _codex_login(env)


AGENTS = {"claude-code": claude_code, "codex": codex}


def _codex_login(env: Mapping[str, str]) -> str:
    forced = codex_home.settings(env).get("forced_login_method")
    if forced in ("chatgpt", "api"):
        return BY_PLAN if forced == "chatgpt" else BY_TOKEN
    if codex_home.is_in_keyring(env):
        return NO_TELLING
    login = codex_home.login(env)
    mode = login.get("auth_mode")
    if isinstance(mode, str) and mode:
        return BY_TOKEN if mode.lower() in BY_KEY else BY_PLAN
    return BY_TOKEN if login.get("bedrock_api_key") or login.get("OPENAI_API_KEY") else BY_PLAN


def is_here(url: str) -> bool:
    """Whether an address is this machine's own."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    return host in ("localhost", "::1") or (host.startswith("127.") and host.replace(".", "").isdecimal())


def _object(path: str) -> dict[str, Any]:
    try:
        found = json.loads(platform.read_file(path, LARGEST))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
