"""What a tool is: its arguments, exactly, what it does, and what it answers.

Arguments have the names of the command line's options, so that a sentence such as "say --anyway" can be followed here
too. What is not in a schema is refused, not ignored: a misspelt argument would otherwise change what is remembered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from holdfast.serve.mcp.peer import Place

Texts = Annotated[list[str], Field(default_factory=list, max_length=50)]  # none where it is left out


class Arguments(BaseModel):
    """What a tool is called with: nothing is converted, nothing more is taken."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, populate_by_name=False)


@dataclass(frozen=True)
class Told:
    """What a tool answers, and what is left to be done once the answer is out."""

    text: str
    afterwards: Callable[[], object] | None = None


@dataclass(frozen=True)
class Tool:
    """`reads` is one that changes nothing that is remembered, `removes` one that takes something out of sight."""

    description: str
    arguments: type[Arguments]
    run: Callable[[Place, Any], Told]
    reads: bool = False
    removes: bool = False

    def schema(self) -> dict[str, Any]:
        found = _without_titles(self.arguments.model_json_schema(by_alias=True))
        return {name: said for name, said in found.items() if name != "description"}


def _without_titles(schema: Any) -> Any:
    """A title says the name again; a property that is named so is none."""
    if isinstance(schema, list):
        return [_without_titles(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {name: said for name, said in schema.items() if name != "title" or not isinstance(said, str)}
    return {name: _without_titles(said) for name, said in kept.items()}
