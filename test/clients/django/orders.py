"""Orders with kid64 keys, by Django."""

import io
import os
import tempfile
import warnings
from datetime import timedelta

import django

import steps

os.environ["DJANGO_SETTINGS_MODULE"] = "settings"
django.setup()

import django_filters
from django import forms
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.contrib.postgres.aggregates import ArrayAgg
from django.contrib.postgres.operations import CreateExtension
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.core.management.color import no_style
from django.core.management.sql import emit_post_migrate_signal
from django.core.validators import RegexValidator
from django.db import DataError, IntegrityError, connection, migrations, models, transaction
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.graph import MigrationGraph
from django.db.migrations.questioner import MigrationQuestioner
from django.db.migrations.state import ProjectState
from django.db.migrations.writer import MigrationWriter
from django.http import JsonResponse
from django.shortcuts import get_object_or_404
from django.test import Client
from django.urls import include, path, register_converter, reverse
from django.utils import timezone
from django_filters.rest_framework import DjangoFilterBackend, FilterSet
from rest_framework import routers, serializers, viewsets

from kid_django import ID, Kid64Converter
from kid_django import Kid64Field
from shop.models import Line, Order, Parcel

if django.VERSION >= (5,):
    from shop.models import Payment, Ticket


class LineSerializer(serializers.ModelSerializer):
    class Meta:
        model = Line
        fields = "__all__"


class Kid64FormField(forms.CharField):
    default_validators = [RegexValidator(rf"^{ID.pattern}\Z", "This is not an ID.")]


class Kid64Filter(django_filters.Filter):
    field_class = Kid64FormField


FilterSet.FILTER_DEFAULTS[Kid64Field] = {"filter_class": Kid64Filter}


class Lines(viewsets.ModelViewSet):
    queryset = Line.objects.order_by("id")
    serializer_class = LineSerializer
    lookup_value_regex = "[^/]+"  # an ID may contain dots
    filter_backends = [DjangoFilterBackend]
    filterset_fields = {"id": ["exact", "gt"], "order": ["exact"], "external": ["exact"]}


def show(request, id):
    return JsonResponse({"item": get_object_or_404(Order, id=id).item})


router = routers.SimpleRouter()
router.register("lines", Lines)
admin.site.register([Order, Line])
register_converter(Kid64Converter, "kid64")
urlpatterns = [
    path("admin/", admin.site.urls),
    path("orders/<kid64:id>/", show, name="order"),
    path("", include(router.urls)),
]

# What makemigrations writes and migrate does, in a database without kid.
with connection.cursor() as cursor:
    cursor.execute("DROP EXTENSION kid")
call_command("migrate", verbosity=0)
state = ProjectState()


def makemigrations():
    detector = MigrationAutodetector(state, ProjectState.from_apps(apps), MigrationQuestioner({"ask_initial": True}))
    changes = detector.changes(MigrationGraph(), trim_to_apps={"shop"}).get("shop", [])
    for migration in changes:
        written = {}
        exec(MigrationWriter(migration).as_string(), written)
        yield written["Migration"](migration.name, "shop")


def migrate(migration):
    global state
    with connection.schema_editor() as editor:
        state = migration.apply(state, editor)


(made,) = makemigrations()


class Initial(migrations.Migration):
    operations = [
        CreateExtension("kid"),
        *made.operations,
    ]


migrate(Initial(made.name, "shop"))
emit_post_migrate_signal(0, False, "default")
assert list(makemigrations()) == []

order = Order.objects.create(item="tea")
print("inserted", order.id)

batch = Order.objects.bulk_create(Order(item="batch") for _ in range(1000))
steps.show("batch", [each.id for each in batch])

print("found", Order.objects.get(id=order.id).id)

listed = Order.objects.filter(id__in=[each.id for each in batch[5:8]])
steps.show("listed", [each.id for each in listed])

since = steps.hour_ago
recent = Order.objects.filter(id__gte=since).order_by("id")[:10]
steps.show("recent", [each.id for each in recent])

# A time without a zone is in the time zone of the project, not in UTC.
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    assert list(Order.objects.filter(id__gte=timezone.make_naive(since)).order_by("id")[:10]) == list(recent)
assert [each.category for each in caught] == [RuntimeWarning], caught

