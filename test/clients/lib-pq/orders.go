// Orders with kid64 keys, by lib/pq.
package main

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/lib/pq"
)

var db = must(sql.Open("postgres", "sslmode=disable"))

func main() {
	orderID := show("inserted", "INSERT INTO orders (item) VALUES ($1) RETURNING id", "tea")[0]
	batch := show("batch", "INSERT INTO orders (item) SELECT 'batch' FROM generate_series(1, 1000) RETURNING id")
	show("found", "SELECT id FROM orders WHERE id = $1", orderID)

	show("listed", "SELECT id FROM orders WHERE id = ANY ($1)", pq.Array(batch[5:8]))
	since := time.Now().Add(-time.Hour)
	show("recent", "SELECT id FROM orders WHERE id >= $1::timestamptz ORDER BY id LIMIT 10", since)
	show("nested", "INSERT INTO lines (order_id, note) VALUES ($1, 'with milk') RETURNING order_id", orderID)

	tx := must(db.Begin())
	ids := show("bulk", "SELECT kid_next(1000)")
	load := must(tx.Prepare(pq.CopyIn("orders", "id", "item")))
	for _, id := range ids {
		must(load.Exec(id, "bulk"))
	}
	must(load.Exec())
	must(0, tx.Commit())

	_, err := db.Query("SELECT id FROM orders WHERE id = $1", "12345")
	var wrong *pq.Error
	if errors.As(err, &wrong) {
		fmt.Println("wrong", wrong.Code)
	}
}

// show prints the IDs that a query returns, and returns them.
func show(word, query string, parameters ...any) (ids []string) {
	rows := must(db.Query(query, parameters...))
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
