"""A database of a team, reached by its DSN: a pool, a budget of time, and one sentence for whatever goes wrong.

Several hosts in the DSN and target_session_attrs=read-write find the primary after a failover. Work that was cut off by
a dropped connection is done again: ids are made by the client, so nothing comes twice. A commit that was acknowledged
only because its wait for a standby was cancelled counts as not saved.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast.errors import Busy, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

T = TypeVar("T")
BUDGET = 10.0
PAUSE = 0.1  # seconds between two tries
CANCELLED = "canceling wait for synchronous replication"
BROKEN_OFF = ("08", "57P", "25006", "40001", "40P01")  # connection, shutdown, a standby, lost a race: try again


# A connection that is refused has no code, only these words.
UNKNOWN = ("authentication failed", "no pg_hba.conf entry", "FATAL: role")


class Away(Busy):
    """The team's field cannot be reached now; what was said is kept on this machine and is sent later."""


class Refused(UsageError):
    """The team's database does not let this machine in; nothing was changed."""


class Server:
    """One database. A server's replicas share a pool of `most` connections; a command has one, without a pool: it
    learns at once that nobody answers. It may be used by several threads."""

    def __init__(self, dsn: str, *, budget: float = BUDGET, most: int = 0) -> None:
        try:
            import psycopg

            from holdfast.field.postgres.waking import Waking
        except ImportError as error:
            raise Refused(
                "A team's field needs psycopg, which is not installed; nothing was changed. "
                'Install it with `pip install "holdfast[postgres]"`.'
            ) from error
        logging.getLogger("psycopg").setLevel(logging.CRITICAL)  # each failure is told here, in a sentence of ours
        self.budget = budget
        self.dsn = _made(dsn, budget)
        self._psycopg = psycopg
        self._waking = Waking
        self._one: Any = None
        self._lock = threading.RLock()
        self._pool = self._pooled(most) if most else None
        self._is_checked = False

    def _pooled(self, most: int) -> Any:
        from psycopg_pool import ConnectionPool

        return ConnectionPool(
            self.dsn, connection_class=self._waking, min_size=1, max_size=most, open=True, timeout=self.budget,
            kwargs={"autocommit": True}, configure=self._ready, check=ConnectionPool.check_connection,
        )  # fmt: skip

    def _ready(self, db: Any) -> None:
        """A new connection: what the server remarks is kept, for a remark may say that a commit is not safe."""
        said: list[str] = []
        db.remarks = said
        db.add_notice_handler(lambda one: said.append(one.message_primary or ""))
        db.execute(f"SET statement_timeout = {max(1, int(self.budget * 1000))}")
        # A project is a small part of a table, and only the values of a question tell how small; answers are short.
        db.execute("SET plan_cache_mode = force_custom_plan; SET max_parallel_workers_per_gather = 0")

    def close(self) -> None:
        if self._pool is not None:
            self._pool.close()
        if self._one is not None:
            self._one.close()
            self._one = None

    @contextmanager
    def owner(self) -> Iterator[Any]:
        """A connection by itself, as it is: for preparing, and for looking at the schema. Raises Away, Refused."""
        try:
            with self._waking.connect(self.dsn, autocommit=True) as db:
                yield db
        except self._psycopg.Error as error:
            raise _said(error, self.budget) from error

    @contextmanager
    def connection(self) -> Iterator[Any]:
        """A connection that others use before and after. Raises Away, Refused."""
        try:
            if self._pool is not None:
                with self._pool.connection() as db:
                    self._refuse_mighty(db)
                    yield db
                return
            with self._lock:
                if self._one is None or self._one.closed:
                    self._one = self._waking.connect(self.dsn, autocommit=True)
                    self._ready(self._one)
                self._refuse_mighty(self._one)
                yield self._one
        except self._psycopg.Error as error:
            raise _said(error, self.budget) from error

    def _refuse_mighty(self, db: Any) -> None:
        """A role that no policy binds would see every team's rows."""
        if self._is_checked:
            return
        query = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
        if db.execute(query).fetchone()[0]:
            raise Refused(
                "This role may see every team's rows (it is a superuser, or bypasses row-level security); nothing was "
                "read. Use the address of a person that `holdfast team add` printed."
            )
        self._is_checked = True

    @contextmanager
    def transaction(self, team: str, *, person: str = "") -> Iterator[Any]:
        """One transaction as a member of a team; as a person where this role may be that one."""
        with self.connection() as db:
            db.remarks.clear()
            waited = threading.Timer(self.budget, db.cancel_safe)
            waited.daemon = True
            try:
                with db.transaction():
                    enter(db, team, person)
                    yield db
                    waited.start()  # a commit that waits for a standby has no other end
            finally:
                waited.cancel()
            if any(CANCELLED in one for one in db.remarks):
                raise Away(
                    "The team's database stopped waiting for its standby, so this is not safely saved there; it is "
                    "kept on this machine and is sent again."
                )

    def asked(self, query: str, values: Sequence[Any], team: str, person: str = "") -> list[tuple[Any, ...]]:
        """The rows of one question, in a transaction of its own that takes one journey to the server."""
        with self.connection() as db:
            try:
                with db.pipeline():
                    db.execute("BEGIN READ ONLY")
                    enter(db, team, person)
                    found = db.execute(query, values, binary=True)
                    db.execute("COMMIT")
                    return list(found.fetchall())
            except self._psycopg.Error:
                if not db.closed:
                    db.rollback()
                raise

    def again(self, work: Callable[[], T]) -> T:
        """Work that may be done twice, until it is done or the budget is over. Raises Away, Refused."""
        until = time.monotonic() + self.budget
        while True:
            try:
                return work()
            except Away:
                if self._pool is None or time.monotonic() + PAUSE > until:
                    raise
                time.sleep(PAUSE)


