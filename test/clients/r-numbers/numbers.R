# What R makes of each kind of key, by RPostgreSQL: all its numbers are doubles.
library(RPostgreSQL)

db <- dbConnect(PostgreSQL(), host = Sys.getenv("PGHOST"), port = Sys.getenv("PGPORT"), user = Sys.getenv("PGUSER"),
                dbname = Sys.getenv("PGDATABASE"))
invisible(dbGetQuery(db, "CALL insert_rows()"))
kinds <- dbGetQuery(db, "SELECT name::text, ids[1] AS first, ids[2] AS second FROM kinds ORDER BY nr")

arrived <- function(name, first, second) {
    # The driver warns of types that it does not know, and takes them for text.
    values <- suppressWarnings(dbGetQuery(db, paste("SELECT id FROM", name, "ORDER BY id")))$id
    expected <- c(first, second)
    if (is.character(values)) return(if (identical(values, expected)) "text" else "other text")
    if (identical(format(values, digits = 17, scientific = FALSE, trim = TRUE), expected)) "number" else "rounded"
}
cells <- mapply(arrived, kinds$name, kinds$first, kinds$second)
cat(paste(c("R, RPostgreSQL", cells), collapse = "\t"), "\n", sep = "")
