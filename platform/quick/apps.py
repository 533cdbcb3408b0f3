from __future__ import annotations

from django.apps import AppConfig


class QuickConfig(AppConfig):
    name = "quick"
