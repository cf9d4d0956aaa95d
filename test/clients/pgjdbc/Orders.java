// Orders with kid64 keys, by pgjdbc.
import java.io.StringReader;
import java.sql.*;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.postgresql.PGConnection;
import org.postgresql.util.PGobject;

class Orders {
    public static void main(String[] args) throws Exception {
        // Statements are prepared from the first call on. The driver uses binary if it can; for kid64 it uses text.
        String url = String.format("jdbc:postgresql://%s:%s/%s?user=%s&prepareThreshold=1",
            System.getenv("PGHOST"), System.getenv("PGPORT"), System.getenv("PGDATABASE"), System.getenv("PGUSER"));
        Connection db = DriverManager.getConnection(url);
        db.createStatement().execute("CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), item text)");
        db.createStatement().execute(
            "CREATE TABLE lines (order_id kid64 REFERENCES orders, note text)");

        PreparedStatement insert = db.prepareStatement("INSERT INTO orders (item) VALUES (?)", new String[] {"id"});
        insert.setString(1, "tea");
        insert.executeUpdate();
        ResultSet keys = insert.getGeneratedKeys();
        keys.next();
        String orderId = keys.getString("id");
        // getObject() does not make a String of it.
        PGobject object = (PGobject) keys.getObject("id");
        if (!object.getValue().equals(orderId)) throw new AssertionError(object);
        System.out.println("inserted " + orderId);

        for (int i = 0; i < 1000; i++) {
            insert.setString(1, "batch");
            insert.addBatch();
        }
        insert.executeBatch();
        List<String> batch = strings(insert.getGeneratedKeys());
        batch.forEach(id -> System.out.println("batch " + id));

        PreparedStatement find = db.prepareStatement("SELECT id FROM orders WHERE id = ?");
        find.setString(1, orderId);
        strings(find.executeQuery()).forEach(id -> System.out.println("found " + id));

        PreparedStatement list = db.prepareStatement("SELECT id FROM orders WHERE id = ANY (?)");
        list.setArray(1, db.createArrayOf("text", batch.subList(5, 8).toArray()));
        strings(list.executeQuery()).forEach(id -> System.out.println("listed " + id));

        PreparedStatement since = db.prepareStatement("SELECT id FROM orders WHERE id >= ? ORDER BY id LIMIT 10");
        since.setObject(1, OffsetDateTime.now().minusHours(1));
        List<String> recent = strings(since.executeQuery());
        recent.forEach(id -> System.out.println("recent " + id));

        PreparedStatement after = db.prepareStatement("SELECT id FROM orders WHERE id > ? ORDER BY id LIMIT 10");
        after.setString(1, recent.get(9));
        strings(after.executeQuery()).forEach(id -> System.out.println("page " + id));

        List<String> ids = strings(db.createStatement().executeQuery("SELECT kid_next(1000)"));
        String rows = String.join("", ids.stream().map(id -> id + "\tbulk\n").toList());
        db.unwrap(PGConnection.class).getCopyAPI()
            .copyIn("COPY orders (id, item) FROM STDIN", new StringReader(rows));
        ids.forEach(id -> System.out.println("bulk " + id));

        PreparedStatement line = db.prepareStatement("INSERT INTO lines (order_id, note) VALUES (?, 'with milk')");
        line.setObject(1, orderId);
        line.executeUpdate();
        strings(db.createStatement().executeQuery("SELECT order_id FROM lines JOIN orders ON order_id = orders.id"))
            .forEach(id -> System.out.println("nested " + id));

        // uuid, version 7: pgjdbc has this type, also in binary.
        db.createStatement().execute(
            "CREATE TABLE payments (id uuid PRIMARY KEY DEFAULT kid_uuidv7(), order_id kid64 REFERENCES orders)");
        ResultSet payments = db.createStatement().executeQuery(
            "INSERT INTO payments (order_id) SELECT id FROM orders LIMIT 1000 RETURNING id");
        while (payments.next()) System.out.println("uuid " + payments.getObject("id", UUID.class));

        PreparedStatement dated = db.prepareStatement("SELECT id FROM payments WHERE id >= ? ORDER BY id LIMIT 10");
        dated.setObject(1, OffsetDateTime.now().minusHours(1));
        strings(dated.executeQuery()).forEach(id -> System.out.println("dated " + id));

        try {
            find.setString(1, "12345");
            find.executeQuery();
        } catch (SQLException error) {
            System.out.println("wrong " + error.getSQLState());
        }
    }

    static List<String> strings(ResultSet rows) throws SQLException {
        List<String> all = new ArrayList<>();
        while (rows.next()) all.add(rows.getString(1));
        return all;
    }
}
