"""Answers requests for sealed IDs, with Django and the app of the folder django."""

import json

import django

django.setup()

from django.db import connection, models
from django.http import JsonResponse
from django.shortcuts import get_object_or_404
from django.test import Client
from django.urls import path, register_converter

from kid_django import Kid64Field
from shop.models import Order


class SealedConverter:
    regex = "ord_[0-7][0-9a-hjkmnp-tv-z]{25}"
    to_url = str

    def to_python(self, text):
        sealed = [models.Value(text), models.Value("ord"), models.Value(True)]
        return models.Func(*sealed, function="kid64_unseal", output_field=Kid64Field())


def show(request, id):
    args = "id", models.Value("ord")
    sealed = models.Func(*args, function="kid_seal", output_field=models.TextField())
    order = get_object_or_404(Order.objects.annotate(sealed=sealed), id=id)
    return JsonResponse({"id": order.sealed, "item": order.item})


register_converter(SealedConverter, "sealed")
urlpatterns = [path("orders/<sealed:id>/", show)]

with connection.cursor() as cursor:
    cursor.execute("SELECT encoded FROM texts UNION ALL SELECT encoded FROM wrong")
    texts = cursor.fetchall()
for (text,) in texts:
    response = Client().get(f"/orders/{text}/")
    answer = json.dumps([dict(response.headers), response.json()]) if response.status_code == 200 else "-"
    print(response.status_code, text, answer)
