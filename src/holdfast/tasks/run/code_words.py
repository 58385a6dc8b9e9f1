"""Where the words of a command are code: remembered text must never stand there.

A task's memory is text that anybody may have had a hand in. As an argument of an agent it is a prompt; within
`sh -c "…"` the same words are commands. So {memory} is refused wherever a shell or an interpreter would read it as
code, through every program that starts another one (env, sudo, timeout, xargs, docker, find): a shell is looked for at
every place of the command, not only at its beginning. Where it cannot be told it is refused too, because there is a way
that always works: the environment (tasks/run/running), which no shell reads as code within double quotes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.errors import UsageError
from holdfast.tasks.run.options import HOSTS

if TYPE_CHECKING:
    from collections.abc import Sequence

PLACEHOLDER = "{memory}"
VARIABLE, FILE_VARIABLE = "HOLDFAST_TASK_MEMORY", "HOLDFAST_TASK_MEMORY_FILE"


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


SHELLS = _names(
    "sh bash dash zsh ksh mksh pdksh lksh rksh oksh ash fish tcsh csh yash posh rbash osh ysh rc es elvish xonsh nu"
)
INTERPRETERS = _names(
    "python pythonw pypy ipython perl raku ruby irb jruby node nodejs deno bun php lua luajit tclsh wish julia elixir "
    "iex erl escript groovy scala kotlin jshell guile racket clojure clj bb osascript ghc ghci runghc ts-node tsx "
    "swift r rscript janet fennel sbcl octave matlab gjs qjs dart crystal nim"
)
# Whatever stands behind one of these is read by a shell, or as a script of its own kind.
ALL_CODE = _names(
    "ssh rsh mosh watch tmux screen parallel eval at batch entr hyperfine make gmake just ninja awk gawk mawk nawk sed "
    "gsed ed ex vi vim nvim emacs m4 gdb lldb sqlite3 psql mysql mariadb cmd pwsh powershell su runuser script expect "
    "crontab trap source . wsl fzf dc bc gnuplot jq yq envsubst"
)
CODE_OPTIONS = _names(
    "-c -e -E -r -ex -lc -ic -ec -xc -S --eval --exec --execute --expression --command --run --shell --print "
    "--init-command --split-string --rcfile --init-file -Command -EncodedCommand -enc /c /k /C /K"
)
TAKING_SHELLS = {"sudo": _names("-s -i --shell --login"), "doas": _names("-s")}
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
    """What would take a word for code; "" where nothing does."""
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
