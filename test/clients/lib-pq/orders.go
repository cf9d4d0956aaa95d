// Orders with kid64 keys, by lib/pq.
package main

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/lib/pq"
)

var db = must(sql.Open("postgres", os.Getenv("DATABASE_URL")+"?sslmode=disable"))

func main() {
	orderID := show("inserted", "INSERT INTO orders (item) VALUES ($1) RETURNING id", "tea")[0]
	batch := show("batch", "INSERT INTO orders (item) SELECT 'batch' FROM generate_series(1, 1000) RETURNING id")
	show("found", "SELECT id FROM orders WHERE id = $1", orderID)

	var listed []string
	some := pq.Array(batch[5:8])
	must(0, db.QueryRow("SELECT array_agg(id) FROM orders WHERE id = ANY ($1)", some).Scan(pq.Array(&listed)))
	show("listed", "SELECT unnest($1::kid64[])", pq.Array(listed))

	since := time.Now().Add(-time.Hour)
	recent := show("recent", "SELECT id FROM orders WHERE id >= $1::timestamptz ORDER BY id LIMIT 10", since)
	show("page", "SELECT id FROM orders WHERE id > $1 ORDER BY id LIMIT 10", recent[9])

	tx := must(db.Begin())
	ids := show("bulk", "SELECT kid_next(1000)")
	load := must(tx.Prepare(pq.CopyIn("orders", "id", "item")))
	for _, id := range ids {
		must(load.Exec(id, "bulk"))
	}
	must(load.Exec())
	must(0, load.Close())
	must(0, tx.Commit())

	must(db.Exec("INSERT INTO lines (order_id, note) VALUES ($1, 'with milk')", orderID))
	show("nested", "SELECT order_id FROM lines JOIN orders ON order_id = orders.id")

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
