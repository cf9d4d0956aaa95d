<?php
// Orders with kid64 keys, by Doctrine.
namespace Shop;

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
    #[ORM\Id]
    #[ORM\Column(type: 'kid64', options: ['default' => 'kid_next()'])]
    #[ORM\GeneratedValue(strategy: 'CUSTOM')]
    #[ORM\CustomIdGenerator(class: KidGenerator::class)]
    public string $id;

    public function __construct(
        #[ORM\Column] public string $item,
        #[ORM\ManyToOne] public ?Order $replaces = null)
    {
    }
}

Type::addType('kid64', Kid64Type::class);
$connection = DriverManager::getConnection(['driver' => 'pdo_pgsql', 'dbname' => getenv('PGDATABASE'), 'user' => getenv('PGUSER')]);
$platform = $connection->getDatabasePlatform();
$platform->registerDoctrineTypeMapping('kid64', 'kid64');
$em = new EntityManager($connection, ORMSetup::createAttributeMetadataConfiguration([__DIR__], true));
$tool = new SchemaTool($em);
$tool->createSchema($em->getMetadataFactory()->getAllMetadata());
$changes = $tool->getUpdateSchemaSql($em->getMetadataFactory()->getAllMetadata());
if ($changes) throw new \Exception(implode("\n", $changes));

\run([
    'inserted' => function ($item) use ($em) {
        $em->persist($order = new Order($item));
        $em->persist(new Order('milk', $order));
        $em->flush();
        return $order->id;
    },
    'batch' => function ($items) use ($em) {
        foreach ($items as $item) $em->persist($batch[] = new Order($item));
        $em->flush();
        $em->clear();
        return array_column($batch, 'id');
    },
    'found' => fn($id) => $em->find(Order::class, $id)->id,
    'recent' => fn($since) => array_column(
        $em->createQuery('SELECT o FROM Shop\Order o WHERE o.id >= :floor ORDER BY o.id')->setMaxResults(10)
            ->setParameter('floor', $connection->fetchOne('SELECT kid64_floor(?)', [$since]))->getResult(), 'id'),
    'nested' => fn($order) => $em->getRepository(Order::class)->findOneBy(['replaces' => $order])->replaces->id,
    'wrong' => [DriverException::class, 'getSQLState'],
]);