def enter(db: Any, team: str, person: str = "") -> None:
    """For this transaction only: the next user of the connection names a team of its own."""
    if person:
        from psycopg import sql

        db.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(person)))
    db.execute("SELECT set_config('holdfast.team', %s, true)", (team,))


def _made(dsn: str, budget: float) -> str:
    from psycopg import ProgrammingError, conninfo

    try:
        given = conninfo.conninfo_to_dict(dsn)
    except ProgrammingError as error:
        raise Refused(f"That is no address of a PostgreSQL database ({_tidy(error)}); nothing was changed.") from error
    if not given.get("host") and not given.get("dbname") and "service" not in given:
        raise Refused(
            "The address names no database; nothing was changed. It looks like postgresql://ada@host/holdfast."
        )
    given.setdefault("connect_timeout", str(max(1, int(budget))))
    given.setdefault("application_name", "holdfast")
    if "," in str(given.get("host", "")):
        given.setdefault("target_session_attrs", "read-write")
    return conninfo.make_conninfo("", **given)


def _tidy(error: BaseException) -> str:
    """What the server said, in one line and without a password."""
    return re.sub(r"(://[^:@/\s]*):[^@/\s]*@", r"\1:***@", " ".join(str(error).split()))[:200]


def _said(error: Any, budget: float) -> Exception:
    """The sentence for what psycopg raised; what is a mistake of ours is raised as it is."""
    import psycopg
    from psycopg_pool import PoolTimeout

    state = getattr(error, "sqlstate", None) or ""
    text = _tidy(error)
    if state.startswith("53") or "No space left" in text:
        return Away(f"The team's database has no room left ({text}); what was said is kept on this machine.")
    if state == "57014":
        return Away(f"The team's database did not answer within {budget:g} s; this machine's own index answers.")
    if state in ("28000", "28P01") or any(one in text for one in UNKNOWN):
        return Refused(f"The team's database does not know this person or password ({text}); nothing was changed.")
    if state == "3D000" or ("database" in text and "does not exist" in text):
        return Refused(f"There is no such database ({text}); nothing was changed. Look at the address.")
    if state == "42501":
        return Refused(
            f"This person may not do that in the team's database ({text}); nothing was changed. Ask its owner to add "
            "you to the team."
        )
    if state in ("42P01", "3F000"):
        return Refused(
            "The database is not prepared; nothing was changed. Run `holdfast team prepare DSN` as its owner."
        )
    if isinstance(error, PoolTimeout) or (
        isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError)) or state.startswith(BROKEN_OFF)
    ):
        return Away(
            f"The team's field cannot be reached now ({text or 'no answer'}); nothing is lost: it is sent later."
        )
    return error  # type: ignore[no-any-return]
