// Orders with kid64 keys, by pgx.
package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

var ctx = context.Background()
var conn = must(pgx.Connect(ctx, ""))

func main() {
	must(0, RegisterKid64(ctx, conn))
	orderID := show("inserted", "INSERT INTO orders (item) VALUES ($1) RETURNING id", "tea")[0]
	batch := show("batch", "INSERT INTO orders (item) SELECT 'batch' FROM generate_series(1, 1000) RETURNING id")
	show("found", "SELECT id FROM orders WHERE id = $1", orderID)

	var listed []string
	all := "SELECT array_agg(id) FROM orders WHERE id = ANY ($1)"
	must(0, conn.QueryRow(ctx, all, batch[5:8]).Scan(&listed))
	show("listed", "SELECT unnest($1::kid64[])", listed)
	since := time.Now().Add(-time.Hour)
	show("recent", `SELECT id FROM orders
		WHERE id >= $1::timestamptz ORDER BY id LIMIT 10`, since)
	show("nested", "INSERT INTO lines (order_id, note) VALUES ($1, 'with milk') RETURNING order_id", orderID)

	ids := show("bulk", "SELECT kid_next(1000)")
	rows := pgx.CopyFromSlice(len(ids), func(i int) ([]any, error) {
		return []any{ids[i], "bulk"}, nil
	})
	columns := []string{"id", "item"}
	must(conn.CopyFrom(ctx, pgx.Identifier{"orders"}, columns, rows))

	_, err := conn.CopyFrom(ctx, pgx.Identifier{"orders"}, []string{"id"}, pgx.CopyFromRows([][]any{{"12345"}}))
	if err == nil {
		panic("an invalid ID was copied")
	}

	var wrong *pgconn.PgError
	_, err = conn.Exec(ctx, "SELECT id FROM orders WHERE id = $1", "12345")
	if errors.As(err, &wrong) {
		fmt.Println("wrong", wrong.Code)
	}
}

// show prints the IDs that a query returns, and returns them.
func show(word, query string, parameters ...any) (ids []string) {
	rows := must(conn.Query(ctx, query, parameters...))
	ids = must(pgx.CollectRows(rows, pgx.RowTo[string]))
	for _, id := range ids {
		fmt.Println(word, id)
	}
	return ids
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
