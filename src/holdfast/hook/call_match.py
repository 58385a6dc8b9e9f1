"""The match of a call with what a note waits for: `runs`, `writes`, `opens`, `packages`, `settings`; one is enough.

runs: ["git push --force [main]"]   the program, its words in this order, its options in any; [main]: if the call
                                    names branches, this is among them; !-x: without -x; ~drop: somewhere in its text
writes, opens: globs                a file that is changed, moved or removed; one that is read or written
packages: names                     installed, updated, removed; named in a manifest's edit or a new import
settings: KEY or KEY=VALUE          in what an edit or a command sets
"""

from __future__ import annotations

from holdfast.capture import armed_match
from holdfast.hook import call_effects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from holdfast.hook.call_effects import Effects

SIGNED = "-!~[@"
RANGES = "=<>~^![;, "


def does(when: Mapping[str, Any], effects: Effects) -> bool:
    """Whether a call does one of the things that a compiled `when` names."""
    return (
        any(runs(one, effects) for one in when.get("runs", ()))
        or any(writes(glob, effects) for glob in when.get("writes", ()))
        or any(armed_match.path_matches(glob, path) for glob in when.get("opens", ()) for path in effects.opens)
        or any(packages(name, effects) for name in when.get("packages", ()))
        or any(sets(one, effects) for one in when.get("settings", ()))
    )


def writes(glob: str, effects: Effects) -> bool:
    """Whether a file of a glob is changed, or a folder removed that has it."""
    if any(armed_match.path_matches(glob, path) for path in effects.writes):
        return True
    parts = glob.split("/")
    above = ["/".join(parts[:nth]) for nth in range(1, len(parts)) if parts[nth - 1] not in ("**", "*", "")]
    return any(armed_match.path_matches(one, path) for one in above for path in effects.removes)


def runs(pattern: str, effects: Effects) -> bool:
    tokens = pattern.split()
    return any(_is_command(tokens, words, effects.cwd) for words in effects.commands)


def _is_command(tokens: Sequence[str], words: Sequence[str], cwd: str) -> bool:
    program, args = words[0].lower(), words[1:]
    if tokens[0] != "*" and not armed_match.glob_matches(tokens[0], program):
        return False
    if any(one in call_effects.HARMLESS and one not in tokens for one in args):
        return False
    same = call_effects.SAME_WORD.get(program, {})
    plain = [same.get(one.lower(), one) for one in args if one and not one.startswith("-")]
    if program == "git" and len(tokens) > 1 and tokens[1][0].isalpha() and not any(map(_is_word, tokens[1:2], plain)):
        return False  # what git is told stands first: `git log push` pushes nothing
    left = iter(plain)  # its words stand in this order
    in_order = all(any(_is_word(one, word) for word in left) for one in tokens[1:] if one[0] not in SIGNED)
    asked = [one for one in tokens[1:] if one[0] in SIGNED]
    return in_order and all(_is_true(one, " ".join(tokens[:2]), plain[1:], args, cwd) for one in asked)


def _is_true(token: str, command: str, plain: Sequence[str], args: Sequence[str], cwd: str) -> bool:
    """Whether a command has what a sign asks of it besides its words."""
    sign, rest = token[0], token[1:]
    if sign == "-":
        return _has_option(token, args, command)
    if sign == "!":
        return not _has_option(rest, args, command)
    if sign == "~":
        return rest in " ".join(args).lower()
    return _is_on(rest.rstrip("]").split("|"), plain, None if sign == "[" else cwd)


def _is_word(token: str, word: str) -> bool:
    ways = token.split("|")
    globs = [one if one.startswith(("/", "**")) else f"**/{one}" for one in ways]
    is_path = any(sign in token for sign in "/*.")
    return word.lower() in ways or (is_path and any(armed_match.path_matches(one, word) for one in globs))


def _has_option(token: str, args: Sequence[str], command: str) -> bool:
    """Whether an option is given: whole, with a value, as a letter among others, or under another name."""
    same = call_effects.SAME_OPTION.get(f"{command} {token}", ())
    letter = token[2:3] if token.startswith("--") else token[1:2] if len(token) == 2 else ""
    letters = token[1:] if not token.startswith("--") and 2 < len(token) <= 4 else ""
    given = ""
    for one in args:
        name = one.partition("=")[0]
        if name == token or name.lower() in same or one.startswith(call_effects.SIGNS.get(token, "\0")):
            return True
        if one.startswith("-") and not one.startswith("--") and 1 < len(one) <= 5:
            given += one[1:]
        given += {"--recursive": "r", "--force": "f"}.get(one, "")
    if letters and token not in args:
        return all(one in given or one.swapcase() in given for one in letters)
    return bool(letter) and letter in given


