"""What happens to the servers, while writers write and consumers read. Each deed begins when there is a leader with a
synchronous standby."""

import collections
import os
import shutil
import signal
import subprocess
import time

import psycopg2

from clients import note_error
from growth import postmaster, take_sample
from kinds import FURTHER_EPOCH, KIND, KINDS
from servers import BINDIR, Server, ok, send, set_clock, sql, wait_for, with_cursor

DAY = 86400
# Each setting of kid. A run changes one group at a time. kid.lease is never 0, and kid.max_wait never -1: with the one,
# a start after a crash relies on the system clock, and with the other, sno_next() would wait for days.
SETTINGS = [
    {"kid.clock_backward": "wait"},
    {"kid.flake_id": "7"},
    {"kid.flake_datacenter": "3", "kid.flake_worker": "4"},
    {"kid.flake_epoch": str(FURTHER_EPOCH)},
    {"kid.flake_sequence_max": "63"},
    {"kid.lanes": "4", "kid.node": "3"},
    {"kid.node": "77"},
    {"kid.lease": "200ms"},
    {"kid.lease": "5s"},
    {"kid.max_observe": "1min"},
    {"kid.max_wait": "20ms"},
    {"kid.neighborhood": "0"},
    {"kid.sno_partition": "5"},
    {"kid.sno_sequence_max": "1023"},
    {"kid.sno_sequence_min": "512"},
]
CREATE = "CREATE FUNCTION @extschema@.kid_rehearsal() RETURNS @extschema@.kid64 RETURN @extschema@.kid_next();"
DROP = "DROP FUNCTION @extschema@.kid_rehearsal();"
KEPT = 300  # rows of each writer that stay in a table without partitions
KEYS = 3  # sealing keys that are not forgotten


def in_turn(chance, things):
    """Yields all things in a random order, again and again."""
    while True:
        yield from chance.sample(things, len(things))


