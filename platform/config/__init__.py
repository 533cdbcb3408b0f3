"""Wiring: settings, URLs, and the entries of the web and worker processes."""

from __future__ import annotations

from config.celery import app as celery_app

__all__ = ["celery_app"]
