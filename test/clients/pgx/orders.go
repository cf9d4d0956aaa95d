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

func main() {
	conn := must(pgx.Connect(ctx, os.Getenv("DATABASE_URL")))
	check(RegisterKid64(ctx, conn))
	must(conn.Exec(ctx, "CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), item text)"))
	must(conn.Exec(ctx, "CREATE TABLE lines (order_id kid64 REFERENCES orders, note text)"))

	var orderID string
	check(conn.QueryRow(ctx, "INSERT INTO orders (item) VALUES ($1) RETURNING id", "tea").Scan(&orderID))
	fmt.Println("inserted", orderID)

	batch := ids(conn.Query(ctx, "INSERT INTO orders (item) SELECT 'batch' FROM generate_series(1, 1000) RETURNING id"))
	show("batch", batch)

	show("found", ids(conn.Query(ctx, "SELECT id FROM orders WHERE id = $1", orderID)))

	var listed []string
	check(conn.QueryRow(ctx, "SELECT array_agg(id) FROM orders WHERE id = ANY ($1)", batch[5:8]).Scan(&listed))
	show("listed", listed)

	since := time.Now().Add(-time.Hour)
	recent := ids(conn.Query(ctx, "SELECT id FROM orders WHERE id >= $1::timestamptz ORDER BY id LIMIT 10", since))
	show("recent", recent)

	page := ids(conn.Query(ctx, "SELECT id FROM orders WHERE id > $1 ORDER BY id LIMIT 10", recent[9]))
	show("page", page)

	must(conn.Exec(ctx, "INSERT INTO lines (order_id, note) VALUES ($1, 'with milk')", orderID))
	show("nested", ids(conn.Query(ctx, "SELECT order_id FROM lines JOIN orders ON order_id = orders.id")))

	_, err := conn.Exec(ctx, "SELECT id FROM orders WHERE id = $1", "12345")
	var wrong *pgconn.PgError
	if errors.As(err, &wrong) {
		fmt.Println("wrong", wrong.Code)
	}

	loaded := ids(conn.Query(ctx, "SELECT kid_next(1000)"))
	rows := pgx.CopyFromSlice(len(loaded), func(i int) ([]any, error) { return []any{loaded[i], "bulk"}, nil })
	must(conn.CopyFrom(ctx, pgx.Identifier{"orders"}, []string{"id", "item"}, rows))
	show("bulk", loaded)

	wrongRows := pgx.CopyFromRows([][]any{{"12345", "wrong"}})
	if _, err := conn.CopyFrom(ctx, pgx.Identifier{"orders"}, []string{"id", "item"}, wrongRows); err == nil {
		panic("an invalid ID was copied")
	}
}

func ids(rows pgx.Rows, err error) (all []string) {
	check(err)
	defer rows.Close()
	for rows.Next() {
		var id string
		check(rows.Scan(&id))
		all = append(all, id)
	}
	return all
}

func show(word string, ids []string) {
	for _, id := range ids {
		fmt.Println(word, id)
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}
