"""What the tests share: processes, which end with the test, clocks, waiting, and lines of TAP."""

import ctypes
import glob
import json
import os
import signal
import socket
import subprocess
import sys
import time

import psycopg2

import ids

HERE = os.path.dirname(os.path.abspath(__file__))
BINDIR = os.path.dirname(
    os.path.realpath(subprocess.check_output(["sh", "-c", "command -v postgres"], text=True).strip())
)
(FAKETIME,) = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")

# PostgreSQL reads the clock in the signal handler of its timeouts, for which libfaketime is not safe.
SETTINGS = {
    "deadlock_timeout": "1h",
    "authentication_timeout": "600s",
    "log_startup_progress_interval": "0",
    "autovacuum": "off",
    "shared_buffers": "64MB",
    "max_connections": "60",
    "timezone": "UTC",
}


# Environment variables for the user's own servers would override the files that the tests write.
for variable in list(os.environ):
    if variable.startswith(("PATRONI_", "ETCD_", "PGBACKREST_")) or variable.lower().endswith("_proxy"):
        del os.environ[variable]


class GaveUp(Exception):
    pass


# -- TAP --------------------------------------------------------------------------------------------------------------

tests = 0
failures = 0


def note(*words):
    print("#", *words, flush=True)


def ok(good, name, details=()):
    global tests, failures
    tests += 1
    failures += not good
    print("ok" if good else "not ok", tests, "-", name, flush=True)
    if not good:
        for line in details:
            note("   ", line)


# -- Processes --------------------------------------------------------------------------------------------------------

# If a process dies, its children become children of this process. So a server can be found by its process ID,
# although it is no child of the process that started it.
PR_SET_CHILD_SUBREAPER = 36
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
started = {}


def start(command, log, **environment):
    with open(log, "a") as file:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, env={**os.environ, **environment}
        )
    started[process.pid] = process
    return process


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(child) for child in file.read().split()]
    except FileNotFoundError:
        return []


def bury():
    """Reaps dead children, so that a wait for the end of a process does not see a zombie."""
    for pid in children(os.getpid()):
        if pid in started:
            if started[pid].poll() is not None:
                del started[pid]
        else:
            try:
                os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                pass


def send(number, *pids):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def wait_for(what, condition, seconds=60):
    until = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > until:
            raise GaveUp(f"{seconds} seconds, and not yet: {what}")
        bury()
        time.sleep(0.1)
    return value


def end_all():
    """Ends all remaining processes that this one started."""
    for number in signal.SIGTERM, signal.SIGKILL:
        until = time.monotonic() + 15
        while left := children(os.getpid()):
            send(signal.SIGCONT, *left)
            send(number, *left)
            time.sleep(0.2)
            bury()
            if time.monotonic() > until:
                break


def kill_server(data):
    """A postmaster and all its processes, as at once: it could start others meanwhile."""
    with open(f"{data}/postmaster.pid") as file:
        postmaster = int(file.readline())
    send(signal.SIGSTOP, postmaster)
    all_of_it = [postmaster] + children(postmaster)
    send(signal.SIGKILL, *all_of_it)
    wait_for("the death of a server", lambda: not any(os.path.exists(f"/proc/{pid}") for pid in all_of_it))


def main(test, seconds=600):
    """Runs a test, which takes a folder of its own, and ends what it leaves, at the latest after so many seconds."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(f"# {seconds} seconds are over"))
    signal.alarm(seconds)
    work = sys.argv[1]
    os.makedirs(work, mode=0o700)
    try:
        test(work)
    except (GaveUp, psycopg2.Error, OSError, subprocess.CalledProcessError) as error:
        ok(False, f"went on to the end: {type(error).__name__}: {error}")
    finally:
        signal.alarm(0)
        end_all()
    print(f"1..{tests}")
    sys.exit(failures != 0)


# -- Servers ----------------------------------------------------------------------------------------------------------


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def set_clock(file, clock):
    """In libfaketime's words, such as -1h."""
    with open(f"{file}.new", "w") as new:
        print(clock, file=new)
    os.rename(f"{file}.new", file)


