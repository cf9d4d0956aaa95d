"""Answers requests for sealed IDs, with Django."""

import os
import sys

import django
from django.conf import settings
from django.db import connection, models
from django.http import JsonResponse
from django.shortcuts import get_object_or_404
from django.test import Client
from django.urls import path, register_converter

sys.path.append("../django")

settings.configure(
    ROOT_URLCONF=__name__,
    ALLOWED_HOSTS=["testserver"],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": os.environ["PGDATABASE"],
            "USER": os.environ["PGUSER"],
            "HOST": os.environ["PGHOST"],
            "PORT": os.environ["PGPORT"],
        }
    },
)
django.setup()

from kid_django import Kid64Field  # noqa: E402


class Order(models.Model):
    id = Kid64Field(primary_key=True)
    item = models.TextField()

    class Meta:
        app_label = "shop"
        db_table = "orders"


class SealedConverter:
    regex = "ord_[0-7][0-9a-hjkmnp-tv-z]{25}"

    def to_python(self, text):
        sealed = [models.Value(text), models.Value("ord"), models.Value(True)]
        return models.Func(*sealed, function="kid64_unseal", output_field=Kid64Field())

    def to_url(self, text):
        return text


register_converter(SealedConverter, "sealed")


def show(request, id):
    order = get_object_or_404(Order, id=id)
    return JsonResponse({"id": order.id, "item": order.item})


urlpatterns = [path("orders/<sealed:id>/", show)]

client = Client()
for text in "%00", "ord_%00", "ord_01hwxnrzaefay8vvr14d2pf2d%00", "%C3%BC", "ord_" * 100:
    assert client.get(f"/orders/{text}/").status_code == 404, text
with connection.cursor() as cursor:
    cursor.execute("SELECT encoded FROM texts UNION ALL SELECT encoded FROM wrong")
    texts = cursor.fetchall()
for (text,) in texts:
    response = client.get(f"/orders/{text}/")
    print(response.status_code, text, response.json()["id"] if response.status_code == 200 else "-")
