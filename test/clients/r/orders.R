# Orders with kid64 keys, by RPostgreSQL.
suppressMessages(library(RPostgreSQL))

db <- dbConnect(PostgreSQL())

# Prints the IDs that a query returns, and returns them.
show_ids <- function(word, ...) {
    ids <- dbGetQuery(db, ...)[[1]]
    cat(paste(word, ids), sep = "\n")
    invisible(ids)
}

order_id <- show_ids("inserted", "INSERT INTO orders (item) VALUES ($1) RETURNING id::text", "tea")
batch <- show_ids("batch", "INSERT INTO orders (item) SELECT 'batch' FROM generate_series(1, 1000) RETURNING id::text")
show_ids("found", "SELECT id::text FROM orders WHERE id = $1", order_id)

some <- paste0("{", paste(batch[5:7], collapse = ","), "}")
show_ids("listed", "SELECT id::text FROM orders WHERE id = ANY ($1)", some)

since <- format(Sys.time() - 3600, "%FT%TZ", tz = "UTC")
recent <- "SELECT id::text, item FROM orders
    WHERE id >= $1::timestamptz ORDER BY orders.id LIMIT 10"
show_ids("recent", recent, since)

ids <- show_ids("bulk", "SELECT kid_next(1000)::text AS id")
invisible(dbWriteTable(db, "orders", data.frame(id = ids, item = "bulk"), append = TRUE, row.names = FALSE))

show_ids("nested", "INSERT INTO lines (order_id, note) VALUES ($1, 'with milk') RETURNING order_id::text", order_id)

invisible(suppressWarnings(dbGetQuery(db, "SELECT id FROM orders WHERE id = $1", "12345")))
# RPostgreSQL does not report the SQLSTATE.
if (grepl("invalid input syntax for type kid64", dbGetException(db)$errorMsg)) cat("wrong 22P02\n")
