"""A machine whose power can be cut: a PostgreSQL server on two disks that lose what was not flushed."""

import glob
import os
import pwd
import shutil
import signal
import subprocess
import time

import psycopg

from disk import HEAD

HERE = os.path.dirname(os.path.abspath(__file__))
BINDIR = os.path.dirname(shutil.which("postgres"))
FAKETIME = (glob.glob("/usr/lib/*/faketime/libfaketime.so.1") + [None])[0]
IMAGE_SIZE = 1 << 30
# PostgreSQL refuses to run as root, which these disks need.
RUNNER = pwd.getpwnam(os.environ["KID_RUNNER"])
AS_RUNNER = dict(user=RUNNER.pw_uid, group=RUNNER.pw_gid, extra_groups=[])


def run(*words, **options):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stdout}{done.stderr}")
    return done.stdout.strip()


def wait_for(what, condition, seconds=60):
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            raise RuntimeError(f"{seconds} seconds, and not yet: {what}")
        time.sleep(0.02)


def is_mounted(place):
    with open("/proc/self/mounts") as mounts:
        return any(line.split()[1] == place for line in mounts)


def unmount(place):
    """Waits until those who use the file system have ended. It may be broken, so nothing else asks for it."""
    wait_for(f"{place} is unmounted", lambda: not is_mounted(place) or try_to_unmount(place))


def try_to_unmount(place):
    return subprocess.run(["umount", place], stdin=subprocess.DEVNULL, capture_output=True).returncode == 0


