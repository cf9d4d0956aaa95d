// Polls as `pollers.py kafka` does, by JDBC: java Incrementing.java URL RELATION TABLE.
import java.sql.*;
import java.util.HashMap;
import java.util.Map;

class Incrementing {
    public static void main(String[] arguments) throws Exception {
        Connection db = DriverManager.getConnection(arguments[0]);
        String query = String.format("SELECT * FROM \"%s\" WHERE \"id\" > ? ORDER BY \"id\" ASC", arguments[1]);
        PreparedStatement poll = db.prepareStatement(query);
        Map<Long, Integer> read = new HashMap<>();
        db.createStatement().execute("INSERT INTO pollers VALUES ('" + arguments[1] + "')");
        long last = 0;
        for (boolean ended = false; !ended; Thread.sleep(50)) {
            ResultSet writers = db.createStatement().executeQuery("SELECT ended FROM writers");
            writers.next();
            ended = writers.getBoolean(1);
            poll.setLong(1, last);
            ResultSet rows = poll.executeQuery();
            while (rows.next()) {
                last = rows.getLong("id");
                read.merge(last, 1, Integer::sum);
            }
        }
        int all = 0, missed = 0;
        ResultSet rows = db.createStatement().executeQuery("SELECT id FROM " + arguments[2]);
        for (; rows.next(); all++) if (!read.containsKey(rows.getLong(1))) missed++;
        System.out.println(all + " " + missed + " " + read.values().stream().filter(times -> times > 1).count());
    }
}
