<?php
// Orders with kid64 keys, by Doctrine.
namespace Shop;

use Doctrine\Common\Collections\ArrayCollection;
use Doctrine\DBAL\DriverManager;
use Doctrine\DBAL\Exception\DriverException;
use Doctrine\DBAL\Platforms\AbstractPlatform;
use Doctrine\DBAL\Types\PhpIntegerMappingType;
use Doctrine\DBAL\Types\StringType;
use Doctrine\DBAL\Types\Type;
use Doctrine\ORM\EntityManager;
use Doctrine\ORM\EntityManagerInterface;
use Doctrine\ORM\Id\AbstractIdGenerator;
use Doctrine\ORM\Mapping as ORM;
use Doctrine\ORM\ORMSetup;
use Doctrine\ORM\Tools\SchemaTool;

require_once 'Doctrine/ORM/autoload.php';

/** PhpIntegerMappingType only says that a default is SQL, not a string to be quoted. */
class Kid64Type extends StringType implements PhpIntegerMappingType
{
    public function getSQLDeclaration(array $column, AbstractPlatform $platform): string
    {
        return 'kid64';
    }

    public function getName(): string
    {
        return 'kid64';
    }
}

/** Doctrine needs the ID before it inserts the row. */
class KidGenerator extends AbstractIdGenerator
{
    public function generateId(EntityManagerInterface $em, $entity): mixed
    {
        return $em->getConnection()->fetchOne('SELECT kid_next()');
    }
}

#[ORM\Entity, ORM\Table(name: 'orders')]
class Order
{
    #[ORM\Id, ORM\Column(type: 'kid64', options: ['default' => 'kid_next()'])]
    #[ORM\GeneratedValue(strategy: 'CUSTOM'), ORM\CustomIdGenerator(class: KidGenerator::class)]
    public string $id;

    #[ORM\OneToMany(targetEntity: Line::class, mappedBy: 'order')]
    public $lines;

    public function __construct(#[ORM\Column] public string $item)
    {
        $this->lines = new ArrayCollection();
    }
}

#[ORM\Entity, ORM\Table(name: 'lines')]
class Line
{
    #[ORM\Id, ORM\Column(type: 'kid64', options: ['default' => 'kid_next()'])]
    #[ORM\GeneratedValue(strategy: 'CUSTOM'), ORM\CustomIdGenerator(class: KidGenerator::class)]
    public string $id;

    public function __construct(
        #[ORM\ManyToOne(targetEntity: Order::class, inversedBy: 'lines')] public Order $order,
        #[ORM\Column] public string $note)
    {
    }
}

Type::addType('kid64', Kid64Type::class);
$connection = DriverManager::getConnection([
    'driver' => 'pdo_pgsql', 'host' => getenv('PGHOST'), 'port' => getenv('PGPORT'),
    'dbname' => getenv('PGDATABASE'), 'user' => getenv('PGUSER'),
]);
$connection->getDatabasePlatform()->registerDoctrineTypeMapping('kid64', 'kid64');
$em = new EntityManager($connection, ORMSetup::createAttributeMetadataConfiguration([__DIR__], true));
$tool = new SchemaTool($em);
$tool->createSchema($em->getMetadataFactory()->getAllMetadata());
$changes = $tool->getUpdateSchemaSql($em->getMetadataFactory()->getAllMetadata());
if ($changes) throw new \Exception(implode("\n", $changes));

$em->persist($order = new Order('tea'));
$em->persist(new Line($order, 'with milk'));
$em->flush();
echo "inserted $order->id\n";

$batch = [];
for ($i = 0; $i < 1000; $i++) $em->persist($batch[] = new Order('batch'));
$em->flush();
foreach ($batch as $each) echo "batch $each->id\n";
$em->clear();

echo 'found ', $em->find(Order::class, $order->id)->id, "\n";

$some = array_column(array_slice($batch, 5, 3), 'id');
$listed = $em->getRepository(Order::class)->findBy(['id' => $some]);
foreach ($listed as $each) echo "listed $each->id\n";

$since = date(DATE_ATOM, time() - 3600);
$floor = $connection->fetchOne('SELECT kid64_floor(?)', [$since]);
$recent = $em->createQuery('SELECT o FROM Shop\Order o WHERE o.id >= :floor ORDER BY o.id')
    ->setParameter('floor', $floor)->setMaxResults(10)->getResult();
foreach ($recent as $each) echo "recent $each->id\n";

$page = $em->createQuery('SELECT o FROM Shop\Order o WHERE o.id > :last ORDER BY o.id')
    ->setParameter('last', end($recent)->id)->setMaxResults(10)->getResult();
foreach ($page as $each) echo "page $each->id\n";

$ids = $connection->fetchFirstColumn('SELECT kid_next(1000)');
foreach ($ids as $id) $connection->insert('orders', ['id' => $id, 'item' => 'bulk']);
foreach ($ids as $id) echo "bulk $id\n";

$em->clear();
echo 'nested ', $em->find(Order::class, $order->id)->lines[0]->order->id, "\n";

try {
    $em->find(Order::class, '12345');
} catch (DriverException $error) {
    echo 'wrong ', $error->getSQLState(), "\n";
}
