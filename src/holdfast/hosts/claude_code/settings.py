"""Claude Code: its record; hooks and permissions in settings.json, of the user or, untracked, of one project; our
server in the file in which it keeps its own state.

The host writes that file itself, all the time, and may have keys of its user in it. So one key is changed and every
other character stays, and what is kept for uninstall has nothing of the file but whether it had servers.
"""

from __future__ import annotations

import glob
import json
import re
from typing import TYPE_CHECKING, Any

from holdfast.capture import home
from holdfast.hosts import claude_code, json_hooks, jsonc, registration
from holdfast.hosts.claude_code import NAME, folder
from holdfast.hosts.host import Grammar, Host
from holdfast.hosts.registration import Edit, Seen, Server, read, root
from holdfast.model import word_set
from holdfast.text.transcript import table_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.hosts.registration import Found, Known, Registered, Scope

# Claude Code 2.1.325: --help, and what its package has besides.
GRAMMAR = Grammar(
    takes=word_set(
        "--agent --agents --append-system-prompt --append-system-prompt-file --autocompact --debug-file --effort "
        "--environment --fallback-model --input-format --json-schema --max-budget-usd --max-thinking-tokens "
        "--max-turns --model -n --name --output-format --permission-mode --permission-prompt-tool "
        "--permission-prompts --plugin-dir --plugin-url --remote-control-session-name-prefix --session-id "
        "--setting-sources --settings --system-prompt --system-prompt-file --system-prompt-snapshot --thinking"
    ),
    many=word_set(
        "--add-dir --allowedTools --allowed-tools --betas --disallowedTools --disallowed-tools --file "
        "--mcp-config --tools"
    ),
    maybe=word_set("-d --debug --from-pr --prompt-suggestions --remote-control -r --resume --teleport -w --worktree"),
    flags=word_set(
        "--allow-dangerously-skip-permissions --ax-screen-reader --bare --brief --chrome -c --continue "
        "--dangerously-skip-permissions --disable-slash-commands --exclude-dynamic-system-prompt-sections "
        "--fork-session --forward-subagent-text --ide --include-hook-events --include-partial-messages "
        "--no-chrome --no-session-persistence -p --print --replay-user-messages --restricted --safe-mode "
        "--strict-mcp-config --tmux --verbose"
    ),
)
HOST = Host(
    name=NAME,
    title="Claude Code",
    program="claude",
    package="@anthropic-ai/claude-code",
    home_variable="CLAUDE_CONFIG_DIR",
    session_variables=("CLAUDE_CODE_SESSION_ID", "CLAUDE_PID"),
    other_variables=("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_PROJECT_DIR", "CLAUDE_CODE_SSE_PORT"),
    minimum="2.1.76",  # PostCompact
    tested="2.1.325",
    grammar=GRAMMAR,
    instructions=("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"),
    beside=("{home}/.claude/local",),
    runs_once=True,
)
TITLE = HOST.title
PLUGIN = "holdfast@holdfast"
# All SessionEnd hooks share 1.5 s unless one asks for more; ours only hands the close on, or waits if it is told to.
EVENTS = {**dict.fromkeys(claude_code.EVENTS, 0), "SessionEnd": 60}
TASK = ("checkpoint", "start", "show", "next", "is-done", "list", "decisions", "pause", "resume", "block", "complete")
# What agents type by themselves; not `task run`, which starts any program.
COMMANDS = ("flag", "snag", "remember", "handoff", "recall", *(f"task {what}" for what in TASK))
STATES = ("/.claude.json",)
LEAST = ("flag", "remember")  # without which an agent cannot save a thing by itself
ALLOW = ("permissions", "allow")
TOOLS = f"mcp__{registration.SERVER}"  # every tool of our server
RULE = re.compile(rf"Bash\((?:holdfast|.*/holdfast/holdfast'?) (?:{'|'.join(COMMANDS)}):\*\)")
SERVERS = "mcpServers"
EXTRA = {"type": "stdio", "env": {}}
MANAGED = ("/etc/claude-code/managed-settings.json", "/Library/Application Support/ClaudeCode/managed-settings.json")


