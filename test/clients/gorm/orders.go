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
	ID   string `gorm:"type:kid64;primaryKey;default:kid_next()"`
	Item string
}

type Line struct {
	ID      string `gorm:"type:kid64;primaryKey;default:kid_next()"`
	OrderID string `gorm:"type:kid64"`
	Order   *Order
}

func main() {
	db, err := gorm.Open(postgres.Open(os.Getenv("DATABASE_URL")), &gorm.Config{Logger: logger.Discard})
	check(err)
	check(db.AutoMigrate(&Order{}, &Line{}))
	check(db.AutoMigrate(&Order{}, &Line{})) // has nothing to do

	order := Order{Item: "tea"}
	check(db.Create(&Line{Order: &order}).Error)
	show("inserted", order)

	batch := make([]Order, 1000)
	for i := range batch {
		batch[i].Item = "batch"
	}
	check(db.Create(&batch).Error)
	show("batch", batch...)

	var found Order
	check(db.First(&found, "id = ?", order.ID).Error)
	show("found", found)

	var recent []Order
	since := time.Now().Add(-time.Hour)
	check(db.Where("id >= ?::timestamptz", since).
		Order("id").Limit(10).Find(&recent).Error)
	show("recent", recent...)

	var line Line
	check(db.Preload("Order").First(&line, "order_id = ?", order.ID).Error)
	show("nested", *line.Order)

	var wrong *pgconn.PgError
	if errors.As(db.First(&Order{}, "id = ?", "12345").Error, &wrong) {
		fmt.Println("wrong", wrong.Code)
	}
}

func show(word string, orders ...Order) {
	for _, order := range orders {
		fmt.Println(word, order.ID)
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
