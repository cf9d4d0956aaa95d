from django.apps import AppConfig
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate


class Shop(AppConfig):
    name = "shop"

    def ready(self):
        from kid_django import register_arrays

        connection_created.connect(register_arrays)
        post_migrate.connect(register_arrays)
