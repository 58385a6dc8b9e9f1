"""What an embedder is: a name, a dimension, and vectors of unit length.

The same text gives the same vector, whatever stands beside it in a call, in any process: vectors are kept, and compared
with those made later. A text without anything to embed gives zeros, which are near nothing. The name says which model
made a vector, so that vectors of two models are never compared. tests/contract/test_embedders.py is run against every
implementation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from holdfast.errors import HoldfastError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy import float32
    from numpy.typing import NDArray

    Vectors = NDArray[float32]


class NoVectors(HoldfastError):
    """The texts could not be embedded; nothing was changed, and search goes on by what serves."""

    # `again`: the same call may succeed later.

    code = "embedder"
    exit_status = 16

    def __init__(self, message: str | None = None, *, again: bool = False) -> None:
        super().__init__(message)
        self.again = again


class Embedder(Protocol):
    """One model."""

    @property
    def name(self) -> str: ...
    @property
    def dimension(self) -> int:
        """How long its vectors are; a remote one may have to ask for it. Raises NoVectors."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row for each text, in their order. Raises NoVectors."""
        ...


def unit(rows: Vectors) -> Vectors:
    """Each row at length one; a row of zeros stays what it is."""
    import numpy

    lengths = numpy.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / numpy.where(lengths > 0, lengths, 1.0)).astype(numpy.float32, copy=False)
