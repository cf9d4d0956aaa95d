<?php
// Orders with kid64 keys, by Eloquent, Laravel's.
use Illuminate\Database\Capsule\Manager as Capsule;
use Illuminate\Database\Eloquent\Model;
use Illuminate\Database\QueryException;
use Illuminate\Database\Schema\Blueprint;

require_once 'Illuminate/Database/autoload.php';

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
$capsule->addConnection([
    'driver' => 'pgsql', 'host' => getenv('PGHOST'), 'port' => getenv('PGPORT'),
    'database' => getenv('PGDATABASE'), 'username' => getenv('PGUSER'),
]);
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

$order = Order::create(['item' => 'tea']);
echo "inserted $order->id\n";

$batch = [];
Capsule::connection()->transaction(function () use (&$batch) {
    for ($i = 0; $i < 1000; $i++) $batch[] = Order::create(['item' => 'batch'])->id;
});
foreach ($batch as $id) echo "batch $id\n";

echo 'found ', Order::find($order->id)->id, "\n";

$listed = Order::find(array_slice($batch, 5, 3));
foreach ($listed as $each) echo "listed $each->id\n";

$since = date(DATE_ATOM, time() - 3600);
$recent = Order::whereRaw('id >= ?::timestamptz', [$since])->orderBy('id')->limit(10)->get();
foreach ($recent as $each) echo "recent $each->id\n";

$page = Order::where('id', '>', $recent->last()->id)->orderBy('id')->limit(10)->get();
foreach ($page as $each) echo "page $each->id\n";

$ids = array_column(Capsule::select('SELECT kid_next(1000) AS id'), 'id');
Order::insert(array_map(fn($id) => ['id' => $id, 'item' => 'bulk'], $ids));
foreach ($ids as $id) echo "bulk $id\n";

$order->lines()->create(['note' => 'with milk']);
$nested = Order::with('lines')->find($order->id);
echo "nested {$nested->lines[0]->order_id}\n";

try {
    Order::find('12345');
} catch (QueryException $error) {
    echo 'wrong ', $error->getCode(), "\n";
}
