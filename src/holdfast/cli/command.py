"""One command's words, read by its signature: options and arguments in, keyword arguments or one sentence out.

    def notes(
        words: Annotated[list[str] | None, Argument(help="Only those with all of these words.")] = None,
        everything: Annotated[bool, Option("--all", help="Of all projects.")] = False,
    ) -> None: ...

    read("notes", notes, ["orders", "--all"])    ->    {"words": ["orders"], "everything": True}

The standard library only, because a person waits for each command: the framework that did this before took twenty
times as long to import as Python takes to start (docs/adr/0036). Options may stand anywhere before `--`, and an
option takes the next word as its value, whatever that is.

The help of a command, written from its signature and docstring; and the list of commands of a group.
"""

from __future__ import annotations

import inspect
import shutil
import textwrap
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin

from holdfast.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


HELP = ("-h", "--help")


@dataclass(frozen=True)
class Argument:
    """A word without a name, or all that are left where the type is a list."""

    help: str = ""
    metavar: str = ""


@dataclass(frozen=True)
class Option:
    """`--name`, a short form beside it as in "--yes -y"; "--project/--global" is a switch with a name for each side."""

    names: str
    help: str = ""
    metavar: str = ""
    least: float | None = None
    most: float | None = None


@dataclass(frozen=True)
class Parameter:
    """One parameter of a command's function."""

    name: str
    kind: type
    is_list: bool
    default: Any
    about: Option | Argument

    @property
    def is_required(self) -> bool:
        return self.default is inspect.Parameter.empty

    @property
    def is_switch(self) -> bool:
        return self.kind is bool

    @property
    def title(self) -> str:
        """Its name in usage and messages, such as WORDS or --kind."""
        if isinstance(self.about, Option):
            return max(self.about.names.split(), key=len).partition("/")[0]
        return self.about.metavar.strip("[].") or self.name.upper()

    def forms(self) -> Iterator[tuple[str, bool]]:
        """Each spelling of an option, and whether it switches on."""
        for name in self.about.names.split() if isinstance(self.about, Option) else ():
            on, _, off = name.partition("/")
            yield on, True
            if off:
                yield off, False


def parameters(function: Callable[..., None]) -> list[Parameter]:
    """The parameters of a command, in order."""
    return [
        _parameter(one)
        for one in inspect.signature(function, eval_str=True).parameters.values()
        if get_origin(one.annotation) is Annotated
    ]


def _parameter(one: inspect.Parameter) -> Parameter:
    hint, about = get_args(one.annotation)
    parts = get_args(hint) if get_origin(hint) is UnionType else (hint,)
    (kind,) = (part for part in parts if part is not NoneType)
    is_list = get_origin(kind) is list
    return Parameter(one.name, get_args(kind)[0] if is_list else kind, is_list, one.default, about)


def read(name: str, function: Callable[..., None], words: Sequence[str]) -> dict[str, Any]:
    """The arguments that these words give a command. Raises UsageError."""
    known = parameters(function)
    options = {form: (one, is_on) for one in known for form, is_on in one.forms()}
    given: dict[str, Any] = {}
    plain: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            plain += rest
            break
        if not word.startswith("-") or word == "-":
            plain.append(word)
            continue
        form, value = _split(word, options)
        if form not in options:
            raise _unknown(name, form, options)
        one, is_on = options[form]
        if one.is_switch:
            if value is not None and form.startswith("--"):
                raise _wrong(name, f"{form} takes no value")
            if value is not None:
                rest.insert(0, f"-{value}")  # -yf is -y -f
            given[one.name] = is_on
            continue
        if value is None:
            if not rest:
                raise _wrong(name, f"{form} needs a value")
            value = rest.pop(0)
        _put(given, one, _converted(name, one, value))
    _place(name, given, [one for one in known if isinstance(one.about, Argument)], plain)
    missing = [one for one in known if one.is_required and one.name not in given]
    if missing:
        raise _wrong(name, f"{missing[0].title} is missing")
    return {one.name: given.get(one.name, one.default) for one in known}


def _split(word: str, options: Mapping[str, object]) -> tuple[str, str | None]:
    """The option of a word, and the value that is written in it: --count=3, -n3."""
    if word.startswith("--"):
        form, has_value, value = word.partition("=")
        return form, value if has_value else None
    return (word[:2], word[2:] or None) if word[:2] in options else (word, None)


def _place(name: str, given: dict[str, Any], arguments: list[Parameter], plain: list[str]) -> None:
    """Words without a name go to the arguments in order; the one that is a list takes all that are left."""
    for one in arguments:
        some, plain = (plain, []) if one.is_list else (plain[:1], plain[1:])
        for word in some:
            _put(given, one, _converted(name, one, word))
    if plain:
        raise _wrong(name, f'"{plain[0]}" is one word too many')


