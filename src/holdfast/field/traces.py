"""Traces: whose accesses count in a ranking, everybody's or the asker's own.

An asker without a name is one of the unnamed sessions and shells of this machine, which are one user's as a rule: their
traces count for each other, else the sessions of one user would forget what the others found useful. A name, given in
the environment, the settings or a token, is somebody of their own.

Own weights are computed from the access log of a thought, which has its newest hundred accesses. What was only opened
or cited adds 0.02 to everybody's weight and stands in no thought's log, so it is not part of an own one, unless all
who ever came are the asker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast import pheromone
from holdfast.capture.identity import PERSON
from holdfast.hosts import HOSTS
from holdfast.model import replace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.field.store import Store
    from holdfast.field.thought import Thought, Traffic

HOUSEHOLD = ""  # the owner of all traces that nobody has put a name to


def is_named(agent: str) -> bool:
    """Whether somebody gave it a name: no session, no shell, no host as older records have it."""
    return bool(agent) and "/" not in agent and agent != PERSON and agent not in HOSTS


def owner(agent: str) -> str:
    """The one whose own traces these are."""
    return agent if is_named(agent) else HOUSEHOLD


def counted(store: Store, known: Mapping[str, Thought], asker: str | None) -> dict[str, Traffic]:
    """The traffic of these thoughts as it counts for an asker, of those that somebody has read; None is everybody's."""
    if asker is None:
        return store.traffic(known, whole=False)
    return {one: own(traffic, known[one], asker) for one, traffic in store.traffic(known).items()}


def own(traffic: Traffic, thought: Thought, asker: str) -> Traffic:
    """The traffic that would be there if nobody but the asker had come."""
    mine = owner(asker)
    if all(owner(agent) == mine for agent in (*traffic.agents, *(agent for _, agent in traffic.log))):
        return traffic
    log = tuple((when, agent) for when, agent in traffic.log if owner(agent) == mine)
    weight, last = thought.start, thought.created
    for when, _ in log:
        weight, last = pheromone.reinforced(weight, last, when), when
    agents = tuple(agent for agent in traffic.agents if owner(agent) == mine)
    return replace(traffic, access_count=len(log), last_accessed=last, weight=weight, agents=agents, log=log)
