<?php
// Orders with kid64 keys, by Eloquent, Laravel's.
use Illuminate\Database\Capsule\Manager as Capsule;
use Illuminate\Database\Eloquent\Model;
use Illuminate\Database\QueryException;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Database\Schema\Grammars\PostgresGrammar;

require_once 'Illuminate/Database/autoload.php';
require_once '../steps.php';

class Order extends Model
{
    // Otherwise the ID of a new order is 0.
    protected $keyType = 'string';
    protected $guarded = [];
    public $timestamps = false;

    public function replacements()
    {
        return $this->hasMany(Order::class, 'replaces');
    }
}

$capsule = new Capsule;
$capsule->addConnection(['driver' => 'pgsql', 'database' => getenv('PGDATABASE')]);
$capsule->setAsGlobal();
$capsule->bootEloquent();

Blueprint::macro('kid64', function ($column) {
    return $this->addColumn('kid64', $column);
});
PostgresGrammar::macro('typeKid64', function () { return 'kid64'; });
Capsule::schema()->create('orders', function (Blueprint $table) {
    $table->kid64('id')->primary()->default(Capsule::raw('kid_next()'));
    $table->text('item');
    $table->kid64('replaces')->nullable();
});

run([
    'inserted' => fn($item) => Order::create(['item' => $item])->id,
    'batch' => fn($items) => array_map(fn($item) => Order::create(['item' => $item])->id, $items),
    'found' => fn($id) => Order::find($id)->id,
    'recent' => fn($since) =>
        Order::whereRaw('id >= ?::timestamptz', [$since])
            ->orderBy('id')->limit(10)->get()->modelKeys(),
    'nested' => function ($order) {
        Order::find($order)->replacements()->create(['item' => 'milk']);
        return Order::with('replacements')->find($order)->replacements[0]->replaces;
    },
    'wrong' => [QueryException::class, 'getCode'],
]);
