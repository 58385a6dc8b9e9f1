"""The user's prompts go from an episode's story into the vault, in the commit that tells the episode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.capture import home, once, platform, story
from holdfast.vault import prompts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.close.filing import Filing
    from holdfast.close.work import Work
    from holdfast.vault.writing import Writer


def add(writer: Writer, work: Work, filing: Filing, texts: dict[str, str | None], judged: str = "") -> str:
    """Plan the file of an ended episode's prompts; its path, "" where the user typed nothing."""
    if not work.episode or not work.is_home:
        return ""
    state = home.state(writer.vault)
    typed = story.typed(state, work.key)
    if not typed:
        return ""
    path = prompts.path_for(work.episode, platform.machine())
    stored = writer.read(path)
    before = prompts.from_text(path, stored) if stored is not None else None
    if stored is not None and before is None:
        return ""  # somebody is in the middle of it: theirs is kept, the story has ours until it can be read
    after = prompts.render(prompts.added(before, work.episode, typed, answered(state, work.key), judged))
    if after != stored:
        filing.planned_on[path] = stored
        texts[path] = after
    return path


def answered(state: str, episode: str) -> Iterator[str]:
    """The sentences that the model was asked about and put properly, by what they are known by."""
    for ident, _, sentence in shown(state, episode):
        if once.read(state, episode, f"{once.ANSWERED}{ident}") is not None:
            yield prompts.key(sentence)


def shown(state: str, episode: str) -> Iterator[tuple[str, str, str]]:
    """Id, number of the prompt and words of each sentence that the model was asked about."""
    for line in (once.read(state, episode, once.SHOWN) or "").splitlines():
        ident, _, rest = line.partition("\t")
        number, _, sentence = rest.partition("\t")
        if sentence:
            yield ident, number, sentence
