"""What stands beside a key that AlterKey changes. orders.py calls check()."""

from django.core.management import CommandError
from django.db import DataError, ProgrammingError, connection, migrations, models, transaction
from django.db.migrations.optimizer import MigrationOptimizer
from django.db.migrations.state import ProjectState
from pgkid.django import Kid53Field, Kid64Field, Kid96Field, UuidV7Field
from pgkid.django.operations import AlterKey

import steps

key = ("id", models.BigAutoField(primary_key=True))
to_kid64 = AlterKey("one", "id", Kid64Field(primary_key=True))
to_uuid = AlterKey("one", "id", UuidV7Field(primary_key=True))
to_number = AlterKey("one", *key)


def run(statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else None


def reference(to="One", **extra):
    return models.ForeignKey(f"odd.{to}", models.CASCADE, related_name="+", **extra)


class Models:
    """The models of an app, and their tables"""

    def __init__(self, *operations, **options):
        self.state = ProjectState()
        self.migrate(*operations, **options)

    def migrate(self, *operations, atomic=True, only_print=False):
        """Runs operations, or returns their SQL, as sqlmigrate prints it."""
        migration = migrations.Migration("migration", "odd")
        migration.operations = operations
        with connection.schema_editor(collect_sql=only_print, atomic=atomic) as editor:
            state = migration.apply(self.state.clone(), editor, collect_sql=only_print)
        if only_print:
            return editor.collected_sql
        self.state = state

    def create(self, name, **values):
        return self.state.apps.get_model("odd", name).objects.create(**values)


def type_of(column, table):
    return run(
        f"SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = '{table}'::regclass"
        f" AND attname = '{column}'"
    )[0][0]


def two_models(**extra):
    return migrations.CreateModel("One", [key]), migrations.CreateModel("Two", [key, ("one", reference(**extra))])


tests = []
test = tests.append


def check():
    """Runs each test, and takes back what it did."""
    for function in tests:
        with transaction.atomic():
            function()
            transaction.set_rollback(True)
    check_script()
    check_squashing()


@test
def a_table_that_is_not_there():
    odd = Models(*two_models(db_constraint=False))
    run("ALTER TABLE odd_one RENAME TO elsewhere")
    with steps.raises(CommandError) as refused:
        odd.migrate(to_kid64)
    assert 'no column "id" of a table "odd_one"' in str(refused.exception), refused.exception
    assert 'no column "id" of a table "odd_one"' in odd.migrate(to_kid64, only_print=True)[-1]
    assert type_of("one_id", "odd_two") == "bigint"


@test
def names():
    """Django takes names that are in quotes. The schema is not that of new tables."""
    run('CREATE SCHEMA "Odd"; CREATE SCHEMA first; SET LOCAL search_path = first, "Odd", public')
    quoted = ("id", models.BigAutoField(primary_key=True, db_column='"Id"'))
    odd = Models(
        migrations.CreateModel("One", [quoted], options={"db_table": 'Odd"."One.x'}),
        migrations.CreateModel("Two", [key], options={"db_table": 'Odd"."Two'}),
    )
    run('ALTER TABLE "Odd"."Two" ADD one_id bigint REFERENCES "One.x" DEFERRABLE INITIALLY DEFERRED')
    run("""COMMENT ON CONSTRAINT "Two_one_id_fkey" ON "Odd"."Two" IS 'what it''s for'""")
    odd.migrate(AlterKey("one", "id", Kid64Field(primary_key=True, db_column='"Id"')))
    assert type_of("Id", '"Odd"."One.x"') == type_of("one_id", '"Odd"."Two"') == "kid64"
    odd.create("One")
    odd.migrate(AlterKey("one", *quoted))
    assert type_of("Id", '"Odd"."One.x"') == type_of("one_id", '"Odd"."Two"') == "bigint"
    odd.create("One")
    assert run("""SELECT obj_description(oid) FROM pg_constraint WHERE conname = 'Two_one_id_fkey'""") == [
        ("what it's for",)
    ]


@test
def views():
    odd = Models(migrations.CreateModel("One", [key]))
    run("CREATE VIEW odd_sums AS SELECT 5::bigint AS id, 7::bigint AS one_id")
    run("CREATE MATERIALIZED VIEW odd_stored AS SELECT 5::bigint AS id, 7::bigint AS one_id")
    for name in "Sums", "Stored":
        odd.migrate(migrations.CreateModel(name, [key, ("one", reference())], options={"managed": False}))
    odd.migrate(to_kid64)
    assert type_of("id", "odd_one") == "kid64" and type_of("one_id", "odd_stored") == "bigint"


@test
def hidden_rows():
    """Row-level security does not hide references that would be lost."""
    odd = Models(*two_models(db_constraint=False, null=True))
    odd.create("Two", one=odd.create("One"))
    run("ALTER TABLE odd_one DROP CONSTRAINT odd_one_pkey, DROP id, ADD id uuid PRIMARY KEY DEFAULT kid_uuidv7()")
    run("CREATE ROLE odd_owner; GRANT USAGE, CREATE ON SCHEMA public TO odd_owner")
    run("ALTER TABLE odd_one OWNER TO odd_owner; ALTER TABLE odd_two OWNER TO odd_owner")
    run("ALTER TABLE odd_two ENABLE ROW LEVEL SECURITY; ALTER TABLE odd_two FORCE ROW LEVEL SECURITY")
    with steps.raises(ProgrammingError) as refused, transaction.atomic():
        run("SET LOCAL ROLE odd_owner")
        odd.migrate(to_uuid)
    assert "row-level security" in str(refused.exception), refused.exception
    assert run("SELECT one_id IS NULL FROM odd_two") == [(False,)]


@test
def checks_that_wait():
    """Checks of other constraints than the foreign keys that are changed, which wait again for later operations."""
    one, _ = two_models()
    odd = Models(
        one,
        migrations.CreateModel("Three", [key]),
        migrations.CreateModel("Two", [key, ("one", reference()), ("three", reference("Three"))]),
        migrations.CreateModel("Four", [key, ("two", reference("Two"))]),
    )

    def load(apps, editor):
        two, three, four = (apps.get_model("odd", name).objects for name in ("Two", "Three", "Four"))
        one = apps.get_model("odd", "One").objects.create()
        made = two.create(one=one, three_id=5)
        four.create(two=made)
        three.create(id=5)
        run("DELETE FROM odd_four; DELETE FROM odd_two; DELETE FROM odd_three")

    odd.migrate(migrations.RunPython(load), to_kid64, migrations.RunPython(load))
    assert type_of("one_id", "odd_two") == "kid64"


@test
def texts():
    """Keys that are texts have indexes that another type cannot have."""

    def indexes():
        return run("SELECT indexname, indexdef FROM pg_indexes WHERE tablename LIKE 'odd%' ORDER BY 1")

    text = models.CharField(max_length=20, primary_key=True)
    many = models.ManyToManyField("odd.One", related_name="+")
    odd = Models(
        migrations.CreateModel("One", [("id", text)]),
        migrations.CreateModel("Two", [key, ("one", reference()), ("ones", many)]),
    )
    before = indexes()
    assert "varchar_pattern_ops" in str(before)
    two = odd.create("Two", one=odd.create("One", id=".6.nef3Mk.3"))
    odd.migrate(to_kid64)
    assert type_of("one_id", "odd_two_ones") == "kid64" and "pattern_ops" not in str(indexes())
    odd.create("One")
    odd.migrate(AlterKey("one", "id", text))
    assert indexes() == before
    assert run(f"SELECT one_id FROM odd_two WHERE id = {two.id}") == [(".6.nef3Mk.3",)]
    for each in models.TextField(primary_key=True), text:
        odd.migrate(AlterKey("one", "id", each))


@test
def lengths():
    """A type with a length is another one, and no key is cut off."""

    def to_text(length):
        return AlterKey("one", "id", models.CharField(max_length=length, primary_key=True))

    odd = Models(*two_models())
    odd.migrate(to_uuid)
    odd.create("Two", one=odd.create("One"))
    before = run("SELECT id::text, one_id::text FROM odd_one, odd_two AS t (number)")
    with steps.raises(DataError) as refused, transaction.atomic():
        odd.migrate(to_text(20))
    assert "value too long" in str(refused.exception), refused.exception
    for length in 40, 36:
        odd.migrate(to_text(length))
        assert {type_of("id", "odd_one"), type_of("one_id", "odd_two")} == {f"character varying({length})"}
    assert run("SELECT id, one_id FROM odd_one, odd_two AS t (number)") == before


@test
def references_to_keys_that_were_replaced():
    """After `kidctl rekey swap`, old numbers would be IDs that no row has."""
    odd = Models(*two_models(db_constraint=False))
    two = odd.create("Two", one=odd.create("One"))
    run("ALTER TABLE odd_one RENAME id TO kid_old_id; ALTER TABLE odd_one DROP CONSTRAINT odd_one_pkey")
    run("ALTER TABLE odd_one ADD id kid64 PRIMARY KEY DEFAULT kid_next()")
    with steps.raises(CommandError) as refused:
        odd.migrate(to_kid64)
    assert "no one_id of them is a key of odd_one" in str(refused.exception), refused.exception
    run("UPDATE odd_two SET one_id = o.id::bigint FROM odd_one AS o WHERE one_id = kid_old_id")
    odd.migrate(to_kid64)
    assert run(f"SELECT one_id = o.id FROM odd_two AS t, odd_one AS o WHERE t.id = {two.id}") == [(True,)]


@test
def a_sequence_of_two_tables():
    run("CREATE TABLE odd_one (id bigserial PRIMARY KEY); CREATE TABLE odd_copy (LIKE odd_one INCLUDING ALL)")
    odd = Models()
    odd.migrate(migrations.SeparateDatabaseAndState(state_operations=[migrations.CreateModel("One", [key])]))
    odd.migrate(to_kid64)
    run("DROP TABLE odd_one; INSERT INTO odd_copy DEFAULT VALUES")


@test
def numbers_below_one():
    odd = Models(migrations.CreateModel("One", [key]))
    odd.migrate(to_kid64)
    run("INSERT INTO odd_one VALUES (0)")
    odd.migrate(to_number)
    assert odd.create("One").id == 1


@test
def times():
    """A kid53 is no kid64: as numbers they have their times in other bits."""
    odd = Models(migrations.CreateModel("One", [key]))
    to_kid53 = AlterKey("one", "id", Kid53Field(primary_key=True))
    for first, second in (to_kid53, to_kid64), (to_kid64, to_kid53):
        odd.migrate(first)
        odd.migrate(second)
        odd.migrate(first)
        odd.create("One")
        with steps.raises(CommandError) as refused:
            odd.migrate(second)
        assert "would get wrong times" in str(refused.exception), refused.exception
        odd.migrate(to_number)
        run("DELETE FROM odd_one")
    odd.migrate(to_kid64)
    made = odd.create("One").id
    odd.migrate(AlterKey("one", "id", Kid96Field(primary_key=True)))
    assert run(f"SELECT kid_timestamp(id) = kid_timestamp('{made}'::kid64) FROM odd_one") == [(True,)]


def check_script():
    """What sqlmigrate prints for a migration that is not atomic."""
    odd = Models(*two_models())
    for statement in odd.migrate(to_kid64, atomic=False, only_print=True):
        if not statement.startswith("--"):
            run(statement)
    assert type_of("id", "odd_one") == type_of("one_id", "odd_two") == "kid64"
    run("DROP TABLE odd_one, odd_two")


def check_squashing():
    """What squashmigrations makes of an operation after AlterKey."""
    later = Kid64Field(primary_key=True, help_text="later")
    for operations, last in {
        (to_kid64, migrations.AlterField("one", "id", later)): ("id", later),
        (to_kid64, migrations.RenameField("one", "id", "nr")): ("nr", to_kid64.field),
        (to_uuid, to_kid64): ("id", to_kid64.field),
        (migrations.AddField("one", "item", models.TextField()), to_kid64): ("id", to_kid64.field),
    }.items():
        reduced = MigrationOptimizer().optimize(operations, "odd")[-1]
        assert type(reduced) is AlterKey and (reduced.name, reduced.field) == last, reduced
    reduced = MigrationOptimizer().optimize([migrations.CreateModel("One", [key]), to_kid64], "odd")
    assert [type(each) for each in reduced] == [migrations.CreateModel]
