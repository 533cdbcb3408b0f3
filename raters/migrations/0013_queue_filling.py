import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("raters", "0012_network"),
        ("studies", "0005_uploads"),
    ]

    operations = [
        migrations.CreateModel(
            name="NewlyUsable",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="raters.batch"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="QueueFill",
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
                ("wanted", models.CharField(blank=True, default="", max_length=40)),
                (
                    "study",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="studies.study"
                    ),
                ),
            ],
            options={"abstract": False},
        ),
    ]
