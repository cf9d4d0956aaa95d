// Orders with kid64 keys, by libpqxx.
#include <iostream>
#include <pqxx/pqxx>
#include <string>
#include <tuple>

// Prints the IDs of a result, and returns it.
static pqxx::result show(const char *word, pqxx::result rows) {
    for (auto row : rows) std::cout << word << ' ' << row[0].as<std::string>() << '\n';
    return rows;
}

int main() {
    pqxx::connection connection;
    pqxx::nontransaction work(connection);
    work.exec("CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), item text)");
    work.exec("CREATE TABLE lines (order_id kid64 REFERENCES orders, note text)");

    auto inserted = work.exec("INSERT INTO orders (item) VALUES ($1) RETURNING id", pqxx::params{work, "tea"});
    auto order_id = show("inserted", inserted)[0]["id"].as<std::string>();
    auto batch = show("batch", work.exec(
        "INSERT INTO orders (item) SELECT 'batch' FROM generate_series(1, 1000) RETURNING id"));
    show("found", work.exec("SELECT id FROM orders WHERE id = $1", pqxx::params{work, order_id}));

    std::string some = "{" + batch[5][0].as<std::string>();
    for (int i : {6, 7}) some += "," + batch[i][0].as<std::string>();
    some += "}";
    show("listed", work.exec("SELECT id FROM orders WHERE id = ANY ($1)", pqxx::params{work, some}));

    auto since = work.query_value<std::string>("SELECT now() - interval '1 hour'");
    auto recent = show("recent", work.exec(
        "SELECT id, item FROM orders WHERE id >= $1::timestamptz ORDER BY id LIMIT 10", pqxx::params{work, since}));
    auto last = recent.back()["id"].as<std::string>();
    show("page", work.exec("SELECT id, item FROM orders WHERE id > $1 ORDER BY id LIMIT 10", pqxx::params{work, last}));

    auto ids = show("bulk", work.exec("SELECT kid_next(1000)"));
    auto stream = pqxx::stream_to::table(work, {"orders"}, {"id", "item"});
    for (auto row : ids) stream << std::make_tuple(row[0].as<std::string>(), "bulk");
    stream.complete();

    work.exec("INSERT INTO lines (order_id, note) VALUES ($1, 'with milk')", pqxx::params{work, order_id});
    show("nested", work.exec("SELECT order_id FROM lines JOIN orders ON order_id = orders.id"));

    try {
        work.exec("SELECT id FROM orders WHERE id = $1", pqxx::params{work, "12345"});
    } catch (const pqxx::sql_error &error) {
        std::cout << "wrong " << error.sqlstate() << '\n';
    }
}
