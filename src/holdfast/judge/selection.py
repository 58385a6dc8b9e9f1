"""Choosing a judge: what `holdfast judge` shows, what it would write, and the probe before it writes.

Which judges would work on this machine, found without asking a model anything and without spending anything.

What is written of a choice: [judge] in this machine's settings (holdfast/settings.py writes it).

One tiny question, to know that a judge really answers before it is chosen. It is metered like any other call.
"""

from __future__ import annotations

import http.client
import json
import time
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict

from holdfast import settings
from holdfast.capture import config as machine
from holdfast.capture import notices
from holdfast.errors import HoldfastError, JudgeFailed, UsageError
from holdfast.hosts import programs
from holdfast.hosts.host import every
from holdfast.judge import choice, seam
from holdfast.judge import models as endpoints
from holdfast.judge.choice import ADDRESSED, TIMEOUT, TITLES, VERBATIM, WORKERS, Settings
from holdfast.judge.seam import Question

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from holdfast.judge.choice import Looked
    from holdfast.judge.seam import Judge, Meter, Words


OLLAMA = ("127.0.0.1", 11434)
PATIENCE = 0.5  # seconds; a server on this machine answers at once or is not there
LARGEST = 1 << 20


@dataclass(frozen=True)
class Offer:
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


def found(env: Mapping[str, str], ollama: tuple[str, int] = OLLAMA) -> list[Offer]:
    """What works here, those that need no key first."""
    return [*_programs(env), *_ollama(ollama), *_keys(env)]


def _programs(env: Mapping[str, str]) -> Iterator[Offer]:
    for host in every():
        path = programs.find(host.program, env, beside=False)
        if path:
            yield Offer(host.name, host.judge.MODEL, f"{host.title} at {path}, with your login there")


def _keys(env: Mapping[str, str]) -> Iterator[Offer]:
    if env.get(endpoints.ANTHROPIC_KEY):
        yield Offer(
            "anthropic", endpoints.ANTHROPIC_MODEL, f"Anthropic's API, with the key in {endpoints.ANTHROPIC_KEY}"
        )
    if env.get(endpoints.OPENAI_KEY):
        yield Offer("openai", endpoints.OPENAI_MODEL, f"OpenAI's API, with the key in {endpoints.OPENAI_KEY}")


def _ollama(place: tuple[str, int]) -> Iterator[Offer]:
    listed = _tags(place)
    models = [str(one["name"]) for one in listed if isinstance(one, dict) and one.get("name")]
    if models:
        more = f", {len(models)} models" if len(models) > 1 else ""
        yield Offer("ollama", models[0], f"Ollama on this machine{more}; nothing leaves it")


def _tags(place: tuple[str, int]) -> list[Any]:
    """What Ollama has; [] where nothing like it answers."""
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


SECTION = "judge"
NAMES = ("name", "model", "url", "key_env", "workers", "timeout")


def as_table(wanted: Settings) -> dict[str, Any]:
    """What is written for a choice: the name, and what differs from the defaults."""
    made: dict[str, Any] = {"name": wanted.name}
    if wanted.name != VERBATIM:
        made |= {name: getattr(wanted, name) for name in ("model", "url", "key_env") if getattr(wanted, name)}
    if wanted.workers != WORKERS:
        made["workers"] = wanted.workers
    if wanted.timeout != TIMEOUT:
        made["timeout"] = wanted.timeout
    return made


def edited(text: str, wanted: Settings) -> str:
    """The settings with this choice. What [judge] had of another judge goes; every comment stays. Raises ValueError."""
    return settings.edited(text, SECTION, as_table(wanted), NAMES)


def write(state: str, wanted: Settings) -> str:
    """Put the choice down and return the path. Raises HoldfastError where the file cannot be read or written."""
    return settings.write(state, SECTION, as_table(wanted), NAMES)


PROBE_PATIENCE = 60.0


class Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    ready: Literal["yes", "no"]


QUESTION = Question(
    "probe", 'You are asked whether you can be asked. Say "yes".', "Are you ready?", Answer, most_out=500, about="probe"
)


@dataclass(frozen=True)
class Probed:
    """What the tiny question took."""

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
class Shown:
    """The chosen judge and what else works here. `problem` where it cannot be used as it stands."""

    settings: Settings
    model: str
    problem: str
    offers: tuple[Offer, ...]

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


def shown(config: Mapping[str, Any], env: Mapping[str, str], offers: Sequence[Offer]) -> Shown:
    """What is chosen now. A choice that cannot be read is shown as a problem, not raised."""
    try:
        settings = choice.settings(config)
        judge = choice.made(settings, env)
    except UsageError as error:
        name = str(machine.section(config, "judge").get("name", ""))
        known = Settings(name) if name in TITLES else Settings()
        return Shown(known, "", str(error), tuple(offers))
    return Shown(settings, judge.model if judge else "", "", tuple(offers))


def wanted(
    config: Mapping[str, Any], name: str, model: str = "", url: str = "", key_env: str = "", workers: int = 0
) -> Settings:
    """The choice that a command line means: another judge begins anew, the same one keeps what is not named."""
    try:
        before = choice.settings(config)
    except UsageError:
        before = Settings()
    if name and name not in TITLES:
        raise UsageError(f'"{name[:60]}" is no judge; nothing was changed. There are {", ".join(TITLES)}.')
    if name and name != before.name:
        before = Settings(name, workers=before.workers, timeout=before.timeout)
    found = replace(
        before,
        model=model or before.model,
        url=url or before.url,
        key_env=key_env or before.key_env,
        workers=workers or before.workers,
    )
    if found.name == VERBATIM and (model or url or key_env):
        raise UsageError("verbatim uses no model; nothing was changed. Name a judge: holdfast judge NAME.")
    if url and found.name not in ADDRESSED:
        raise UsageError(f"{found.name} has its own address; nothing was changed. --url is for {', '.join(ADDRESSED)}.")
    return found


def preview(wanted: Settings, env: Mapping[str, str]) -> list[str]:
    """What would be written. Raises UsageError where something is missing."""
    choice.made(wanted, env)
    lines = [f"{name} = {_quoted(one)}" for name, one in as_table(wanted).items()]
    return ["would be written:", "  [judge]", *(f"  {line}" for line in lines)]


def _quoted(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


@dataclass(frozen=True)
class Chosen:
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


def choose(state: str, wanted: Settings, env: Mapping[str, str], meter: Meter | None) -> Chosen:
    """Write the choice; with a meter only after the judge has answered. Raises UsageError and JudgeFailed."""
    judge = choice.made(wanted, env)
    probed = _probed(judge, meter) if judge and meter else None
    path = write(state, wanted)
    notices.remove(state, notices.JUDGE)  # what was said of the one before
    return Chosen(wanted, path, probed)


def as_chosen(config: Mapping[str, Any], wanted: Settings) -> dict[str, Any]:
    """The settings as if the choice were written already: what its probe is paid by."""
    return {**config, SECTION: as_table(wanted)}


def _probed(judge: Looked, meter: Meter) -> Probed:
    """Its failure has the other side's words too: whoever chooses stands before it."""
    try:
        return probe(judge, meter)
    except JudgeFailed as error:
        what = f"{judge.name} could not be used for one tiny question. {ANYWAY}"
        raise JudgeFailed(what) from HoldfastError(error.in_full)
