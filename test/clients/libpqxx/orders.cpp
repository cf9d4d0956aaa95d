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
    auto inserted = work.exec("INSERT INTO orders (item) VALUES ($1) RETURNING id", pqxx::params{work, "tea"});
    auto order_id = show("inserted", inserted)[0]["id"].as<std::string>();
    auto batch = show("batch", work.exec(
        "INSERT INTO orders (item) SELECT 'batch' FROM generate_series(1, 1000) RETURNING id"));
    show("found", work.exec("SELECT id FROM orders WHERE id = $1", pqxx::params{work, order_id}));

    auto some = "{" + batch[5][0].as<std::string>() + "," + batch[6][0].as<std::string>() + ","
        + batch[7][0].as<std::string>() + "}";
    show("listed", work.exec("SELECT id FROM orders WHERE id = ANY ($1)", pqxx::params{work, some}));

    auto since = work.query_value<std::string>("SELECT now() - interval '1 hour'");
    auto recent = "SELECT id, item FROM orders"
        " WHERE id >= $1::timestamptz ORDER BY id LIMIT 10";
    show("recent", work.exec(recent, pqxx::params{work, since}));

    auto ids = show("bulk", work.exec("SELECT kid_next(1000)"));
    auto stream = pqxx::stream_to::table(work, {"orders"}, {"id", "item"});
    for (auto row : ids)
        stream << std::make_tuple(row[0].as<std::string>(), "bulk");
    stream.complete();

    auto line = "INSERT INTO lines (order_id, note) VALUES ($1, 'with milk') RETURNING order_id";
    show("nested", work.exec(line, pqxx::params{work, order_id}));

    try {
        work.exec("SELECT id FROM orders WHERE id = $1", pqxx::params{work, "12345"});
    } catch (const pqxx::sql_error &error) {
        std::cout << "wrong " << error.sqlstate() << '\n';
    }
}