last = recent[9].id
page = Order.objects.filter(id__gt=last).order_by("id")[:10]
steps.show("page", [each.id for each in page])

order.lines.create(note="with milk")
print("nested", Line.objects.select_related("order").get().order.id)

with connection.cursor() as cursor:
    cursor.execute("SELECT kid_next(1000)")
    ids = [id for (id,) in cursor]
Order.objects.bulk_create(Order(id=id, item="bulk") for id in ids)
steps.show("bulk", ids)

if django.VERSION >= (5,):
    for each in batch:
        print("uuid", Payment.objects.create(order=each).id)
    floor = models.Func(since, function="kid_uuidv7_floor", output_field=models.UUIDField())
    dated = Payment.objects.filter(id__gte=floor).order_by("id")[:10]
    steps.show("dated", [each.id for each in dated])

    ticket = Ticket.objects.create()
    ticket.refresh_from_db()
    assert ticket.public_id[:4] == "tkt_", ticket.public_id

    # save() changes no row that was not fetched.
    with steps.raises(IntegrityError), transaction.atomic():
        Order(id=order.id, item="changed").save()

# The time of an ID, and its text for others.
created = models.Func("id", function="kid_timestamp", output_field=models.DateTimeField())
public = models.Func("id", models.Value("ord"), function="kid_encode", output_field=models.TextField())
shown = Order.objects.annotate(created=created, public_id=public).get(id=order.id)
assert abs(shown.created - timezone.now()) < timedelta(minutes=10), shown.created


def order_of(text):
    return Order.objects.get(id=models.Func(models.Value(text), models.Value("ord"), function="kid64_decode"))


assert shown.public_id[:4] == "ord_" and order_of(shown.public_id) == order
with steps.raises(DataError):
    order_of("ord_12345")


def check_arrays(some):
    """Arrays of IDs, in rows and as results."""
    parcel = Parcel.objects.create(orders=some)
    parcel.refresh_from_db()
    assert parcel.orders == some, parcel.orders
    assert Parcel.objects.get(orders__contains=some[:1]) == parcel
    found = Order.objects.filter(id__in=some).aggregate(found=ArrayAgg("id"))["found"]
    assert sorted(found) == some, found


# In the connection that created the extension, and in another one.
check_arrays(ids[:3])
connection.close()
check_arrays(ids[3:6])

client = Client()
(line,) = order.lines.all()
(shown,) = client.get("/lines/").json()
assert shown == {"id": line.id, "order": order.id, "note": "with milk", "external": None}, shown
made = client.post("/lines/", {"order": order.id, "note": "by REST", "external": line.id})
assert made.status_code == 201 and made.json()["external"] == line.id, made.content
assert client.get(f"/lines/{made.json()['id']}/").status_code == 200
assert client.get("/lines/12345/").status_code == 404
assert client.post("/lines/", {"order": "12345", "note": "none"}).status_code == 400

assert client.post("/lines/", {"order": order.id, "note": "none", "external": "12345"}).status_code == 400

for field, value in ("id", made.json()["id"]), ("id__gt", line.id), ("external", line.id):
    assert [each["id"] for each in client.get("/lines/", {field: value}).json()] == [made.json()["id"]]
    assert client.get("/lines/", {field: "12345"}).status_code == 400
assert len(client.get("/lines/", {"order": order.id}).json()) == 2
assert client.get("/lines/", {"order": "12345"}).status_code == 400
assert client.get(reverse("order", args=[order.id])).json() == {"item": "tea"}
assert client.get("/orders/12345/").status_code == 404

client.force_login(User.objects.create_superuser("admin"))
assert client.get(f"/admin/shop/line/{line.id}/change/").status_code == 200
assert client.get("/admin/shop/line/12345/change/").status_code == 302
assert client.post("/admin/shop/line/add/", {"order": order.id, "note": "by admin"}).status_code == 302
assert Line.objects.get(note="by admin").order == order
assert client.post("/admin/shop/line/add/", {"order": order.id, "note": "none", "external": "1"}).status_code == 200

with tempfile.NamedTemporaryFile(suffix=".json") as file:
    call_command("dumpdata", "shop.line", output=file.name, verbosity=0)
    lines = set(Line.objects.values_list())
    Line.objects.all().delete()
    call_command("loaddata", file.name, verbosity=0)
    assert set(Line.objects.values_list()) == lines
