"""Codex: hooks in hooks.json, of the user or, untracked, of one project; in the user's config.toml the queue as a root
that its sandbox may write, and our server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.capture import home
from holdfast.errors import HoldfastError
from holdfast.install import exclude, launcher, settings, shown, toml_roots, toml_server, writing
from holdfast.install import server as servers
from holdfast.install.hosts import Edit, Registered, Server, codex_trust, looking

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.install.hosts import Found, Scope

NAME, TITLE = "codex", "Codex"
EVENTS = {
    "SessionStart": 0,
    "UserPromptSubmit": 0,
    "PreToolUse": 0,
    "PostToolUse": 0,
    "PreCompact": 0,
    "PostCompact": 0,
    "SubagentStop": 0,
    "Stop": 0,
    "Interrupt": 3,  # one second unless asked, and never more than three; so too at the end
    "SessionEnd": 3,
}
# What it hands to a server beside those that an entry names.
HANDED = ("HOME", "LOGNAME", "PATH", "SHELL", "USER", "LANG", "LC_ALL", "TERM", "TMPDIR", "TZ")
ROOTS = ("/.state/queue", "/.state")  # how our roots end, of whichever vault; the second is an older form


def found(env: Mapping[str, str]) -> Found | None:
    return looking.look(env, "codex", "@openai/codex", folder(env))


def folder(env: Mapping[str, str]) -> str:
    return (env.get("CODEX_HOME") or f"{home.user_home(env)}/.codex").rstrip("/")


def places(env: Mapping[str, str], scope: Scope, cwd: str) -> list[str]:
    """A project's config.toml may not widen the sandbox, so that the writable root is the user's in both scopes."""
    top = folder(env) if scope == "user" else f"{exclude.root(cwd)}/.codex"
    return [f"{top}/hooks.json", f"{folder(env)}/config.toml"]


def server_place(env: Mapping[str, str]) -> str:
    return f"{folder(env)}/config.toml"


def carries(path: str, data: bytes) -> bool:
    if settings.OURS.search(data.decode("utf-8", "replace")):
        return True
    try:
        return path.endswith(".toml") and toml_server.is_ours(toml_server.found(data, path))
    except HoldfastError:
        return False


def edits(
    env: Mapping[str, str], scope: Scope, cwd: str, *, permissions: bool = True, server: bool = False
) -> list[Edit]:
    hooks, config = places(env, scope, cwd)
    before = writing.read(hooks)
    text = was = settings.text_of(before, hooks)
    if not _is_registered_for_user(env, scope):
        text = settings.with_hooks(text, EVENTS, launcher.registered_line(NAME, env), hooks)
    after = before if text == was else text.encode("utf-8")
    planned = [Edit(hooks, before, after, shown.added(before, after))]
    server = server and scope == "user" and not server_notes(env)
    if not permissions and not server:
        return planned
    before = writing.read(config)
    given = _with_root(before, writable(env), config) if permissions else before or b""
    after = toml_server.with_server(given, env, config) if server else given
    return [*planned, Edit(config, before, after if after or before is not None else None, shown.added(before, after))]


def writable(env: Mapping[str, str]) -> str:
    """The queue, and nothing beside it. The rest of .state decides what is loaded, denied and trusted, and a close runs
    what it finds in its journal: an agent that outside text has got hold of must not reach that."""
    return f"{home.state(home.own_vault(env))}/queue"


def _with_root(before: bytes | None, root: str, path: str) -> bytes:
    wider = root.removesuffix("/queue")  # which earlier versions asked for
    given = (
        toml_roots.without_root(before, wider, None) if before and wider in toml_roots.roots(before, path) else before
    )
    after = toml_roots.with_root(given, root, path)
    if after is None:
        raise HoldfastError(
            f"{path} has its writable_roots in a form that cannot be added to; nothing was changed anywhere. "
            f'Add "{root}" to [sandbox_workspace_write] writable_roots yourself, or run init with --no-permissions.'
        )
    return after


def without(path: str, data: bytes, before: bytes | None, env: Mapping[str, str]) -> bytes:
    if path.endswith(".toml"):
        data = toml_server.without_server(data, before)
        for root in toml_roots.roots(data, path):
            if root.endswith(ROOTS):
                data = toml_roots.without_root(data, root, before)
        return codex_trust.forgotten(data, before, env)
    text = settings.text_of(data, path)
    known = settings.text_of(before, path) if before is not None else None
    return settings.without_hooks(text, known).encode("utf-8") if data.strip() else data


def registered(env: Mapping[str, str], cwd: str) -> list[Registered]:
    return [Registered(path, *one) for path in _hook_files(env, cwd) for one in settings.listed(_text(path))]


def allowed(env: Mapping[str, str], cwd: str) -> tuple[str, ...]:  # noqa: ARG001
    path = f"{folder(env)}/config.toml"
    try:
        roots = toml_roots.roots(writing.read(path), path)
    except HoldfastError:
        return ()
    return tuple(root for root in roots if root == writable(env))


def notes(env: Mapping[str, str], cwd: str, scope: Scope = "user") -> tuple[str, ...]:
    return settings.loose(list(dict.fromkeys([places(env, "user", cwd)[0], places(env, scope, cwd)[0]])))


def server(env: Mapping[str, str]) -> Server | None:
    path = server_place(env)
    found = toml_server.found(writing.read(path), path)
    if found is None:
        return None
    named = found.get("env_vars") if isinstance(found, dict) else None
    handed = (*HANDED, *(str(one) for one in (named if isinstance(named, list) else [])))
    return Server(path, servers.words(found), toml_server.is_ours(found), handed)


def server_notes(env: Mapping[str, str]) -> tuple[str, ...]:
    path = server_place(env)
    try:
        found, is_odd = server(env), toml_server.with_server(writing.read(path), env, path) is None
    except HoldfastError as error:
        return (servers.unread(str(error)),)
    if is_odd:
        return (servers.unread(f"{path} has its {toml_server.TABLE} in a form that cannot be added to"),)
    return (servers.foreign(path),) if servers.is_foreign(found) else ()


def left(env: Mapping[str, str], cwd: str) -> tuple[str, ...]:  # noqa: ARG001
    try:
        found = server(env)
    except HoldfastError:
        return ()
    return (servers.stays(found.path, f"codex mcp remove {servers.NAME}"),) if found and not found.is_ours else ()


def after(env: Mapping[str, str], cwd: str) -> tuple[str, ...]:
    if not untrusted(env, cwd):
        return ()
    return (
        'Codex runs a hook only after you trusted it: start `codex` once, and at "Hooks need review" choose '
        '"Trust all and continue". Until then `codex exec` passes over them in silence.',
    )


def untrusted(env: Mapping[str, str], cwd: str) -> list[str]:
    return codex_trust.untrusted(env, cwd)


def _is_registered_for_user(env: Mapping[str, str], scope: Scope) -> bool:
    """Codex would run a line of the user's and the same of a project twice."""
    listed = settings.listed(_text(f"{folder(env)}/hooks.json"))
    return scope == "project" and {event for event, _ in listed} >= set(EVENTS)


def _hook_files(env: Mapping[str, str], cwd: str) -> list[str]:
    return list(dict.fromkeys([places(env, "user", cwd)[0], places(env, "project", cwd)[0]]))


def _text(path: str) -> str:
    try:
        return settings.text_of(writing.read(path), path)
    except HoldfastError:
        return "{}"
