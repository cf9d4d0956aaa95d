/* Orders with kid64 keys, by libpq, in binary. */
#include <endian.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "libpq-fe.h"

static PGconn *connection;

/* An ID is a uint64_t, and sorts like it. In binary form its most
   significant byte comes first. */
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
    for (int i = 0; i < 11; i++)
        buffer[i] = alphabet[id << 6 * i >> 58];
    return buffer;
}

/* Prints the IDs that a query returns. A parameter with a length is in binary form. NULL means that there is none. */
static PGresult *show(const char *word, const char *query, const void *value, int length)
{
    const char *values[] = {value};
    PGresult *result = PQexecParams(connection, query, value != NULL, NULL, values, &length, (int[]){length > 0}, 1);
    for (int i = 0; i < PQntuples(result); i++)
        printf("%s %s\n", word, text(get_id(result, i)));
    return result;
}

int main(void)
{
    connection = PQconnectdb("");
    PGresult *result = show("inserted", "INSERT INTO orders (item) VALUES ($1) RETURNING id", "tea", 0);
    uint64_t sent = htobe64(get_id(result, 0));
    show("found", "SELECT id FROM orders WHERE id = $1", &sent, sizeof sent);

    const char *insert = "INSERT INTO orders (item) SELECT 'batch' FROM generate_series(1, 1000) RETURNING id";
    PGresult *batch = show("batch", insert, NULL, 0);
    char some[64] = "{";
    for (int i = 5; i < 8; i++)
        strcat(strcat(some, i > 5 ? "," : ""), text(get_id(batch, i)));
    show("listed", "SELECT id FROM orders WHERE id = ANY ($1)", strcat(some, "}"), 0);

    char since[32];
    time_t hour_ago = time(NULL) - 3600;
    strftime(since, sizeof since, "%FT%TZ", gmtime(&hour_ago));
    show("recent", "SELECT id FROM orders WHERE id >= $1::timestamptz ORDER BY id LIMIT 10", since, 0);
    show("nested", "INSERT INTO lines (order_id, note) VALUES ($1, 'with milk') RETURNING order_id", &sent, 8);

    /* In binary COPY a row has the number of its fields, and then the length and the bytes of each field. */
    result = show("bulk", "SELECT kid_next(1000)", NULL, 0);
    PQclear(PQexec(connection, "COPY orders (id, item) FROM STDIN (FORMAT binary)"));
    PQputCopyData(connection, "PGCOPY\n\377\r\n\0" "\0\0\0\0" "\0\0\0\0", 19);
    for (int i = 0; i < PQntuples(result); i++) {
        PQputCopyData(connection, "\0\2" "\0\0\0\10", 6);
        PQputCopyData(connection, PQgetvalue(result, i, 0), 8);
        PQputCopyData(connection, "\0\0\0\4" "bulk", 8);
    }
    PQputCopyData(connection, "\377\377", 2);
    PQputCopyEnd(connection, NULL);
    PQclear(PQgetResult(connection));

    result = show("wrong", "SELECT id FROM orders WHERE id = $1", "12345", 0);
    printf("wrong %s\n", PQresultErrorField(result, PG_DIAG_SQLSTATE));
    PQfinish(connection);
}
