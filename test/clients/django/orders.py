"""Orders with kid64 keys, by Django."""

from datetime import datetime, time, timedelta

import django

import steps

django.setup()

import odd_tables
from django import forms
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.contrib.postgres.aggregates import ArrayAgg
from django.contrib.postgres.operations import CreateExtension
from django.core import serializers as fixtures
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.core.management.sql import emit_post_migrate_signal
from django.db import DataError, IntegrityError, connection, migrations, models, transaction
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.graph import MigrationGraph
from django.db.migrations.questioner import MigrationQuestioner
from django.db.migrations.state import ProjectState
from django.db.migrations.writer import MigrationWriter
from django.db.models import Count
from django.db.models.functions import TruncHour
from django.http import HttpResponseBadRequest, JsonResponse
from django.shortcuts import get_object_or_404
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import NoReverseMatch, include, path, register_converter, reverse
from django.utils import timezone
from django_filters.rest_framework import DjangoFilterBackend
from pgkid.django import Encoded, Timestamp
from pgkid.django import FlakeField, Kid53Field, Kid64Field, UuidV7Field
from pgkid.django import base32_converter
from pgkid.django.operations import AlterKey
from pgkid.ids import Flake, Kid53, Kid64, UuidV7
from rest_framework import routers, serializers, viewsets
from shop.models import Line, Order, Parcel, Payment


class LineSerializer(serializers.ModelSerializer):
    class Meta:
        model = Line
        fields = "__all__"


class Lines(viewsets.ModelViewSet):
    queryset = Line.objects.order_by("id")
    serializer_class = LineSerializer
    lookup_value_regex = "[^/]+"  # an ID may contain dots
    filter_backends = [DjangoFilterBackend]
    filterset_fields = {"id": ["gt"], "order": ["exact"], "external": ["exact"]}


def show(request, id):
    return JsonResponse({"item": get_object_or_404(Order, id=id).item})


def list_orders(request):
    orders = Order.objects.order_by("id").values("id", "item")
    if after := request.GET.get("after"):
        try:
            orders = orders.filter(id__gt=after)
        except ValidationError:
            return HttpResponseBadRequest()
    return JsonResponse({"orders": list(orders[:100])})


def echo(request, id):
    return JsonResponse({"id": id if isinstance(id, str) else str(id), "type": type(id).__name__})


@admin.register(Order)
class OrderAdmin(admin.ModelAdmin):
    list_display = ["id", "item", "made"]

    @admin.display(ordering="id")
    def made(self, order):
        return order.id.timestamp


router = routers.SimpleRouter()
register_converter(base32_converter(Kid64, "ord"), "public_order")
router.register("lines", Lines)
urlpatterns = [
    path("orders/", list_orders),
    path("orders/<kid64:id>/", show, name="order"),
    path("flake/<flake:id>/", echo, name="flake"),
    path("kid53/<kid53:id>/", echo, name="kid53"),
    path("kid64/<kid64:id>/", echo, name="kid64"),
    path("public/<public_order:id>/", echo, name="public"),
    path("", include(router.urls)),
]

# What makemigrations writes and migrate does, in a database without kid.
with connection.cursor() as cursor:
    cursor.execute("DROP EXTENSION kid")
call_command("migrate", verbosity=0)
state = ProjectState()


def changes():
    detector = MigrationAutodetector(state, ProjectState.from_apps(apps), MigrationQuestioner({"ask_initial": True}))
    return detector.changes(MigrationGraph(), trim_to_apps={"shop"}).get("shop")


def migrate(operations):
    global state
    migration = migrations.Migration("migration", "shop")
    migration.operations = operations
    with connection.schema_editor() as editor:
        state = migration.apply(state, editor)
    return migration


exec(MigrationWriter(changes()[0]).as_string(), written := {})
operations = [
    CreateExtension("kid"),
    *written["Migration"].operations,
]
migrate(operations)
emit_post_migrate_signal(0, False, "default")
assert not changes()
migrated, state = state, state.clone()
migrations.AlterField("order", "id", Kid64Field(primary_key=True)).state_forwards("shop", state)
assert not changes(), "a migration that somebody wrote"
state = migrated

