"""One command's words, read by its signature: options and arguments in, keyword arguments or one sentence out.

    def notes(
        words: Annotated[list[str] | None, Argument(help="Only those with all of these words.")] = None,
        everything: Annotated[bool, Option("--all", help="Of all projects.")] = False,
    ) -> None: ...

    read("notes", notes, ["orders", "--all"])    ->    {"words": ["orders"], "everything": True}

The standard library only, and little of it, because a person waits for each command (docs/adr/0036). Options may stand
anywhere before `--`, and an option takes the next word as its value, whatever that is. The help of a command is written
from its signature and docstring too.
"""

from __future__ import annotations

from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

from holdfast.errors import UsageError
from holdfast.model import value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

HELP = ("-h", "--help")
SHOW_HELP = (", ".join(HELP), "Show this.")
REQUIRED = object()  # in place of a default
WIDEST = 100


@value
class Argument:
    """A word without a name, or all that are left where the type is a list."""

    help: str = ""
    metavar: str = ""


@value
class Option:
    """`--name`, a short form beside it as in "--yes -y"; "--project/--global" is a switch with a name for each side."""

    names: str
    help: str = ""
    metavar: str = ""
    least: float | None = None
    most: float | None = None


Json = Annotated[bool, Option("--json", help="As JSON.")]
AllProjects = Annotated[bool, Option("--all", help="Of all projects, not only this one.")]
Yes = Annotated[bool, Option("--yes", help="Do not ask.")]


@value
class Parameter:
    """One parameter of a command's function."""

    name: str
    kind: type
    is_list: bool
    default: Any
    about: Option | Argument

    @property
    def is_switch(self) -> bool:
        return self.kind is bool

    @property
    def title(self) -> str:
        """Its name in usage and messages, such as WORDS or --kind."""
        if isinstance(self.about, Option):
            return max(self.about.names.split(), key=len).partition("/")[0]
        return self.about.metavar.strip("[].") or self.name.upper()

    @property
    def usage(self) -> str:
        if self.about.metavar.startswith("["):
            return self.about.metavar
        bare = f"{self.title}..." if self.is_list else self.title
        return bare if self.default is REQUIRED else f"[{bare}]"

    def forms(self) -> Iterator[tuple[str, bool]]:
        """Each spelling of an option, and whether it switches on."""
        for name in self.about.names.split() if isinstance(self.about, Option) else ():
            on, _, off = name.partition("/")
            yield on, True
            if off:
                yield off, False

    def option_row(self) -> tuple[str, str]:
        """The spellings of an option, and its help with the default."""
        forms = ", ".join(sorted((form for form, _ in self.forms()), key=len))
        if self.is_switch:
            return forms, self.about.help
        metavar = self.about.metavar or ("TEXT" if self.kind is str else "N")
        told = "" if self.default in ("", None, REQUIRED) else f" (default: {self.default})"
        return f"{forms} {metavar}", f"{self.about.help}{told}"


def parameters(function: Callable[..., None]) -> list[Parameter]:
    """The parameters of a command, in order."""
    code, defaults = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    given = (*(REQUIRED for _ in names[len(defaults) :]), *defaults)
    hints = get_type_hints(function, include_extras=True)
    known = [_parameter(name, hints[name], default) for name, default in zip(names, given, strict=True)]
    return [one for one in known if one]


def _parameter(name: str, hint: Any, default: Any) -> Parameter | None:
    if get_origin(hint) is not Annotated:
        return None
    hint, about = get_args(hint)
    parts = get_args(hint) if get_origin(hint) is UnionType else (hint,)
    (kind,) = (part for part in parts if part is not NoneType)
    is_list = get_origin(kind) is list
    return Parameter(name, get_args(kind)[0] if is_list else kind, is_list, default, about)


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
            near = _near(form, options)
            meant = f" Did you mean {near}?" if near else ""
            raise UsageError(f"`holdfast {name}` has no option {form}; nothing was done.{meant} --help lists them.")
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
    for one in known:
        if one.default is REQUIRED and one.name not in given:
            raise _wrong(name, f"{one.title} is missing")
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


def _near(word: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, list(known), 1)), "")


def text(name: str, function: Callable[..., None]) -> str:
    """Usage, purpose, arguments and options of one command."""
    known = parameters(function)
    arguments = [one for one in known if isinstance(one.about, Argument)]
    usage = " ".join([f"Usage: holdfast {name} [OPTIONS]", *(one.usage for one in arguments)])
    lines = [usage, "", *_wrapped(function.__doc__ or "", 2)]
    if arguments:
        lines += ["", "Arguments:", *_table((one.usage, one.about.help) for one in arguments)]
    options = (one.option_row() for one in known if isinstance(one.about, Option))
    return "\n".join([*lines, "", "Options:", *_table([*options, SHOW_HELP])]) + "\n"


def listing(name: str, purpose: str, commands: Iterable[tuple[str, str]], options: Iterable[tuple[str, str]]) -> str:
    """The commands of the program, or of a group of them, each with its purpose in a line."""
    begin = " ".join(["Usage: holdfast", *([name] if name else []), "[OPTIONS] COMMAND [ARGS]..."])
    told = ["Options:", *_table([*options, SHOW_HELP]), "", "Commands:", *_table(commands)]
    return "\n".join([begin, "", *_wrapped(purpose, 2), "", *told]) + "\n"


def unknown(word: str, group: str, names: Iterable[str]) -> UsageError:
    """The refusal of a command or option that the program, or a group of commands, does not have."""
    near = _near(word, (name.rpartition(" ")[2] for name in names))
    meant = f' Did you mean "{near}"?' if near else ""
    place = f"holdfast {group}".strip()
    what = "option" if word.startswith("-") else "command"
    return UsageError(f'`{place}` has no {what} "{word}"; nothing was done.{meant} `{place} --help` lists them.')


def purpose(function: Callable[..., None]) -> str:
    """The first paragraph of a command's docstring, in a line."""
    return " ".join((function.__doc__ or "").partition("\n\n")[0].split())


def _table(rows: Iterable[tuple[str, str]]) -> list[str]:
    listed = list(rows)
    column = min(30, max((len(left) for left, _ in listed), default=0)) + 4
    lines: list[str] = []
    for left, right in listed:
        first, *more = _wrapped(right, column) or [""]
        head = f"  {left}"
        lines += [head, first] if len(head) + 2 > column else [head.ljust(column) + first.lstrip()]
        lines += more
    return [line.rstrip() for line in lines]


def _wrapped(told: str, indent: int) -> list[str]:
    import shutil
    import textwrap

    width = max(min(WIDEST, shutil.get_terminal_size().columns), indent + 30)
    margin = " " * indent
    parts = [" ".join(part.split()) for part in told.split("\n\n")]
    filled = [textwrap.wrap(part, width, initial_indent=margin, subsequent_indent=margin) for part in parts]
    return [line for nth, lines in enumerate(filled) for line in ([""] if nth else []) + lines]
