"""Tables with kid64 keys."""

import django
from django.contrib.postgres.fields import ArrayField
from django.db import models

from kid_django import Kid64Field


class Order(models.Model):
    id = Kid64Field(primary_key=True)
    item = models.TextField()

    class Meta:
        db_table = "orders"


class Line(models.Model):
    id = Kid64Field(primary_key=True)
    order = models.ForeignKey(Order, models.CASCADE, related_name="lines")
    # An ID that is no key, for example of another system.
    external = Kid64Field(null=True, blank=True)


class Parcel(models.Model):
    id = Kid64Field(primary_key=True)
    orders = ArrayField(Kid64Field())


if django.VERSION >= (5,):

    class Payment(models.Model):
        id = models.UUIDField(primary_key=True, db_default=models.Func(function="kid_uuidv7"), editable=False)

        class Meta:
            db_table = "payments"
