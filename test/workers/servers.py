"""Servers of the play, which go by one clock that steps."""

import ctypes
import glob
import os
import shutil
import signal
import socket
import subprocess
import time

import psycopg

SETTINGS = """
listen_addresses = ''
unix_socket_directories = '{folder}'
port = {port}
max_connections = {connections}
fsync = off
shared_buffers = 64MB
# The server makes IDs itself, with other numbers than those of the pools.
kid.node = 0
kid.lanes = 64
# In plain SQL the functions are in the schema kid.
search_path = 'public, kid'
# PostgreSQL reads the clock in the signal handler of its timeouts, for which libfaketime is not safe.
deadlock_timeout = 1h
authentication_timeout = 600s
log_startup_progress_interval = 0
autovacuum = off
# A step of the clock must not end replication.
wal_sender_timeout = 0
wal_receiver_timeout = 0
wal_keep_size = 1GB
wal_receiver_status_interval = 1s
"""

BINDIR = os.path.dirname(os.path.realpath(shutil.which("postgres")))
FAKETIME = (glob.glob("/usr/lib/*/faketime/libfaketime.so.1") + [None])[0]
PR_SET_PDEATHSIG = 1


class GaveUp(Exception):
    pass


def wait_for(what, condition, seconds=60):
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            raise GaveUp(f"{seconds} seconds, and not yet: {what}")
        time.sleep(0.1)


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(child) for child in file.read().split()]
    except FileNotFoundError:
        return []


def send(number, *pids):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


class Server:
    def __init__(self, folder, name, connections):
        self.folder, self.connections = f"{folder}/{name}", connections
        self.data, self.clock = f"{self.folder}/data", f"{self.folder}/clock"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.conninfo = f"host={self.folder} port={self.port} user=postgres dbname=postgres"
        self.process = None
        os.mkdir(self.folder, mode=0o700)
        self.set_clock(0)

    def set_clock(self, seconds):
        """Sets by how much the clock of the server differs from that of the machine."""
        with open(f"{self.clock}.new", "w") as file:
            file.write(f"{seconds:+}\n")
        os.rename(f"{self.clock}.new", self.clock)

    def program(self, *words):
        with open(f"{self.folder}/programs.log", "a") as log:
            subprocess.run(words, check=True, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def configure(self):
        with open(f"{self.data}/postgresql.conf", "a") as file:
            file.write(SETTINGS.format(folder=self.folder, port=self.port, connections=self.connections))

    def create(self):
        self.program(
            "initdb", "-D", self.data, "-U", "postgres", "--auth=trust", "--no-locale", "--encoding=UTF8", "--no-sync"
        )
        self.configure()

    def copy(self, other):
        """Makes this server a standby of another one."""
        self.program("pg_basebackup", "-d", other.conninfo, "-D", self.data, "-R", "--no-sync", "-c", "fast")
        self.configure()

    def start(self):
        environment = dict(os.environ)
        if FAKETIME:
            environment.update(
                LD_PRELOAD=FAKETIME,
                FAKETIME_TIMESTAMP_FILE=self.clock,
                FAKETIME_NO_CACHE="1",
                FAKETIME_DONT_FAKE_MONOTONIC="1",
            )
        with open(f"{self.folder}/postgres.log", "a") as log:
            self.process = subprocess.Popen(
                [f"{BINDIR}/postgres", "-D", self.data],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment,
                # The server does not outlive the play.
                preexec_fn=lambda: ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGQUIT, 0, 0, 0),
            )
        wait_for("a server that answers", self.answers)

    def answers(self):
        try:
            return self.sql("SELECT 1") == [(1,)]
        except psycopg.OperationalError:
            return False

    def connect(self):
        """Returns a connection. While hundreds of processes connect, the server's queue for them can be full."""
        until = time.monotonic() + 60
        while True:
            try:
                return psycopg.connect(self.conninfo, autocommit=True)
            except psycopg.OperationalError as error:
                if "Resource temporarily unavailable" not in str(error) or time.monotonic() > until:
                    raise
                time.sleep(0.1)

    def sql(self, query, *parameters):
        with self.connect() as connection:
            cursor = connection.execute(query, parameters or None)
            return cursor.fetchall() if cursor.description else None

    def promote(self):
        self.sql("SELECT pg_promote(true, 60)")

    def walsenders(self):
        return [pid for (pid,) in self.sql("SELECT pid FROM pg_stat_replication")]

    def kill(self):
        """Ends the server as at once: the postmaster could start other processes meanwhile."""
        if self.process is None:
            return
        send(signal.SIGSTOP, self.process.pid)
        send(signal.SIGKILL, *children(self.process.pid), self.process.pid)
        self.process.wait()
        self.process = None