class Disk:
    """A file system that is mounted at `place`, on a loop device, on the file `raw/disk` of nbdfuse, which asks the
    plugin disk.py. Loop devices pass the flushes of the file system on, and so does nbdfuse."""

    unflushed = lost = 0  # blocks of all disks

    def __init__(self, place, file_system, sector, log):
        self.place, self.file_system, self.sector, self.log = place, file_system, sector, log
        # XFS cannot be mounted if of a block of a directory only some sectors were written. So below XFS, the disk has
        # blocks of 4096 bytes, as most disks with sectors of 512 have.
        self.block = max(sector, 4096 if file_system == "xfs" else 0)
        self.image, self.cache = f"{place}.image", f"{place}.cache"
        self.socket, self.raw = f"{place}.socket", f"{place}.raw"
        self.processes = []
        os.mkdir(self.place)
        os.mkdir(self.raw)
        for path, size in (self.image, IMAGE_SIZE), (self.cache, 0):
            with open(path, "wb") as file:
                file.truncate(size)
        if file_system == "xfs":
            run("mkfs.xfs", "-q", "-s", f"size={sector}", self.image)
        else:
            run("mkfs.ext4", "-q", self.image)

    def fill(self, folder):
        """Copies a folder to the file system, without a cut in sight."""
        run("mount", "-o", "loop", self.image, self.place)
        run("cp", "-a", f"{folder}/.", self.place)
        unmount(self.place)

    def switch_on(self):
        # nbdkit writes the second file once it listens to the first one.
        ready = f"{self.socket}.ready"
        for path in self.socket, ready:
            if os.path.exists(path):
                os.remove(path)
        files = [f"image={self.image}", f"cache={self.cache}"]
        options = ["--foreground", "--unix", self.socket, "--pidfile", ready]
        self.start("nbdkit", *options, "python", f"{HERE}/disk.py", *files)
        wait_for("nbdkit", lambda: os.path.exists(ready))
        self.start("nbdfuse", f"{self.raw}/disk", "--unix", self.socket)
        wait_for("nbdfuse", lambda: os.path.exists(f"{self.raw}/disk"))
        device = run("losetup", "--find", "--show", "--sector-size", str(self.sector), f"{self.raw}/disk")
        try:
            run("mount", "-t", self.file_system, device, self.place)
        finally:
            # The device goes with the mount.
            run("losetup", "--detach", device)

    def start(self, *words):
        self.processes.append(subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log))

    def cut(self):
        for process in self.processes:
            process.kill()

    def clean_up(self):
        """Takes away what a cut has left."""
        unmount(self.place)
        unmount(self.raw)
        for process in self.processes:
            process.wait()
        self.processes.clear()

    def lose(self, random):
        """Loses all writes since the last flush, those that came after some moment, or any of their blocks."""
        kind = random.choice(("all", "tail", "any"))
        with open(self.cache, "rb") as file:
            writes = []
            while head := file.read(HEAD.size):
                offset, length = HEAD.unpack(head)
                writes.append((offset, file.read(length)))
        first_lost = random.randint(0, len(writes))
        share = random.random()
        image = os.open(self.image, os.O_WRONLY)
        for number, (offset, data) in enumerate(writes):
            end = offset + len(data)
            for block in range(offset // self.block * self.block, end, self.block):
                Disk.unflushed += 1
                if kind == "tail" and number < first_lost or kind == "any" and random.random() < share:
                    begin = max(block, offset)
                    os.pwrite(image, data[begin - offset : block + self.block - offset], begin)
                else:
                    Disk.lost += 1
        os.close(image)
        os.truncate(self.cache, 0)


class Machine:
    def __init__(self, folder, template, file_system, sector, settings, log):
        """Copies the data directory `template`. A flush of a disk includes all that it holds, so if WAL were not on a
        disk of its own, each commit would flush the data, too."""
        self.folder, self.settings = folder, settings
        self.conninfo = f"host={folder} user=postgres dbname=postgres connect_timeout=10"
        os.mkdir(folder)
        os.chown(folder, RUNNER.pw_uid, RUNNER.pw_gid)
        self.log = open(log, "ab")
        self.process = None
        self.disks = [Disk(f"{folder}/{name}", file_system, sector, self.log) for name in ("data", "wal")]
        for disk, part in zip(self.disks, ("data", "wal")):
            disk.fill(f"{template}/{part}")

    @property
    def data(self):
        return f"{self.folder}/data/pg"

    def switch_on(self):
        for disk in self.disks:
            disk.switch_on()

    def start(self, clock, *settings):
        """Starts the server, whose clock differs by some seconds from that of the machine."""
        words = [f"{BINDIR}/postgres", "-D", self.data, "-k", self.folder]
        for setting in *self.settings, *settings:
            words += ["-c", setting]
        fake = dict(LD_PRELOAD=FAKETIME, FAKETIME=f"{clock:+}s", FAKETIME_DONT_FAKE_MONOTONIC="1")
        self.process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env={**os.environ, **fake}, **AS_RUNNER
        )

    def wait_for_start(self):
        wait_for("a server that answers", lambda: self.process.poll() is not None or self.answers())
        if self.process.poll() is not None:
            raise RuntimeError(f"the server ended: {self.last_words()}")

    def answers(self):
        try:
            return self.sql("SELECT 1") == [(1,)]
        except psycopg.OperationalError:
            return False

    def connect(self):
        return psycopg.connect(self.conninfo, autocommit=True)

    def sql(self, query):
        with self.connect() as connection:
            cursor = connection.execute(query)
            return cursor.fetchall() if cursor.description else None

    def cut_disks(self):
        for disk in self.disks:
            disk.cut()

    def kill(self):
        """Ends the server as at once: the postmaster could start other processes meanwhile."""
        if self.process is None:
            return
        pid = self.process.pid
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGSTOP)
            with open(f"/proc/{pid}/task/{pid}/children") as file:
                for child in file.read().split():
                    try:
                        os.kill(int(child), signal.SIGKILL)
                    except ProcessLookupError:
                        pass
            self.process.kill()
        self.process.wait()
        self.process = None

    def close(self):
        self.log.close()

    def last_words(self):
        with open(self.log.name, errors="replace") as file:
            lines = [line.strip() for line in file if "FATAL" in line or "PANIC" in line]
        return lines[-1] if lines else "nothing"


def cut_power(machines):
    """Cuts the power of all machines at once, in an IPC namespace that has nothing else."""
    for machine in machines:
        machine.cut_disks()
    for machine in machines:
        machine.kill()
    # Memory goes with the power. The data directories of two machines can have the same inode, and so the same key of
    # shared memory: if that of before were still there, one server could look into the memory of the other one while
    # that asks whether its own is in use, and takes this for an answer.
    run("ipcrm", "--all")


def lose_unflushed(machines, random):
    for machine in machines:
        for disk in machine.disks:
            disk.clean_up()
            disk.lose(random)
