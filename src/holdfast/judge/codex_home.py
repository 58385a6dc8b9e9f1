"""The home of Codex while it is a judge: a scratch folder with the user's login and nothing else of theirs.

The login is a link, so that one that Codex renews is renewed for the user too; of the settings only those are copied
that say which model provider is used. So there are no hooks, no instructions, no skills, no MCP servers and no record
of the session. Where the login is in the system's keyring, which knows a login by the folder's name, the user's own
folder has to do.
"""

from __future__ import annotations

import os
import tomllib
from typing import TYPE_CHECKING, Any

from holdfast.capture import home, platform
from holdfast.judge import programs

if TYPE_CHECKING:
    from collections.abc import Mapping

LOGIN = ("auth.json", "auth.lock")
OWN = (
    *("model_provider", "model_providers", "openai_base_url", "chatgpt_base_url", "forced_login_method"),
    *("forced_chatgpt_workspace_id", "cli_auth_credentials_store"),
)


def folder_of(env: Mapping[str, str]) -> str:
    """The user's own."""
    return env.get("CODEX_HOME") or f"{home.user_home(env)}/.codex"


def settings(env: Mapping[str, str]) -> dict[str, Any]:
    try:
        return tomllib.loads(platform.read_file(f"{folder_of(env)}/config.toml", 1 << 20).decode("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}


def provider(env: Mapping[str, str]) -> dict[str, Any]:
    """The user's own model provider; {} for the one that is built in."""
    found = settings(env)
    every = found.get("model_providers")
    one = every.get(found.get("model_provider", "")) if isinstance(every, dict) else None
    return one if isinstance(one, dict) else {}


def is_in_keyring(env: Mapping[str, str]) -> bool:
    return settings(env).get("cli_auth_credentials_store") in ("keyring", "auto")


def alone(env: Mapping[str, str], folder: str) -> dict[str, str]:
    """The environment of a call, with the home in the scratch folder; made at the first use."""
    own = programs.alone(env, folder)
    if is_in_keyring(env):
        return own
    made = f"{folder}/home"
    if not os.path.isdir(made):
        os.mkdir(made, 0o700)
        for name in LOGIN:
            os.symlink(f"{folder_of(env)}/{name}", f"{made}/{name}")
        kept = {name: one for name, one in settings(env).items() if name in OWN}
        with open(f"{made}/config.toml", "w", encoding="utf-8", opener=_for_us_alone) as file:
            file.write(_toml(_without_retries(kept)))
    return {**own, "CODEX_HOME": made}


def keep_login(env: Mapping[str, str], folder: str) -> None:
    """A login that was replaced instead of written through the link is brought back: the old one is void."""
    made = f"{folder}/home/auth.json"
    if os.path.isfile(made) and not os.path.islink(made):
        platform.write_atomic(f"{folder_of(env)}/auth.json", platform.read_file(made), durable=True)


def _without_retries(kept: dict[str, Any]) -> dict[str, Any]:
    """Retries are ours to count."""
    every = kept.get("model_providers")
    if not isinstance(every, dict):
        return kept
    none = {"request_max_retries": 0, "stream_max_retries": 0}
    return {**kept, "model_providers": {name: {**one, **none} for name, one in every.items() if isinstance(one, dict)}}


def _toml(kept: dict[str, Any]) -> str:
    import tomlkit

    return tomlkit.dumps(kept)


def _for_us_alone(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
