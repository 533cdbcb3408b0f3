import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("raters", "0006_steps")]

    operations = [
        migrations.AddField(
            model_name="session",
            name="rechecks",
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="session",
            name="checked_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.CreateModel(
            name="CheckResult",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=30)),
                ("round", models.PositiveSmallIntegerField(default=0)),
                ("rule_version", models.PositiveSmallIntegerField()),
                ("tries", models.PositiveSmallIntegerField(default=1)),
                ("drawn", models.JSONField(default=list)),
                ("answers", models.JSONField(default=list)),
                ("telling", models.BooleanField(default=False)),
                ("right", models.PositiveSmallIntegerField(null=True)),
                ("of", models.PositiveSmallIntegerField(null=True)),
                ("passed", models.BooleanField(null=True)),
                ("began_at", models.DateTimeField()),
                ("at", models.DateTimeField(null=True)),
                (
                    "session",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="checks",
                        to="raters.session",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("session", "name", "round"), name="check_once_a_round")
                ],
            },
        ),
    ]
