"""The judge's selection: what works on this machine, what `holdfast judge` shows and would write, and the probe before.

What works is found without asking a model anything. The probe is one tiny question, metered like any other call, to
know that a judge really answers before it is chosen.
"""

from __future__ import annotations

import http.client
import json
import time
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict

from holdfast import settings as machine
from holdfast.capture import config, notices
from holdfast.errors import HoldfastError, JudgeFailed, UsageError
from holdfast.hosts import programs
from holdfast.hosts.host import every
from holdfast.judge import choice, models, seam
from holdfast.judge.choice import ADDRESSED, NAMES, SECTION, TITLES, VERBATIM, Settings
from holdfast.judge.seam import Question

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from holdfast.judge.choice import Looked
    from holdfast.judge.seam import Judge, Meter, Words

OLLAMA = ("127.0.0.1", 11434)
PATIENCE = 0.5  # seconds; a server on this machine answers at once or is not there
LARGEST = 1 << 20


@dataclass(frozen=True)
class JudgeOffer:
    """A judge that would work here, and how one comes to it."""

    name: str
    model: str
    detail: str

    @property
    def command(self) -> str:
        return f"holdfast judge {self.name}{f' --model {self.model}' if self.name == 'ollama' else ''}"

    @property
    def settings(self) -> Settings:
        return Settings(self.name, self.model if self.name == "ollama" else "")

    def as_record(self) -> dict[str, str]:
        return {"name": self.name, "model": self.model, "detail": self.detail, "command": self.command}


def found(env: Mapping[str, str], ollama: tuple[str, int] = OLLAMA) -> list[JudgeOffer]:
    """The judges that work here, those that need no key first."""
    return [*_programs(env), *_ollama(ollama), *_keys(env)]


def _programs(env: Mapping[str, str]) -> Iterator[JudgeOffer]:
    for host in every():
        path = programs.find(host.program, env, beside=False)
        if path:
            yield JudgeOffer(host.name, host.judge.MODEL, f"{host.title} at {path}, with your login there")


def _keys(env: Mapping[str, str]) -> Iterator[JudgeOffer]:
    for name, title, model, key in (
        ("anthropic", "Anthropic", models.ANTHROPIC_MODEL, models.ANTHROPIC_KEY),
        ("openai", "OpenAI", models.OPENAI_MODEL, models.OPENAI_KEY),
    ):
        if env.get(key):
            yield JudgeOffer(name, model, f"{title}'s API, with the key in {key}")


def _ollama(place: tuple[str, int]) -> Iterator[JudgeOffer]:
    known = [str(one["name"]) for one in _tags(place) if isinstance(one, dict) and one.get("name")]
    if known:
        more = f", {len(known)} models" if len(known) > 1 else ""
        yield JudgeOffer("ollama", known[0], f"Ollama on this machine{more}; nothing leaves it")


def _tags(place: tuple[str, int]) -> list[Any]:
    """Ollama's models; [] where nothing like it answers."""
    connection = http.client.HTTPConnection(*place, timeout=PATIENCE)
    try:
        connection.request("GET", "/api/tags")
        answer = connection.getresponse()
        told = json.loads(answer.read(LARGEST)) if answer.status == 200 else {}
    except (OSError, ValueError, http.client.HTTPException, RecursionError):
        return []
    finally:
        connection.close()
    listed = told.get("models") if isinstance(told, dict) else None
    return listed if isinstance(listed, list) else []


def write(state: str, wanted: Settings) -> str:
    """Put the choice down and return the path. What [judge] had of another judge goes; every comment stays. Raises
    HoldfastError where the file cannot be read or written."""
    return machine.write(state, SECTION, wanted.as_table(), NAMES)


PROBE_PATIENCE = 60.0


class Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    ready: Literal["yes", "no"]


QUESTION = Question(
    "probe", 'You are asked whether you can be asked. Say "yes".', "Are you ready?", Answer, most_out=500, about="probe"
)


@dataclass(frozen=True)
class Probed:
    """The cost of the tiny question."""

    model: str
    tokens_in: int
    tokens_out: int
    took: float


@dataclass
class _Heard:
    """A meter before a meter: it remembers what was settled."""

    meter: Meter
    words: list[Words] = field(default_factory=list)

    def reserve(self, judge: Judge, question: Question[Any], tokens: int) -> str:
        return self.meter.reserve(judge, question, tokens)

    def settle(self, ident: str, words: Words | None, error: str = "") -> None:
        if words:
            self.words.append(words)
        self.meter.settle(ident, words, error)


def probe(
    judge: Judge,
    meter: Meter,
    *,
    timeout: float = PROBE_PATIENCE,
    clock: Callable[[], float] = time.monotonic,
    wait: Callable[[float], None] = time.sleep,
) -> Probed:
    """Ask it. Raises JudgeFailed, Unusable or CapReached."""
    heard = _Heard(meter)
    began = clock()
    seam.ask(judge, QUESTION, heard, timeout=timeout, deadline=began + timeout, clock=clock, wait=wait)
    taken, given = (sum(getattr(one, name) for one in heard.words) for name in ("tokens_in", "tokens_out"))
    return Probed(heard.words[-1].model, taken, given, clock() - began)


ANYWAY = "Nothing was written; --no-probe writes it without asking."


