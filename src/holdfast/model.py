"""The value objects that cross rooms, and the words they may use.

They are frozen and compare by value. `value` gives a class the syntax of a frozen dataclass without importing
`dataclasses`, which would double the time of a hook call (docs/adr/0002); type checkers see a dataclass.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar, dataclass_transform

    T = TypeVar("T")

    @dataclass_transform(frozen_default=True)
    def value(cls: type[T]) -> type[T]: ...
else:

    def value(cls):
        names = tuple({**getattr(cls.__base__, "__annotations__", {}), **cls.__annotations__})
        missing = object()
        unset = {name: getattr(cls, name, missing) for name in names}
        required = [name for name in names if unset[name] is missing]

        def init(self, *args, **fields):
            given = {**unset, **dict(zip(names, args, strict=False)), **fields}
            wrong = len(given) > len(names) or len(args) > len(names)
            for name in required:
                wrong = wrong or given[name] is missing
            if wrong:
                raise TypeError(f"{cls.__name__} takes {', '.join(names)}")
            self.__dict__.update(given)  # in the order of the names: records on disk are written from it

        def refuse(_self, name, *_):
            raise AttributeError(f"{cls.__name__} is frozen; {name} cannot change")

        cls.__init__, cls.__match_args__ = init, names
        cls.__setattr__ = cls.__delattr__ = refuse
        cls.__eq__ = lambda self, other: type(other) is cls and self.__dict__ == other.__dict__
        cls.__hash__ = lambda self: hash(tuple(self.__dict__[name] for name in names))
        cls.__repr__ = lambda self: f"{cls.__name__}({', '.join(f'{name}={self.__dict__[name]!r}' for name in names)})"
        return cls


def replace(thing: T, **changes: Any) -> T:
    """A copy with some fields changed."""
    cls: Any = type(thing)
    made: T = cls(**{**{name: thing.__dict__[name] for name in cls.__match_args__}, **changes})
    return made


def word_set(text: str) -> frozenset[str]:
    """The words of a text, as a table that is only looked up."""
    return frozenset(text.split())


VERSION = 1  # of every record on disk; a reader keeps what it does not know
OURS = ("Holdfast", "holdfast@localhost")  # the author of what we commit

KINDS = ("decision", "rule", "lesson", "preference", "fact", "progress", "snag", "user-request")
ORIGINS = ("user", "agent", "tool", "web", "repository", "import")
TRUSTED = ("user", "agent")  # origins whose rules may always apply; the others are outside text
REQUIRED = ("id", "time", "host", "episode", "project", "kind", "text", "evidence", "origin")  # of a flag's record


@value
class Process:
    """One process of one boot of one machine, so that a reused pid is not taken for the old process."""

    machine: str
    boot: str
    namespace: str
    pid: int
    start: int

    def as_record(self) -> dict[str, object]:
        return dict(self.__dict__)

    @classmethod
    def from_record(cls, record: object) -> Process | None:
        """None where it cannot be told; a field that a newer version added is left aside."""
        try:
            return cls(**{name: record[name] for name in cls.__annotations__})  # type: ignore[index]
        except (KeyError, TypeError):
            return None


@value
class Project:
    """The place of a memory. `off` is the project's own wish not to be captured, `chapter_tools` what it names so.
    `merged` are the ids of projects that the user merged into this one (capture/same_project)."""

    id: str
    slug: str
    key: str
    root: str
    off: bool = False
    clash: str = ""
    chapter_tools: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """All ids under which this project's memory was written."""
        return (self.id, *self.merged)

    def as_record(self) -> dict[str, object]:
        return {**self.__dict__, "chapter_tools": list(self.chapter_tools), "merged": list(self.merged)}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Project:
        """Raises TypeError where it is none."""
        found = cls(**record)
        return replace(found, chapter_tools=tuple(found.chapter_tools), merged=tuple(found.merged))


@value
class Flag:
    """One cheap line: a durable fact with its kind and evidence."""

    id: str
    time: float
    host: str
    episode: str
    project: str
    kind: str
    text: str
    evidence: tuple[str, ...] = ()
    origin: str = "agent"
    status: str = ""  # unconfirmed: heard as an order, and nobody has said so yet; proposed: an agent's own rule
    answers: str = ""  # ids of the user's own words that this one puts properly, with commas between

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Flag:
        """The flag in a record of the queue; fields that a newer version added are left aside. Raises KeyError."""
        proofs, when = record.get("evidence"), record.get("time")
        texts = ("host", "episode", "project", "text", "status", "answers")
        return cls(
            id=str(record["id"]),
            time=float(when) if isinstance(when, (int, float)) else 0.0,
            kind=str(record.get("kind", "fact")),
            origin=str(record.get("origin", "agent")),
            evidence=tuple(str(one) for one in proofs) if isinstance(proofs, list) else (),
            **{name: str(record.get(name, "")) for name in texts},
        )

    @property
    def answered(self) -> tuple[str, ...]:
        return tuple(one for one in self.answers.split(",") if one)

    def as_record(self) -> dict[str, object]:
        record = {"v": VERSION, **{name: value for name, value in self.__dict__.items() if value or name in REQUIRED}}
        record["evidence"] = list(self.evidence)
        return record


@value
class Moment:
    """One hook event of any host, normalised by its adapter. `event` is one of EVENTS or what the host called it."""

    host: str
    event: str
    session: str
    cwd: str
    called: str = ""  # by the host itself
    source: str = ""
    reason: str = ""
    transcript: str = ""
    parent: str = ""
    agent: str = ""
    tool: str = ""
    prompt: str = ""
    files: tuple[str, ...] = ()  # that a tool has changed
    pid: int = 0
    flags: tuple[dict[str, object], ...] = ()
    model: str = ""  # that the host works with, where it says so
    turn: str = ""  # from one prompt to the next, where the host names it
    call: str = ""  # one use of a tool
    command: str = ""  # what a shell tool is to run
    input: str = ""  # of a tool, as text: where an armed note's words are looked for
    paths: tuple[str, ...] = ()  # named in a tool's input
    lines: tuple[str, ...] = ()  # that an edit brings, and those that it takes away, each as one text
    completed: tuple[str, ...] = ()  # todos or tasks, by their words
    is_again: bool = False  # a turn that goes on because a hook asked for it
    said: str = ""  # by the model, at the end of a turn
    carries: bool = False  # whether the model gets to read what is answered
    most_bytes: int = 0  # of what it gets to read, where the host counts so
    asks: bool = False  # whether the host can ask the user before a tool runs
    failed: bool = False  # a tool's call
    sources: tuple[str, ...] = ()  # files that the answer to a search quotes
    background: str = ""  # by which name the output of a command that goes on is kept


EVENTS = (
    *("session-start", "prompt", "before-tool", "after-tool", "task-completed", "subagent-stop", "before-compaction"),
    *("after-compaction", "turn-stop", "session-end", "flag"),
)


@value
class Reply:
    """The answer to a moment: text for the model, and what it carried (for the ledger).

    `decision` is allow, ask or deny before a tool runs, and go-on where a turn would stop; `reason` goes with it.
    `line` is for the person at the host's interface, where that can show one; the model does not get it.
    """

    text: str = ""
    carried: tuple[str, ...] = ()
    decision: str = ""
    reason: str = ""
    line: str = ""