order = Order.objects.create(item="tea")
print("inserted", order.id)
batch = Order.objects.bulk_create(Order(item="batch") for _ in range(1000))
steps.show("batch", [each.id for each in batch])
print("found", Order.objects.get(id=order.id).id)

since = steps.hour_ago
recent = Order.objects.filter(id__gte=since).order_by("id")[:10]
steps.show("recent", [each.id for each in recent])
# A time without a zone is in the time zone of the project, not in UTC, and a date stands for its midnight.
assert list(Order.objects.filter(id__gte=timezone.make_naive(since)).order_by("id")[:10]) == list(recent)
day = timezone.localdate(since)
midnight = timezone.make_aware(datetime.combine(day, time.min))
assert Order.objects.filter(id__gte=day).count() == Order.objects.filter(id__gte=midnight).count() > 0

line = order.lines.create()
print("nested", Line.objects.select_related("order").get().order.id)

steps.show("uuid", [Payment.objects.create().id for _ in range(1000)])
steps.show("dated", [each.id for each in Payment.objects.filter(id__gte=since).order_by("id")[:10]])
payment = Payment.objects.first()
made = UuidV7.of_uuid(payment.id).timestamp
assert abs(made - timezone.now()) < timedelta(minutes=10)
some = Payment.objects.bulk_create([Payment(), Payment()])
assert some[0].id < some[1].id and Payment.objects.filter(id__in=[each.id for each in some]).count() == 2
Payment.objects.filter(id__in=[each.id for each in some]).delete()

if django.VERSION >= (5,):
    # save() changes no row that was not fetched.
    with steps.raises(IntegrityError), transaction.atomic():
        Order(id=order.id, item="changed").save()

# The time of an ID, and its text for others.
orders = Order.objects.annotate(
    created=Timestamp("id"), public=Encoded("id", "ord")
)
shown = orders.get(id=order.id)
assert abs(shown.created - timezone.now()) < timedelta(minutes=10), shown.created
assert shown.created == shown.id.timestamp
assert shown.public == shown.id.base32("ord")
assert Order.objects.get(id=Kid64.of_base32(shown.public, "ord")) == order
assert not OrderAdmin(Order, admin.site).check()
assert OrderAdmin(Order, admin.site).made(order) == shown.created
recent = Order.objects.filter(id__gte=since)
hours = recent.annotate(hour=TruncHour(Timestamp("id"))).values("hour")
by_hour = hours.annotate(orders=Count("id")).order_by("hour")
assert sum(each["orders"] for each in by_hour) == recent.count()
assert timezone.now() - by_hour.last()["hour"] < timedelta(hours=2)
with steps.raises(DataError) as wrong:
    Order.objects.get(id=models.Func(models.Value("12345"), function="kid64_decode"))
error = wrong.exception.__cause__
print("wrong", getattr(error, "pgcode", None) or error.sqlstate)

# Arrays of IDs, in the connection that created the extension, and in another one.
for some in [order.id], [each.id for each in batch[:3]]:
    parcel = Parcel.objects.create(orders=some)
    assert Parcel.objects.get(orders__contains=some[:1]).orders == some
    assert sorted(Order.objects.filter(id__in=some).aggregate(found=ArrayAgg("id"))["found"]) == some
    connection.close()

client = Client()
made = client.post("/lines/", {"order": order.id, "external": line.id})
assert made.status_code == 201, made.content
made = made.json()
assert client.get("/lines/").json() == [{"id": line.id, "order": order.id, "external": None}, made]
assert client.get(f"/lines/{made['id']}/").json() == made
assert client.get("/lines/12345/").status_code == 404
for wrong in {"order": "12345"}, {"order": order.id, "external": "12345"}:
    assert client.post("/lines/", wrong).status_code == 400
for field in "id__gt", "external":
    assert client.get("/lines/", {field: line.id}).json() == [made]
    assert client.get("/lines/", {field: "12345"}).status_code == 400