with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
    print('[{"model": "shop.order", "fields": {"item": "fixture"}}]', file=file, flush=True)
    call_command("loaddata", file.name, verbosity=0)
reset = io.StringIO()
call_command("sqlsequencereset", "shop", stdout=reset, no_color=True)
assert reset.getvalue() == "", reset.getvalue()

described = io.StringIO()
call_command("inspectdb", "shop_line", stdout=described)
assert "    id = models.TextField(primary_key=True)" in described.getvalue(), described.getvalue()
assert "    order = models.ForeignKey" in described.getvalue(), described.getvalue()


def model(name):
    return state.apps.get_model("shop", name)


def check_newest(item):
    new = model("Old").objects.create(item=item)
    assert model("Old").objects.order_by("id").last() == new
    return new


def check_log(key):
    log.refresh_from_db()
    assert log.object_id == key


# A table whose keys were numbers, and what refers to it.
change = migrations.Migration("old", "shop")
change.operations = [
    migrations.CreateModel("Old", [("id", models.BigAutoField(primary_key=True)), ("item", models.TextField())]),
    migrations.CreateModel("Part", [("old", models.ForeignKey("shop.Old", models.CASCADE, primary_key=True))]),
    migrations.CreateModel(
        "Basket", [("id", Kid64Field(primary_key=True)), ("olds", models.ManyToManyField("shop.Old"))]
    ),
]
migrate(change)
old = model("Old").objects.create(item="number")
model("Part").objects.create(old=old)
model("Basket").objects.create().olds.add(old)
number = str(old.id)
log = LogEntry.objects.create(
    user=User.objects.get(),
    content_type=ContentType.objects.create(app_label="shop", model="old"),
    object_id=number,
    action_flag=CHANGE,
)
change.operations = [migrations.AlterField("Old", "id", Kid64Field(primary_key=True))]
if django.VERSION < (5,):
    change.operations.append(
        migrations.RunSQL(
            "ALTER TABLE shop_old ALTER id SET DEFAULT kid_next()", "ALTER TABLE shop_old ALTER id DROP DEFAULT"
        )
    )
change.operations.append(
    migrations.RunSQL(
        """UPDATE django_admin_log SET object_id = object_id::bigint::kid64::text
            WHERE content_type_id = (SELECT id FROM django_content_type WHERE app_label = 'shop' AND model = 'old')""",
        """UPDATE django_admin_log SET object_id = object_id::kid64::bigint::text
            WHERE content_type_id = (SELECT id FROM django_content_type WHERE app_label = 'shop' AND model = 'old')""",
    )
)
numbers = state.clone()
migrate(change)
check_newest("ID")
old = model("Old").objects.get(item="number")
assert model("Part").objects.get().old == old
assert model("Basket").objects.get().olds.get() == old
check_log(old.id)
with connection.cursor() as cursor:
    cursor.execute("INSERT INTO shop_old (item) VALUES ('from elsewhere')")
    cursor.execute("SELECT * FROM kid_check('shop_old') WHERE problem !~ '1970'")
    assert cursor.fetchall() == []

# The way back, and what sqlsequencereset prints.
with connection.schema_editor() as editor:
    state = change.unapply(numbers, editor)
with connection.cursor() as cursor:
    for statement in connection.ops.sequence_reset_sql(no_style(), [model("Old")]):
        cursor.execute(statement)
check_newest("number again")
check_log(number)

# A migration whose statements are written by hand, in the place of the swap of kid_rekey_script().
swap = """
    ALTER TABLE shop_old RENAME id TO old_id;
    ALTER TABLE shop_old DROP CONSTRAINT shop_old_pkey CASCADE, ADD id kid64 PRIMARY KEY DEFAULT kid_next();
"""
change.operations = [
    migrations.SeparateDatabaseAndState(
        database_operations=[migrations.RunSQL(swap)],
        state_operations=[migrations.AlterField("Old", "id", Kid64Field(primary_key=True))],
    )
]
migrate(change)
Kid64Field().to_python(check_newest("swapped").id)

# An invalid ID does not reach the server.
with steps.raises(ValidationError):
    Order.objects.get(id="12345")

try:
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM orders WHERE id = %s", ["12345"])
except DataError as error:
    print("wrong", getattr(error.__cause__, "pgcode", None) or error.__cause__.sqlstate)
