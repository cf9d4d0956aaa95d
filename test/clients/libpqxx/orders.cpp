// Orders with kid64 keys, by libpqxx.
#include <iostream>
#include <pqxx/pqxx>
#include <string>
#include <tuple>

int main() {
    pqxx::connection connection;
    pqxx::nontransaction work(connection);
    work.exec("CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), item text)");
    work.exec("CREATE TABLE lines (order_id kid64 REFERENCES orders, note text)");

    auto order_id = work.query_value<std::string>(
        "INSERT INTO orders (item) VALUES ($1) RETURNING id", pqxx::params{work, "tea"});
    std::cout << "inserted " << order_id << '\n';

    auto batch = work.exec("INSERT INTO orders (item) SELECT 'batch' FROM generate_series(1, 1000) RETURNING id");
    for (auto row : batch) std::cout << "batch " << row["id"].as<std::string>() << '\n';

    for (auto row : work.exec("SELECT id FROM orders WHERE id = $1", pqxx::params{work, order_id}))
        std::cout << "found " << row["id"].as<std::string>() << '\n';

    std::string some = "{" + batch[5][0].as<std::string>();
    for (int i : {6, 7}) some += "," + batch[i][0].as<std::string>();
    some += "}";
    auto listed = work.exec("SELECT id FROM orders WHERE id = ANY ($1)", pqxx::params{work, some});
    for (auto row : listed) std::cout << "listed " << row["id"].as<std::string>() << '\n';

    auto since = work.query_value<std::string>("SELECT now() - interval '1 hour'");
    auto recent = work.exec(
        "SELECT id, item FROM orders WHERE id >= $1::timestamptz ORDER BY id LIMIT 10", pqxx::params{work, since});
    for (auto row : recent) std::cout << "recent " << row["id"].as<std::string>() << '\n';

    auto last = recent.back()["id"].as<std::string>();
    auto page = work.exec("SELECT id, item FROM orders WHERE id > $1 ORDER BY id LIMIT 10", pqxx::params{work, last});
    for (auto row : page) std::cout << "page " << row["id"].as<std::string>() << '\n';

    auto ids = work.exec("SELECT kid_next(1000)");
    auto stream = pqxx::stream_to::table(work, {"orders"}, {"id", "item"});
    for (auto row : ids) stream << std::make_tuple(row[0].as<std::string>(), "bulk");
    stream.complete();
    for (auto row : ids) std::cout << "bulk " << row[0].as<std::string>() << '\n';

    work.exec("INSERT INTO lines (order_id, note) VALUES ($1, 'with milk')", pqxx::params{work, order_id});
    for (auto row : work.exec("SELECT order_id FROM lines JOIN orders ON order_id = orders.id"))
        std::cout << "nested " << row["order_id"].as<std::string>() << '\n';

    try {
        work.exec("SELECT id FROM orders WHERE id = $1", pqxx::params{work, "12345"});
    } catch (const pqxx::sql_error &error) {
        std::cout << "wrong " << error.sqlstate() << '\n';
    }
}
