#!/usr/bin/env bash
# test/upgrade/run OLD NEW: upgrades a server from version OLD to NEW by pg_upgrade and by pg_dump, in TAP. It needs both
# versions in Debian's places, kid installed in each, and the user who is to run the servers. test/matrix provides all that.
set -uo pipefail
. "$(dirname "$0")/../lib"

old=/usr/lib/postgresql/$1/bin
new=/usr/lib/postgresql/$2/bin
work=$(mktemp -d)
export PGHOST=$work PGUSER=postgres PGDATABASE=postgres LC_ALL=C.UTF-8
trap '"$old/pg_ctl" -D "$work/old" -m immediate stop >/dev/null 2>&1; "$new/pg_ctl" -D "$work/new" -m immediate stop >/dev/null 2>&1; rm -rf "$work"' EXIT

# Runs SQL from a file in this folder, or with options of psql.
run_sql() { (cd "$top/test/upgrade" && "$new/psql" -XAtq -v ON_ERROR_STOP=1 "$@" 2>&1); }
start() { "$1/pg_ctl" -D "$2" -l "$2.log" -w -o "-c listen_addresses='' -c unix_socket_directories='$work'" start >/dev/null || cat "$2.log"; }
stop() { "$1/pg_ctl" -D "$2" -w stop >/dev/null; }

# Both clusters must have checksums, or neither. From 18 on they are the default.
make_cluster() {
    "$1/initdb" -D "$2" -U postgres -A trust -E UTF8 --locale=C --no-sync \
        $("$1/initdb" --help | grep -o -- --no-data-checksums) >/dev/null || exit
}
cd "$work" || exit
make_cluster "$old" old
make_cluster "$new" new
start "$old" old
check "the old server gets its contents" run_sql -f create.sql
before=$(run_sql -f contents.sql)
check "the old server has contents to compare" test "$(grep -c . <<<"$before")" -gt 40
check "pg_dump of the new version dumps the old server" "$new/pg_dump" -f "$work/dump.sql" postgres
stop "$old" old

upgrade=("$new/pg_upgrade" -b "$old" -B "$new" -d old -D new -U postgres -s "$work")
check "pg_upgrade --check" "${upgrade[@]}" --check
check "pg_upgrade" "${upgrade[@]}"
start "$new" new
check "pg_upgrade: rows, indexes, partitions and defaults" same "$before" "$(run_sql -f contents.sql)"
check "pg_upgrade: each index finds its rows" same "t"$'\n'"0|25" "$(run_sql -f indexes.sql)"
check "pg_upgrade: kid_observe_all() finds the IDs of each clock" same "flake|t"$'\n'"kid|t"$'\n'"sno|t"$'\n'"uuidv7|t" \
    "$(run_sql -c "SELECT clock, issued IS NOT NULL FROM kid_observe_all() WHERE problem IS NULL ORDER BY clock")"
check "pg_upgrade: generators and views work" same "t"$'\n'"t|t|t|t"$'\n'"t"$'\n'"parts_new"$'\n'"t" "$(run_sql -f generators.sql)"

run_sql -c 'CREATE DATABASE restored'
check "pg_dump: the dump is restored without an error" run_sql -d restored -f "$work/dump.sql"
check "pg_dump: rows, indexes, partitions and defaults" same "$before" "$(run_sql -d restored -f contents.sql)"
check "pg_dump: each index finds its rows" same "t"$'\n'"0|25" "$(run_sql -d restored -f indexes.sql)"
stop "$new" new
end_checks
