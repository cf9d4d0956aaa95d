<?php
// Orders with kid64 keys, by PDO.
$db = new PDO('pgsql:');
$db->exec('CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), item text)');
$db->exec('CREATE TABLE lines (order_id kid64 REFERENCES orders, note text)');

$insert = $db->prepare('INSERT INTO orders (item) VALUES (?) RETURNING id');
$insert->execute(['tea']);
$orderId = $insert->fetchColumn();
echo "inserted $orderId\n";

$batch = $db->query("INSERT INTO orders (item) SELECT 'batch' FROM generate_series(1, 1000) RETURNING id")
    ->fetchAll(PDO::FETCH_COLUMN);
foreach ($batch as $id) echo "batch $id\n";

$find = $db->prepare('SELECT id FROM orders WHERE id = ?');
$find->execute([$orderId]);
echo "found {$find->fetchColumn()}\n";

$some = array_slice($batch, 5, 3);
$list = $db->prepare('SELECT id FROM orders WHERE id = ANY (?)');
$list->execute(['{' . implode(',', $some) . '}']);
foreach ($list->fetchAll(PDO::FETCH_COLUMN) as $id) echo "listed $id\n";

$since = new DateTime('1 hour ago');
$query = $db->prepare('SELECT id, item FROM orders WHERE id >= ?::timestamptz ORDER BY id LIMIT 10');
$query->execute([$since->format(DATE_ATOM)]);
$recent = $query->fetchAll();
foreach ($recent as $row) echo "recent {$row['id']}\n";

$query = $db->prepare('SELECT id, item FROM orders WHERE id > ? ORDER BY id LIMIT 10');
$query->execute([end($recent)['id']]);
foreach ($query as $row) echo "page {$row['id']}\n";

$ids = $db->query('SELECT kid_next(1000)')->fetchAll(PDO::FETCH_COLUMN);
$db->pgsqlCopyFromArray('orders', array_map(fn($id) => "$id\tbulk", $ids), "\t", '\\\\N', 'id, item');
foreach ($ids as $id) echo "bulk $id\n";

$db->prepare("INSERT INTO lines (order_id, note) VALUES (?, 'with milk')")->execute([$orderId]);
$nested = $db->query('SELECT to_jsonb(l) FROM lines l JOIN orders o ON l.order_id = o.id')->fetchColumn();
echo 'nested ', json_decode($nested)->order_id, "\n";

try {
    $find->execute(['12345']);
} catch (PDOException $error) {
    echo 'wrong ', $error->getCode(), "\n";
}
