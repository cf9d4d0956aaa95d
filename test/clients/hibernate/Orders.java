// Orders with kid64 keys, by Hibernate.
import java.io.Serializable;
import java.sql.*;
import java.util.*;
import java.util.stream.*;
import javax.persistence.*;
import org.hibernate.JDBCException;
import org.hibernate.Session;
import org.hibernate.annotations.GenericGenerator;
import org.hibernate.cfg.Configuration;
import org.hibernate.engine.SessionImplementor;
import org.hibernate.id.IdentifierGenerator;

public class Orders {
    /** Hibernate needs the ID before it inserts the row. */
    public static class KidGenerator implements IdentifierGenerator {
        public Serializable generate(SessionImplementor session, Object entity) {
            try (ResultSet next = session.connection().createStatement().executeQuery("SELECT kid_next()")) {
                next.next();
                return next.getString(1);
            } catch (SQLException error) {
                throw new IllegalStateException(error);
            }
        }
    }

    @MappedSuperclass
    public static class Row {
        @Id
        @GenericGenerator(name = "kid", strategy = "Orders$KidGenerator")
        @GeneratedValue(generator = "kid")
        @Column(columnDefinition = "kid64 DEFAULT kid_next()")
        public String id;
    }

    @Entity(name = "Purchase")
    @Table(name = "orders")
    public static class Purchase extends Row {
        public String item;

        @OneToMany(mappedBy = "order")
        public List<Line> lines;
    }

    @Entity(name = "Line")
    public static class Line extends Row {
        @ManyToOne
        @JoinColumn(name = "order_id", columnDefinition = "kid64")
        public Purchase order;

        public String note;
    }

    static Session session;

    public static void main(String[] args) {
        session = new Configuration()
            .addAnnotatedClass(Purchase.class)
            .addAnnotatedClass(Line.class)
            .setProperty("hibernate.dialect", "org.hibernate.dialect.PostgreSQLDialect")
            .setProperty("hibernate.connection.url", String.format("jdbc:postgresql://%s:%s/%s",
                System.getenv("PGHOST"), System.getenv("PGPORT"), System.getenv("PGDATABASE")))
            .setProperty("hibernate.connection.username", System.getenv("PGUSER"))
            .setProperty("hibernate.jdbc.batch_size", "100")
            .setProperty("hibernate.hbm2ddl.auto", "create")
            .buildSessionFactory().openSession();

        session.beginTransaction();
        Purchase order = save("tea");
        Line line = new Line();
        line.order = order;
        line.note = "with milk";
        session.save(line);
        session.getTransaction().commit();
        show("inserted", List.of(order));
        // A reference must not have the default of the key.
        Object defaults = session.createSQLQuery("SELECT count(*) FROM information_schema.columns"
            + " WHERE column_name = 'order_id' AND column_default IS NOT NULL").uniqueResult();
        if (!defaults.toString().equals("0")) throw new AssertionError("order_id has a default");

        session.beginTransaction();
        List<Purchase> rows = Stream.generate(() -> save("batch")).limit(1000).toList();
        session.getTransaction().commit();
        List<String> batch = show("batch", rows);
        session.clear();

        show("found", List.of((Purchase) session.get(Purchase.class, order.id)));
        show("listed", session.createQuery("FROM Purchase WHERE id IN (:ids)")
            .setParameterList("ids", batch.subList(5, 8)).list());
        Timestamp hourAgo = new Timestamp(System.currentTimeMillis() - 3600 * 1000);
        List<String> recent = show("recent", session.createQuery("FROM Purchase WHERE id >= kid64_floor(:since) ORDER BY id")
            .setTimestamp("since", hourAgo).setMaxResults(10).list());
        show("page", session.createQuery("FROM Purchase WHERE id > :last ORDER BY id")
            .setString("last", recent.get(9)).setMaxResults(10).list());

        session.clear();
        show("nested", List.of(((Purchase) session.get(Purchase.class, order.id)).lines.get(0).order));

        try {
            session.get(Purchase.class, "12345");
        } catch (JDBCException error) {
            System.out.println("wrong " + error.getSQLState());
        }
    }

    static Purchase save(String item) {
        Purchase order = new Purchase();
        order.item = item;
        session.save(order);
        return order;
    }

    /** Prints the IDs of orders, and returns them. */
    static List<String> show(String word, List<Purchase> orders) {
        orders.forEach(order -> System.out.println(word + " " + order.id));
        return orders.stream().map(order -> order.id).toList();
    }
}
