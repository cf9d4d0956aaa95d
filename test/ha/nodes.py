"""Two servers that Patroni manages, and the etcd that it needs, all on 127.0.0.1."""

import json
import os
import signal
import time
import urllib.error
import urllib.request

from servers import GaveUp, free_port, is_leader, kill_server, programs, send, sql, start, started, wait_for


def start_etcd(work):
    """Returns the port at which etcd listens."""
    port, peers = free_port(), free_port()
    start(
        ["etcd", "--data-dir", f"{work}/etcd", "--log-level", "warn", "--name", "etcd"]
        + ["--listen-client-urls", f"http://127.0.0.1:{port}", "--advertise-client-urls", f"http://127.0.0.1:{port}"]
        + [
            "--listen-peer-urls",
            f"http://127.0.0.1:{peers}",
            "--initial-advertise-peer-urls",
            f"http://127.0.0.1:{peers}",
        ]
        + ["--initial-cluster", f"etcd=http://127.0.0.1:{peers}"],
        f"{work}/etcd.log",
    )
    return port


class Node:
    def __init__(self, name, cluster, settings):
        self.name, self.cluster = name, cluster
        self.folder = f"{cluster.folder}/{name}"
        self.data = f"{self.folder}/data"
        self.clock = f"{self.folder}/clock"
        self.log = f"{self.folder}/patroni.log"
        self.port, self.api = free_port(), free_port()
        self.dsn = f"host=127.0.0.1 port={self.port} user=postgres dbname=postgres connect_timeout=2"
        os.mkdir(self.folder)
        programs(f"{self.folder}/bin", self.clock)
        # JSON is also YAML.
        with open(f"{self.folder}/patroni.yml", "w") as file:
            json.dump(self.configuration(settings), file, indent=4)

    def configuration(self, settings):
        return {
            "scope": self.cluster.name,
            "name": self.name,
            "restapi": {"listen": f"127.0.0.1:{self.api}", "connect_address": f"127.0.0.1:{self.api}"},
            "etcd3": {"host": f"127.0.0.1:{self.cluster.etcd}"},
            "bootstrap": {
                "dcs": {
                    "ttl": 6,
                    "loop_wait": 1,
                    "retry_timeout": 2,
                    # The standby must be promoted however much WAL it lacks.
                    "maximum_lag_on_failover": 1 << 30,
                    "synchronous_mode": self.cluster.synchronous,
                    "postgresql": {"use_pg_rewind": True, "parameters": settings},
                },
                "initdb": [{"encoding": "UTF8"}, {"locale": "C"}],
            },
            "postgresql": {
                "listen": f"127.0.0.1:{self.port}",
                "connect_address": f"127.0.0.1:{self.port}",
                "data_dir": self.data,
                "bin_dir": f"{self.folder}/bin",
                "pgpass": f"{self.folder}/pgpass",
                "authentication": {"superuser": {"username": "postgres"}, "replication": {"username": "postgres"}},
                "pg_hba": ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"],
                "parameters": {"unix_socket_directories": "", "logging_collector": "off"},
            },
            "watchdog": {"mode": "off"},
        }

    def start(self):
        self.patroni = start(["patroni", f"{self.folder}/patroni.yml"], self.log)

    def kill(self):
        send(signal.SIGKILL, self.patroni.pid)
        kill_server(self.data)

    def rewound(self):
        with open(self.log) as file:
            return file.read().count("pg_rewind exit code=0")

    def ask(self, path, **request):
        data = json.dumps(request).encode() if request else None
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.api}/{path}", data, timeout=40) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError as error:
            return 0, str(error)


class Pair:
    """A leader and its standby."""

    def __init__(self, work, etcd, name, synchronous, settings):
        self.name, self.etcd, self.synchronous = name, etcd, synchronous
        self.folder = f"{work}/{name}"
        os.mkdir(self.folder)
        self.a, self.b = (Node(x, self, settings) for x in "ab")
        hosts = f"host=127.0.0.1,127.0.0.1 port={self.a.port},{self.b.port} user=postgres dbname=postgres"
        self.leader_dsn = f"{hosts} target_session_attrs=read-write connect_timeout=2"

    def leader(self):
        """Returns the node that takes writes, or None."""
        return next((node for node in (self.a, self.b) if is_leader(node.dsn)), None)

    def has_standby(self, leader):
        """Returns whether Patroni knows of a standby that it may promote."""
        role = "sync_standby" if self.synchronous else "replica"
        status, answer = leader.ask("cluster")
        roles = {member["role"] for member in json.loads(answer)["members"]} if status == 200 else ()
        if "leader" not in roles or role not in roles or not is_leader(leader.dsn):
            return False
        return sql(leader.dsn, "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'")[0] == 1

    def complete(self, leader):
        wait_for("a standby", lambda: self.has_standby(leader), 90)

    def switchover(self, old, new):
        for _ in range(10):
            status, answer = old.ask("switchover", leader=old.name, candidate=new.name)
            if status == 200:
                return
            time.sleep(1)
        raise GaveUp(f"no switchover: {status} {answer}")

    def stop(self):
        for node in self.a, self.b:
            node.patroni.terminate()
        wait_for("the end of Patroni", lambda: not any(node.patroni.pid in started for node in (self.a, self.b)))
