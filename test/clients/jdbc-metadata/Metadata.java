// What pgjdbc says of each kind of key: the column of a table, the column of a result, and what becomes of it in two connectors
// that go by that.
import java.sql.*;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

class Metadata {
    static Connection db;

    public static void main(String[] args) throws Exception {
        db = DriverManager.getConnection(String.format("jdbc:postgresql://%s:%s/%s?user=%s", System.getenv("PGHOST"),
            System.getenv("PGPORT"), System.getenv("PGDATABASE"), System.getenv("PGUSER")));
        db.createStatement().execute("CALL insert_rows()");

        List<String> declared = new ArrayList<>(), results = new ArrayList<>();
        List<String> kafka = new ArrayList<>(), trino = new ArrayList<>();
        ResultSet kinds = db.createStatement().executeQuery("SELECT name::text, ids FROM kinds ORDER BY nr");
        while (kinds.next()) {
            String table = kinds.getString(1);
            String[] ids = (String[]) kinds.getArray(2).getArray();
            ResultSet column = db.getMetaData().getColumns(null, "public", table, "id");
            column.next();
            int type = column.getInt("DATA_TYPE");
            declared.add(name(type));

            ResultSet rows = db.createStatement().executeQuery("SELECT id FROM " + table + " ORDER BY id");
            ResultSetMetaData result = rows.getMetaData();
            results.add(name(result.getColumnType(1)));

            // Kafka Connect's JDBC source goes by the result. It leaves out columns of these two types, except uuid and json.
            boolean omitted = List.of(Types.OTHER, Types.DISTINCT).contains(result.getColumnType(1))
                && !result.getColumnClassName(1).equals(UUID.class.getName());
            kafka.add(omitted ? "missing" : arrived(rows, ids, result.getColumnType(1) == Types.BIGINT));
            // Trino goes by the declaration, and leaves out the column unless it has a rule for the type.
            boolean known = type == Types.BIGINT || column.getString("TYPE_NAME").equals("uuid");
            rows = db.createStatement().executeQuery("SELECT id FROM " + table + " ORDER BY id");
            trino.add(known ? arrived(rows, ids, type == Types.BIGINT) : "missing");
        }
        print("JDBC, `getColumns()`", declared);
        print("JDBC, `ResultSetMetaData`", results);
        print("Kafka Connect's JDBC source, by its rule", kafka);
        print("Trino, by its rule", trino);
    }

    static String name(int type) throws IllegalAccessException {
        for (var field : Types.class.getFields()) if (field.getInt(null) == type) return field.getName();
        throw new AssertionError(type);
    }

    static String arrived(ResultSet rows, String[] ids, boolean number) throws SQLException {
        for (String id : ids) {
            if (!rows.next() || !(number ? Long.toString(rows.getLong(1)) : rows.getString(1)).equals(id)) return "rounded";
        }
        return number ? "number" : "text";
    }

    static void print(String row, List<String> cells) {
        System.out.println(row + "\t" + String.join("\t", cells));
    }
}
