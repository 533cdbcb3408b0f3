"""Delete unused figures, which contain answers. The tables stay, because processes of 0.1 may still run."""

from typing import Any

from django.db import migrations


def empty(apps: Any, schema_editor: Any) -> None:
    for name in ("SnapshotPart", "Snapshot"):
        apps.get_model("analysis", name).objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [
        ("analysis", "0008_export_without_words"),
    ]

    operations = [migrations.RunPython(empty, migrations.RunPython.noop)]
