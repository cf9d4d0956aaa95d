//! Orders with kid64 keys, by sqlx.
use std::fmt;

use chrono::{TimeDelta, Utc};
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArgumentBuffer, PgHasArrayType, PgTypeInfo, PgValueRef, Postgres};
use sqlx::{Connection, Decode, Encode, PgConnection, Type};

/// The 8 bytes of an ID. They sort as IDs do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Kid64(u64);

impl Type<Postgres> for Kid64 {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_name("kid64")
    }
}

impl PgHasArrayType for Kid64 {
    fn array_type_info() -> PgTypeInfo {
        PgTypeInfo::array_of("kid64")
    }
}

impl Encode<'_, Postgres> for Kid64 {
    fn encode_by_ref(&self, out: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        out.extend_from_slice(&self.0.to_be_bytes());
        Ok(IsNull::No)
    }
}

impl Decode<'_, Postgres> for Kid64 {
    fn decode(value: PgValueRef<'_>) -> Result<Self, BoxDynError> {
        Ok(Kid64(u64::from_be_bytes(value.as_bytes()?.try_into()?)))
    }
}

/// The text form, as the server prints it: 11 characters of 6 bits each. The last two bits are 0.
impl fmt::Display for Kid64 {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let alphabet = b".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
        let bits = (self.0 as u128) << 2;
        (0..11).try_for_each(|i| write!(f, "{}", alphabet[(bits >> (60 - 6 * i)) as usize & 63] as char))
    }
}

fn print(word: &str, ids: Vec<Kid64>) -> Vec<Kid64> {
    ids.iter().for_each(|id| println!("{word} {id}"));
    ids
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxDynError> {
    let mut db = PgConnection::connect(&std::env::var("DATABASE_URL")?).await?;
    sqlx::query("CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), item text)").execute(&mut db).await?;
    sqlx::query("CREATE TABLE lines (order_id kid64 REFERENCES orders, note text)").execute(&mut db).await?;

    let order_id: Kid64 =
        sqlx::query_scalar("INSERT INTO orders (item) VALUES ($1) RETURNING id").bind("tea").fetch_one(&mut db).await?;
    println!("inserted {order_id}");

    let insert = "INSERT INTO orders (item) SELECT 'batch' FROM generate_series(1, 1000) RETURNING id";
    let batch = print("batch", sqlx::query_scalar(insert).fetch_all(&mut db).await?);

    let found = sqlx::query_scalar("SELECT id FROM orders WHERE id = $1").bind(order_id).fetch_all(&mut db).await?;
    print("found", found);

    let listed: Vec<Kid64> = sqlx::query_scalar("SELECT array_agg(id) FROM orders WHERE id = ANY ($1)")
        .bind(&batch[5..8])
        .fetch_one(&mut db)
        .await?;
    print("listed", listed);

    let since = Utc::now() - TimeDelta::hours(1);
    let recent = sqlx::query_scalar("SELECT id FROM orders WHERE id >= $1::timestamptz ORDER BY id LIMIT 10")
        .bind(since)
        .fetch_all(&mut db)
        .await?;
    let recent = print("recent", recent);

    let page = sqlx::query_scalar("SELECT id FROM orders WHERE id > $1 ORDER BY id LIMIT 10")
        .bind(recent[9])
        .fetch_all(&mut db)
        .await?;
    print("page", page);

    let ids: Vec<Kid64> = sqlx::query_scalar("SELECT kid_next(1000)").fetch_all(&mut db).await?;
    sqlx::query("INSERT INTO orders (id, item) SELECT id, 'bulk' FROM unnest($1) AS id")
        .bind(&ids)
        .execute(&mut db)
        .await?;
    print("bulk", ids);

    sqlx::query("INSERT INTO lines (order_id, note) VALUES ($1, 'with milk')").bind(order_id).execute(&mut db).await?;
    let nested = sqlx::query_scalar("SELECT order_id FROM lines JOIN orders ON order_id = orders.id");
    print("nested", nested.fetch_all(&mut db).await?);

    // An invalid ID arrives as text, as from a URL.
    let wrong = sqlx::query("SELECT id FROM orders WHERE id = $1::text::kid64").bind("12345").execute(&mut db).await;
    if let Some(code) = wrong.unwrap_err().as_database_error().and_then(|error| error.code()) {
        println!("wrong {code}");
    }
    Ok(())
}
