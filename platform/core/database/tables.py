"""The tables of a new database, made from the models: the same as replaying every migration, in a tenth of the time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.apps import apps
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper


def is_empty(connection: BaseDatabaseWrapper) -> bool:
    """Return whether a database has no table and no view."""
    return not connection.introspection.table_names(include_views=True)


def make(alias: str = DEFAULT_DB_ALIAS) -> None:
    """Make the tables of all models in an empty database, and record every migration as applied; all or nothing.

    Migrations that fill or rewrite rows have nothing to do there.
    """
    connection = connections[alias]
    recorder = MigrationRecorder(connection)
    with connection.schema_editor() as editor:
        editor.create_model(recorder.Migration)
        for model in apps.get_models():
            if model._meta.can_migrate(connection):
                editor.create_model(model)
        for app, name in sorted(MigrationLoader(None).disk_migrations):
            recorder.record_applied(app, name)
