"""The name under which an access or a thought counts: who asks, and not which program.

Six sessions of one host may be six people or six roles, so the program's name says nothing about how many there are. In
order: `HOLDFAST_AGENT`, the contributor in this machine's own settings (`[field] contributor = "..."`), the session,
and for a shell or a client that no hook knows the person. A session's name has a slash and a given one has none, so
the two are told apart without asking anybody. Standard library only: the hook stamps what it sees used.
"""

from __future__ import annotations

from holdfast.capture import config, episodes, home
from holdfast.capture.ids import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE = "HOLDFAST_AGENT"
PERSON = "operator"  # as the operator's own token is called (serve/guard)
SHELL, CLIENT = "cli", "mcp"  # a shell without an agent in it, a client that no hook knows (capture/gate, serve/mcp)
LONGEST = 60


def agent_name(env: Mapping[str, str], host: str, episode: str) -> str:
    """The name of whoever calls from this environment, in this session of this host; "" where nothing is known."""
    given = tidy(env.get(VARIABLE, "")) or tidy(_contributor(env))
    if given or host in (SHELL, CLIENT):
        return given or PERSON
    session = episodes.session_of(episode)
    if not session:
        return host
    name = f"{host}/{session}"
    return name if len(name) <= LONGEST else f"{host}/{digest(session, 16)}"


def tidy(name: str) -> str:
    """A name that was given: one clean line without secrets, short, and never taken for a session's. Secrets go before
    the cut: half a secret is no longer recognised."""
    if not name.strip():
        return ""
    from holdfast.capture.flags import clean
    from holdfast.capture.redaction import redact

    return redact(clean(name)[0])[0].replace("/", "-")[:LONGEST].strip()


def _contributor(env: Mapping[str, str]) -> str:
    """From this machine's own settings: a vault that a repository brings does not say who the user is."""
    found = config.section(config.load(home.machine_state(env)), "field").get("contributor")
    return found if isinstance(found, str) else ""
