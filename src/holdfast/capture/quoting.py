"""How a file of the vault is quoted in a brief: the same words whether the brief is made or a hook re-reads a file.

The hook cannot afford a YAML parser, so `fields_of` reads only what it needs of front matter, in the spellings that
people use: plain, quoted and folded values at the left margin. What it cannot read is "", never a failure.
"""

from __future__ import annotations

MAP_BEGINS = "<!-- holdfast:map generated from the notes; edit those, or write outside of these two lines -->"
MAP_ENDS = "<!-- holdfast:end -->"
OPENING = """# Brain

What every session should know, in your own words. Holdfast never changes this part.
"""
OWN, BODY, LINE, PART = "own", "body", "line", "part"
GLOBAL = "global"


def fields_of(text: str) -> dict[str, str]:
    """Simple top-level values of the front matter; {} where there is none."""
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != "---":
        return {}
    fields: dict[str, str] = {}
    key = ""
    for line in lines[1:]:
        if line.rstrip() == "---":
            return {name: _value(raw) for name, raw in fields.items()}
        if line[:1] in (" ", "\t") and key:
            fields[key] += "\n" + line
        else:
            name, colon, raw = line.partition(":")
            key = name if colon and name.replace("_", "a").replace("-", "a").isalnum() else ""
            if key:
                fields[key] = raw
    return {}


def _value(raw: str) -> str:
    text = raw.strip()
    if text[:1] in ("|", ">"):
        text = text.partition("\n")[2]
    elif text[:1] in ('"', "'"):
        end = text.rfind(text[0])
        inner = text[1:end] if end > 0 else text[1:]
        text = inner.replace("''", "'") if text[0] == "'" else inner.replace('\\"', '"').replace("\\\\", "\\")
    else:
        text = text.partition(" #")[0]
    return " ".join(text.split())


def body_of(text: str) -> str:
    """What stands below the front matter."""
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != "---":
        return text.strip()
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() == "---":
            return "\n".join(lines[number + 1 :]).strip()
    return ""


def own_words(text: str) -> str:
    """BRAIN.md without the map, and without the opening that we put there."""
    begin = text.find(MAP_BEGINS)
    end = text.find(MAP_ENDS, begin) if begin >= 0 else -1
    words = text if end < 0 else text[:begin] + text[end + len(MAP_ENDS) :]
    return words.replace("\r\n", "\n").replace(OPENING, "").strip()


def part_of(text: str, title: str) -> str:
    """One section of a handoff, without its heading."""
    found: list[str] = []
    inside = False
    for line in body_of(text).splitlines():
        if line.startswith("#"):
            inside = line.lstrip("#").strip() == title
        elif inside and line.strip():
            found.append(line.rstrip().replace("([note](../../", "(").replace(".md))", ".md)"))
    return "\n".join(found)


def rule_text(name: str, policy: str, body: str) -> str:
    """An always-on note, verbatim."""
    said = f"({policy}) " if policy else ""
    return f"- {said}{body}" if "\n" not in body else f"- {said}{name}:\n" + _indented(body)


def _indented(body: str) -> str:
    return "\n".join(f"  {line}" if line.strip() else "" for line in body.splitlines())


def map_line(name: str, path: str, description: str) -> str:
    """One note in a line; a name that only begins the description need not stand there twice."""
    if description.casefold().startswith(name.casefold()):
        return f"- {description} ({path})"
    return f"- {name} ({path}): {description}"


def part_text(title: str, part: str) -> str:
    return f"{title}:\n{part}" if "\n" in part else f"{title}: {part.removeprefix('- ')}"


def quote(how: str, path: str, text: str, project: str) -> tuple[str, str]:
    """What a brief says of a file as it is now, in full and in short; two times "" where it is no longer for it."""
    kind, _, title = how.partition(":")
    if kind == OWN:
        words = own_words(text)
        return words, f"- your own words in {path} ({len(words):,} characters)" if words else ""
    if kind == PART:
        part = part_of(text, title)
        return (part_text(title, part), f"{title}: see {path}") if part else ("", "")
    fields = fields_of(text)
    applies = fields.get("project", "") in ("", GLOBAL, project)
    if not applies or fields.get("status", "active") not in ("", "active"):
        return "", ""
    name = fields.get("name") or path.rpartition("/")[2].removesuffix(".md")
    body = body_of(text)
    line = map_line(name, path, fields.get("description") or body.partition("\n")[0])
    return (rule_text(name, fields.get("policy", ""), body), line) if kind == BODY and body else (line, line)
