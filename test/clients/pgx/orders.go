// Orders with kid64 keys, by pgx.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

var ctx = context.Background()
var conn = must(pgx.Connect(ctx, os.Getenv("DATABASE_URL")))

func main() {
	must(0, RegisterKid64(ctx, conn))
	must(conn.Exec(ctx, "CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), item text)"))
	must(conn.Exec(ctx, "CREATE TABLE lines (order_id kid64 REFERENCES orders, note text)"))

	orderID := show("inserted", "INSERT INTO orders (item) VALUES ($1) RETURNING id", "tea")[0]
	batch := show("batch", "INSERT INTO orders (item) SELECT 'batch' FROM generate_series(1, 1000) RETURNING id")
	show("found", "SELECT id FROM orders WHERE id = $1", orderID)

	var listed []string
	must(0, conn.QueryRow(ctx, "SELECT array_agg(id) FROM orders WHERE id = ANY ($1)", batch[5:8]).Scan(&listed))
	show("listed", "SELECT unnest($1::kid64[])", listed)

	since := time.Now().Add(-time.Hour)
	recent := show("recent", "SELECT id FROM orders WHERE id >= $1::timestamptz ORDER BY id LIMIT 10", since)
	show("page", "SELECT id FROM orders WHERE id > $1 ORDER BY id LIMIT 10", recent[9])

	must(conn.Exec(ctx, "INSERT INTO lines (order_id, note) VALUES ($1, 'with milk')", orderID))
	show("nested", "SELECT order_id FROM lines JOIN orders ON order_id = orders.id")

	_, err := conn.Exec(ctx, "SELECT id FROM orders WHERE id = $1", "12345")
	var wrong *pgconn.PgError
	if errors.As(err, &wrong) {
		fmt.Println("wrong", wrong.Code)
	}

	ids := show("bulk", "SELECT kid_next(1000)")
	rows := pgx.CopyFromSlice(len(ids), func(i int) ([]any, error) { return []any{ids[i], "bulk"}, nil })
	must(conn.CopyFrom(ctx, pgx.Identifier{"orders"}, []string{"id", "item"}, rows))

	wrongRows := pgx.CopyFromRows([][]any{{"12345", "wrong"}})
	if _, err := conn.CopyFrom(ctx, pgx.Identifier{"orders"}, []string{"id", "item"}, wrongRows); err == nil {
		panic("an invalid ID was copied")
	}
}

// show prints the IDs that a query returns, and returns them.
func show(word, query string, parameters ...any) (ids []string) {
	rows := must(conn.Query(ctx, query, parameters...))
	defer rows.Close()
	for rows.Next() {
		var id string
		must(0, rows.Scan(&id))
		fmt.Println(word, id)
		ids = append(ids, id)
	}
	return ids
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
