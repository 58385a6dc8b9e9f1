"""The command line of `task run`: where its prompt is, so that the task's memory can go before it, and what is code.

Promise: the value of an option is never taken for the prompt. An option that is not known and is followed by a word
could mean either, so nothing is guessed: the caller is asked to write {memory} where it belongs. The same for every
program that is not a host known here. A host's own options are in its folder (hosts/); here are those of agents that
have none yet.

A task's memory is text that anybody may have had a hand in, and within `sh -c "…"` the same words are commands. So
{memory} is refused wherever a shell or an interpreter would read it as code, through every program that starts another
one (env, sudo, timeout, xargs, docker, find): a shell is looked for at every place of the command. Where it cannot be
told it is refused too, because the environment (tasks/runs) always works: no shell reads that as code within double
quotes.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from holdfast.errors import UsageError
from holdfast.hosts.host import Grammar, every
from holdfast.model import value
from holdfast.model import word_set as names

if TYPE_CHECKING:
    from collections.abc import Sequence

_YARGS = names(
    "-m --model -o --output-format --approval-mode --sandbox-image --proxy --session-id --telemetry-target "
    "--telemetry-otlp-endpoint --telemetry-otlp-protocol --telemetry-outfile --admin-policy --policy"
)
_YARGS_FLAGS = names(
    "-d --debug -s --sandbox -y --yolo --screen-reader --telemetry --telemetry-log-prompts --skip-trust "
    "--raw-output --accept-raw-output-risk --checkpointing --all-files -a --show-memory-usage"
)
_YARGS_PROMPTS = names("-p --prompt -i --prompt-interactive")
# Gemini CLI: its source and its reference of flags.
GEMINI = Grammar(
    prompts=_YARGS_PROMPTS,
    takes=_YARGS | {"-e", "--extensions"},
    many=names("--allowed-mcp-server-names --allowed-tools --include-directories"),
    maybe=names("-r --resume -w --worktree"),
    flags=_YARGS_FLAGS,
    is_wordy=True,
)
# Qwen Code: its source.
QWEN = Grammar(
    prompts=_YARGS_PROMPTS,
    takes=_YARGS
    | names(
        "--system-prompt --append-system-prompt --channel --mcp-config --openai-logging-dir --openai-api-key "
        "--openai-base-url --input-format --json-fd --json-file --json-schema --input-file --max-session-turns "
        "--max-wall-time --max-tool-calls --max-subagent-depth --auth-type"
    ),
    many=names(
        "--allowed-mcp-server-names --allowed-tools -e --extensions --include-directories --add-dir "
        "--fallback-model --core-tools --exclude-tools --disabled-slash-commands"
    ),
    maybe=names("-r --resume --worktree"),
    flags=_YARGS_FLAGS
    | names(
        "--bare --safe-mode --insecure --chat-recording --experimental-lsp --openai-logging "
        "--include-partial-messages -c --continue --fork-session"
    ),
    is_wordy=True,
)
# OpenCode: the source of its `run`.
OPENCODE = Grammar(
    command=names("run"),
    takes=names(
        "--command -s --session -m --model --agent --format --title --attach -p --password -u --username --dir "
        "--port --variant --log-level"
    ),
    many=names("-f --file"),
    flags=names(
        "-c --continue --fork --share --thinking --auto --yolo --dangerously-skip-permissions --print-logs -i "
        "--interactive"
    ),
    is_wordy=True,
)
# Copilot CLI: its command reference.
COPILOT = Grammar(
    prompts=names("-p --prompt -i --interactive"),
    takes=names(
        "--add-dir --agent --additional-mcp-config --config-dir --disable-mcp-server --effort --reasoning-effort "
        "--log-dir --log-level --max-autopilot-continues --mode --model --output-format --session-id --stream "
        "--plugin-dir"
    ),
    many=names("--allow-tool --allow-url --available-tools --deny-tool --deny-url --excluded-tools --secret-env-vars"),
    maybe=names("--connect --resume --share"),
    flags=names(
        "--allow-all --allow-all-paths --allow-all-tools --allow-all-urls --autopilot --banner --no-banner "
        "--bash-env --continue --no-ask-user --no-auto-update --no-color --no-custom-instructions --plain-diff "
        "--plan -s --silent --share-gist --yolo --experimental"
    ),
)
OTHERS = {"gemini": GEMINI, "qwen": QWEN, "opencode": OPENCODE, "copilot": COPILOT}
HOSTS = {host.program: host.grammar for host in every()} | OTHERS
PLACEHOLDER = "{memory}"
VARIABLE, FILE_VARIABLE = "HOLDFAST_TASK_MEMORY", "HOLDFAST_TASK_MEMORY_FILE"

SHELLS = names(
    "sh bash dash zsh ksh mksh pdksh lksh rksh oksh ash fish tcsh csh yash posh rbash osh ysh rc es elvish xonsh nu"
)
INTERPRETERS = names(
    "python pythonw pypy ipython perl raku ruby irb jruby node nodejs deno bun php lua luajit tclsh wish julia elixir "
    "iex erl escript groovy scala kotlin jshell guile racket clojure clj bb osascript ghc ghci runghc ts-node tsx "
    "swift r rscript janet fennel sbcl octave matlab gjs qjs dart crystal nim"
)
# Whatever stands behind one of these is read by a shell, or as a script of its own kind.
ALL_CODE = names(
    "ssh rsh mosh watch tmux screen parallel eval at batch entr hyperfine make gmake just ninja awk gawk mawk nawk sed "
    "gsed ed ex vi vim nvim emacs m4 gdb lldb sqlite3 psql mysql mariadb cmd pwsh powershell su runuser script expect "
    "crontab trap source . wsl fzf dc bc gnuplot jq yq envsubst"
)
CODE_OPTIONS = names(
    "-c -e -E -r -ex -lc -ic -ec -xc -S --eval --exec --execute --expression --command --run --shell --print "
    "--init-command --split-string --rcfile --init-file -Command -EncodedCommand -enc /c /k /C /K"
)
TAKING_SHELLS = {"sudo": names("-s -i --shell --login"), "doas": names("-s")}
VERSION = re.compile(r"[-.]?\d[\d.]*$")
ATTACHED = re.compile(r"-[A-Za-z]*[ceES](?=.*\{memory\})", re.DOTALL)  # -c"code", of an option that takes it
CLUSTER = re.compile(r"-[A-Za-z0-9]*[ceEr]")  # letters together, the last of which takes code


def refuse(command: Sequence[str]) -> None:
    """Raise UsageError where {memory} stands in words that are code."""
    for at, word in enumerate(command):
        taker = _taker(command, at) if at and PLACEHOLDER in word else ""
        if taker:
            raise UsageError(
                f"{PLACEHOLDER} stands where {taker} takes code, so what is remembered would be run as commands; "
                f'nothing was started. Write "${VARIABLE}" in its place, in double quotes, the whole in single quotes: '
                f"the memory comes by the environment, and as a file by ${FILE_VARIABLE}."
            )


def _taker(command: Sequence[str], at: int) -> str:
    """The program or option that would take a word for code; "" where none does."""
    is_host = False
    for nth in range(at):
        name = _name(command[nth])
        is_host = is_host or name in HOSTS
        if name in ALL_CODE or TAKING_SHELLS.get(name, frozenset()) & set(command[nth + 1 : at]):
            return name
        if (name in SHELLS and at <= _script_at(command, nth)) or (name in INTERPRETERS and _is_code(command, nth, at)):
            return name
    option = _code_option(command, at)
    return f"{option} of {_name(command[0])}" if option and not is_host else ""


def _code_option(command: Sequence[str], at: int) -> str:
    """An option, before a word or at its beginning, whose value many programs run."""
    word, before = command[at], command[at - 1]
    if at > 1 and before in CODE_OPTIONS:
        return before
    if word.startswith("--"):
        name, has_value, _ = word.partition("=")
        return name if has_value and name in CODE_OPTIONS else ""
    attached = ATTACHED.match(word)
    return attached[0] if attached else ""


def _name(word: str) -> str:
    """A program by its name alone, without folder, ending and version."""
    name = word.rpartition("/")[2].lower().removesuffix(".exe")
    bare = VERSION.sub("", name)
    return name if name in ALL_CODE else bare


def _script_at(command: Sequence[str], nth: int) -> int:
    """Where a shell's code stands, or its script: what comes behind that are arguments."""
    at = nth + 1
    while at < len(command):
        word = command[at]
        if word in ("-", "--"):
            return at + 1
        if word[:1] not in ("-", "+"):
            return at
        if word.startswith("--"):
            at += 1 + (word in ("--rcfile", "--init-file", "--command", "--init-command"))
            if word in ("--command", "--init-command"):
                return at - 1
        else:
            at += 1 + word.count("o") + word.count("O")
    return at


