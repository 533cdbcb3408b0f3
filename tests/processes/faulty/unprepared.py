"""The web server without prepared statements, as a PgBouncer before 1.21 needs it that pools transactions."""

from __future__ import annotations

import config.settings

config.settings.DATABASES["default"]["OPTIONS"]["prepare_threshold"] = None

from config.wsgi import application  # noqa: E402  (reads the settings)

__all__ = ["application"]
