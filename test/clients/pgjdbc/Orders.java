// Orders with kid64 keys, by pgjdbc.
import java.io.StringReader;
import java.sql.*;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.PGConnection;
import org.postgresql.util.PGobject;

class Orders {
    static Connection db;

    public static void main(String[] args) throws Exception {
        // Statements are prepared from the first call on. The driver uses binary if it can; for kid64 it uses text.
        db = DriverManager.getConnection(String.format("jdbc:postgresql://%s:%s/%s?user=%s&prepareThreshold=1",
            System.getenv("PGHOST"), System.getenv("PGPORT"), System.getenv("PGDATABASE"), System.getenv("PGUSER")));

        String orderId = show("inserted", "INSERT INTO orders (item) VALUES (?) RETURNING id", "tea").get(0);
        Statement insert = db.createStatement();
        insert.executeUpdate(
            "INSERT INTO orders (item) SELECT 'batch' FROM generate_series(1, 1000)", new String[] {"id"});
        List<String> batch = print("batch", insert.getGeneratedKeys());
        show("found", "SELECT id FROM orders WHERE id = ?", orderId);
        Array some = db.createArrayOf("text", batch.subList(5, 8).toArray());
        show("listed", "SELECT id FROM orders WHERE id = ANY (?)", some);

        OffsetDateTime since = OffsetDateTime.now().minusHours(1);
        show("recent",
            "SELECT id FROM orders WHERE id >= ? ORDER BY id LIMIT 10", since);
        show("nested", "INSERT INTO lines (order_id, note) VALUES (?, 'with milk') RETURNING order_id", orderId);

        List<String> ids = show("bulk", "SELECT kid_next(1000)");
        String rows = String.join("", ids.stream().map(id -> id + "\tbulk\n").toList());
        db.unwrap(PGConnection.class).getCopyAPI()
            .copyIn("COPY orders (id, item) FROM STDIN", new StringReader(rows));

        // A number is the ID with these bits.
        Object[] numbers = {(short) 1, 1, 1L};
        for (Object number : numbers) show("found", "SELECT id FROM orders WHERE id = ?", number);

        // uuid, version 7: pgjdbc has this type, also in binary.
        show("uuid", "INSERT INTO payments (order_id) SELECT id FROM orders LIMIT 1000 RETURNING id");
        show("dated", "SELECT id FROM payments WHERE id >= ? ORDER BY id LIMIT 10", since);

        ResultSet row = db.createStatement().executeQuery("SELECT id FROM orders LIMIT 1");
        row.next();
        if (!(row.getObject("id") instanceof PGobject)) throw new AssertionError("The page says that it is one.");

        try {
            show("wrong", "SELECT id FROM orders WHERE id = ?", "12345");
        } catch (SQLException error) {
            System.out.println("wrong " + error.getSQLState());
        }
    }

    static List<String> show(String word, String query, Object... parameters) throws SQLException {
        PreparedStatement statement = db.prepareStatement(query);
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
        return print(word, statement.executeQuery());
    }

    /** Prints the IDs of a result, and returns them. */
    static List<String> print(String word, ResultSet rows) throws SQLException {
        List<String> ids = new ArrayList<>();
        while (rows.next()) ids.add(rows.getString(1));
        ids.forEach(id -> System.out.println(word + " " + id));
        return ids;
    }
}
