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
require_once '../steps.php';

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
$connection = DriverManager::getConnection(['driver' => 'pdo_pgsql', 'dbname' => getenv('PGDATABASE'), 'user' => getenv('PGUSER')]);
$connection->getDatabasePlatform()->registerDoctrineTypeMapping('kid64', 'kid64');
$em = new EntityManager($connection, ORMSetup::createAttributeMetadataConfiguration([__DIR__], true));
$tool = new SchemaTool($em);
$tool->createSchema($em->getMetadataFactory()->getAllMetadata());
$changes = $tool->getUpdateSchemaSql($em->getMetadataFactory()->getAllMetadata());
if ($changes) throw new \Exception(implode("\n", $changes));

$find = fn($condition, $value) => array_column(
    $em->createQuery("SELECT o FROM Shop\\Order o WHERE o.id $condition :value ORDER BY o.id")
        ->setParameter('value', $value)->setMaxResults(10)->getResult(), 'id');

\run([
    'inserted' => function ($item) use ($em) {
        $em->persist($order = new Order($item));
        $em->persist(new Line($order, 'with milk'));
        $em->flush();
        return $order->id;
    },
    'batch' => function ($items) use ($em) {
        $batch = array_map(fn($item) => new Order($item), $items);
        foreach ($batch as $order) $em->persist($order);
        $em->flush();
        $em->clear();
        return array_column($batch, 'id');
    },
    'found' => fn($id) => $em->find(Order::class, $id)->id,
    'listed' => fn($some) => array_column($em->getRepository(Order::class)->findBy(['id' => $some]), 'id'),
    'recent' => fn($since) => $find('>=', $connection->fetchOne('SELECT kid64_floor(?)', [$since])),
    'page' => fn($last) => $find('>', $last),
    'bulk' => function () use ($connection) {
        $ids = $connection->fetchFirstColumn('SELECT kid_next(1000)');
        foreach ($ids as $id) $connection->insert('orders', ['id' => $id, 'item' => 'bulk']);
        return $ids;
    },
    'nested' => function ($order) use ($em) {
        $em->clear();
        return $em->find(Order::class, $order)->lines[0]->order->id;
    },
    'wrong' => [DriverException::class, 'getSQLState'],
]);
