import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from core import sealing


def seal(apps, schema_editor):
    """Encrypt what stood there in plain, under the keys that this server has now."""
    identities = apps.get_model("raters", "Identity").objects
    rows = []
    for row in identities.order_by("pk").iterator(2000):
        row.digest = sealing.digest("person", row.source, row.person)
        row.sealed = sealing.seal(row.person)
        rows.append(row)
        if len(rows) == 500:
            identities.bulk_update(rows, ["digest", "sealed"])
            rows = []
    identities.bulk_update(rows, ["digest", "sealed"])


def unseal(apps, schema_editor):
    for row in apps.get_model("raters", "Identity").objects.order_by("pk").iterator(2000):
        row.person = sealing.opened(row.sealed)
        row.save(update_fields=["person"])


class Migration(migrations.Migration):
    dependencies = [
        ("raters", "0009_platform"),
        ("studies", "0004_spot_checks"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="identity", name="person_once"),
        migrations.AddField(
            model_name="identity", name="digest", field=models.CharField(default="", max_length=64), preserve_default=False
        ),
        migrations.AddField(
            model_name="identity", name="sealed", field=models.TextField(default=""), preserve_default=False
        ),
        migrations.AlterField(
            model_name="identity", name="person", field=models.CharField(default="", max_length=200)
        ),
        migrations.RunPython(seal, unseal),
        migrations.RemoveField(model_name="identity", name="person"),
        migrations.AddConstraint(
            model_name="identity",
            constraint=models.UniqueConstraint(fields=["source", "digest"], name="person_once"),
        ),
        migrations.CreateModel(
            name="Erasure",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("state", models.CharField(default="queued", max_length=10)),
                ("queued_at", models.DateTimeField(null=True)),
                ("lease_until", models.DateTimeField(null=True)),
                ("ended_at", models.DateTimeField(null=True)),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("error", models.TextField(blank=True, default="")),
                (
                    "kind",
                    models.CharField(
                        choices=[("answers", "the answers of a session"), ("person", "all that is known of a person")],
                        max_length=10,
                    ),
                ),
                ("asked_at", models.DateTimeField()),
                ("undone_at", models.DateTimeField(null=True)),
                ("erased_at", models.DateTimeField(null=True)),
                ("counts", models.JSONField(default=dict)),
                ("listed", models.CharField(blank=True, default="", max_length=200)),
                (
                    "asked_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "rater",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="erasures", to="raters.rater"
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="erasures",
                        to="raters.session",
                    ),
                ),
                (
                    "undone_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "permissions": [("erase_anyone", "Can erase people who took part in studies of others")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["queued", "running"])),
                        fields=("session",),
                        name="one_erasure_of_a_session",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("session", None), ("state__in", ["queued", "running"])),
                        fields=("rater",),
                        name="one_erasure_of_a_rater",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="IdentityTerm",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("closed_at", models.DateTimeField()),
                ("forgotten_at", models.DateTimeField(null=True)),
                (
                    "study",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="identity_term", to="studies.study"
                    ),
                ),
            ],
        ),
    ]
