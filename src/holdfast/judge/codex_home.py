"""The home of Codex while it is a judge: a scratch folder with the user's login and nothing else of theirs.

The login is a link, so that one that Codex renews is renewed for the user too, and whatever becomes of the call: the
old one is void from then on. Of the settings only those are copied that say which model provider is used. So there are
no hooks, no instructions, no skills, no MCP servers and no record of the session. Where the login is in the system's
keyring, which knows a login by the folder's name, the user's own folder has to do.
"""

from __future__ import annotations

import json
import os
import stat
import tomllib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from holdfast.capture import home, platform
from holdfast.errors import JudgeFailed
from holdfast.judge import programs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LOGIN = ("auth.json", "auth.lock")
LARGEST = 1 << 20
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


def login(env: Mapping[str, str]) -> dict[str, Any]:
    """What the user is logged in with; {} where there is no file of it."""
    try:
        found = json.loads(_login(env) or b"")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


@contextmanager
def lent(env: Mapping[str, str], folder: str) -> Iterator[dict[str, str]]:
    """The environment of calls, with the home in the scratch folder; a login that was renewed there is brought back
    also where a call failed. Raises JudgeFailed where it cannot be."""
    own = programs.alone(env, folder)
    if is_in_keyring(env):
        yield own
        return
    made = f"{folder}/home"
    before = _login(env)
    os.mkdir(made, 0o700)
    for name in LOGIN:
        os.symlink(f"{folder_of(env)}/{name}", f"{made}/{name}")
    kept = {name: one for name, one in settings(env).items() if name in OWN}
    with open(f"{made}/config.toml", "w", encoding="utf-8", opener=_for_us_alone) as file:
        file.write(_toml(_without_retries(kept)))
    try:
        yield {**own, "CODEX_HOME": made}
    finally:
        _bring_back(env, f"{made}/auth.json", before)


def _bring_back(env: Mapping[str, str], made: str, before: bytes | None) -> None:
    """Codex writes through the link; one that replaces it leaves a file there, which is the only login that is left.
    Where the user's own has changed meanwhile, theirs is the newer."""
    if os.path.islink(made) or not os.path.isfile(made) or _login(env) != before:
        return
    path = os.path.realpath(f"{folder_of(env)}/auth.json")
    try:
        mode = stat.S_IMODE(os.stat(path).st_mode) if before is not None else 0o600
        platform.write_atomic(path, platform.read_file(made), durable=True)
        os.chmod(path, mode)
    except OSError as error:
        what = f"Codex renewed your login, and {path} cannot be written ({error.strerror}); nothing else was changed."
        raise JudgeFailed(f"{what} Run `codex login`.", spent=True, final=True) from error


def _login(env: Mapping[str, str]) -> bytes | None:
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


def _toml(kept: dict[str, Any]) -> str:
    import tomlkit

    return tomlkit.dumps(kept)


def _for_us_alone(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
