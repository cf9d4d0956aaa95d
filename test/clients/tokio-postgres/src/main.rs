//! Orders with kid64 keys, by tokio-postgres.
use std::error::Error;
use std::fmt;
use std::time::{Duration, SystemTime};

use postgres_types::private::BytesMut;
use postgres_types::{to_sql_checked, FromSql, IsNull, ToSql, Type};
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Error as PgError, NoTls};

/// The 8 bytes of an ID. They sort as IDs do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Kid64(u64);

/// The text form, as the server prints it: 11 characters of 6 bits each. The last two bits are 0.
impl fmt::Display for Kid64 {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let alphabet = b".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
        (0..11).try_for_each(|i| write!(f, "{}", alphabet[(self.0 << (6 * i) >> 58) as usize] as char))
    }
}

impl<'a> FromSql<'a> for Kid64 {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Kid64(u64::from_be_bytes(raw.try_into()?)))
    }

    fn accepts(ty: &Type) -> bool {
        ty.name() == "kid64"
    }
}

impl ToSql for Kid64 {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.extend_from_slice(&self.0.to_be_bytes());
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        ty.name() == "kid64"
    }

    to_sql_checked!();
}

/// Prints the IDs that a query returns, and returns them.
async fn show(db: &Client, word: &str, query: &str, parameters: &[&(dyn ToSql + Sync)]) -> Result<Vec<Kid64>, PgError> {
    let ids: Vec<Kid64> = db.query(query, parameters).await?.iter().map(|row| row.get(0)).collect();
    ids.iter().for_each(|id| println!("{word} {id}"));
    Ok(ids)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (db, connection) = tokio_postgres::connect(&std::env::var("DATABASE_URL")?, NoTls).await?;
    tokio::spawn(connection);

    let order_id = show(&db, "inserted", "INSERT INTO orders (item) VALUES ($1) RETURNING id", &[&"tea"]).await?[0];
    let insert = "INSERT INTO orders (item) SELECT 'batch' FROM generate_series(1, 1000) RETURNING id";
    let batch = show(&db, "batch", insert, &[]).await?;
    show(&db, "found", "SELECT id FROM orders WHERE id = $1", &[&order_id]).await?;
    show(&db, "listed", "SELECT id FROM orders WHERE id = ANY ($1)", &[&&batch[5..8]]).await?;

    let since = SystemTime::now() - Duration::from_secs(3600);
    let recent = "SELECT id FROM orders
        WHERE id >= $1::timestamptz ORDER BY id LIMIT 10";
    show(&db, "recent", recent, &[&since]).await?;

    let ids = show(&db, "bulk", "SELECT kid_next(1000)", &[]).await?;
    let select = db.prepare("SELECT id FROM orders").await?;
    let kid64 = select.columns()[0].type_().clone();
    let copy = "COPY orders (id, item) FROM STDIN (FORMAT binary)";
    let sink = db.copy_in(copy).await?;
    let writer = BinaryCopyInWriter::new(sink, &[kid64, Type::TEXT]);
    futures_util::pin_mut!(writer);
    for id in &ids {
        writer.as_mut().write(&[id, &"bulk"]).await?;
    }
    writer.finish().await?;

    let line = "INSERT INTO lines (order_id, note) VALUES ($1, 'with milk') RETURNING order_id";
    show(&db, "nested", line, &[&order_id]).await?;

    // An invalid ID arrives as text, as from a URL.
    let wrong = show(&db, "found", "SELECT id FROM orders WHERE id = $1::text::kid64", &[&"12345"]).await;
    if let Some(&SqlState::INVALID_TEXT_REPRESENTATION) = wrong.unwrap_err().code() {
        println!("wrong {}", SqlState::INVALID_TEXT_REPRESENTATION.code());
    }
    Ok(())
}
