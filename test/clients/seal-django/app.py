"""Answers requests for sealed IDs, with Django and the app of the folder django."""

import json

import django

django.setup()

from django.db import connection
from django.http import JsonResponse
from django.shortcuts import get_object_or_404
from django.test import Client
from django.urls import path, register_converter, reverse
from pgkid.django import Sealed, sealed_converter
from pgkid.ids import Kid64
from pgkid.seal import Keys
from shop.models import Order


def show(request, id):
    orders = Order.objects.annotate(sealed=Sealed("id", "ord"))
    order = get_object_or_404(orders, id=id)
    return JsonResponse({"id": order.sealed, "item": order.item})


with connection.cursor() as cursor:
    cursor.execute("SELECT * FROM exported")
    keys = Keys(cursor.fetchall())

register_converter(sealed_converter(Kid64, "ord"), "order")
register_converter(sealed_converter(Kid64, "ord", keys), "order_by_keys")
urlpatterns = [
    path("orders/<order:id>/", show),
    path("by_keys/<order_by_keys:id>/", show, name="by_keys"),
]

with connection.cursor() as cursor:
    cursor.execute("SELECT encoded FROM texts UNION ALL SELECT encoded FROM wrong")
    texts = cursor.fetchall()
for (text,) in texts:
    response, by_keys = (Client().get(f"/{folder}/{text}/") for folder in ("orders", "by_keys"))
    assert by_keys.status_code == response.status_code, text
    assert response.status_code != 200 or by_keys.content == response.content
    answer = json.dumps([dict(response.headers), response.json()]) if response.status_code == 200 else "-"
    print(response.status_code, text, answer)
for order in Order.objects.annotate(sealed=Sealed("id", "ord"))[:10]:
    assert reverse("by_keys", args=[order.id]) == f"/by_keys/{order.sealed}/"
    assert keys.seal(order.id, "ord") == order.sealed
    assert keys.unseal(Kid64, order.sealed, "ord") == order.id
