"""The team on the command line, for a person: join, share and unshare a project, see what is unsent, send it now."""

from __future__ import annotations

import sys
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from holdfast.capture import gate, home
from holdfast.cli import output
from holdfast.cli.command import Argument, Json, Option, Yes
from holdfast.errors import Busy, NotFound, UsageError
from holdfast.memory import Memory
from holdfast.team import accepted, background, shipping
from holdfast.team import settings as team_settings
from holdfast.team.settings import Settings, Share, masked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.field.postgres.connection import Server

Dsn = Annotated[str, Argument(metavar="DSN", help="postgresql://…; - reads it from standard input.")]


@contextmanager
def connected(dsn: str) -> Iterator[Server]:
    from holdfast.field.postgres.connection import Server

    made = Server(dsn)
    try:
        yield made
    finally:
        made.close()


def given_dsn(dsn: str) -> str:
    return sys.stdin.readline().strip() if dsn == "-" else dsn


def _own(memory: Memory, what: str) -> None:
    """Raises Refused for an agent, UsageError for a vault that a repository brings."""
    gate.require(memory.at.asker(), gate.Change(gate.SETTING), what)
    if home.machine_state(memory.at.env) != memory.at.state:
        raise UsageError("This is a repository's own vault; nothing was changed. Only your own vault can be shared.")


def join(dsn: Dsn, json: Json = False) -> None:
    """Join the teams that an address makes you a member of, on this machine. Nothing is shared by it."""
    from holdfast.team import membership

    memory = Memory.open()
    _own(memory, "Joining a team")
    given = given_dsn(dsn)
    with connected(given) as server:
        role = membership.joinable(server)
    before = team_settings.load(memory.at.env, memory.at.vault)
    home.make_vault(memory.at.vault, memory.at.env)
    team_settings.write(memory.at.env, replace(before, dsn=given, person=role.person))
    teams = " and ".join(role.teams)
    lines = [f"joined as {role.person}, a member of {teams}. Nothing is shared yet."]
    lines.append(f"`holdfast share PROJECT --with {role.teams[0]}` shares one; `holdfast project list` names them.")
    output.answer({"person": role.person, "teams": list(role.teams), "dsn": masked(given)}, lines, json=json)


def team(json: Json = False) -> None:
    """Show what this machine shares with whom, and what is unsent since when; no server is asked. See also team
    prepare, team add, team remove, team join, team list, team sync and team accept."""
    memory = Memory.open()
    settings = team_settings.joined(memory.at.env, memory.at.vault)
    with background.opened(memory.at.vault, memory.at.env, memory.at.clock) as field:
        from holdfast.field import intake

        intake.synced(field)
        unsent = [shipping.unsent(field, settings, share) for share in settings.shares]
    waiting = shipping.withdrawals(memory.at.vault)
    record = {
        "person": settings.person,
        "dsn": masked(settings.dsn),
        "budget_s": settings.budget_s,
        "shared": [_unsent_record(one) for one in unsent],
        "withdrawing": [{"project": one.project, "team": one.team} for one in waiting],
    }
    output.answer(record, _team_lines(settings, unsent, waiting, memory.at.clock()), json=json)


def _unsent_record(one: shipping.Unsent) -> dict[str, Any]:
    told = {"project": one.share.project, "team": one.share.team, "unsent": one.count, "oldest": one.oldest}
    return {**told, "purge_unsent": one.purged}


def _team_lines(settings: Settings, unsent: list[shipping.Unsent], waiting: list[Share], now: float) -> Iterator[str]:
    yield f"{settings.person} at {masked(settings.dsn)}"
    for one in unsent:
        age = f", the oldest {output.age(now - one.oldest)} old" if one.oldest else ""
        state = f"{output.counted(one.count, 'record')} unsent{age}" if one.count else "all of it is sent"
        purged = "; a purge has not reached the team yet" if one.purged else ""
        yield f"{output.plain(one.share.project)} with {output.plain(one.share.team)}: {state}{purged}"
    for share in waiting:
        yield f"{output.plain(share.project)} is withdrawn from {output.plain(share.team)} as soon as it can be reached"
    if not unsent and not waiting:
        yield "No project is shared. `holdfast share PROJECT --with TEAM` shares one."


def sync(json: Json = False) -> None:
    """Send what is unsent to the teams now, and withdraw what is no longer shared."""
    memory = Memory.open()
    settings = team_settings.joined(memory.at.env, memory.at.vault)
    done = _shipped(memory, settings, hidden=json)
    sent = [{"project": one.project, "team": one.team, "records": count} for one, count in done.sent.items()]
    gone = [{"project": one.project, "team": one.team, "places": count} for one, count in done.withdrawn.items()]
    output.answer({"sent": sent, "withdrawn": gone}, _shipment_lines(done), json=json)


def _shipped(memory: Memory, settings: Settings, *, hidden: bool) -> shipping.Shipment:
    at = memory.at
    with output.progress("sending to the team", hidden=hidden) as bar:
        done = 0

        def progress(more: int) -> None:
            nonlocal done
            done += more
            bar(done, done + 1)

        return background.now(at.vault, at.env, at.clock, progress, settings)


def _shipment_lines(done: shipping.Shipment) -> Iterator[str]:
    for one, count in done.withdrawn.items():
        yield f"{output.plain(one.project)}: withdrawn from {output.plain(one.team)} ({output.counted(count, 'place')})"
    for one, count in done.sent.items():
        yield f"{output.plain(one.project)}: {output.counted(count, 'record')} sent to {output.plain(one.team)}"
    if not done.sent and not done.withdrawn:
        yield "No project is shared; nothing was sent."


