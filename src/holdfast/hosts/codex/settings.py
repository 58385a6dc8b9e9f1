"""Codex: its record; hooks in hooks.json, of the user or, untracked, of one project; in the user's config.toml the
queue as a root that its sandbox may write, and our server.

Which hooks it trusts is one entry each in that file: [hooks.state."FILE:event_name:GROUP:PLACE"] with the digest of the
hook's normalised form (event, matcher, command, timeout) as JSON with sorted keys. So it is in 0.166 and in the public
source. A digest of another shape than sha256 is a later version's way, and counts.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from typing import TYPE_CHECKING, Any

from holdfast.capture import home
from holdfast.errors import HoldfastError
from holdfast.hosts import codex, json_hooks, jsonc, registration
from holdfast.hosts.codex import NAME, config_toml, folder
from holdfast.hosts.host import Grammar, Host
from holdfast.hosts.registration import Edit, Seen, Server, read, root
from holdfast.model import word_set
from holdfast.text.transcript import table_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from holdfast.hosts.registration import Found, Known, Registered, Scope

# Codex 0.166.0: `codex exec --help` and its source.
GRAMMAR = Grammar(
    command=word_set("exec e"),
    promptless=word_set("review"),
    sessions={"fork": "", "resume": "--last"},
    takes=word_set(
        "-c --config --enable --disable -m --model --local-provider -p --profile -s --sandbox -a "
        "--ask-for-approval -C --cd --add-dir --thread-source --cyber-access-program --output-schema --color -o "
        "--output-last-message"
    ),
    many=word_set("-i --image"),
    flags=word_set(
        "--strict-config --oss --approve-for-me --full-auto --search --dangerously-bypass-approvals-and-sandbox "
        "--yolo --dangerously-bypass-hook-trust --worktree --skip-git-repo-check --ephemeral --ignore-user-config "
        "--ignore-rules --json --experimental-json --last --all"
    ),
)
HOST = Host(
    name=NAME,
    title="Codex",
    program="codex",
    package="@openai/codex",
    home_variable="CODEX_HOME",
    session_variables=("CODEX_SESSION_ID", "CODEX_THREAD_ID"),
    minimum="0.145.0",  # SessionEnd
    tested="0.166.0",
    grammar=GRAMMAR,
    instructions=("AGENTS.md",),
)
TITLE = HOST.title
# One second unless asked, and never more than three, at an interrupt and at the end.
EVENTS = {**dict.fromkeys(codex.EVENTS, 0), "Interrupt": 3}
EVENTS["SessionEnd"] = EVENTS.pop("SessionEnd") or 3
STATES: tuple[str, ...] = ()
LEAST: tuple[str, ...] = ()
# What it hands to a server beside those that an entry names.
HANDED = ("HOME", "LOGNAME", "PATH", "SHELL", "USER", "LANG", "LC_ALL", "TERM", "TMPDIR", "TZ")
ROOTS = ("/.state/queue", "/.state")  # how our roots end, of whichever vault; the second is an older form
DEFAULT_TIMEOUT, AT_END, LONGEST_AT_END = 600, 1, 3  # seconds
ENDS = ("SessionEnd", "Interrupt")
WITHOUT_MATCHER = ("UserPromptSubmit", "Stop", "Interrupt")

# As Codex writes them, each after a blank line.
ENTRY = re.compile(
    r"(?:\r?\n)?^(?P<header>\[hooks\.state\.[^\r\n]+\])[ \t]*\r?\n"
    r'trusted_hash = "(?P<digest>sha256:[0-9a-f]{64})"[ \t]*(?:\r?\n|\Z)(?!\w)',
    re.MULTILINE,
)
EMPTY = re.compile(r"(?:\r?\n)?^\[hooks\.state\][ \t]*(?:\r?\n|\Z)(?!\w)", re.MULTILINE)


def found(env: Mapping[str, str]) -> Found | None:
    return registration.look(env, HOST.program, HOST.package, folder(env))


def places(env: Mapping[str, str], scope: Scope, cwd: str) -> list[str]:
    """A project's config.toml may not widen the sandbox, so that the writable root is the user's in both scopes."""
    top = folder(env) if scope == "user" else f"{root(cwd)}/.codex"
    return [f"{top}/hooks.json", f"{folder(env)}/config.toml"]


def server_place(env: Mapping[str, str]) -> str:
    return f"{folder(env)}/config.toml"


def carries(path: str, data: bytes) -> bool:
    if json_hooks.OURS.search(data.decode("utf-8", "replace")):
        return True
    try:
        return path.endswith(".toml") and config_toml.is_ours(config_toml.server_in(data, path))
    except HoldfastError:
        return False


def edits(
    env: Mapping[str, str], scope: Scope, cwd: str, _words: str = "", *, permissions: bool = True, server: bool = False
) -> list[Edit]:
    hooks, path = places(env, scope, cwd)

    def with_hooks(text: str) -> str:
        # Codex would run a line of the user's and the same of a project twice.
        is_there = scope == "project" and json_hooks.has_all(f"{folder(env)}/hooks.json", EVENTS)
        return text if is_there else json_hooks.with_hooks(text, EVENTS, registration.registered_line(NAME, env), hooks)

    planned = [json_hooks.edit(hooks, with_hooks)]
    server = server and scope == "user" and not server_notes(env)
    if not permissions and not server:
        return planned
    before = read(path)
    given = _with_root(before, writable(env), path) if permissions else before or b""
    after = config_toml.with_server(given, env, path) if server else given
    return [*planned, Edit(path, before, after if after or before is not None else None)]


def writable(env: Mapping[str, str]) -> str:
    """The queue, and nothing beside it. The rest of .state decides what is loaded, denied and trusted, and a close runs
    what it finds in its journal: an agent that outside text has got hold of must not reach that."""
    return f"{home.state(home.own_vault(env))}/queue"


def _with_root(before: bytes | None, root: str, path: str) -> bytes:
    wider = root.removesuffix("/queue")  # which earlier versions asked for
    given = (
        config_toml.without_root(before, wider, None) if before and wider in config_toml.roots(before, path) else before
    )
    after = config_toml.with_root(given, root, path)
    if after is None:
        what = f"{path} has its writable_roots in a form that cannot be added to; nothing was changed anywhere."
        mend = f'Add "{root}" to [sandbox_workspace_write] writable_roots yourself, or run init with --no-permissions.'
        raise HoldfastError(f"{what} {mend}")
    return after


def without(path: str, data: bytes, before: bytes | None, env: Mapping[str, str]) -> bytes:
    if path.endswith(".toml"):
        data = config_toml.without_server(data, before)
        for root in config_toml.roots(data, path):
            if root.endswith(ROOTS):
                data = config_toml.without_root(data, root, before)
        return forgotten(data, before, env)
    return json_hooks.without(path, data, before)


def registered(env: Mapping[str, str], cwd: str) -> list[Registered]:
    return json_hooks.registered([places(env, "user", cwd)[0], places(env, "project", cwd)[0]])


def allowed(env: Mapping[str, str], cwd: str) -> tuple[str, ...]:  # noqa: ARG001
    path = f"{folder(env)}/config.toml"
    try:
        roots = config_toml.roots(read(path), path)
    except HoldfastError:
        return ()
    return tuple(root for root in roots if root == writable(env))


def notes(env: Mapping[str, str], cwd: str, scope: Scope = "user") -> tuple[str, ...]:
    return json_hooks.loose(list(dict.fromkeys([places(env, "user", cwd)[0], places(env, scope, cwd)[0]])))


def server(env: Mapping[str, str]) -> Server | None:
    path = server_place(env)
    found = config_toml.server_in(read(path), path)
    if found is None:
        return None
    named = found.get("env_vars") if isinstance(found, dict) else None
    handed = (*HANDED, *(str(one) for one in (named if isinstance(named, list) else [])))
    return Server(path, registration.server_words(found), config_toml.is_ours(found), handed)


def server_notes(env: Mapping[str, str]) -> tuple[str, ...]:
    path = server_place(env)
    return registration.server_hindrances(
        path, lambda: config_toml.with_server(read(path), env, path), lambda: server(env)
    )


def left(env: Mapping[str, str], cwd: str) -> tuple[str, ...]:  # noqa: ARG001
    if not registration.is_foreign(lambda: server(env)):
        return ()
    return (registration.server_stays(server_place(env), f"codex mcp remove {registration.SERVER}"),)


def after(env: Mapping[str, str], cwd: str) -> tuple[str, ...]:
    if not untrusted(env, cwd):
        return ()
    return (
        'Codex runs a hook only after you trusted it: start `codex` once, and at "Hooks need review" choose '
        '"Trust all and continue". Until then `codex exec` passes over them in silence.',
    )


def files(env: Mapping[str, str], cwd: str) -> list[str]:
    folders = (folder(env), f"{root(cwd)}/.codex")
    return [f"{one}/{name}" for one in folders for name in ("config.toml", "hooks.json")]


def state_files(env: Mapping[str, str]) -> list[str]:  # noqa: ARG001
    return []


def sessions(env: Mapping[str, str]) -> str:
    return f"{folder(env)}/sessions"


def has_plugin(env: Mapping[str, str], cwd: str) -> bool:  # noqa: ARG001
    return False


def seen(env: Mapping[str, str], cwd: str, known: Mapping[str, Known], states: Sequence[Known]) -> Seen:  # noqa: ARG001
    for path, one in known.items():
        if False in [table_in(one, "features").get(key) for key in ("hooks", "codex_hooks")]:
            return Seen(off=f"{path} switches the hooks feature off")
    return Seen()


def untrusted(env: Mapping[str, str], cwd: str) -> list[str]:
    """The events at which Codex passes our line over."""
    state = _state(f"{folder(env)}/config.toml")
    found = []
    for path in dict.fromkeys([places(env, "user", cwd)[0], places(env, "project", cwd)[0]]):
        for event, place, group, handler in _lines(path):
            keys = (f"{path}:{place}", f"{os.path.realpath(path)}:{place}")  # Codex follows a CODEX_HOME that is a link
            if not any(_is_trusted(state.get(key), digest(event, group, handler)) for key in keys):
                found.append(event)
    return found


def digest(event: str, group: Mapping[str, Any], handler: Mapping[str, Any]) -> str:
    """As Codex computes it for a hook of type command."""
    timeout = handler.get("timeout")
    if event in ENDS:
        timeout = min(max(AT_END if timeout is None else timeout, 1), LONGEST_AT_END)
    normal: dict[str, Any] = {
        "type": "command",
        "command": handler["command"],
        "timeout": max(DEFAULT_TIMEOUT if timeout is None else timeout, 1),
        "async": bool(handler.get("async", False)),
    }
    if handler.get("statusMessage") is not None:
        normal["statusMessage"] = handler["statusMessage"]
    identity: dict[str, Any] = {"event_name": label(event), "hooks": [normal]}
    if group.get("matcher") is not None and event not in WITHOUT_MATCHER:
        identity["matcher"] = group["matcher"]
    data = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(data.encode('utf-8')).hexdigest()}"


def label(event: str) -> str:
    """SessionStart -> session_start."""
    return re.sub(r"(?<!^)([A-Z])", r"_\1", event).lower()


def forgotten(data: bytes, before: bytes | None, env: Mapping[str, str]) -> bytes:
    """A config.toml without the trust in our lines, which are gone with it; what was in `before` stays."""
    line = registration.registered_line(NAME, env)
    ours = {digest(event, {}, json_hooks.group(line, wait)["hooks"][0]) for event, wait in EVENTS.items()}
    text, kept = data.decode("utf-8"), (before or b"").decode("utf-8")

    def unless_ours(entry: re.Match[str]) -> str:
        return "" if entry["digest"] in ours and entry["header"] not in kept else entry[0]

    bare = ENTRY.sub(unless_ours, text)
    if bare != text and "[hooks.state." not in bare and "[hooks.state]" not in kept:
        bare = EMPTY.sub("", bare)
    return bare.encode("utf-8")


def _lines(path: str) -> Iterator[tuple[str, str, Mapping[str, Any], Mapping[str, Any]]]:
    """Event, place as the state names it, group and handler of each line of ours."""
    root = jsonc.parse(json_hooks.text_at(path))
    for event, number, place in json_hooks.handlers(root):
        group = root.value["hooks"][event][number]
        yield event, f"{label(event)}:{number}:{place}", group, group["hooks"][place]


def _is_trusted(entry: object, wanted: str) -> bool:
    if not isinstance(entry, dict) or entry.get("enabled") is False:
        return False
    known = entry.get("trusted_hash")
    is_known_shape = isinstance(known, str) and re.fullmatch(r"sha256:[0-9a-f]{64}", known)
    return known == wanted if is_known_shape else known is not None


def _state(path: str) -> Mapping[str, object]:
    try:
        return table_in(table_in(config_toml.parse(read(path), path), "hooks"), "state")
    except HoldfastError:
        return {}