@dataclass(frozen=True)
class JudgeStatus:
    """The chosen judge and what else works here. `problem` where it cannot be used as it stands."""

    settings: Settings
    model: str
    problem: str
    offers: tuple[JudgeOffer, ...]

    def as_record(self) -> dict[str, Any]:
        works = [one.as_record() for one in self.offers]
        return {**asdict(self.settings), "model": self.model, "problem": self.problem, "works": works}

    def lines(self) -> list[str]:
        own = self.settings
        said = f"{own.name}: {TITLES[own.name]}" if own.name != VERBATIM else "verbatim: no model is used"
        more = [f"model {self.model}" if self.model else "", f"at {own.url}" if own.url else ""]
        more += [f"key in {own.key_env}" if own.key_env else "", f"{own.workers} at once" if self.model else ""]
        lines = [", ".join(one for one in (said, *more) if one)]
        if self.problem:
            lines.append(f"  {self.problem}")
        others = [one for one in self.offers if one.name != own.name]
        lines += ["Works here too:" if own.name != VERBATIM else "Works here:"] if others else []
        lines += [f"  {one.command:<42} {one.detail}" for one in others]
        lines.append(
            "Any OpenAI-compatible endpoint: holdfast judge openai --url URL --model M [--key-env VAR]"
            if own.name == VERBATIM
            else "Without a model: holdfast judge verbatim"
        )
        return lines


def shown(found: Mapping[str, Any], env: Mapping[str, str], offers: Sequence[JudgeOffer]) -> JudgeStatus:
    """The choice as it stands. One that cannot be read is shown as a problem, not raised."""
    try:
        settings = choice.settings(found)
        judge = choice.made(settings, env)
    except UsageError as error:
        name = str(config.section(found, SECTION).get("name", ""))
        known = Settings(name) if name in TITLES else Settings()
        return JudgeStatus(known, "", str(error), tuple(offers))
    return JudgeStatus(settings, judge.model if judge else "", "", tuple(offers))


def wanted(
    found: Mapping[str, Any], name: str, model: str = "", url: str = "", key_env: str = "", workers: int = 0
) -> Settings:
    """The choice that a command line means: another judge begins anew, the same one keeps what is not named."""
    try:
        before = choice.settings(found)
    except UsageError:
        before = Settings()
    machine.refuse_unknown(name or before.name, TITLES, "judge")
    if name and name != before.name:
        before = Settings(name, workers=before.workers, timeout=before.timeout)
    given: dict[str, Any] = {"model": model, "url": url, "key_env": key_env, "workers": workers}
    made = replace(before, **{one: said for one, said in given.items() if said})
    if made.name == VERBATIM and (model or url or key_env):
        raise UsageError("verbatim uses no model; nothing was changed. Name a judge: holdfast judge NAME.")
    if url and made.name not in ADDRESSED:
        raise UsageError(f"{made.name} has its own address; nothing was changed. --url is for {', '.join(ADDRESSED)}.")
    return made


def preview(wanted: Settings, env: Mapping[str, str]) -> list[str]:
    """The lines that would be written. Raises UsageError where something is missing."""
    choice.made(wanted, env)
    table = wanted.as_table().items()
    lines = [f"  {name} = " + (f'"{one}"' if isinstance(one, str) else str(one)) for name, one in table]
    return ["would be written:", "  [judge]", *lines]


@dataclass(frozen=True)
class JudgeChoice:
    """A choice that was written, and what the probe took."""

    settings: Settings
    path: str
    probed: Probed | None = None

    def as_record(self) -> dict[str, Any]:
        probed = asdict(self.probed) if self.probed else None
        return {**asdict(self.settings), "written": True, "path": self.path, "probe": probed}

    def lines(self) -> list[str]:
        lines = []
        if self.probed:
            one = self.probed
            took = f"{one.tokens_in:,} tokens in, {one.tokens_out:,} out"
            lines.append(f"{one.model} answered in {one.took:.1f} s ({took}).")
        if self.settings.name == VERBATIM:
            return [*lines, f"No model is used from now on: flags are filed as they were written ({self.path})."]
        how = "`holdfast judge verbatim` ends it."
        return [*lines, f"{self.settings.name} is the judge from now on ({self.path}). {how}"]


def choose(state: str, wanted: Settings, env: Mapping[str, str], meter: Meter | None) -> JudgeChoice:
    """Write the choice; with a meter only after the judge has answered. Raises UsageError and JudgeFailed."""
    judge = choice.made(wanted, env)
    probed = _probed(judge, meter) if judge and meter else None
    path = write(state, wanted)
    notices.remove(state, notices.JUDGE)  # what was said of the one before
    return JudgeChoice(wanted, path, probed)


def as_chosen(found: Mapping[str, Any], wanted: Settings) -> dict[str, Any]:
    """The settings as if the choice were written already: its probe is paid by them."""
    return {**found, SECTION: wanted.as_table()}


def _probed(judge: Looked, meter: Meter) -> Probed:
    """Its failure has the other side's words too: whoever chooses stands before it."""
    try:
        return probe(judge, meter)
    except JudgeFailed as error:
        what = f"{judge.name} could not be used for one tiny question. {ANYWAY}"
        raise JudgeFailed(what) from HoldfastError(error.in_full)
