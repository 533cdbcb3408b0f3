"""The web process's entry."""

from __future__ import annotations

import os
from importlib import import_module

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

from core.operations.checks import require

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()
require()
# Some of it has tables, which can be named only now that the apps are loaded.
import_module("core.clock").follow()
# Load the pages now, not at somebody's first click: the analysis brings a second's worth of libraries.
_ = get_resolver().url_patterns
