//! Orders with kid64 keys, by tokio-postgres.
use std::error::Error;
use std::fmt;
use std::time::{Duration, SystemTime};

use postgres_types::private::BytesMut;
use postgres_types::{to_sql_checked, FromSql, IsNull, ToSql, Type};
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::error::SqlState;
use tokio_postgres::{NoTls, Row};

/// The 8 bytes of an ID. They sort as IDs do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Kid64(u64);

/// The text form, as the server prints it: 11 characters of 6 bits each. The last two bits are 0.
impl fmt::Display for Kid64 {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let alphabet = b".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
        let bits = (self.0 as u128) << 2;
        (0..11).try_for_each(|i| write!(f, "{}", alphabet[(bits >> (60 - 6 * i)) as usize & 63] as char))
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

fn print(word: &str, rows: &[Row]) -> Vec<Kid64> {
    let ids: Vec<Kid64> = rows.iter().map(|row| row.get(0)).collect();
    ids.iter().for_each(|id| println!("{word} {id}"));
    ids
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (client, connection) = tokio_postgres::connect(&std::env::var("DATABASE_URL")?, NoTls).await?;
    tokio::spawn(connection);

    let row = client.query_one("INSERT INTO orders (item) VALUES ($1) RETURNING id", &[&"tea"]).await?;
    let order_id: Kid64 = row.get("id");
    println!("inserted {order_id}");

    let insert = "INSERT INTO orders (item) SELECT 'batch' FROM generate_series(1, 1000) RETURNING id";
    let batch = print("batch", &client.query(insert, &[]).await?);

    print("found", &client.query("SELECT id FROM orders WHERE id = $1", &[&order_id]).await?);

    let listed = client.query("SELECT id FROM orders WHERE id = ANY ($1)", &[&&batch[5..8]]).await?;
    print("listed", &listed);

    let since = SystemTime::now() - Duration::from_secs(3600);
    let recent = "SELECT id FROM orders WHERE id >= $1::timestamptz ORDER BY id LIMIT 10";
    let recent = print("recent", &client.query(recent, &[&since]).await?);

    let page = "SELECT id FROM orders WHERE id > $1 ORDER BY id LIMIT 10";
    print("page", &client.query(page, &[&recent[9]]).await?);

    let ids = print("bulk", &client.query("SELECT kid_next(1000)", &[]).await?);
    let kid64 = client.prepare("SELECT id FROM orders").await?.columns()[0].type_().clone();
    let sink = client.copy_in("COPY orders (id, item) FROM STDIN (FORMAT binary)").await?;
    let writer = BinaryCopyInWriter::new(sink, &[kid64, Type::TEXT]);
    futures_util::pin_mut!(writer);
    for id in &ids {
        writer.as_mut().write(&[id, &"bulk"]).await?;
    }
    writer.finish().await?;

    client.execute("INSERT INTO lines (order_id, note) VALUES ($1, 'with milk')", &[&order_id]).await?;
    print("nested", &client.query("SELECT order_id FROM lines JOIN orders ON order_id = orders.id", &[]).await?);

    // An invalid ID arrives as text, as from a URL.
    let wrong = client.query("SELECT id FROM orders WHERE id = $1::text::kid64", &[&"12345"]).await;
    if let Some(&SqlState::INVALID_TEXT_REPRESENTATION) = wrong.unwrap_err().code() {
        println!("wrong {}", SqlState::INVALID_TEXT_REPRESENTATION.code());
    }
    Ok(())
}