def found(env: Mapping[str, str]) -> Found | None:
    return registration.look(env, HOST.program, HOST.package, folder(env))


def server_place(env: Mapping[str, str]) -> str:
    return f"{(env.get('CLAUDE_CONFIG_DIR') or home.user_home(env)).rstrip('/')}/.claude.json"


def places(env: Mapping[str, str], scope: Scope, cwd: str) -> list[str]:
    return [_settings(env, scope, cwd)]


def _settings(env: Mapping[str, str], scope: Scope, cwd: str) -> str:
    return f"{folder(env)}/settings.json" if scope == "user" else f"{root(cwd)}/.claude/settings.local.json"


def carries(path: str, data: bytes) -> bool:
    if not path.endswith(STATES):
        return json_hooks.OURS.search(data.decode("utf-8", "replace")) is not None
    try:
        return is_ours(server_in(data, path))
    except jsonc.Broken:
        return False


def rules(words: str) -> list[str]:
    """The least that our commands need, by the name that nudges give them."""
    return [f"Bash({words} {one}:*)" for one in COMMANDS]


def edits(
    env: Mapping[str, str], scope: Scope, cwd: str, words: str = "", *, permissions: bool = True, server: bool = False
) -> list[Edit]:
    path, server = _settings(env, scope, cwd), server and scope == "user" and not server_notes(env)
    line = registration.registered_line(NAME, env)
    allowed = [*rules(words or registration.named(env)), *([TOOLS] if server else [])] if permissions else []

    def with_hooks(text: str) -> str:
        # A project needs no lines of its own where the user's are complete.
        is_users = scope == "project" and json_hooks.has_all(_settings(env, "user", ""), EVENTS)
        is_there = has_plugin(env, cwd) or is_users
        return text if is_there else json_hooks.with_hooks(text, EVENTS, line, path)

    planned = [json_hooks.edit(path, with_hooks, lambda text: json_hooks.with_items(text, ALLOW, allowed, path))]
    return [*planned, _server_edit(env)] if server else planned


def _server_edit(env: Mapping[str, str]) -> Edit:
    path = server_place(env)
    before = read(path)

    def anew(data: bytes | None) -> bytes | None:
        return with_server(data, env, path)

    return Edit(path, before, anew(before), anew, remembered)


def without(path: str, data: bytes, before: bytes | None, env: Mapping[str, str]) -> bytes:
    if path.endswith(STATES):
        return without_server(data, before, path)
    # A rule for another program of our name is none of ours.
    ours = None if registration.is_foreign(lambda: server(env)) else TOOLS

    def without_rules(text: str, known: str | None) -> str:
        return json_hooks.without_items(text, ALLOW, lambda one: one == ours or RULE.fullmatch(str(one)), known)

    return json_hooks.without(path, data, before, without_rules)


def registered(env: Mapping[str, str], cwd: str) -> list[Registered]:
    return json_hooks.registered(_all_places(env, cwd))


def allowed(env: Mapping[str, str], cwd: str) -> tuple[str, ...]:
    wanted = rules(registration.named(env))
    has = [rule for path in _all_places(env, cwd) for rule in json_hooks.items(json_hooks.text_at(path), ALLOW)]
    return tuple(rule for rule in wanted if rule in has)


def has_plugin(env: Mapping[str, str], cwd: str) -> bool:
    """Whether the plugin brings the hooks; then settings must not bring them again."""
    for path in reversed(_all_places(env, cwd)):  # the project's local settings outweigh the others
        enabled = json_hooks.value(json_hooks.text_at(path), "enabledPlugins")
        if isinstance(enabled, dict) and PLUGIN in enabled:
            return enabled[PLUGIN] is True
    return False