class Deeds:
    def __init__(self, cluster, chance, folder, writers, consumers):
        self.cluster, self.chance, self.folder = cluster, chance, folder
        self.writers, self.consumers = writers, consumers
        self.counts = collections.Counter()
        self.samples = []
        self.ahead = 0  # seconds around which the clocks of the servers are
        self.archived = dict.fromkeys((kind.name for kind in KINDS if kind.partitioned))
        self.sealed = {}  # text: the ID, and the key that sealed it
        self.settings = in_turn(chance, SETTINGS)
        self.scripts = set()
        os.mkdir(f"{folder}/archive")

    def do(self, deed):
        name = deed.__name__.replace("_", " ")
        self.counts[name] += 1
        try:
            deed(self.settle())
        except psycopg2.Error as error:
            # Patroni may have changed the leader meanwhile.
            note_error(name, error)
            self.counts["broken off"] += 1

    def settle(self):
        """Waits for a leader with a synchronous standby, and returns the leader."""

        def leader():
            try:
                node = self.cluster.leader()
                return node if node and self.cluster.has_standby(node) else None
            except psycopg2.Error:
                return None

        return wait_for("a leader with a synchronous standby", leader, 120)

    def other(self, node):
        return self.cluster.b if node is self.cluster.a else self.cluster.a

    # -- Deeds after which servers go on -------------------------------------------------------------------------------

    def step_clocks(self, leader):
        """Sets the clock of one server, or of both, up to two days before or after a time that moves on."""
        self.keep_partitions(leader)
        self.ahead += self.chance.uniform(0, DAY / 4)
        for node in self.chance.choice(([leader], [leader], [self.other(leader)], [leader, self.other(leader)])):
            set_clock(node.clock, f"{self.ahead + self.chance.uniform(-2, 2) * DAY:+.0f}s")

    def change_setting(self, leader):
        """Changes the next group of settings, after a reset of all others."""
        changed = next(self.settings)

        def alter(cursor):
            cursor.execute("LOAD 'kid'")
            for setting in sorted({name for group in SETTINGS for name in group}):
                cursor.execute(f"ALTER SYSTEM RESET {setting}")
            for setting, value in changed.items():
                cursor.execute(f"ALTER SYSTEM SET {setting} = '{value}'")
            cursor.execute("SELECT pg_reload_conf()")

        with_cursor(leader.dsn, alter)

    def restore_backup(self, leader):
        """Starts a base backup as a server of its own, which must have all rows that the leader had before."""
        restored = Server(self.folder, f"backup{self.counts['restore backup']}")
        before = with_cursor(leader.dsn, read_all_rows)
        subprocess.run(
            [f"{BINDIR}/pg_basebackup", "-D", restored.data, "-c", "fast", "-d", leader.dsn],
            check=True,
            stdin=subprocess.DEVNULL,
        )
        set_clock(restored.clock, f"{self.ahead + self.chance.uniform(-2, 2) * DAY:+.0f}s")
        try:
            # It has the settings of the leader, by which it would wait for a standby, or for its clock.
            restored.start(False, "--synchronous_standby_names=", "--kid.clock_backward=hold", "--kid.max_wait=1min")
            after = with_cursor(restored.dsn, read_all_rows)
            lost = sum(after.get(row) != id for row, id in before.items())
            ok(
                not lost,
                f"a restored backup has the {len(before)} rows from before it: {len(after)} in all, {lost} lost",
            )
            wrong = with_cursor(restored.dsn, kinds_with_low_ids)
            ok(not wrong, "new IDs of the restored server are above those that it has", wrong)
            restored.stop()
        finally:
            if restored.process.poll() is None:
                restored.kill()
        shutil.rmtree(restored.folder)

    def update_extension(self, leader):
        """Updates kid to a next version, which has one more function, or one less."""

        def update(cursor):
            cursor.execute("SELECT setting FROM pg_config WHERE name = 'SHAREDIR'")
            folder = f"{cursor.fetchone()[0]}/extension"
            cursor.execute("SELECT to_regprocedure('kid_rehearsal()') IS NULL")
            (is_missing,) = cursor.fetchone()
            cursor.execute("SELECT extversion FROM pg_extension WHERE extname = 'kid'")
            (version,) = cursor.fetchone()
            first, last = version.rsplit(".", 1)
            new = f"{first}.{int(last) + 1}"
            script = f"{folder}/kid--{version}--{new}.sql"
            self.scripts.add(script)
            with open(script, "w") as file:
                print(CREATE if is_missing else DROP, file=file)
            cursor.execute(f"ALTER EXTENSION kid UPDATE TO '{new}'")

        with_cursor(leader.dsn, update)

    def replace_module(self, leader):
        """Drops kid_workers, on which nothing depends, and creates it again."""

        def replace(cursor):
            cursor.execute("DROP EXTENSION IF EXISTS kid_workers")
            cursor.execute("CREATE EXTENSION kid_workers")
            # The settings give none of these numbers to the server.
            cursor.execute("SELECT kid_add_workers('pods', 200, 207, 'flake', fresh => true)")
            cursor.execute("CALL kid_lease_worker('pods', ttl => 5)")

        with_cursor(leader.dsn, replace)

    # -- Deeds that end servers or sessions ----------------------------------------------------------------------------

    def kill_a_session(self, leader):
        sessions = "FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        send(signal.SIGKILL, *sql(leader.dsn, f"SELECT pid {sessions} ORDER BY random() LIMIT 1"))

    def stop_at_once(self, leader):
        """Stops the leader as an immediate shutdown does. Patroni starts it again, or promotes the standby."""
        send(signal.SIGQUIT, postmaster(leader))

    def stop_standby(self, leader):
        send(signal.SIGQUIT, postmaster(self.other(leader)))

    def kill_server(self, leader):
        """Kills all processes of the leader, and its Patroni. It comes back as the standby of the other server."""
        leader.kill()
        wait_for("a new leader", lambda: self.cluster.leader() is self.other(leader), 60)
        time.sleep(self.chance.uniform(0, 3))
        leader.start()

    def switch_over(self, leader):
        self.cluster.switchover(leader, self.other(leader))

    # -- What is done all the time -------------------------------------------------------------------------------------

    def keep_house(self, leader):
        """What cron does on a real server. Autovacuum is off, because it goes by the clock."""
        self.keep_partitions(leader)
        self.delete_old_rows(leader)
        self.rotate_keys(leader)
        sql(leader.dsn, "VACUUM (ANALYZE)")
        sql(leader.dsn, "CHECKPOINT")

    def sample(self, leader):
        self.samples.append((time.monotonic(), take_sample(leader)))

    def cursors(self, kind):
        """Returns the cursors of the consumers of a kind that go by the horizon, None for one that has read no row."""
        return [each.last for each in self.consumers if each.kind is kind and each.horizon]

    def keep_partitions(self, leader):
        """Creates partitions for all times that the clocks can soon have, and drops those that all consumers have read.
        Before it drops rows, it writes them to the archive."""
        until = time.time() + self.ahead + 3 * DAY

        def keep(cursor):
            for kind in KINDS:
                if not kind.partitioned:
                    continue
                cursor.execute(
                    "SELECT count(*) FROM kid_create_partitions(%s, '12 hours', to_timestamp(%s))", (kind.table, until)
                )
                self.counts["partitions created"] += cursor.fetchone()[0]
                self.counts["partitions dropped"] += self.drop_partitions(cursor, kind)

        with_cursor(leader.dsn, keep)

    def drop_partitions(self, cursor, kind):
        cursors = self.cursors(kind)
        if None in cursors:
            return 0
        read = min(cursors, key=kind.order)
        # No row is still to come up to a cursor, so each row is written once.
        since = self.archived[kind.name]
        above = f"id > {kind.write} AND" if since is not None else ""
        cursor.execute(
            f"SELECT writer, n, {kind.read} FROM {kind.table} WHERE {above} id <= {kind.write}",
            [id for id in (since, read) if id is not None],
        )
        self.archive(kind, cursor.fetchall())
        self.archived[kind.name] = read
        cursor.execute(
            f"SELECT count(*) FROM kid_drop_partitions(%s, {kind.timestamp}({kind.write}), dry_run => false)",
            (kind.table, read),
        )
        return cursor.fetchone()[0]

    def archive(self, kind, rows):
        with open(f"{self.folder}/archive/{kind.name}", "a") as file:
            file.writelines(f"{writer} {n} {id}\n" for writer, n, id in rows)

    def delete_old_rows(self, leader):
        """Deletes old rows of the tables without partitions, and writes them to the archive."""

        def delete(cursor):
            for writer in self.writers:
                kind = writer.kind
                if kind.partitioned or None in self.cursors(kind):
                    continue
                conditions, values = ["writer = %s", "n < %s"], [writer.number, writer.n - KEPT]
                for read in self.cursors(kind):
                    conditions.append(f"id <= {kind.write}")
                    values.append(read)
                cursor.execute("BEGIN")
                cursor.execute(
                    f"DELETE FROM {kind.table} WHERE {' AND '.join(conditions)} RETURNING writer, n, {kind.read}",
                    values,
                )
                # If the commit fails, the archive has rows that the table has, too.
                self.archive(kind, cursor.fetchall())
                cursor.execute("COMMIT")

        with_cursor(leader.dsn, delete)

    def rotate_keys(self, leader):
        """Makes a new key seal, forgets an old one, and unseals what was sealed with all keys so far."""

        def rotate(cursor):
            cursor.execute("SELECT kid_seal_new_key()")
            (key,) = cursor.fetchone()
            cursor.execute("SELECT * FROM kid_seal_export_keys()")
            with open(f"{self.folder}/keys", "w") as file:
                file.writelines(f"{line}\n" for line in cursor)
            cursor.execute("SELECT kid_seal_use_key(%s)", (key,))
            cursor.execute(
                "SELECT kid_seal(id, 'row'), id::bigint FROM kid64_rows ORDER BY kid64_rows.id DESC LIMIT 20"
            )
            self.sealed.update({text: (id, key) for text, id in cursor})
            cursor.execute("SELECT n FROM kid_seal_keys() ORDER BY n DESC")
            keys = [n for (n,) in cursor]
            for old in keys[KEYS:]:
                cursor.execute("SELECT kid_seal_forget_key(%s)", (old,))
            cursor.execute(
                "SELECT text, kid64_unseal(text, 'row', missing_ok => true)::bigint FROM unnest(%s::text[]) AS text",
                (list(self.sealed),),
            )
            unsealed = dict(cursor)
            wrong = sum(
                unsealed[text] != (id if key in keys[:KEYS] else None) for text, (id, key) in self.sealed.items()
            )
            self.counts["texts unsealed"] += len(unsealed)
            self.counts["texts unsealed wrongly"] += wrong

        with_cursor(leader.dsn, rotate)

    def clean_up(self):
        for script in self.scripts:
            os.remove(script)


def read_all_rows(cursor):
    """Returns the IDs of all rows, by kind, writer and number."""
    rows = {}
    for kind in KINDS:
        cursor.execute(f"SELECT writer, n, {kind.read} FROM {kind.table}")
        rows.update({(kind.name, writer, n): id for writer, n, id in cursor})
    return rows


def kinds_with_low_ids(cursor):
    """Returns the kinds of which a new ID is not above all rows. The epoch of flake may have changed."""
    wrong = []
    for name in "kid64", "kid53", "uuid":
        kind = KIND[name]
        cursor.execute(f"SELECT {kind.read} FROM {kind.table} ORDER BY {kind.table}.id DESC LIMIT 1")
        greatest = cursor.fetchone()
        cursor.execute(f"SELECT {kind.read} FROM {kind.default} AS id")
        new = kind.order(cursor.fetchone()[0])
        if greatest and new <= kind.order(greatest[0]):
            wrong.append(name)
    return wrong