def _is_code(command: Sequence[str], nth: int, at: int) -> bool:
    """Whether a word behind an interpreter may be code: no script stands before it, or an option that takes code."""
    before = command[nth + 1 : at]
    if not any(word[:1] != "-" and word != "eval" for word in before):
        return True
    last = before[-1]
    return last in CODE_OPTIONS or last == "eval" or bool(CLUSTER.fullmatch(last))


STDIN = "-"  # as a prompt: it comes from there


@value
class Insertion:
    """Where the memory goes: a word of the command and the letter in it, or, with word 0, before what stdin says."""

    word: int = 0
    at: int = 0


def program(command: Sequence[str]) -> str:
    """The program that is started, by its name alone."""
    return os.path.basename(command[0])


def place(command: Sequence[str]) -> Insertion | None:
    """Where the memory goes; None where the caller has said so, with {memory} or by the name of the variable that has
    it. Raises UsageError."""
    if not command or not command[0].strip():
        raise UsageError(
            'There is no command; nothing was started. Try: holdfast task run ID -- claude -p "go on with the task".'
        )
    if any(PLACEHOLDER in word for word in command[1:]):
        refuse(command)
        return None
    if any(VARIABLE in word for word in command[1:]):
        return None  # it takes the memory from its environment
    known = HOSTS.get(program(command))
    if known is None:
        raise _asked(f"Where {program(command)} takes its prompt is not known")
    options, words = _scan(command, known)
    if options:
        return options[0]
    words = _behind_commands(command, known, words)
    if not words or command[words[0]] == STDIN:
        return _from_stdin(command)
    if len(words) > 1 and not known.is_wordy:
        raise _asked(f"Which of {len(words)} words is the prompt of {program(command)} cannot be told")
    return Insertion(words[0])