assert len(client.get("/lines/", {"order": order.id}).json()) == 2
assert client.get(reverse("order", args=[order.id])).json() == {"item": "tea"}
assert client.get("/orders/12345/").status_code == 404
pages, query = [], {}
while page := client.get("/orders/", query).json()["orders"]:
    pages.append([each["id"] for each in page])
    query = {"after": pages[-1][-1]}
assert sum(pages, []) == list(Order.objects.order_by("id").values_list("id", flat=True)) and len(pages) == 11
for wrong in "12345", "\0", order.id + "\0":
    assert client.get("/orders/", {"after": wrong}).status_code == 400
flake = Flake(2**64 - 1)
for name, id in ("flake", flake), ("kid53", Kid53(7)), ("kid64", order.id), ("public", order.id):
    assert client.get(reverse(name, args=[id])).json() == {"id": str(id), "type": type(id).__name__}, name
# What has no ID yet has no address.
for name in "flake", "kid53", "kid64", "public":
    with steps.raises(NoReverseMatch):
        reverse(name, args=[None])
for wrong in f"/flake/{2**64}/", f"/kid53/{2**53}/", "/kid53/x/", "/kid64/x/", "/public/ord_1/", f"/public/{order.id}/":
    assert client.get(wrong).status_code == 404, wrong

LineForm = forms.modelform_factory(Line, fields="__all__")
assert LineForm({"order": order.id}).save().order == order
assert not LineForm({"order": order.id, "external": "12345"}).is_valid()

for fixture in '[{"model": "shop.order", "fields": {"item": "fixture"}}]', fixtures.serialize("json", [line]):
    (loaded,) = fixtures.deserialize("json", fixture)
    loaded.save()
assert loaded.object == line and Order.objects.filter(item="fixture").exists()


def model(name):
    return state.apps.get_model("shop", name)


