"""What this machine means to do to a skill's file, kept where no repository and no sync can write it.

    <the user's own vault>/.state/skills/<flag id>      one edit: which skill, which lines, the file before and after

The record in improvements/ travels with the vault, so anybody who can push to it can write one, and a vault may be a
repository's. It tells people what happened; it is never what a file outside the vault is written by. Planning,
applying, accepting and taking back all go by the plan that this machine has made itself, and even then only to the
file that the skill's name leads to today.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from holdfast.capture import codec, platform
from holdfast.close.improve import skills
from holdfast.close.improve.record import is_id
from holdfast.close.improve.skills import LARGEST, Skill
from holdfast.errors import UsageError
from holdfast.model import VERSION


@dataclass(frozen=True)
class Plan:
    """One edit of the skill `name` of the project at `root`, or of the `user`: its file gets `lines`."""

    id: str
    name: str
    root: str
    user: str
    path: str
    lines: tuple[str, ...]
    before: str
    after: str


def keep(plan: Plan) -> None:
    """Before anything else is written about it. Raises OSError, UsageError."""
    if not is_id(plan.id):
        raise UsageError(f'"{plan.id}" is no id of a flag, so its skill is not edited; nothing was kept.')
    folder = _folder()
    platform.make_folders(folder)
    platform.write_atomic(f"{folder}/{plan.id}", codec.encode({"v": VERSION, **asdict(plan)}), durable=True)


def find(ident: str) -> Plan | None:
    """What this machine has planned for a snag; None where it has planned nothing."""
    if not is_id(ident):
        return None
    try:
        record = codec.decode(platform.read_file(f"{_folder()}/{ident}", 8 * LARGEST))
        texts = {name: record[name] for name in Plan.__dataclass_fields__ if name != "lines"}
        if texts["id"] != ident or not all(isinstance(one, str) for one in texts.values()):
            return None
        return Plan(**texts, lines=tuple(str(one) for one in record["lines"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def drop(ident: str) -> None:
    """It was decided against."""
    if is_id(ident):
        platform.remove(f"{_folder()}/{ident}")


def skill_of(plan: Plan) -> Skill | None:
    """The file as it is now; None where the skill's name no longer leads to the file that was planned for."""
    found = skills.find(plan.name, plan.root, plan.user)
    return found if found and found.path == plan.path else None


def on(plan: Plan, skill: Skill, after: str) -> Plan:
    """The same edit, planned on the file as it is now."""
    return replace(plan, before=skill.text, after=after)


def make(plan: Plan) -> bool:
    """Write the file, and keep both versions: whoever takes the edit back later can merge. False where somebody saved
    it at that moment. Raises OSError."""
    keep(plan)
    return skills.write(plan.path, plan.before, plan.after)


def _folder() -> str:
    return f"{skills.own_state()}/skills"
