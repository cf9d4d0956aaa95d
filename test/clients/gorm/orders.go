// Orders with kid64 keys, by GORM.
package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

type Order struct {
	ID    string `gorm:"type:kid64;primaryKey;default:kid_next()"`
	Item  string
	Lines []Line
}

type Line struct {
	ID      string `gorm:"type:kid64;primaryKey;default:kid_next()"`
	OrderID string `gorm:"type:kid64"`
	Order   *Order
	Note    string
}

func main() {
	db, err := gorm.Open(postgres.Open(os.Getenv("DATABASE_URL")), &gorm.Config{Logger: logger.Discard})
	check(err)
	check(db.AutoMigrate(&Order{}, &Line{}))
	// Once more, when there is nothing to do.
	check(db.AutoMigrate(&Order{}, &Line{}))

	order := Order{Item: "tea", Lines: []Line{{Note: "with milk"}}}
	check(db.Create(&order).Error)
	fmt.Println("inserted", order.ID)

	batch := make([]Order, 1000)
	for i := range batch {
		batch[i].Item = "batch"
	}
	check(db.Create(&batch).Error)
	show("batch", batch)

	var found Order
	check(db.First(&found, "id = ?", order.ID).Error)
	show("found", []Order{found})

	var listed []Order
	some := []string{batch[5].ID, batch[6].ID, batch[7].ID}
	check(db.Find(&listed, "id IN ?", some).Error)
	show("listed", listed)

	var recent []Order
	since := time.Now().Add(-time.Hour)
	check(db.Where("id >= ?::timestamptz", since).Order("id").Limit(10).Find(&recent).Error)
	show("recent", recent)

	var page []Order
	check(db.Where("id > ?", recent[9].ID).Order("id").Limit(10).Find(&page).Error)
	show("page", page)

	var ids []string
	check(db.Raw("SELECT kid_next(1000)").Scan(&ids).Error)
	bulk := make([]Order, len(ids))
	for i, id := range ids {
		bulk[i] = Order{ID: id, Item: "bulk"}
	}
	check(db.CreateInBatches(&bulk, 100).Error)
	show("bulk", bulk)

	var line Line
	check(db.Preload("Order").First(&line, "order_id = ?", order.ID).Error)
	show("nested", []Order{*line.Order})

	var wrong *pgconn.PgError
	if errors.As(db.First(&Order{}, "id = ?", "12345").Error, &wrong) {
		fmt.Println("wrong", wrong.Code)
	}
}

func show(word string, orders []Order) {
	for _, order := range orders {
		fmt.Println(word, order.ID)
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