def run(statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else None


def foreign_keys():
    """What refers to the keys of the app, and how"""
    return run(
        """SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
            WHERE contype = 'f' AND confrelid::regclass::text LIKE 'shop%' ORDER BY 1, 2"""
    )


def types_of_keys():
    """The types of the key of Old, and of all columns that refer to it"""
    return {
        name: type
        for name, type in run(
            """SELECT attrelid::regclass || '.' || attname, atttypid::regtype::text FROM pg_attribute
                WHERE attrelid IN (SELECT oid FROM pg_class WHERE relname LIKE 'shop%' AND relkind = 'r')
                      AND (attrelid = 'shop_old'::regclass AND attname = 'id' OR attname ~ '^(old|basis)')"""
        )
    }


def check_newest(item):
    new = model("Old").objects.create(item=item)
    assert model("Old").objects.order_by("id").last() == new
    return new


def check_kept():
    """What refers to the oldest row still does, and nothing can refer to a row that is not there."""
    kept = model("Old").objects.get(item="number")
    assert model("Basket").objects.get().olds.get() == kept
    assert model("Note").objects.get().old == model("Note").objects.get().old_copy == kept
    assert model("Mark").objects.get().older.old_ptr_id == kept.id
    log.refresh_from_db()
    assert log.object_id == str(kept.id)
    assert foreign_keys() == wanted_foreign_keys, foreign_keys()
    assert len(set(types_of_keys().values())) == 1, types_of_keys()


def go_back(change, before):
    """Takes a migration back."""
    global state
    with connection.schema_editor() as editor:
        state = change.unapply(before, editor)


# A table whose keys were numbers, and what refers to it: also without a way back from the key, without a constraint,
# and through the key of another table.
fields = [("id", models.BigAutoField(primary_key=True)), ("item", models.TextField())]
key_of_old = models.ForeignKey("shop.Old", models.CASCADE, related_name="+")
loose_key = models.ForeignKey("shop.Old", models.CASCADE, related_name="+", db_constraint=False)
parent = models.OneToOneField("shop.Old", models.CASCADE, parent_link=True, primary_key=True)
tables_of_numbers = [
    migrations.CreateModel("Old", [*fields, ("basis", models.ForeignKey("shop.Old", models.CASCADE, null=True))]),
    migrations.CreateModel("Basket", [fields[0], ("olds", models.ManyToManyField("shop.Old"))]),
    migrations.CreateModel("Note", [fields[0], ("old", key_of_old), ("old_copy", loose_key)]),
    migrations.CreateModel("Older", [("old_ptr", parent)], bases=("shop.old",)),
    migrations.CreateModel("Mark", [fields[0], ("older", models.ForeignKey("shop.Older", models.CASCADE))]),
]
empty = state.clone()
tables_made = migrate(tables_of_numbers)
# A foreign key that Django does not know.
run("ALTER TABLE shop_note ADD old_twin bigint CONSTRAINT twin REFERENCES shop_old ON DELETE SET NULL")
wanted_foreign_keys = foreign_keys()
old = model("Old").objects.create(item="number")
model("Basket").objects.create().olds.add(old)
model("Note").objects.create(old=old, old_copy=old)
older = model("Older")(old_ptr=old)
older.save_base(raw=True)
model("Mark").objects.create(older=older)
shop_old = ContentType.objects.create(app_label="shop", model="old")
user = User.objects.create_superuser("admin")
log = LogEntry.objects.create(user=user, content_type=shop_old, object_id=old.id, action_flag=CHANGE)
numbers = state.clone()
assert len(wanted_foreign_keys) == 7 and len(types_of_keys()) == 8, (wanted_foreign_keys, types_of_keys())
check_kept()
operations = [
    AlterKey("old", "id", Kid64Field(primary_key=True)),
    migrations.RunSQL(
        """UPDATE django_admin_log
              SET object_id = object_id::bigint::kid64::text
            WHERE content_type_id = (
                SELECT id FROM django_content_type
                 WHERE app_label = 'shop' AND model = 'old')""",
        """UPDATE django_admin_log
              SET object_id = object_id::kid64::bigint::text
            WHERE content_type_id = (
                SELECT id FROM django_content_type
                 WHERE app_label = 'shop' AND model = 'old')""",
    ),
]
change = migrate(operations)
assert set(types_of_keys().values()) == {"kid64"}
check_newest("ID")
check_kept()
go_back(change, numbers)
check_newest("number again")
check_kept()

# Keys that cannot be cast: the rows are refused, until another program has given them their keys.
to_uuid = AlterKey("old", "id", UuidV7Field(primary_key=True))
assert to_uuid.describe() == "Alter key id on old"
numbers = state.clone()
with steps.raises(CommandError) as refused:
    migrate([to_uuid])
state = numbers
for word in "shop_old has rows", "`kidctl rekey run shop_old --to uuid`", "`kidctl rekey swap", "`migrate --fake`":
    assert word in str(refused.exception), refused.exception
check_newest("after the error")
check_kept()

# Another column is none of its business.
renamed = AlterKey("old", "id", UuidV7Field(primary_key=True, db_column="key"))
later = state.clone()
renamed.state_forwards("shop", later)
with steps.raises(CommandError) as refused, connection.schema_editor() as editor:
    renamed.database_forwards("shop", editor, state, later)
assert "Rename its column" in str(refused.exception)

# New rows only: the keys of old rows stay, and new ones, which are greater, tell their time.
model("Old").objects.exclude(item="number").delete()
before = state.clone()
change = migrate([AlterKey("old", "id", Kid53Field(primary_key=True))])
assert set(types_of_keys().values()) == {"bigint"}
new = check_newest("kid53")
check_kept()
Old = model("Old")
assert type(new.id) is Kid53 and abs(new.id.timestamp - timezone.now()) < timedelta(minutes=10)
assert list(Old.objects.filter(id__gte=day)) == [new] and not Old.objects.filter(id__lt=day, item="kid53").exists()
assert list(Old.objects.filter(id__range=(day, day + timedelta(days=3)))) == [new]
assert list(Old.objects.filter(id__gte=since)) == [new] and new not in Old.objects.filter(id__lt=since)
# An ID counts as equal to each time of its millisecond.
late = new.id.timestamp + timedelta(microseconds=999)
for lookup, found in ("gte", [new]), ("lte", [new]), ("gt", []), ("lt", []):
    assert list(Old.objects.filter(id__gte=since).filter(**{f"id__{lookup}": late})) == found, lookup
assert list(Old.objects.filter(id__range=(late, late))) == [new]
# A foreign key has lookups of its own.
basket = model("Basket").objects.create()
basket.olds.add(new)
through = model("Basket").olds.through.objects
assert through.filter(old__id__gte=since).count() == 1
with steps.raises(ValidationError):
    through.filter(old__gte=since)
basket.delete()
assert Old.objects.annotate(public=Encoded("id", "old")).get(id=new.id).public == new.id.base32("old")
for wrong in "abc", "", "1.5", "\0", day:
    for lookup in "id", "id__gt":
        if lookup == "id" or wrong != day:
            with steps.raises(ValidationError):
                Old.objects.filter(**{lookup: wrong})
    with steps.raises(ValidationError):
        Old(id=wrong, item="wrong").save()
# A number that is not a kid53 is an int.
assert type(Old.objects.create(id=-5, item="other").id) is int
new.delete()
go_back(change, before)
check_newest("number once more")

# A key that other statements have changed, such as those of `kidctl rekey swap`: nothing is left to do, and the old key
# keeps its sequence.
with connection.cursor() as cursor:
    cursor.execute("ALTER TABLE shop_old RENAME id TO number")
    cursor.execute("ALTER TABLE shop_old DROP CONSTRAINT shop_old_pkey CASCADE")
    cursor.execute("ALTER TABLE shop_old ADD id uuid PRIMARY KEY DEFAULT public.kid_uuidv7()")
    for name in types_of_keys().keys() - {"shop_old.id", "shop_note.old_copy_id"}:
        cursor.execute("ALTER TABLE {0} DROP {1} CASCADE, ADD {1} uuid".format(*name.split(".")))
numbers = state.clone()
# kidctl moves no column without a foreign key.
with steps.raises(CommandError) as refused:
    migrate([to_uuid])
for word in "shop_note has rows, and bigint, the type of old_copy_id,", "those of shop_old,":
    assert word in str(refused.exception), refused.exception
state = numbers.clone()
run("ALTER TABLE shop_note DROP old_copy_id, ADD old_copy_id uuid")
with CaptureQueriesContext(connection) as queries:
    migrate([to_uuid])
assert not [each for each in queries if "ALTER" in each["sql"]], queries.captured_queries
UuidV7.of_uuid(check_newest("swapped").id)
assert run("SELECT count(DISTINCT number) = count(*) FROM shop_old") == [(True,)]
# The way back needs the old keys.
with steps.raises(CommandError) as refused, connection.schema_editor() as editor:
    to_uuid.database_backwards("shop", editor, state, numbers)
assert "`kidctl rekey back shop_old`" in str(refused.exception)

# A new database, as for tests: there are no rows, and each type becomes another one.
for field in UuidV7Field, FlakeField, Kid53Field:
    run("DROP TABLE shop_old, shop_basket, shop_basket_olds, shop_note, shop_older, shop_mark CASCADE")
    state = empty.clone()
    migrate(tables_of_numbers)
    wanted_foreign_keys = foreign_keys()
    numbers = state.clone()
    change = migrate([AlterKey("old", "id", field(primary_key=True))])
    assert set(types_of_keys().values()) == {field().db_type(connection)}
    assert foreign_keys() == wanted_foreign_keys
    model("Old").objects.create(item="new").delete()
    go_back(change, numbers)
    assert set(types_of_keys().values()) == {"bigint"}
    assert foreign_keys() == wanted_foreign_keys
    assert check_newest("number").id == 1

if django.VERSION >= (5,):
    # A key that the database made in another way.
    random = models.UUIDField(primary_key=True, db_default=models.Func(function="gen_random_uuid"))
    migrate([migrations.CreateModel("Random", [("id", random)])])
    numbers = state.clone()
    change = migrate([AlterKey("random", "id", UuidV7Field(primary_key=True))])
    assert model("Random").objects.create().id.version == 7
    go_back(change, numbers)
    assert model("Random").objects.create().id.version == 4

for field in FlakeField(), FlakeField(null=True):
    assert field.to_python(str(flake)) == field.to_python(flake) == flake
# An invalid ID does not reach the server.
with steps.raises(ValidationError):
    Order.objects.get(id="12345")

odd_tables.check()
