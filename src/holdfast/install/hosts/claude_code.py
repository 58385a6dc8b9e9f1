"""Claude Code: hooks and permissions in settings.json, of the user or, untracked, of one project."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.capture import home
from holdfast.errors import HoldfastError
from holdfast.install import command, exclude, launcher, settings, shown, writing
from holdfast.install.hosts import Edit, Registered, looking

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
RULE = re.compile(rf"Bash\((?:holdfast|.*/holdfast/holdfast'?) (?:{'|'.join(COMMANDS)}):\*\)")


def found(env: Mapping[str, str]) -> Found | None:
    return looking.look(env, "claude", "@anthropic-ai/claude-code", folder(env))


def folder(env: Mapping[str, str]) -> str:
    return (env.get("CLAUDE_CONFIG_DIR") or f"{home.user_home(env)}/.claude").rstrip("/")


def places(env: Mapping[str, str], scope: Scope, cwd: str) -> list[str]:
    return [f"{folder(env)}/settings.json" if scope == "user" else f"{exclude.root(cwd)}/.claude/settings.local.json"]


def rules(words: str) -> list[str]:
    """The least that our commands need, by the name that nudges give them."""
    return [f"Bash({words} {one}:*)" for one in COMMANDS]


def edits(env: Mapping[str, str], scope: Scope, cwd: str, *, permissions: bool = True) -> list[Edit]:
    (path,) = places(env, scope, cwd)
    before = writing.read(path)
    text = was = settings.text_of(before, path)
    if not has_plugin(env, cwd) and not _is_registered_for_user(env, scope):
        text = settings.with_hooks(text, EVENTS, launcher.registered_line(NAME, env), path)
    if permissions:
        text = settings.with_items(text, ALLOW, rules(command.decide(env).words), path)
    after = before if text == was else text.encode("utf-8")
    return [Edit(path, before, after, shown.added(before, after))]


def without(path: str, data: bytes, before: bytes | None, env: Mapping[str, str]) -> bytes:  # noqa: ARG001
    text = settings.text_of(data, path)
    known = settings.text_of(before, path) if before is not None else None
    text = settings.without_hooks(text, known)
    text = settings.without_items(text, ALLOW, lambda rule: isinstance(rule, str) and RULE.fullmatch(rule), known)
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
    return settings.loose(list(dict.fromkeys([*places(env, "user", cwd), *places(env, scope, cwd)])))


def left(env: Mapping[str, str], cwd: str) -> tuple[str, ...]:
    if has_plugin(env, cwd):
        return (f"The plugin is still enabled in Claude Code; `claude plugin uninstall {PLUGIN}` removes it.",)
    return ()


def after(env: Mapping[str, str], cwd: str) -> tuple[str, ...]:  # noqa: ARG001
    return ("Start Claude Code; a session that is running now has the hooks from its next start.",)


def untrusted(env: Mapping[str, str], cwd: str) -> list[str]:  # noqa: ARG001
    return []  # Claude Code asks once per folder whether its files are trusted, whatever hooks there are


def _is_registered_for_user(env: Mapping[str, str], scope: Scope) -> bool:
    """A project needs no lines of its own where the user's are complete."""
    (path,) = places(env, "user", "")
    return scope == "project" and {event for event, _ in settings.listed(_text(path))} >= set(EVENTS)


def _all_places(env: Mapping[str, str], cwd: str) -> list[str]:
    (local,) = places(env, "project", cwd)
    return [*places(env, "user", cwd), f"{local.removesuffix('.local.json')}.json", local]


def _text(path: str) -> str:
    """Settings that cannot be read hold nothing; the host does not believe them either."""
    try:
        return settings.text_of(writing.read(path), path)
    except HoldfastError:
        return "{}"
