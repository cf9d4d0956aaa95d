"""The settings of a project with the app shop, whose URLs are in the program that runs."""

import os

DATABASES = {"default": {"ENGINE": "django.db.backends.postgresql", "NAME": os.environ["PGDATABASE"]}}
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "rest_framework",
    "django_filters",
    "pgkid.django",
    "shop",
]
ROOT_URLCONF = "__main__"
ALLOWED_HOSTS = ["testserver"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
SECRET_KEY = "for a test"
USE_TZ = True
TIME_ZONE = "Asia/Tokyo"
