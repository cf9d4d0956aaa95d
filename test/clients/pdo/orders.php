<?php
// Orders with kid64 keys, by PDO.
require_once '../steps.php';

$db = new PDO('pgsql:');

// Prepares a statement only once.
function ids($sql, ...$parameters)
{
    static $prepared = [];
    $query = $prepared[$sql] ??= $GLOBALS['db']->prepare($sql);
    $query->execute($parameters);
    return $query->fetchAll(PDO::FETCH_COLUMN);
}

run([
    'inserted' => fn($item) => ids(
        'INSERT INTO orders (item) VALUES (?) RETURNING id', $item),
    'batch' => fn() => ids("INSERT INTO orders (item) SELECT 'batch' FROM generate_series(1, 1000) RETURNING id"),
    'found' => fn($id) => ids('SELECT id FROM orders WHERE id = ?', $id),
    'listed' => fn($some) => ids('SELECT id FROM orders WHERE id = ANY (?)', '{' . implode(',', $some) . '}'),
    'recent' => fn($since) => ids(
        'SELECT id, item FROM orders
          WHERE id >= ?::timestamptz ORDER BY id LIMIT 10', $since),
    'bulk' => function () use ($db) {
        $ids = ids('SELECT kid_next(1000)');
        $rows = array_map(fn($id) => "$id\tbulk", $ids);
        $db->pgsqlCopyFromArray('orders', $rows, "\t", '\\\\N', 'id, item');
        return $ids;
    },
    'nested' => fn($id) => ids("INSERT INTO lines (order_id, note) VALUES (?, 'with milk') RETURNING order_id", $id),
    'wrong' => [PDOException::class, 'getCode'],
]);