def _put(given: dict[str, Any], one: Parameter, value: Any) -> None:
    if one.is_list:
        given.setdefault(one.name, []).append(value)
    else:
        given[one.name] = value


def _converted(name: str, one: Parameter, word: str) -> Any:
    if one.kind is str:
        return word
    try:
        value = one.kind(word)
    except ValueError:
        raise _wrong(name, f'{one.title} takes a number, not "{word}"') from None
    about = one.about
    if isinstance(about, Option):
        if about.least is not None and value < about.least:
            raise _wrong(name, f"{one.title} takes {about.least} or more, not {word}")
        if about.most is not None and value > about.most:
            raise _wrong(name, f"{one.title} takes {about.most} or less, not {word}")
    return value


def _wrong(name: str, what: str) -> UsageError:
    return UsageError(f"{what}; nothing was done. `holdfast {name} --help` shows how it is used.")


def _unknown(name: str, form: str, options: Mapping[str, object]) -> UsageError:
    from difflib import get_close_matches

    near = get_close_matches(form, options, 1)
    meant = f" Did you mean {near[0]}?" if near else ""
    return UsageError(f"`holdfast {name}` has no option {form}; nothing was done.{meant} --help lists them.")


WIDEST = 100
NAMES = {int: "N", float: "N"}


def text(name: str, function: Callable[..., None]) -> str:
    """Usage, purpose, arguments and options of one command."""
    known = parameters(function)
    arguments = [one for one in known if isinstance(one.about, Argument)]
    options = [one for one in known if isinstance(one.about, Option)]
    usage = " ".join([f"Usage: holdfast {name} [OPTIONS]", *(_usage(one) for one in arguments)])
    lines = [usage, "", *_wrapped(inspect.getdoc(function) or "", 2)]
    if arguments:
        lines += ["", "Arguments:", *_table((_usage(one), one.about.help) for one in arguments)]
    listed = [*((_spelled(one), _about(one)) for one in options), (", ".join(HELP), "Show this.")]
    return "\n".join([*lines, "", "Options:", *_table(listed)]) + "\n"


def listing(name: str, purpose: str, commands: Iterable[tuple[str, str]], options: Iterable[tuple[str, str]]) -> str:
    """The commands of the program, or of a group of them, each with its purpose in a line."""
    begin = " ".join(["Usage: holdfast", *([name] if name else []), "[OPTIONS] COMMAND [ARGS]..."])
    told = [*options, (", ".join(HELP), "Show this.")]
    lines = [begin, "", *_wrapped(purpose, 2), "", "Options:", *_table(told), "", "Commands:", *_table(commands)]
    return "\n".join(lines) + "\n"


def purpose(function: Callable[..., None]) -> str:
    """What a command does, in a line."""
    return " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split())


def _usage(one: Parameter) -> str:
    if one.about.metavar.startswith("["):
        return one.about.metavar
    bare = f"{one.title}..." if one.is_list else one.title
    return bare if one.is_required else f"[{bare}]"


def _spelled(one: Parameter) -> str:
    forms = ", ".join(sorted((form for form, _ in one.forms()), key=len))
    return forms if one.is_switch else f"{forms} {one.about.metavar or NAMES.get(one.kind, 'TEXT')}"


def _about(one: Parameter) -> str:
    has_default = not one.is_switch and one.default not in ("", None, inspect.Parameter.empty)
    return f"{one.about.help} (default: {one.default})" if has_default else one.about.help


def _table(rows: Iterable[tuple[str, str]]) -> list[str]:
    listed = list(rows)
    column = min(30, max((len(left) for left, _ in listed), default=0)) + 4
    lines: list[str] = []
    for left, right in listed:
        first, *more = _wrapped(right, column) or [""]
        head = f"  {left}"
        if len(head) + 2 > column:
            lines.append(head)
            lines.append(first)
        else:
            lines.append(head.ljust(column) + first.lstrip())
        lines += more
    return [line.rstrip() for line in lines]


def _wrapped(told: str, indent: int) -> list[str]:
    width = min(WIDEST, shutil.get_terminal_size().columns)
    margin = " " * indent
    parts = [" ".join(part.split()) for part in told.split("\n\n")]
    filled = [
        textwrap.wrap(part, max(width, indent + 30), initial_indent=margin, subsequent_indent=margin) for part in parts
    ]
    return [line for nth, lines in enumerate(filled) for line in ([""] if nth else []) + lines]
