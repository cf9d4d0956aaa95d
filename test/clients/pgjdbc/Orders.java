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
    static Connection db;

    public static void main(String[] args) throws Exception {
        // Statements are prepared from the first call on. The driver uses binary if it can; for kid64 it uses text.
        db = DriverManager.getConnection(String.format("jdbc:postgresql://%s:%s/%s?user=%s&prepareThreshold=1",
            System.getenv("PGHOST"), System.getenv("PGPORT"), System.getenv("PGDATABASE"), System.getenv("PGUSER")));

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
        List<String> batch = show("batch", insert.getGeneratedKeys());

        PreparedStatement find = prepare("SELECT id FROM orders WHERE id = ?", orderId);
        show("found", find.executeQuery());

        Array some = db.createArrayOf("text", batch.subList(5, 8).toArray());
        show("listed", prepare("SELECT id FROM orders WHERE id = ANY (?)", some).executeQuery());

        OffsetDateTime since = OffsetDateTime.now().minusHours(1);
        PreparedStatement query = prepare("SELECT id FROM orders WHERE id >= ? ORDER BY id LIMIT 10", since);
        List<String> recent = show("recent", query.executeQuery());

        show("page", prepare("SELECT id FROM orders WHERE id > ? ORDER BY id LIMIT 10", recent.get(9)).executeQuery());

        List<String> ids = show("bulk", prepare("SELECT kid_next(1000)").executeQuery());
        String rows = String.join("", ids.stream().map(id -> id + "\tbulk\n").toList());
        db.unwrap(PGConnection.class).getCopyAPI()
            .copyIn("COPY orders (id, item) FROM STDIN", new StringReader(rows));

        prepare("INSERT INTO lines (order_id, note) VALUES (?, 'with milk')", orderId).executeUpdate();
        show("nested", prepare("SELECT order_id FROM lines JOIN orders ON order_id = orders.id").executeQuery());

        // uuid, version 7: pgjdbc has this type, also in binary.
        prepare("CREATE TABLE payments (id uuid PRIMARY KEY DEFAULT kid_uuidv7(), order_id kid64 REFERENCES orders)")
            .execute();
        ResultSet payments = prepare("INSERT INTO payments (order_id) SELECT id FROM orders LIMIT 1000 RETURNING id")
            .executeQuery();
        while (payments.next()) System.out.println("uuid " + payments.getObject("id", UUID.class));
        show("dated", prepare("SELECT id FROM payments WHERE id >= ? ORDER BY id LIMIT 10", since).executeQuery());

        try {
            find.setString(1, "12345");
            find.executeQuery();
        } catch (SQLException error) {
            System.out.println("wrong " + error.getSQLState());
        }
    }

    static PreparedStatement prepare(String query, Object... parameters) throws SQLException {
        PreparedStatement statement = db.prepareStatement(query);
        for (int i = 0; i < parameters.length; i++) statement.setObject(i + 1, parameters[i]);
        return statement;
    }

    /** Prints the IDs of a result, and returns them. */
    static List<String> show(String word, ResultSet rows) throws SQLException {
        List<String> ids = new ArrayList<>();
        while (rows.next()) ids.add(rows.getString(1));
        ids.forEach(id -> System.out.println(word + " " + id));
        return ids;
    }
}