def accept(
    ident: Annotated[str, Argument(metavar="ID", help="Of a thought that somebody shared; `recall` shows it.")],
    json: Json = False,
) -> None:
    """Accept a thought that somebody else shared: from now on its own origin counts here, as long as it says this."""
    from holdfast.field.postgres.store import PostgresStore

    memory = Memory.open()
    _own(memory, "Accepting a shared thought")
    settings = team_settings.joined(memory.at.env, memory.at.vault)
    with connected(settings.dsn) as server:
        for name in dict.fromkeys(share.team for share in settings.shares):
            found = PostgresStore(server, name, "").thoughts([ident]).get(ident)
            if found:
                break
        else:
            raise NotFound(f'No team has a thought "{ident[:60]}"; nothing was changed. `holdfast recall` shows ids.')
    accepted.accept(memory.at.vault, found, memory.at.clock())
    line = f"accepted {found.id}, from {found.origin}: {output.plain(found.text)[:200]}"
    output.answer({"id": found.id, "origin": found.origin, "team": name}, (line,), json=json)


def share(
    project: Annotated[str, Argument(help="Its id, as `holdfast project list` shows it; . is the one here.")],
    with_: Annotated[str, Option("--with", metavar="TEAM", help="The team that sees it from now on.")],
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Share a project's thoughts, notes and their use with a team. Until then nothing of it leaves this machine."""
    from holdfast.team import membership

    memory = Memory.open()
    _own(memory, "Sharing a project")
    settings = team_settings.joined(memory.at.env, memory.at.vault)
    ident = _project(memory, project)
    with suppress(Busy):  # away: who is a member is seen when it is sent
        with connected(settings.dsn) as server:
            role = membership.joinable(server)
        if with_ not in role.teams:
            raise UsageError(
                f"{settings.person} is no member of {with_[:60]}; nothing was shared. "
                f"The teams are {', '.join(role.teams)}."
            )
    told = f"Every member of {with_} will read the thoughts, notes and decisions of {ident}, and who read what."
    if not yes:
        output.require_yes(f"{told} Share it?", told=told)
    one = Share(ident, with_)
    shipping.drop_withdrawal(memory.at.vault, one)
    changed = settings.sharing(ident, with_)
    team_settings.write(memory.at.env, changed)
    try:
        done: shipping.Shipment | None = _shipped(memory, changed, hidden=json)
    except Busy as error:
        done, later = None, str(error)
    lines = [f"{output.plain(ident)} is shared with {output.plain(with_)}."]
    lines += list(_shipment_lines(done)) if done else [f"note: {later}"]
    output.answer({"project": ident, "team": with_, "sent": done.sent.get(one, 0) if done else None}, lines, json=json)


def unshare(
    project: Annotated[str, Argument(help="Its id; . is the one here.")],
    with_: Annotated[str, Option("--with", metavar="TEAM", help="Only from this team; all of them if none.")] = "",
    json: Json = False,
) -> None:
    """Stop sharing a project: everything that this machine sent of it is withdrawn, now or once the server is back."""
    memory = Memory.open()
    _own(memory, "Withdrawing a project")
    settings = team_settings.joined(memory.at.env, memory.at.vault)
    ident = _project(memory, project)
    gone = [one for one in settings.shares if one.project == ident and with_ in ("", one.team)]
    if not gone:
        raise NotFound(f"{ident[:60]} is not shared with {with_[:60] or 'any team'}; nothing was changed.")
    for one in gone:
        shipping.note_withdrawal(memory.at.vault, one)
        settings = settings.without(one)
    team_settings.write(memory.at.env, settings)
    lines = [f"{output.plain(one.project)} is no longer shared with {output.plain(one.team)}." for one in gone]
    try:
        done = _shipped(memory, settings, hidden=json)
        lines += [line for line in _shipment_lines(done) if "withdrawn" in line]
        withdrawn = True
    except Busy:
        withdrawn = False
        lines.append("note: the team's field does not answer now; what was sent is withdrawn as soon as it does.")
    record = {"project": ident, "teams": [one.team for one in gone], "withdrawn": withdrawn}
    output.answer(record, lines, json=json)


def _project(memory: Memory, named: str) -> str:
    """The id of a project that the vault knows. Raises NotFound."""
    if named == ".":
        return memory.at.project().id
    known = [one.id for one in memory.sessions.projects()]
    if named not in known and named != memory.at.project().id:
        listed = f" There are {', '.join(sorted(known)[:10])}." if known else ""
        raise NotFound(f'There is no project "{named[:60]}"; nothing was changed.{listed}')
    return named


def send_anew(memory: Memory, *, json: bool) -> None:
    """`rebuild --store`: this machine's part of every team's store goes, and is sent again."""
    _own(memory, "Sending everything to the team anew")
    settings = team_settings.joined(memory.at.env, memory.at.vault)
    with connected(settings.dsn) as server, shipping.turn(memory.at.vault):
        for one in settings.shares:
            shipping.begin_anew(memory.at.vault, server, settings.person, one)
    done = _shipped(memory, settings, hidden=json)
    sent = [{"project": one.project, "team": one.team, "records": count} for one, count in done.sent.items()]
    output.answer({"sent": sent}, _shipment_lines(done), json=json)
