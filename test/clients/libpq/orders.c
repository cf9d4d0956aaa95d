/* Orders with kid64 keys, by libpq, in binary. */
#include <endian.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libpq-fe.h"

static PGconn *connection;

/* An ID is a uint64_t, and sorts like it. In binary form its most significant byte comes first. */
static uint64_t get_id(PGresult *result, int row)
{
    uint64_t id;
    memcpy(&id, PQgetvalue(result, row, 0), sizeof id);
    return be64toh(id);
}

/* The text form: 11 characters of 6 bits each. The last two bits are 0. */
static const char *text(uint64_t id)
{
    static const char alphabet[] = ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
    static char buffer[12];
    for (int i = 0; i < 10; i++)
        buffer[i] = alphabet[id >> (58 - 6 * i) & 63];
    buffer[10] = alphabet[id << 2 & 63];
    return buffer;
}

static PGresult *run(const char *query, int n, const char *const *values, const int *lengths, const int *formats)
{
    PGresult *result = PQexecParams(connection, query, n, NULL, values, lengths, formats, 1);
    if (PQresultStatus(result) == PGRES_FATAL_ERROR) {
        fputs(PQresultErrorMessage(result), stderr);
        exit(1);
    }
    return result;
}

static PGresult *run_with_id(const char *query, uint64_t id)
{
    uint64_t sent = htobe64(id);
    const char *values[] = {(const char *)&sent};
    return run(query, 1, values, (int[]){sizeof sent}, (int[]){1});
}

static PGresult *run_with_text(const char *query, const char *text) { return run(query, 1, &text, NULL, NULL); }

static void print(const char *word, PGresult *result)
{
    for (int i = 0; i < PQntuples(result); i++)
        printf("%s %s\n", word, text(get_id(result, i)));
}

int main(void)
{
    connection = PQconnectdb("");
    PGresult *result = run_with_text("INSERT INTO orders (item) VALUES ($1) RETURNING id", "tea");
    uint64_t order_id = get_id(result, 0);
    print("inserted", result);

    PGresult *batch =
        run("INSERT INTO orders (item) SELECT 'batch' FROM generate_series(1, 1000) RETURNING id", 0, NULL, NULL, NULL);
    print("batch", batch);

    print("found", run_with_id("SELECT id FROM orders WHERE id = $1", order_id));

    char some[64] = "{";
    for (int i = 5; i < 8; i++)
        strcat(strcat(some, i > 5 ? "," : ""), text(get_id(batch, i)));
    print("listed", run_with_text("SELECT id FROM orders WHERE id = ANY ($1)", strcat(some, "}")));

    char since[32];
    time_t hour_ago = time(NULL) - 3600;
    strftime(since, sizeof since, "%FT%TZ", gmtime(&hour_ago));
    result = run_with_text("SELECT id FROM orders WHERE id >= $1::timestamptz ORDER BY id LIMIT 10", since);
    print("recent", result);
    print("page", run_with_id("SELECT id FROM orders WHERE id > $1 ORDER BY id LIMIT 10", get_id(result, 9)));

    /* In binary COPY a row has the number of its fields, and then the length and the bytes of each field. */
    result = run("SELECT kid_next(1000)", 0, NULL, NULL, NULL);
    PQclear(PQexec(connection, "COPY orders (id, item) FROM STDIN (FORMAT binary)"));
    PQputCopyData(connection, "PGCOPY\n\377\r\n\0" "\0\0\0\0" "\0\0\0\0", 19);
    for (int i = 0; i < PQntuples(result); i++) {
        PQputCopyData(connection, "\0\2" "\0\0\0\10", 6);
        PQputCopyData(connection, PQgetvalue(result, i, 0), 8);
        PQputCopyData(connection, "\0\0\0\4" "bulk", 8);
    }
    PQputCopyData(connection, "\377\377", 2);
    PQputCopyEnd(connection, NULL);
    while (PQgetResult(connection))
        ;
    print("bulk", result);

    run_with_id("INSERT INTO lines (order_id, note) VALUES ($1, 'with milk')", order_id);
    print("nested", run("SELECT order_id FROM lines JOIN orders ON order_id = orders.id", 0, NULL, NULL, NULL));

    const char *wrong = "12345";
    result = PQexecParams(connection, "SELECT id FROM orders WHERE id = $1", 1, NULL, &wrong, NULL, NULL, 1);
    printf("wrong %s\n", PQresultErrorField(result, PG_DIAG_SQLSTATE));
    PQfinish(connection);
}
