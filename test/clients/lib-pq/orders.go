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

func main() {
	db := must(sql.Open("postgres", os.Getenv("DATABASE_URL")+"?sslmode=disable"))
	must(db.Exec("CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), item text)"))
	must(db.Exec("CREATE TABLE lines (order_id kid64 REFERENCES orders, note text)"))

	var orderID string
	check(db.QueryRow("INSERT INTO orders (item) VALUES ($1) RETURNING id", "tea").Scan(&orderID))
	fmt.Println("inserted", orderID)

	batch := ids(db.Query("INSERT INTO orders (item) SELECT 'batch' FROM generate_series(1, 1000) RETURNING id"))
	show("batch", batch)

	show("found", ids(db.Query("SELECT id FROM orders WHERE id = $1", orderID)))

	var listed []string
	some := pq.Array(batch[5:8])
	check(db.QueryRow("SELECT array_agg(id) FROM orders WHERE id = ANY ($1)", some).Scan(pq.Array(&listed)))
	show("listed", listed)

	since := time.Now().Add(-time.Hour)
	recent := ids(db.Query("SELECT id FROM orders WHERE id >= $1::timestamptz ORDER BY id LIMIT 10", since))
	show("recent", recent)

	page := ids(db.Query("SELECT id FROM orders WHERE id > $1 ORDER BY id LIMIT 10", recent[9]))
	show("page", page)

	loaded := ids(db.Query("SELECT kid_next(1000)"))
	tx := must(db.Begin())
	load := must(tx.Prepare(pq.CopyIn("orders", "id", "item")))
	for _, id := range loaded {
		must(load.Exec(id, "bulk"))
	}
	must(load.Exec())
	check(load.Close())
	check(tx.Commit())
	show("bulk", loaded)

	must(db.Exec("INSERT INTO lines (order_id, note) VALUES ($1, 'with milk')", orderID))
	show("nested", ids(db.Query("SELECT order_id FROM lines JOIN orders ON order_id = orders.id")))

	_, err := db.Query("SELECT id FROM orders WHERE id = $1", "12345")
	var wrong *pq.Error
	if errors.As(err, &wrong) {
		fmt.Println("wrong", wrong.Code)
	}
}

func ids(rows *sql.Rows, err error) (all []string) {
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
