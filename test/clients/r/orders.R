# Orders with kid64 keys, by RPostgreSQL.
suppressMessages(library(RPostgreSQL))

print_ids <- function(word, ids) cat(paste(word, ids), sep = "\n")

db <- dbConnect(PostgreSQL(), host = Sys.getenv("PGHOST"), port = Sys.getenv("PGPORT"),
                dbname = Sys.getenv("PGDATABASE"), user = Sys.getenv("PGUSER"))
invisible(dbGetQuery(db, "CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), item text)"))
invisible(dbGetQuery(db, "CREATE TABLE lines (order_id kid64 REFERENCES orders, note text)"))

order_id <- dbGetQuery(db, "INSERT INTO orders (item) VALUES ($1) RETURNING id::text", "tea")$id
print_ids("inserted", order_id)

batch <- dbGetQuery(db, "INSERT INTO orders (item) SELECT 'batch' FROM generate_series(1, 1000) RETURNING id::text")
print_ids("batch", batch$id)

print_ids("found", dbGetQuery(db, "SELECT id::text FROM orders WHERE id = $1", order_id)$id)

some <- paste0("{", paste(batch$id[5:7], collapse = ","), "}")
listed <- dbGetQuery(db, "SELECT id::text FROM orders WHERE id = ANY ($1)", some)
print_ids("listed", listed$id)

since <- format(Sys.time() - 3600, "%FT%TZ", tz = "UTC")
recent <- dbGetQuery(
    db, "SELECT id::text, item FROM orders WHERE id >= $1::timestamptz ORDER BY orders.id LIMIT 10", since)
print_ids("recent", recent$id)

page <- dbGetQuery(db, "SELECT id::text, item FROM orders WHERE id > $1 ORDER BY orders.id LIMIT 10", recent$id[10])
print_ids("page", page$id)

ids <- dbGetQuery(db, "SELECT kid_next(1000)::text AS id")$id
invisible(dbWriteTable(db, "orders", data.frame(id = ids, item = "bulk"), append = TRUE, row.names = FALSE))
print_ids("bulk", ids)

invisible(dbGetQuery(db, "INSERT INTO lines (order_id, note) VALUES ($1, 'with milk')", order_id))
print_ids("nested", dbGetQuery(db, "SELECT order_id::text FROM lines JOIN orders ON order_id = orders.id")$order_id)

invisible(suppressWarnings(dbGetQuery(db, "SELECT id FROM orders WHERE id = $1", "12345")))
# RPostgreSQL does not report the SQLSTATE.
if (grepl("invalid input syntax for type kid64", dbGetException(db)$errorMsg)) print_ids("wrong", "22P02")
