"""Choosing a judge: what `holdfast judge` shows, what it would write, and the probe before it writes."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from holdfast.capture import config as machine
from holdfast.capture import notices
from holdfast.errors import HoldfastError, JudgeFailed, UsageError
from holdfast.judge import choice, keeping, probing
from holdfast.judge.choice import ADDRESSED, TITLES, VERBATIM, Settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.judge.choice import Looked
    from holdfast.judge.offers import Offer
    from holdfast.judge.probing import Probed
    from holdfast.judge.seam import Meter

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
    lines = [f"{name} = {_quoted(one)}" for name, one in keeping.as_table(wanted).items()]
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
    path = keeping.write(state, wanted)
    notices.remove(state, notices.JUDGE)  # what was said of the one before
    return Chosen(wanted, path, probed)


def as_chosen(config: Mapping[str, Any], wanted: Settings) -> dict[str, Any]:
    """The settings as if the choice were written already: what its probe is paid by."""
    return {**config, keeping.SECTION: keeping.as_table(wanted)}


def _probed(judge: Looked, meter: Meter) -> Probed:
    """Its failure has the other side's words too: whoever chooses stands before it."""
    try:
        return probing.probe(judge, meter)
    except JudgeFailed as error:
        what = f"{judge.name} could not be used for one tiny question. {ANYWAY}"
        raise JudgeFailed(what) from HoldfastError(error.in_full)