def programs(where, clock):
    """A folder of PostgreSQL's programs, in which `postgres` goes by the clock in that file."""
    os.makedirs(where)
    for name in os.listdir(BINDIR):
        if name != "postgres":
            os.symlink(f"{BINDIR}/{name}", f"{where}/{name}")
    set_clock(clock, "+0")
    with open(f"{where}/postgres", "w") as file:
        print("#!/bin/sh", file=file)
        print(
            f"exec env LD_PRELOAD='{FAKETIME}' FAKETIME_TIMESTAMP_FILE='{clock}' FAKETIME_NO_CACHE=1",
            end=" ",
            file=file,
        )
        print(f"FAKETIME_DONT_FAKE_MONOTONIC=1 '{BINDIR}/postgres' \"$@\"", file=file)
    os.chmod(f"{where}/postgres", 0o755)


def sql(dsn, query):
    connection = psycopg2.connect(dsn)
    try:
        connection.autocommit = True
        cursor = connection.cursor()
        cursor.execute(query)
        return cursor.fetchone() if cursor.description else None
    finally:
        connection.close()


def with_cursor(dsn, function):
    connection = psycopg2.connect(dsn)
    try:
        connection.autocommit = True
        return function(connection.cursor())
    finally:
        connection.close()


def is_leader(dsn):
    try:
        return not sql(dsn, "SELECT pg_is_in_recovery()")[0]
    except psycopg2.Error:
        return False


class Server:
    """A server of its own, which goes by a clock of its own."""

    def __init__(self, work, name):
        self.folder = f"{work}/{name}"
        self.data, self.clock, self.log = f"{self.folder}/data", f"{self.folder}/clock", f"{self.folder}/postgres.log"
        self.port = free_port()
        self.dsn = f"host=127.0.0.1 port={self.port} user=postgres dbname=postgres connect_timeout=2"
        os.mkdir(self.folder)
        programs(f"{self.folder}/bin", self.clock)

    def start(self, preloaded, *options):
        options = [f"--port={self.port}", f"--unix_socket_directories={self.folder}", *options]
        if preloaded:
            options.append("--shared_preload_libraries=kid")
        self.process = start([f"{self.folder}/bin/postgres", "-D", self.data] + options, self.log)
        wait_for("a server that takes writes", lambda: is_leader(self.dsn))

    def stop(self):
        send(signal.SIGINT, self.process.pid)
        wait_for("the end of a server", lambda: self.process.pid not in started)

    def kill(self):
        kill_server(self.data)


def start_load(dsn, log):
    return start([sys.executable, f"{HERE}/ids.py", dsn, log], f"{log}.errors")


def stop_load(process):
    process.terminate()
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        raise GaveUp("the clients do not stop")


# -- Tests of the IDs -------------------------------------------------------------------------------------------------

ARRIVED = ", among those that have a row, are of the same leader, or whose WAL arrived"


def judge(step, figures, examples, kinds, loss, seconds):
    """Prints the figures of a step, and tests them.

    A later ID may not repeat, or be below, an earlier ID of one of the `kinds`. `loss` says whether an acknowledged
    commit may be lost, and `seconds` how long a type may be without new IDs.
    """
    mine = {name: of for (where, name), of in sorted(figures.items()) if where == step}
    for name, of in mine.items():
        note(f"{step}: {name:5}", ", ".join(f"{key} {round(value, 1)}" for key, value in of.items() if value))

    def none(text, *keys):
        count = {name: sum(of[key] for key in keys) for name, of in mine.items()}
        ok(
            not any(count.values()),
            f"{step}: {text}",
            [json.dumps(count)] + [line for line in examples[step] if line.startswith(keys)],
        )

    of_what = "" if kinds == ids.KINDS else ARRIVED
    none(f"no ID repeats an earlier one{of_what}", *(f"repeated[{kind}]" for kind in kinds))
    none(f"no ID is below an earlier one{of_what}", *(f"below[{kind}]" for kind in kinds))
    none("no ID is rejected by a unique key", "refused")
    if not loss:
        none("no acknowledged commit is lost", "lost")
    pauses = {name: round(of["pause"], 1) for name, of in mine.items()}
    silent = {name: round(of["silent"], 1) for name, of in mine.items()}
    ok(
        max(pauses.values()) < seconds and max(silent.values()) < 4,
        f"{step}: no type is without new IDs for {seconds} s",
        [f"longest pause: {json.dumps(pauses)}", f"at the end: {json.dumps(silent)}"],
    )