def _is_on(branches: Sequence[str], plain: Sequence[str], cwd: str | None) -> bool:
    """Whether one of these branches is meant: it is named, or nothing is and the folder is on it. Without a folder it
    may be meant where no other is named."""
    named = _refs(plain) if plain else []
    if cwd is None:
        return not named or any(one in branches or one.startswith("HEAD") for one in named)
    if any(one in branches or not one.startswith("HEAD") for one in named):
        return any(one in branches for one in named)
    from holdfast.capture import gitfiles

    return gitfiles.branch(cwd) in branches


def _refs(plain: Sequence[str]) -> list[str]:
    """The branches that a push or a rebase names; the first word of a push is where it goes to."""
    named = plain[1:] if len(plain) > 1 or plain[0] in ("origin", "upstream") else plain
    targets = (one.lstrip("+").rpartition(":")[2] for one in named)
    return [to.removeprefix("refs/heads/").removeprefix("origin/") for to in targets]


def packages(name: str, effects: Effects) -> bool:
    """Whether a package is installed, changed or taken out, named by an edit of a manifest, or newly imported."""
    for words in effects.commands:
        program, args = words[0], [one for one in words[1:] if one]
        told = next((at for at, one in enumerate(args) if one.lower() in call_effects.PACKAGING), -1)
        is_managing = program in call_effects.MANAGERS and 0 <= told <= 2
        given = [package_name(one) for one in args[told + 1 :] if not one.startswith("-")]
        if is_managing and any(one == name or ("." in one and one.rpartition("/")[2] == name) for one in given):
            return True
    fresh, gone = (text.lower().replace("_", "-") for text in (effects.text, effects.gone))
    if name not in fresh and name not in gone:
        return False
    files = [path.rpartition("/")[2].lower() for path in effects.writes]
    if any(one in call_effects.MANIFESTS or one.startswith("requirements") for one in files):
        return armed_match.has_word(f"{fresh}\n{gone}", name)
    lines = [line.strip() for line in fresh.splitlines() if armed_match.has_word(line, name)]
    return bool(files) and any(_imports(line, name) for line in lines)


def _imports(line: str, name: str) -> bool:
    if not line.startswith(call_effects.IMPORTS) and not any(one in line for one in ("require(", " from ", "import(")):
        return False
    for mark in ("import ", "from ", "require(", "import(", "use ", "require ", "crate ", "include ", "using "):
        behind = line.partition(mark)[2].lstrip("\"'<({ ")
        follows = behind[len(name) : len(name) + 1]
        if behind.startswith(name) and not follows.isalnum():
            return follows != "-"
    return False


def package_name(word: str) -> str:
    """`React@19`, `numpy>=2`, `uvicorn[standard]` without version and extras, in lower case with dashes."""
    bare = word.lower().strip("\"'")
    scope, bare = ("@", bare[1:]) if bare.startswith("@") else ("", bare)
    for sign in (*RANGES, "@"):
        bare = bare.partition(sign)[0]
    return scope + bare.replace("_", "-")


def sets(setting: str, effects: Effects) -> bool:
    """Whether a key stands in what a call changes, with the value where one is asked for. Of a dotted key the last part
    is enough where the others stand around it, as in YAML. A key with capitals is meant so: `DEBUG` is not `debug`."""
    key, has_value, wanted = setting.partition("=")
    text = effects.text if has_value else f"{effects.text}\n{effects.gone}"  # taking a value away does not set it
    text = text.lower() if key == key.lower() else text
    leaf = key.rpartition(".")[2]
    if leaf not in text:
        return False
    if _has_key(text, key):
        return not has_value or _has_value(text, key, wanted)
    if leaf == key:
        return False
    around = f"{text} {' '.join(effects.writes).lower()}"
    is_named = all(armed_match.has_word(around, part) for part in key.split(".")[:-1])
    is_set = any(_has_key(text, f"{leaf}{sign}") for sign in ("=", ":", '":', " =", '" :'))
    return is_named and is_set and (not has_value or _has_value(text, leaf, wanted))


def _has_key(text: str, key: str) -> bool:
    """Whether a key stands by itself: `TTL` not in `SESSION_TTL`."""
    length = len(key) + 1 if key[-1:].isalnum() else len(key)
    found = (text[at - 1 : at] + text[at + len(key) : at + length] for at in _places(text, key))
    return any(not any(letter.isalnum() or letter == "_" for letter in around) for around in found)


def _has_value(text: str, key: str, wanted: str) -> bool:
    behind = (text[at + len(key) : at + len(key) + 40].lstrip("\"' :=,>(") for at in _places(text, key))
    found = (one[len(wanted) :] for one in behind if one.lower().startswith(wanted.lower()))
    return any(not rest[:1].isalnum() for rest in found)


def _places(text: str, key: str) -> Iterator[int]:
    at = text.find(key)
    while at >= 0:
        yield at
        at = text.find(key, at + 1)
