"""Orders with kid64 keys, by Django."""

import os
from datetime import timedelta

import django
from django.conf import settings
from django.db import DataError, connection, models
from django.utils import timezone

settings.configure(
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": os.environ["PGDATABASE"],
            "USER": os.environ["PGUSER"],
            "HOST": os.environ["PGHOST"],
            "PORT": os.environ["PGPORT"],
        }
    },
    USE_TZ=True,
)
django.setup()


class Kid64Field(models.AutoField):
    """A primary key made by the server. In Python it is a str."""

    validators = []

    def db_type(self, connection):
        return "kid64 DEFAULT kid_next()"

    def rel_db_type(self, connection):
        return "kid64"

    def to_python(self, value):
        return value

    def get_prep_value(self, value):
        return value


class Order(models.Model):
    id = Kid64Field(primary_key=True)
    item = models.TextField()

    class Meta:
        app_label = "shop"
        db_table = "orders"


class Line(models.Model):
    id = Kid64Field(primary_key=True)
    order = models.ForeignKey(Order, models.CASCADE, related_name="lines")
    note = models.TextField()

    class Meta:
        app_label = "shop"
        db_table = "lines"


with connection.schema_editor() as editor:
    editor.create_model(Order)
    editor.create_model(Line)

order = Order.objects.create(item="tea")
print("inserted", order.id)

batch = Order.objects.bulk_create(Order(item="batch") for _ in range(1000))
for each in batch:
    print("batch", each.id)

print("found", Order.objects.get(id=order.id).id)

listed = Order.objects.filter(id__in=[each.id for each in batch[5:8]])
for each in listed:
    print("listed", each.id)

since = timezone.now() - timedelta(hours=1)
recent = Order.objects.filter(id__gte=since).order_by("id")[:10]
for each in recent:
    print("recent", each.id)

last = recent[9].id
page = Order.objects.filter(id__gt=last).order_by("id")[:10]
for each in page:
    print("page", each.id)

order.lines.create(note="with milk")
print("nested", Line.objects.select_related("order").get().order.id)

with connection.cursor() as cursor:
    cursor.execute("SELECT kid_next(1000)")
    ids = [id for (id,) in cursor]
Order.objects.bulk_create(Order(id=id, item="bulk") for id in ids)
for id in ids:
    print("bulk", id)

try:
    Order.objects.get(id="12345")
except DataError as error:
    print("wrong", error.__cause__.pgcode)
