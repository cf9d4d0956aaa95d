<?php
// What every client in PHP does with orders. A client passes a function for each step, which returns an ID or several. The
// IDs are printed as check_orders.sql reads them. ORMs omit the steps listed and bulk.
function run(array $client): void
{
    $step = function ($word, ...$arguments) use ($client) {
        $ids = isset($client[$word]) ? (array) $client[$word](...$arguments) : [];
        foreach ($ids as $id) echo "$word $id\n";
        return $ids;
    };
    [$order] = $step('inserted', 'tea');
    $batch = $step('batch', array_fill(0, 1000, 'batch'));
    $step('found', $order);
    $step('listed', array_slice($batch, 5, 3));
    $step('recent', date(DATE_ATOM, time() - 3600));
    $step('bulk');
    $step('nested', $order);
    [$error, $code] = $client['wrong'];
    try {
        $client['found']('12345');
    } catch (Exception $wrong) {
        if ($wrong instanceof $error) echo 'wrong ', $wrong->$code(), "\n";
    }
}
