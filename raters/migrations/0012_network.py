import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("raters", "0011_language"),
    ]

    operations = [
        migrations.AddField(
            model_name="reviewitem",
            name="rules",
            field=models.PositiveSmallIntegerField(db_default=1, default=1),
        ),
        migrations.AddField(
            model_name="trial",
            name="skipped_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.CreateModel(
            name="ClipFailure",
            fields=[
                (
                    "trial",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="failure",
                        serialize=False,
                        to="raters.trial",
                    ),
                ),
                ("sent_whole", models.BooleanField()),
                ("at", models.DateTimeField()),
                (
                    "clip",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="studies.clip"
                    ),
                ),
            ],
        ),
    ]
