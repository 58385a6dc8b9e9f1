"""Whether the vault is where this machine has it, as a start sees it.

A vault that is gone gets a stand-in in this machine's own folder (capture/vanished): the moment is dealt with there as
anywhere, no close is started, and the start says that the vault is not at its place. At a vault that is there, a start
registers it, takes in what was kept while it was gone, and names one that is another than before. What is said goes
through a notice, like everything that a start says of the vault's health.
"""

from __future__ import annotations

from holdfast.capture import background, home, notices, vanished, vault_id
from holdfast.hook.scene import TROUBLE
from holdfast.model import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.hook.scene import Scene
    from holdfast.model import Moment, Reply

NOTICE = "vault-place"
FLAGS_JOINED = "vault-back"


def stand_in(moment: Moment, vault: str, env: Mapping[str, str], now: float) -> str:
    """The folder that this moment is dealt with in, where the vault is gone; "" where it never was here."""
    kept = vanished.stand_in(vault, env)
    if kept and moment.event in ("session-start", "after-compaction"):
        notices.leave(home.state(kept), NOTICE, vanished.told(vault, env), now)
    return kept


def answer(moment: Moment, vault: str, kept: str, env: Mapping[str, str], now: float, began: int) -> Reply:
    """The moment, dealt with in the stand-in. Nothing is closed there: its notes would not be in the vault."""
    from holdfast.hook import handle

    reply = handle.handle(moment, kept, {**env, background.SWITCH: "off"}, now, began)
    return replace(reply, line=f"Holdfast: the vault is not at {vault}") if reply.line else reply


def look(scene: Scene, env: Mapping[str, str]) -> None:
    """At a start: two small reads, and whatever follows from them."""
    if scene.vault != home.own_vault(env):
        return
    try:
        seen = vault_id.look(scene.vault, env)
        if seen.status == vault_id.OTHER:
            notices.leave(scene.state, NOTICE, vanished.replaced(seen), scene.now)
        else:
            notices.remove(scene.state, NOTICE)
        joined = vanished.settle(scene.vault, env, scene.now)
        if joined:
            scene.did["joined"] = joined
            what = "1 flag that was" if joined == 1 else f"{joined:,} flags that were"
            line = f"The vault is back at {scene.vault}; {what} kept on this machine meanwhile joined it."
            notices.leave(scene.state, FLAGS_JOINED, line, scene.now, once=True)
    except TROUBLE as error:
        scene.failures.append(error)
