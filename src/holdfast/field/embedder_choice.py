"""The embedder's selection: what is chosen, what serves, what a choice costs, and the probe before it is written.

A choice that does not work is not written. While the chosen one takes over, what served before goes on serving; with
`none` the vectors are kept, so that going back embeds only what came since.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast import settings as machine
from holdfast.errors import UsageError
from holdfast.field import embedder_models, embedders, embedding
from holdfast.field import embedding_process as process
from holdfast.field.embedders import DEFAULT, ENDPOINT, NONE, ONNX, OPTIONS, SECTION, TITLES, NoVectors, Settings
from holdfast.model import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from holdfast.field.embedders import Former
    from holdfast.field.embedding_process import Progress
    from holdfast.field.handle import Field

TRIES = 3  # processes that may die before whoever follows gives up


@dataclass(frozen=True)
class EmbedderOffer:
    """The cost of a choice; 0 where that depends on the model. `leaves`: texts leave this machine."""

    name: str
    title: str
    dimension: int
    megabytes: int
    leaves: bool
    is_here: bool

    def line(self) -> str:
        cost = [f"{self.megabytes} MB" if self.megabytes else "", f"{self.dimension} numbers" if self.dimension else ""]
        cost += ["texts leave this machine" if self.leaves else "", "" if self.is_here else "not installed"]
        return f"  {self.name:<10} {self.title}" + "".join(f", {one}" for one in cost if one)


def offers() -> tuple[EmbedderOffer, ...]:
    default, local = embedder_models.wordllama_folder() is not None, embedder_models.onnx_folder() is not None
    return (
        EmbedderOffer(DEFAULT, TITLES[DEFAULT], embedder_models.DIMENSION, 16, leaves=False, is_here=default),
        EmbedderOffer(ONNX, TITLES[ONNX], 384, 23, leaves=False, is_here=local),
        EmbedderOffer(ENDPOINT, TITLES[ENDPOINT], 0, 0, leaves=True, is_here=True),
        EmbedderOffer(NONE, TITLES[NONE], 0, 0, leaves=False, is_here=True),
    )


@dataclass(frozen=True)
class EmbedderStatus:
    """The embedder's state. `model` is what the chosen one's vectors are kept under, `problem` why it cannot be used;
    `address` is where the one that serves sends questions."""

    chosen: Settings
    model: str = ""
    problem: str = ""
    serving: str = ""
    dimension: int = 0
    thoughts: int = 0
    embedded: int = 0
    coming: int = 0
    address: str = ""
    is_at_work: bool = False
    last: Progress | None = None

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to embed."""
        return not self.model or (self.coming == self.thoughts and self.serving in ("", self.model))

    @property
    def change(self) -> dict[str, Any] | None:
        """The change that is under way, or stands still."""
        if self.is_done:
            return None
        last = self.last if self.last and self.last.model == self.model else None
        return {
            "to": self.model,
            "from": self.serving,
            "done": self.coming,
            "total": self.thoughts,
            "started": last.started if last else 0.0,
            "pid": last.pid if last and self.is_at_work else 0,
            "alive": self.is_at_work,
            "problem": last.problem if last and not self.is_at_work else "",
        }

    def as_record(self) -> dict[str, Any]:
        named = ("model", "problem", "serving", "dimension", "thoughts", "embedded", "address", "change")
        return {
            "chosen": self.chosen.as_table(),
            **{name: getattr(self, name) for name in named},
            "choices": [asdict(one) for one in offers()],
        }

    def lines(self, when: Callable[[float], str] = str) -> list[str]:
        own = self.chosen
        lines = [f"chosen:  {own.name}, {TITLES[own.name]}" + (f" ({self.model})" if self.model else "")]
        lines += [f"         {self.problem}"] if self.problem else []
        if own.name == NONE:
            kept = f"; {self.embedded:,} thoughts keep their vectors of {self.serving}" if self.serving else ""
            lines.append(f"serving: words alone{kept}")
        else:
            of = f"{self.embedded:,} of {self.thoughts:,} thoughts have its vectors"
            numbers = f", {self.dimension:,} numbers" if self.dimension else ""
            lines.append(f"serving: {self.serving}{numbers}; {of}" if self.serving else "serving: words alone so far")
        lines += self._changing(when)
        return [*lines, "There are:", *(one.line() for one in offers())]

    def _changing(self, when: Callable[[float], str]) -> list[str]:
        change = self.change
        if change is None:
            return []
        far = f"{change['done']:,} of {change['total']:,}"
        since = f" since {when(change['started'])}" if change["started"] else ""
        if change["alive"]:
            lines = [f"coming:  {self.model}, {far}, by process {change['pid']}{since}"]
        else:
            lines = [f"coming:  {self.model}, {far}; nobody is at it. `holdfast embed --wait` goes on."]
            lines += [f"         {change['problem']}"] if change["problem"] else []
        if self.address and self.serving != self.model:
            lines.append(
                f"         Until then questions and new thoughts go to {self.address}; `none` ends that at once."
            )
        return lines


