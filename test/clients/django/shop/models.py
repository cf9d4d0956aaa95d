"""Tables with kid64 keys."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from pgkid.django import Kid64Field, UuidV7Field


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


class Payment(models.Model):
    id = UuidV7Field(primary_key=True)

    class Meta:
        db_table = "payments"
