"""The words that only ask to remember, taken off what is to be remembered: "Remember: staging is wiped every night" is
kept as "staging is wiped every night". The prompt itself is kept verbatim elsewhere (vault/prompts).

Only what stands at the very front, or points back from the very end, goes, in the seven languages that we hear orders
in; where hardly anything would be left, nothing goes.
"""

from __future__ import annotations

import re

FEWEST = 6  # letters that must be left
_POLITE = r"(?:(?:and|also|oh|ok|okay|hey|btw|please|pls|plz|kindly|bitte|por favor|请|麻烦)[,:]?\s*)*"
_FRONTS = (
    r"(?:(?:can|could|would|will) (?:you|u) (?:please |pls )?)?(?:always )?"
    r"(?:remember|remeber|rember|rememebr|memori[sz]e|keep in mind|bear in mind|don'?t forget|do not forget)\b"
    r"(?:\s+(?:this|that|these|the following))?(?:\s*[:,\u2014\u2013-]\s*|\s+(?:that|to)\s+|\s+)",
    r"(?:(?:make|take) a note|note(?: to self)?|for (?:the )?future(?: reference)?|for next time|fyi)"
    r"(?:\s*[:,\u2014\u2013-]\s*|\s+that\s+)",
    r"(?:merke?\s+dir|notiere?(?:\s+dir)?|denke?\s+daran|vergiss\s+nicht)(?:\s*[:,\u2014\u2013-]\s*|\s+)"
    r"(?:bitte[:,]?\s+)?(?:dass\s+)?",
    r"(?:souviens-toi|rappelle-toi|retiens|note|n'oublie pas)(?:\s*[:,\u2014\u2013-]\s*|\s+(?:bien\s+)?qu(?:e\s+|'))",
    r"(?:recuerda|anota|apunta|ten en cuenta|no olvides)(?:\s*[:,\u2014\u2013-]\s*|\s+que\s+)",
    r"(?:lembre(?:-se)?|anote|guarde|tenha em mente|não se esqueça)(?:\s*[:,\u2014\u2013-]\s*|\s+(?:de\s+)?que\s+)",
    r"(?:你)?(?:记住|记一下|记下来|牢记|别忘了)\s*[:\uff1a,\uff0c]?\s*",
    r"(?:覚えておいて|メモして(?:おいて)?)(?:ください|下さい|ね)?\s*[:\uff1a、。,]\s*",
)
_ASKED = re.compile(rf"^[\s*_>#-]*{_POLITE}(?:can|could|would|will) (?:you|u) ", re.IGNORECASE)
_FRONT = re.compile(rf"^[\s*_>#-]*{_POLITE}(?:{'|'.join(_FRONTS)})", re.IGNORECASE)
_BACK = re.compile(
    r"(?:[.;,!\u2014\u2013-]\s*(?:please |pls )?(?:remember|memori[sz]e|note) (?:this|that|it)(?: please)?|"
    r"(?:こと)?を覚えておいて(?:ください|下さい|ね)?)[.!。\s]*$",
    re.IGNORECASE,
)


def without(text: str) -> str:
    """What is to be remembered, without the words that ask for it."""
    found = _FRONT.match(text)
    bare = text[found.end() :] if found else text
    back = _BACK.search(bare)
    bare = bare[: back.start()] if back and back.start() else bare
    bare = bare.strip()
    if found and _ASKED.match(text):
        bare = bare.rstrip("? ")
    return bare if sum(one.isalnum() for one in bare) >= FEWEST or _is_wide(bare) else text.strip()


def _is_wide(text: str) -> bool:
    return sum(one > "\u2e80" for one in text) > 3