def shown(field: Field | None, wanted: Settings, env: Mapping[str, str], former: Former) -> EmbedderStatus:
    """One that cannot be made is shown as a problem, not raised. Without a field there is nothing yet to embed."""
    try:
        made, problem = embedders.made_from(wanted, env, patient=False), ""
    except (UsageError, NoVectors) as error:
        made, problem = None, str(error)
    found = EmbedderStatus(wanted, made.name if made else "", problem)
    if field is None:
        return found
    store, serving = field.store, field.store.serving()
    nature, thoughts = embedding.nature_of(store, serving) if serving else None, store.count()
    is_at_work, last = process.is_at_work(field.vault), process.progress(field.vault)
    is_told = is_at_work and last is not None and last.model == found.model and not last.ended
    coming = last.done if last and is_told else thoughts - store.lacking(found.model) if found.model else 0
    return replace(
        found,
        serving=serving,
        dimension=nature.dimension if nature else 0,
        thoughts=thoughts,
        embedded=thoughts - store.lacking(serving) if serving else 0,
        coming=coming,  # counting them takes long in a large field, and whoever follows asks again and again
        address=former.address(serving) if serving and wanted.name != NONE else "",
        is_at_work=is_at_work,
        last=last,
    )


def wanted(before: Settings, name: str, cwd: str, **given: str) -> Settings:
    """The choice that a command line means: another embedder begins anew, the same one keeps what is not named."""
    machine.refuse_unknown(name or before.name, TITLES, "embedder")
    found = before if name in ("", before.name) else Settings(name)
    fits = {ENDPOINT: ("model", "url", "key_env"), ONNX: ("folder",)}.get(found.name, ())
    odd = [one for one in OPTIONS if given.get(one) and one not in fits]
    if odd:
        option = odd[0].replace("_", "-")
        raise UsageError(f"{found.name} takes no --{option}; nothing was changed. `holdfast embed` shows the choices.")
    if given.get("folder"):
        given["folder"] = str(Path(cwd, Path(given["folder"]).expanduser()))
    return replace(found, **{one: given[one] for one in fits if given.get(one)})


@dataclass(frozen=True)
class EmbedderChoice:
    """A choice that was written, what its probe showed, and the process that embeds now (0: there is nothing to do)."""

    settings: Settings
    path: str
    model: str = ""
    dimension: int = 0
    pid: int = 0

    def as_record(self) -> dict[str, Any]:
        told = {"model": self.model, "dimension": self.dimension, "pid": self.pid}
        return {"chosen": self.settings.as_table(), **told, "written": True, "path": self.path}

    def lines(self) -> list[str]:
        if not self.model:
            return [f"Search goes by words alone from now on ({self.path}). Vectors are kept for whoever comes back."]
        lines = [f"{self.model} works: {self.dimension:,} numbers for a text. It is chosen from now on ({self.path})."]
        if self.pid:
            lines.append("The field is embedded in the background, and search goes on; `holdfast embed` shows how far.")
        return lines


def choose(state: str, before: Settings, wanted: Settings, env: Mapping[str, str]) -> EmbedderChoice:
    """Write the choice, once it has embedded one text. Raises UsageError, NoVectors, HoldfastError: then the settings
    are as they were."""
    made = embedders.made_from(wanted, env)
    nature = embedding.asked_of(made) if made else None
    path = machine.write(state, SECTION, wanted.as_table(), ("name", *OPTIONS))
    for one in (before, wanted):
        remember(state, one, env)
    if made is None or nature is None:
        embedders.forget_addresses(state)
        return EmbedderChoice(wanted, path)
    return EmbedderChoice(wanted, path, made.name, nature.dimension)


def remember(state: str, settings: Settings, env: Mapping[str, str]) -> None:
    """Keep the recipe of this one, for as long as its vectors serve."""
    embedders.keep(state, embedders.at_hand(settings, env), settings)


def follow(
    vault: str, env: Mapping[str, str], look: Callable[[], EmbedderStatus], wait: Callable[[], None]
) -> Iterator[EmbedderStatus]:
    """The status, again and again, until all is embedded. Where nobody is at it, a process is started. Raises
    NoVectors where it stands still, with the reason."""
    pid, tries = 0, 0
    while True:
        found = look()
        yield found
        if found.is_done:
            return
        if not found.is_at_work and not (pid and process.runs(pid)):
            last = process.progress(vault)
            if pid and last and last.pid == pid and last.problem:
                raise NoVectors(last.problem)
            if tries == TRIES:
                raise NoVectors("The embedding ended again and again; what serves goes on. `holdfast log` says why.")
            pid, tries = process.start(vault, env), tries + 1
        wait()
