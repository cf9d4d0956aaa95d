//! Orders with kid64 keys, by sqlx.
use std::fmt;

use chrono::{TimeDelta, Utc};
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArguments, Postgres};
use sqlx::query::QueryScalar;
use sqlx::{query_scalar, Connection, PgConnection};

/// The 8 bytes of an ID as a number. It sorts as IDs do until the year 18584, and then is negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, sqlx::Type)]
#[sqlx(type_name = "kid64")]
struct Kid64(i64);

/// The text form, as the server prints it: 11 characters of 6 bits each. The last two bits are 0.
impl fmt::Display for Kid64 {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let alphabet = b".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
        let bits = self.0 as u64;
        (0..11).try_for_each(|i| write!(f, "{}", alphabet[(bits << (6 * i) >> 58) as usize] as char))
    }
}

type Ids<'q> = QueryScalar<'q, Postgres, Kid64, PgArguments>;

/// Prints the IDs that a query returns, and returns them.
async fn show(db: &mut PgConnection, word: &str, query: Ids<'_>) -> sqlx::Result<Vec<Kid64>> {
    let ids = query.fetch_all(db).await?;
    ids.iter().for_each(|id| println!("{word} {id}"));
    Ok(ids)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxDynError> {
    let db = &mut PgConnection::connect(&std::env::var("DATABASE_URL")?).await?;

    let insert = query_scalar("INSERT INTO orders (item) VALUES ($1) RETURNING id").bind("tea");
    let order_id = show(db, "inserted", insert).await?[0];
    let insert = "INSERT INTO orders (item) SELECT 'batch' FROM generate_series(1, 1000) RETURNING id";
    let batch = show(db, "batch", query_scalar(insert)).await?;
    show(db, "found", query_scalar("SELECT id FROM orders WHERE id = $1").bind(order_id)).await?;

    let list = query_scalar("SELECT array_agg(id) FROM orders WHERE id = ANY ($1)").bind(&batch[5..8]);
    let listed: Vec<Kid64> = list.fetch_one(&mut *db).await?;
    show(db, "listed", query_scalar("SELECT unnest($1)").bind(listed)).await?;

    let since = Utc::now() - TimeDelta::hours(1);
    let recent = "SELECT id FROM orders
        WHERE id >= $1::timestamptz ORDER BY id LIMIT 10";
    show(db, "recent", query_scalar(recent).bind(since)).await?;

    let ids: Vec<Kid64> = query_scalar("SELECT kid_next(1000)").fetch_all(&mut *db).await?;
    let load = "INSERT INTO orders (id, item)
        SELECT id, 'bulk' FROM unnest($1) AS id RETURNING id";
    show(db, "bulk", query_scalar(load).bind(&ids)).await?;

    let line = query_scalar("INSERT INTO lines (order_id, note) VALUES ($1, 'with milk') RETURNING order_id");
    show(db, "nested", line.bind(order_id)).await?;

    // An invalid ID arrives as text, as from a URL.
    let find = query_scalar("SELECT id FROM orders WHERE id = $1::text::kid64").bind("12345");
    let wrong = show(db, "found", find).await.unwrap_err();
    if let Some(code) = wrong.as_database_error().and_then(|error| error.code()) {
        println!("wrong {code}");
    }
    Ok(())
}