def put(command: Sequence[str], where: Insertion | None, memory: str) -> list[str]:
    """The command with the memory in it; as it is where the memory goes to stdin."""
    if where is None:
        return [command[0], *(word.replace(PLACEHOLDER, memory) for word in command[1:])]
    found = list(command)
    if where.word:
        word = found[where.word]
        found[where.word] = f"{word[: where.at]}{memory}\n{word[where.at :]}"
    return found


def _asked(what: str) -> UsageError:
    return UsageError(
        f"{what}; nothing was started. Write {PLACEHOLDER} where the task's memory belongs, "
        f'as in: holdfast task run ID -- PROGRAM "{PLACEHOLDER} Go on with the task.", or take it from '
        f"${VARIABLE}."
    )


def _scan(command: Sequence[str], known: Grammar) -> tuple[list[Insertion], list[int]]:
    """The prompts that options have, and the words that belong to no option."""
    options: list[Insertion] = []
    words: list[int] = []
    nth = 1
    while nth < len(command):
        word = command[nth]
        if word == "--":
            words += range(nth + 1, len(command))
            break
        if not word.startswith("-") or word == STDIN:
            words.append(nth)
            nth += 1
            continue
        name, has_value, _ = word.partition("=")
        if name in known.prompts and (has_value or nth + 1 < len(command)):
            options.append(Insertion(nth, len(name) + 1) if has_value else Insertion(nth + 1))
        nth += 1 if has_value else 1 + _values(command, nth, known)
    return options, words


def _values(command: Sequence[str], nth: int, known: Grammar) -> int:
    """How many of the words behind an option are its own."""
    name, rest = command[nth], command[nth + 1 :]
    while not name.startswith("--") and len(name) > 2:  # letters together, or a letter and its value
        head, name = name[:2], f"-{name[2:]}"
        if head not in known.flags:
            return 0
    follow = next((at for at, word in enumerate(rest) if word.startswith("-")), len(rest))
    if name in known.takes | known.prompts:
        return min(1, len(rest))
    if name in known.many:
        return follow
    if name in known.maybe:
        return min(1, follow)
    if name not in known.flags and not name.startswith("--no-") and follow:
        raise _asked(
            f'Whether "{rest[0][:60]}" belongs to {name} of {program(command)} or is the prompt cannot be told'
        )
    return 0


def _behind_commands(command: Sequence[str], known: Grammar, words: list[int]) -> list[int]:
    """The words behind those that say what the host shall do."""
    if not known.command:
        return words
    if not words or command[words[0]] not in known.command:
        raise _asked(f"{program(command)} takes a prompt with `{sorted(known.command)[-1]}` alone")
    words = words[1:]
    begin = command[words[0]] if words else ""
    if begin in known.promptless:
        raise _asked(f"A {begin} has no prompt that a task's memory could go before")
    if begin not in known.sessions:
        return words
    unless = known.sessions[begin]
    return words[1:] if unless and unless in command else words[2:]  # the first of them says which session


def _from_stdin(command: Sequence[str]) -> Insertion:
    """Raises UsageError where what stdin has is no text for people."""
    joined = " ".join(command)
    if "--input-format=stream-json" in joined or "--input-format stream-json" in joined:
        raise _asked(f"What {program(command)} reads from stdin is no plain prompt")
    return Insertion()
