"""Who a question is about: "what did Ada decide" is rather answered by Ada's words than by words about Ada.

Where it names two, either may have said it, and nobody is meant.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST = 60


def meant(query: str, speakers: Iterable[str]) -> str:
    """The one speaker whom a query names; "" where it names none or several."""
    asked = query.casefold()
    found = {
        name
        for name in speakers
        if 1 < len(name) <= LONGEST and re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", asked)
    }
    return found.pop() if len(found) == 1 else ""
