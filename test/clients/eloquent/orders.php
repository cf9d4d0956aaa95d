<?php
// Orders with kid64 keys, by Eloquent, Laravel's.
use Illuminate\Database\Capsule\Manager as Capsule;
use Illuminate\Database\Eloquent\Model;
use Illuminate\Database\QueryException;
use Illuminate\Database\Schema\Blueprint;

require_once 'Illuminate/Database/autoload.php';
require_once '../steps.php';

class Order extends Model
{
    protected $keyType = 'string';    // otherwise the ID of a new order is 0
    public $timestamps = false;
    protected $guarded = [];

    public function lines()
    {
        return $this->hasMany(Line::class);
    }
}

class Line extends Model
{
    protected $keyType = 'string';
    public $timestamps = false;
    protected $guarded = [];
}

$capsule = new Capsule;
$capsule->addConnection(['driver' => 'pgsql', 'database' => getenv('PGDATABASE')]);
$capsule->setAsGlobal();
$capsule->bootEloquent();

Blueprint::macro('kid64', function ($column) { return $this->addColumn('kid64', $column); });
Illuminate\Database\Schema\Grammars\PostgresGrammar::macro('typeKid64', function () { return 'kid64'; });
$next = Capsule::raw('kid_next()');
Capsule::schema()->create('orders', function (Blueprint $table) use ($next) {
    $table->kid64('id')->primary()->default($next);
    $table->text('item');
});
Capsule::schema()->create('lines', function (Blueprint $table) use ($next) {
    $table->kid64('id')->primary()->default($next);
    $table->kid64('order_id');
    $table->foreign('order_id')->references('id')->on('orders');
    $table->text('note');
});

run([
    'inserted' => fn($item) => Order::create(['item' => $item])->id,
    'batch' => fn($items) => Capsule::connection()->transaction(
        fn() => array_map(fn($item) => Order::create(['item' => $item])->id, $items)),
    'found' => fn($id) => Order::find($id)->id,
    'listed' => fn($some) => Order::find($some)->modelKeys(),
    'recent' => fn($since) => Order::whereRaw('id >= ?::timestamptz', [$since])
        ->orderBy('id')->limit(10)->get()->modelKeys(),
    'page' => fn($last) => Order::where('id', '>', $last)->orderBy('id')->limit(10)->get()->modelKeys(),
    'bulk' => function () {
        $ids = array_column(Capsule::select('SELECT kid_next(1000) AS id'), 'id');
        Order::insert(array_map(fn($id) => ['id' => $id, 'item' => 'bulk'], $ids));
        return $ids;
    },
    'nested' => function ($order) {
        Order::find($order)->lines()->create(['note' => 'with milk']);
        return Order::with('lines')->find($order)->lines[0]->order_id;
    },
    'wrong' => [QueryException::class, 'getCode'],
]);
