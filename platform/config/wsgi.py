"""The WSGI application of the web process."""

from __future__ import annotations

import os
from importlib import import_module

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

from core.operations.checks import require

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()
require()
# Not at the top: it needs tables, which exist only once the apps are loaded.
import_module("core.clock").follow()
# Load the views now, not at the first request: the libraries of the analysis take a second.
_ = get_resolver().url_patterns
