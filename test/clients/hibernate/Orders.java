// Orders with kid64 keys, by Hibernate.
import java.io.Serializable;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;
import javax.persistence.Column;
import javax.persistence.Entity;
import javax.persistence.GeneratedValue;
import javax.persistence.Id;
import javax.persistence.JoinColumn;
import javax.persistence.ManyToOne;
import javax.persistence.OneToMany;
import javax.persistence.Table;
import org.hibernate.JDBCException;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
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

    @Entity(name = "Purchase")
    @Table(name = "orders")
    public static class Purchase {
        @Id
        @GenericGenerator(name = "kid", strategy = "Orders$KidGenerator")
        @GeneratedValue(generator = "kid")
        @Column(columnDefinition = "kid64 DEFAULT kid_next()")
        public String id;

        public String item;

        @OneToMany(mappedBy = "order")
        public List<Line> lines;
    }

    @Entity(name = "Line")
    @Table(name = "lines")
    public static class Line {
        @Id
        @GenericGenerator(name = "kid", strategy = "Orders$KidGenerator")
        @GeneratedValue(generator = "kid")
        @Column(columnDefinition = "kid64 DEFAULT kid_next()")
        public String id;

        @ManyToOne
        @JoinColumn(name = "order_id", columnDefinition = "kid64")
        public Purchase order;

        public String note;
    }

    public static void main(String[] args) {
        SessionFactory factory = new Configuration()
            .addAnnotatedClass(Purchase.class)
            .addAnnotatedClass(Line.class)
            .setProperty("hibernate.dialect", "org.hibernate.dialect.PostgreSQLDialect")
            .setProperty("hibernate.connection.url", String.format("jdbc:postgresql://%s:%s/%s",
                System.getenv("PGHOST"), System.getenv("PGPORT"), System.getenv("PGDATABASE")))
            .setProperty("hibernate.connection.username", System.getenv("PGUSER"))
            .setProperty("hibernate.jdbc.batch_size", "100")
            .setProperty("hibernate.hbm2ddl.auto", "create")
            .buildSessionFactory();
        Session session = factory.openSession();

        session.beginTransaction();
        Purchase order = new Purchase();
        order.item = "tea";
        session.save(order);
        Line line = new Line();
        line.order = order;
        line.note = "with milk";
        session.save(line);
        session.getTransaction().commit();
        System.out.println("inserted " + order.id);
        // A reference must not have the default of the key.
        Object defaults = session.createSQLQuery("SELECT count(*) FROM information_schema.columns"
            + " WHERE column_name = 'order_id' AND column_default IS NOT NULL").uniqueResult();
        if (!defaults.toString().equals("0")) throw new AssertionError("order_id has a default");

        session.beginTransaction();
        List<String> batch = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            Purchase each = new Purchase();
            each.item = "batch";
            session.save(each);
            batch.add(each.id);
        }
        session.getTransaction().commit();
        batch.forEach(id -> System.out.println("batch " + id));
        session.clear();

        System.out.println("found " + ((Purchase) session.get(Purchase.class, order.id)).id);

        List<Purchase> listed = session.createQuery("FROM Purchase WHERE id IN (:ids)")
            .setParameterList("ids", batch.subList(5, 8)).list();
        listed.forEach(each -> System.out.println("listed " + each.id));

        List<Purchase> recent = session.createQuery("FROM Purchase WHERE id >= kid64_floor(:since) ORDER BY id")
            .setTimestamp("since", new Timestamp(System.currentTimeMillis() - 3600 * 1000)).setMaxResults(10).list();
        recent.forEach(each -> System.out.println("recent " + each.id));

        List<Purchase> page = session.createQuery("FROM Purchase WHERE id > :last ORDER BY id")
            .setString("last", recent.get(9).id).setMaxResults(10).list();
        page.forEach(each -> System.out.println("page " + each.id));

        session.clear();
        System.out.println("nested " + ((Purchase) session.get(Purchase.class, order.id)).lines.get(0).order.id);

        try {
            session.get(Purchase.class, "12345");
        } catch (JDBCException error) {
            System.out.println("wrong " + error.getSQLState());
        }
        factory.close();
    }
}