def notes(env: Mapping[str, str], cwd: str, scope: Scope = "user") -> tuple[str, ...]:
    if has_plugin(env, cwd):
        return ("The holdfast plugin is enabled and brings the hooks, so none are added here.",)
    return json_hooks.loose(list(dict.fromkeys([_settings(env, "user", cwd), _settings(env, scope, cwd)])))


def server(env: Mapping[str, str]) -> Server | None:
    path = server_place(env)
    found = server_in(read(path), path)
    return None if found is None else Server(path, registration.server_words(found), is_ours(found))


def server_notes(env: Mapping[str, str]) -> tuple[str, ...]:
    path = server_place(env)
    return registration.server_hindrances(path, lambda: with_server(read(path), env, path), lambda: server(env))


def left(env: Mapping[str, str], cwd: str) -> tuple[str, ...]:
    told = []
    if has_plugin(env, cwd):
        told.append(f"The plugin is still enabled in Claude Code; `claude plugin uninstall {PLUGIN}` removes it.")
    if registration.is_foreign(lambda: server(env)):
        remedy = f"claude mcp remove --scope user {registration.SERVER}"
        told.append(registration.server_stays(server_place(env), remedy))
    return tuple(told)


def after(env: Mapping[str, str], cwd: str) -> tuple[str, ...]:  # noqa: ARG001
    return ("Start Claude Code; a session that is running now has the hooks from its next start.",)


def untrusted(env: Mapping[str, str], cwd: str) -> list[str]:  # noqa: ARG001
    return []  # Claude Code asks once per folder whether its files are trusted, whatever hooks there are


def _all_places(env: Mapping[str, str], cwd: str) -> list[str]:
    local = _settings(env, "project", cwd)
    return [_settings(env, "user", cwd), f"{local.removesuffix('.local.json')}.json", local]


def files(env: Mapping[str, str], cwd: str) -> list[str]:
    return [*_all_places(env, cwd), *MANAGED]


def state_files(env: Mapping[str, str]) -> list[str]:
    return [server_place(env), f"{folder(env)}/plugins/installed_plugins.json"]


def sessions(env: Mapping[str, str]) -> str:
    return f"{folder(env)}/projects"


def seen(env: Mapping[str, str], cwd: str, known: Mapping[str, Known], states: Sequence[Known]) -> Seen:
    off = [path for path, one in known.items() if one.get("disableAllHooks") is True]
    keeps = not any(one.get("autoMemoryEnabled") is False for one in known.values())
    plugin = _plugin(states)
    return Seen(
        off=f'{off[0]} has "disableAllHooks": true' if off else "",
        denied=_denied(known, registration.named(env)),
        is_trusted=_trusts(states, root(cwd)),
        memory=sessions(env) if keeps and glob.glob(f"{glob.escape(sessions(env))}/*/memory/MEMORY.md") else "",
        plugin=plugin,
        plugin_env={"CLAUDE_PLUGIN_ROOT": plugin, "CLAUDE_PROJECT_DIR": cwd},
    )


def _plugin(states: Sequence[Known]) -> str:
    for known in states:
        entries = table_in(known, "plugins").get(PLUGIN)
        for entry in entries if isinstance(entries, list) else [entries]:
            if isinstance(entry, dict) and isinstance(entry.get("installPath"), str):
                return str(entry["installPath"])
    return ""


def _trusts(states: Sequence[Known], folder: str) -> bool:
    """A folder is trusted by itself or by one above it."""
    tables = [table_in(known, "projects") for known in states]
    trusted = [one for table in tables for one in table if table_in(table, one).get("hasTrustDialogAccepted") is True]
    return any(f"{folder}/".startswith(f"{one.rstrip('/')}/") for one in trusted)


def _denied(known: Mapping[str, Known], command: str) -> str:
    for path, one in known.items():
        rules = table_in(one, "permissions").get("deny")
        for rule in rules if isinstance(rules, list) else []:
            if isinstance(rule, str) and any(covers(rule, f"{command} {word}") for word in LEAST):
                return f"{rule} in {path}"
    return ""


