"""Claude Code: hooks and permissions in settings.json, of the user or, untracked, of one project; our server in the
file in which it keeps its own state."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.capture import home
from holdfast.errors import HoldfastError
from holdfast.install import command, exclude, json_server, jsonc, launcher, settings, shown, writing
from holdfast.install import server as servers
from holdfast.install.hosts import Edit, Registered, Server, looking

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.install.hosts import Found, Scope

NAME, TITLE = "claude-code", "Claude Code"
PLUGIN = "holdfast@holdfast"
# All SessionEnd hooks share 1.5 s unless one asks for more; ours only hands the close on, or waits if it is told to.
EVENTS = {
    "SessionStart": 0,
    "UserPromptSubmit": 0,
    "PreToolUse": 0,
    "PostToolUse": 0,
    "PostToolUseFailure": 0,
    "SubagentStop": 0,
    "TaskCompleted": 0,
    "PreCompact": 0,
    "PostCompact": 0,
    "Stop": 0,
    "SessionEnd": 60,
}
TASK = ("checkpoint", "start", "show", "next", "is-done", "list", "decisions", "pause", "resume", "block", "complete")
# What agents type by themselves; not `task run`, which starts any program.
COMMANDS = ("flag", "snag", "remember", "handoff", "recall", *(f"task {what}" for what in TASK))
ALLOW = ("permissions", "allow")
TOOLS = f"mcp__{servers.NAME}"  # every tool of our server
RULE = re.compile(rf"Bash\((?:holdfast|.*/holdfast/holdfast'?) (?:{'|'.join(COMMANDS)}):\*\)")


def found(env: Mapping[str, str]) -> Found | None:
    return looking.look(env, "claude", "@anthropic-ai/claude-code", folder(env))


def folder(env: Mapping[str, str]) -> str:
    return (env.get("CLAUDE_CONFIG_DIR") or f"{home.user_home(env)}/.claude").rstrip("/")


def server_place(env: Mapping[str, str]) -> str:
    return f"{(env.get('CLAUDE_CONFIG_DIR') or home.user_home(env)).rstrip('/')}/.claude.json"


def places(env: Mapping[str, str], scope: Scope, cwd: str) -> list[str]:
    return [_settings(env, scope, cwd)]


def _settings(env: Mapping[str, str], scope: Scope, cwd: str) -> str:
    return f"{folder(env)}/settings.json" if scope == "user" else f"{exclude.root(cwd)}/.claude/settings.local.json"


def carries(path: str, data: bytes) -> bool:
    if not json_server.is_place(path):
        return settings.OURS.search(data.decode("utf-8", "replace")) is not None
    try:
        return json_server.is_ours(json_server.found(data, path))
    except jsonc.Broken:
        return False


def rules(words: str) -> list[str]:
    """The least that our commands need, by the name that nudges give them."""
    return [f"Bash({words} {one}:*)" for one in COMMANDS]


def edits(
    env: Mapping[str, str], scope: Scope, cwd: str, *, permissions: bool = True, server: bool = False
) -> list[Edit]:
    path, server = _settings(env, scope, cwd), server and scope == "user" and not server_notes(env)
    before = writing.read(path)
    text = was = settings.text_of(before, path)
    if not has_plugin(env, cwd) and not _is_registered_for_user(env, scope):
        text = settings.with_hooks(text, EVENTS, launcher.registered_line(NAME, env), path)
    if permissions:
        text = settings.with_items(text, ALLOW, rules(command.decide(env).words), path)
    if permissions and server:
        text = settings.with_items(text, ALLOW, [TOOLS], path)
    after = before if text == was else text.encode("utf-8")
    planned = [Edit(path, before, after, shown.added(before, after))]
    return [*planned, _with_server(env)] if server else planned


def _with_server(env: Mapping[str, str]) -> Edit:
    path = server_place(env)
    before = writing.read(path)

    def anew(data: bytes | None) -> bytes | None:
        return json_server.with_server(data, env, path)

    after = anew(before)
    return Edit(path, before, after, shown.added(before, after), anew)


def without(path: str, data: bytes, before: bytes | None, env: Mapping[str, str]) -> bytes:
    if json_server.is_place(path):
        return json_server.without_server(data, before, path)
    text = settings.text_of(data, path)
    known = settings.text_of(before, path) if before is not None else None
    text = settings.without_hooks(text, known)
    ours = None if _has_foreign(env) else TOOLS  # a rule for another program of our name is none of ours
    text = settings.without_items(text, ALLOW, lambda one: one == ours or RULE.fullmatch(str(one)), known)
    return text.encode("utf-8") if data.strip() else data


def registered(env: Mapping[str, str], cwd: str) -> list[Registered]:
    return [Registered(path, *one) for path in _all_places(env, cwd) for one in settings.listed(_text(path))]


def allowed(env: Mapping[str, str], cwd: str) -> tuple[str, ...]:
    wanted = rules(command.named(env))
    has = [rule for path in _all_places(env, cwd) for rule in settings.items(_text(path), ALLOW)]
    return tuple(rule for rule in wanted if rule in has)


def has_plugin(env: Mapping[str, str], cwd: str) -> bool:
    """Whether the plugin brings the hooks; then settings must not bring them again."""
    for path in reversed(_all_places(env, cwd)):  # the project's local settings outweigh the others
        enabled = settings.value(_text(path), "enabledPlugins")
        if isinstance(enabled, dict) and PLUGIN in enabled:
            return enabled[PLUGIN] is True
    return False


def notes(env: Mapping[str, str], cwd: str, scope: Scope = "user") -> tuple[str, ...]:
    if has_plugin(env, cwd):
        return ("The holdfast plugin is enabled and brings the hooks, so none are added here.",)
    return settings.loose(list(dict.fromkeys([_settings(env, "user", cwd), _settings(env, scope, cwd)])))


def server(env: Mapping[str, str]) -> Server | None:
    path = server_place(env)
    found = json_server.found(writing.read(path), path)
    return None if found is None else Server(path, servers.words(found), json_server.is_ours(found))


def server_notes(env: Mapping[str, str]) -> tuple[str, ...]:
    try:
        found = server(env)
        json_server.with_server(writing.read(server_place(env)), env, server_place(env))
    except HoldfastError as error:
        return (servers.unread(str(error)),)
    return (servers.foreign(server_place(env)),) if servers.is_foreign(found) else ()


def _has_foreign(env: Mapping[str, str]) -> bool:
    try:
        return servers.is_foreign(server(env))
    except HoldfastError:
        return False


def left(env: Mapping[str, str], cwd: str) -> tuple[str, ...]:
    told = []
    if has_plugin(env, cwd):
        told.append(f"The plugin is still enabled in Claude Code; `claude plugin uninstall {PLUGIN}` removes it.")
    if _has_foreign(env):
        told.append(servers.stays(server_place(env), f"claude mcp remove --scope user {servers.NAME}"))
    return tuple(told)


def after(env: Mapping[str, str], cwd: str) -> tuple[str, ...]:  # noqa: ARG001
    return ("Start Claude Code; a session that is running now has the hooks from its next start.",)


def untrusted(env: Mapping[str, str], cwd: str) -> list[str]:  # noqa: ARG001
    return []  # Claude Code asks once per folder whether its files are trusted, whatever hooks there are


def _is_registered_for_user(env: Mapping[str, str], scope: Scope) -> bool:
    """A project needs no lines of its own where the user's are complete."""
    path = _settings(env, "user", "")
    return scope == "project" and {event for event, _ in settings.listed(_text(path))} >= set(EVENTS)


def _all_places(env: Mapping[str, str], cwd: str) -> list[str]:
    local = _settings(env, "project", cwd)
    return [_settings(env, "user", cwd), f"{local.removesuffix('.local.json')}.json", local]


def _text(path: str) -> str:
    """Settings that cannot be read hold nothing; the host does not believe them either."""
    try:
        return settings.text_of(writing.read(path), path)
    except HoldfastError:
        return "{}"
