"""The options of the hosts' command lines, as far as it takes to tell a prompt from the value of an option.

They were read from each host's own help, source or reference. What a newer version adds and is missing here costs a
question, not a wrong guess (tasks/run/words).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Grammar:
    """The options of one host: with one value, with many, with one that may be missing, with none. `prompts` are those
    whose value is the prompt, `command` the words that must come first; `is_wordy`: a prompt may have several words."""

    takes: frozenset[str]
    flags: frozenset[str]
    many: frozenset[str] = frozenset()
    maybe: frozenset[str] = frozenset()
    prompts: frozenset[str] = frozenset()
    command: frozenset[str] = frozenset()
    is_wordy: bool = False


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Claude Code 2.1.325: --help, and what its package has besides.
CLAUDE = Grammar(
    takes=_names(
        "--agent --agents --append-system-prompt --append-system-prompt-file --autocompact --debug-file --effort "
        "--environment --fallback-model --input-format --json-schema --max-budget-usd --max-thinking-tokens "
        "--max-turns --model -n --name --output-format --permission-mode --permission-prompt-tool "
        "--permission-prompts --plugin-dir --plugin-url --remote-control-session-name-prefix --session-id "
        "--setting-sources --settings --system-prompt --system-prompt-file --system-prompt-snapshot --thinking"
    ),
    many=_names(
        "--add-dir --allowedTools --allowed-tools --betas --disallowedTools --disallowed-tools --file "
        "--mcp-config --tools"
    ),
    maybe=_names("-d --debug --from-pr --prompt-suggestions --remote-control -r --resume --teleport -w --worktree"),
    flags=_names(
        "--allow-dangerously-skip-permissions --ax-screen-reader --bare --brief --chrome -c --continue "
        "--dangerously-skip-permissions --disable-slash-commands --exclude-dynamic-system-prompt-sections "
        "--fork-session --forward-subagent-text --ide --include-hook-events --include-partial-messages "
        "--no-chrome --no-session-persistence -p --print --replay-user-messages --restricted --safe-mode "
        "--strict-mcp-config --tmux --verbose"
    ),
)
# Codex 0.166.0: `codex exec --help` and its source.
CODEX = Grammar(
    command=_names("exec e"),
    takes=_names(
        "-c --config --enable --disable -m --model --local-provider -p --profile -s --sandbox -a "
        "--ask-for-approval -C --cd --add-dir --thread-source --cyber-access-program --output-schema --color -o "
        "--output-last-message"
    ),
    many=_names("-i --image"),
    flags=_names(
        "--strict-config --oss --approve-for-me --full-auto --search --dangerously-bypass-approvals-and-sandbox "
        "--yolo --dangerously-bypass-hook-trust --worktree --skip-git-repo-check --ephemeral --ignore-user-config "
        "--ignore-rules --json --experimental-json --last --all"
    ),
)
_YARGS = _names(
    "-m --model -o --output-format --approval-mode --sandbox-image --proxy --session-id --telemetry-target "
    "--telemetry-otlp-endpoint --telemetry-otlp-protocol --telemetry-outfile --admin-policy --policy"
)
_YARGS_FLAGS = _names(
    "-d --debug -s --sandbox -y --yolo --screen-reader --telemetry --telemetry-log-prompts --skip-trust "
    "--raw-output --accept-raw-output-risk --checkpointing --all-files -a --show-memory-usage"
)
_YARGS_PROMPTS = _names("-p --prompt -i --prompt-interactive")
# Gemini CLI: its source and its reference of flags.
GEMINI = Grammar(
    prompts=_YARGS_PROMPTS,
    takes=_YARGS | {"-e", "--extensions"},
    many=_names("--allowed-mcp-server-names --allowed-tools --include-directories"),
    maybe=_names("-r --resume -w --worktree"),
    flags=_YARGS_FLAGS,
    is_wordy=True,
)
# Qwen Code: its source.
QWEN = Grammar(
    prompts=_YARGS_PROMPTS,
    takes=_YARGS
    | _names(
        "--system-prompt --append-system-prompt --channel --mcp-config --openai-logging-dir --openai-api-key "
        "--openai-base-url --input-format --json-fd --json-file --json-schema --input-file --max-session-turns "
        "--max-wall-time --max-tool-calls --max-subagent-depth --auth-type"
    ),
    many=_names(
        "--allowed-mcp-server-names --allowed-tools -e --extensions --include-directories --add-dir "
        "--fallback-model --core-tools --exclude-tools --disabled-slash-commands"
    ),
    maybe=_names("-r --resume --worktree"),
    flags=_YARGS_FLAGS
    | _names(
        "--bare --safe-mode --insecure --chat-recording --experimental-lsp --openai-logging "
        "--include-partial-messages -c --continue --fork-session"
    ),
    is_wordy=True,
)
# OpenCode: the source of its `run`.
OPENCODE = Grammar(
    command=_names("run"),
    takes=_names(
        "--command -s --session -m --model --agent --format --title --attach -p --password -u --username --dir "
        "--port --variant --log-level"
    ),
    many=_names("-f --file"),
    flags=_names(
        "-c --continue --fork --share --thinking --auto --yolo --dangerously-skip-permissions --print-logs -i "
        "--interactive"
    ),
    is_wordy=True,
)
# Copilot CLI: its command reference.
COPILOT = Grammar(
    prompts=_names("-p --prompt -i --interactive"),
    takes=_names(
        "--add-dir --agent --additional-mcp-config --config-dir --disable-mcp-server --effort --reasoning-effort "
        "--log-dir --log-level --max-autopilot-continues --mode --model --output-format --session-id --stream "
        "--plugin-dir"
    ),
    many=_names("--allow-tool --allow-url --available-tools --deny-tool --deny-url --excluded-tools --secret-env-vars"),
    maybe=_names("--connect --resume --share"),
    flags=_names(
        "--allow-all --allow-all-paths --allow-all-tools --allow-all-urls --autopilot --banner --no-banner "
        "--bash-env --continue --no-ask-user --no-auto-update --no-color --no-custom-instructions --plain-diff "
        "--plan -s --silent --share-gist --yolo --experimental"
    ),
)
HOSTS = {
    "claude": CLAUDE,
    "codex": CODEX,
    "gemini": GEMINI,
    "qwen": QWEN,
    "opencode": OPENCODE,
    "copilot": COPILOT,
}