def covers(rule: str, command: str) -> bool:
    """Whether a Bash rule of Claude Code covers a command with its text: by a prefix, or by `*` anywhere in it."""
    tool, _, inner = rule.partition("(")
    if tool.strip() != "Bash":
        return False
    pattern = inner.rstrip().removesuffix(")").strip()
    if pattern in ("", "*", ":*"):
        return True
    if pattern.endswith(":*"):
        prefix = pattern.removesuffix(":*")
        return command == prefix or command.startswith(f"{prefix} ")
    shape = ".*".join(re.escape(part) for part in pattern.split("*"))
    return re.fullmatch(shape, f"{command} some text") is not None


def server_in(data: bytes | None, path: str) -> Any:
    """The entry of our name; None where there is none. Raises Broken."""
    return table_in(_parsed(_state_text(data, path), path), SERVERS).get(registration.SERVER)


def is_ours(one: Any) -> bool:
    return registration.is_our_server(one, EXTRA)


def with_server(data: bytes | None, env: Mapping[str, str], path: str) -> bytes | None:
    """With our entry; one that is not ours stays in its place. Raises Broken."""
    now = server_in(data, path)
    # As `claude mcp add` writes it.
    wanted: dict[str, Any] = {"type": "stdio", "command": str(registration.command_path(env))}
    wanted |= {"args": registration.ARGUMENTS, "env": {}}
    if now == wanted or (now is not None and not is_ours(now)):
        return data
    short = json_hooks.outline(_state_text(data, path), SERVERS, path)
    text, root = short.text, jsonc.parse(short.text)
    table, known = root.get(SERVERS), root.get(SERVERS, registration.SERVER, "command")
    if known:
        text = jsonc.replaced(text, known, wanted["command"])
    elif table is None:
        text = jsonc.put(text, (), {registration.SERVER: wanted}, SERVERS, levels=1)
    elif table.kind == "object":
        text = jsonc.put(text, (SERVERS,), wanted, registration.SERVER)
    else:
        raise jsonc.Broken(f'"{SERVERS}" is no object', short.text, table.start, path)
    return short.whole(text).encode("utf-8")


def without_server(data: bytes, before: bytes | None, path: str) -> bytes:
    """Without an entry of ours; `before`, as `remembered` made it, tells whether the table around it was there."""
    if not is_ours(server_in(data, path)):
        return data
    short = json_hooks.outline(_state_text(data, path), SERVERS, path)
    table = jsonc.parse(short.text).get(SERVERS)
    number = table.index(registration.SERVER) if table else -1
    known = _state_text(before, path) if before is not None else None
    return short.whole(json_hooks.taken(short.text, (SERVERS,), number, known)).encode("utf-8")


def remembered(data: bytes | None) -> bytes | None:
    """The part of the file from before that is kept: the shape of its empty containers, and no word of what it says."""
    if data is None or not data.strip():
        return data
    short = json_hooks.outline(data.decode("utf-8"), SERVERS).text
    root = jsonc.parse(short)
    table = root.get(SERVERS)
    if not root.items:
        return data
    if table is None:
        return b'{"other": 0}'
    inner = '{"other": 0}' if table.items else short[table.start : table.end]
    return f'{{"{SERVERS}": {inner}}}'.encode()


def _state_text(data: bytes | None, path: str) -> str:
    """A file that is missing or empty counts as {}."""
    text = jsonc.decoded(data, path)
    return text if text.strip(jsonc.BLANK + jsonc.MARK) else text + "{}\n"


def _parsed(text: str, path: str) -> dict[str, Any]:
    try:
        root = json.loads(text.removeprefix(jsonc.MARK))
    except json.JSONDecodeError as error:
        raise jsonc.Broken("this is no JSON", text, error.pos, path) from error
    except (ValueError, RecursionError) as error:
        raise jsonc.Broken(f"this is no JSON ({error})", text, 0, path) from error
    if not isinstance(root, dict):
        raise jsonc.Broken("the document is no object", text, 0, path)
    return root
