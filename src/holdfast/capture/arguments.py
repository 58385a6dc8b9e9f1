"""A command line's words told apart by hand: argparse alone would cost a fast command more than everything it does."""

from __future__ import annotations

from holdfast.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def split(
    argv: list[str],
    options: tuple[str, ...],
    switches: tuple[str, ...],
    command: str,
    *,
    spelled_out: tuple[str, ...] = (),
) -> tuple[list[str], dict[str, list[str]], set[str]]:
    """The texts, the options with their values, and the switches of a line. An option may be said by its first letter,
    unless it has to be spelled out. Raises UsageError."""
    texts: list[str] = []
    given: dict[str, list[str]] = {}
    found: set[str] = set()
    short = {f"-{option[2]}": option for option in options if option not in spelled_out}
    rest: Iterator[str] = iter(argv)
    for word in rest:
        option, equals, said = word.partition("=")
        option = short.get(option, option)
        if word == "--":
            texts += rest
        elif word in switches:
            found.add(word)
        elif option in options:
            value_of = said if equals else next(rest, None)
            if value_of is None:
                raise UsageError(f"{option} needs a value; nothing was written.")
            given.setdefault(option, []).append(value_of)
        elif word.startswith("-") and " " not in word and word[1:2] not in "0123456789.":
            raise UsageError(
                f'"{word}" is no option of {command}; nothing was written. Put -- before a text that begins so.'
            )
        else:
            texts.append(word)
    return texts, given, found
