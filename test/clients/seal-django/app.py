"""Answers requests for sealed IDs, with Django and the app of the folder django."""

import json

import django

import steps

django.setup()

from django.db import connection
from django import forms
from django.http import HttpResponseBadRequest, JsonResponse
from django.shortcuts import get_object_or_404
from django.test import Client
from django.urls import NoReverseMatch, path, register_converter, reverse
from pgkid.django import Sealed, Unsealed, is_sealed, sealed_converter
from pgkid.ids import Kid64
from pgkid.seal import Keys
from shop.models import Order


def show(request, id):
    orders = Order.objects.annotate(sealed=Sealed("id", "ord"))
    order = get_object_or_404(orders, id=id)
    return JsonResponse({"id": order.sealed, "item": order.item})


def list_orders(request):
    orders = Order.objects.order_by("id")
    if after := request.GET.get("after"):
        if not is_sealed(after, "ord"):
            return HttpResponseBadRequest()
        orders = orders.filter(id__gt=Unsealed(after, "ord"))
    page = orders.annotate(sealed=Sealed("id", "ord"))[:100]
    found = [{"id": each.sealed, "item": each.item} for each in page]
    return JsonResponse({"orders": found})


class NoteForm(forms.Form):
    order = forms.CharField()

    def clean_order(self):
        order_id = Unsealed(self.cleaned_data["order"], "ord")
        if order := Order.objects.filter(id=order_id).first():
            return order
        raise forms.ValidationError("There is no such order.")


with connection.cursor() as cursor:
    cursor.execute("SELECT * FROM exported")
    keys = Keys(cursor.fetchall())

register_converter(sealed_converter(Kid64, "ord"), "order")
register_converter(sealed_converter(Kid64, "ord", keys), "order_by_keys")
urlpatterns = [
    path("orders/<order:id>/", show, name="order"),
    path("orders/", list_orders),
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
    # Without keys, only the sealed text makes a path.
    assert reverse("order", args=[order.sealed]) == f"/orders/{order.sealed}/"
    with steps.raises(NoReverseMatch):
        reverse("order", args=[order.id])
    assert NoteForm({"order": order.sealed}).is_valid()

# Pages of a list, from a query string and a form, whose texts can be any.
pages, query = [], {}
while page := Client().get("/orders/", query).json()["orders"]:
    pages.append([each["id"] for each in page])
    query = {"after": pages[-1][-1]}
ids = [keys.unseal(Kid64, each, "ord") for page in pages for each in page]
assert ids == list(Order.objects.order_by("id").values_list("id", flat=True)) and len(pages) > 5
shown, forged = pages[0][0], "ord_" + "0" * 26
assert Client().get("/orders/", {"after": forged}).json() == {"orders": []}
for wrong in "\0", shown + "\0", shown + "\n", shown.upper(), "ord_" + shown, shown[4:], str(ids[0]), "ü":
    assert Client().get("/orders/", {"after": wrong}).status_code == 400, wrong
    assert not Order.objects.filter(id=Unsealed(wrong, "ord")).exists()
for wrong in None, 5, b"ord_", [shown], {}:
    assert not is_sealed(wrong, "ord") and not Order.objects.filter(id=Unsealed(wrong, "ord")).exists()
for wrong in "", "\0", "x", forged, shown + "0":
    assert not NoteForm({"order": wrong}).is_valid()
assert is_sealed(shown[4:]) and not is_sealed(shown[4:], "ord")
