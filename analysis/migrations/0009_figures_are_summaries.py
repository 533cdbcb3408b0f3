"""Figures of pages are `studies.summaries` now: workers compute them anew when somebody looks."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("analysis", "0008_export_without_words"),
    ]

    operations = [
        migrations.DeleteModel(name="SnapshotPart"),
        migrations.DeleteModel(name="Snapshot"),
    ]
