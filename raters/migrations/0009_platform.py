import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("raters", "0008_questionnaire"),
        ("studies", "0004_spot_checks"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="FairCheck",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("instruction", "an instruction said what to answer"),
                            ("nonsense", "no attentive person agrees"),
                        ],
                        max_length=20,
                    ),
                ),
                ("block", models.CharField(max_length=60)),
                ("asked", models.CharField(max_length=500)),
                ("answered", models.CharField(max_length=500)),
                ("passed", models.BooleanField()),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Payment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("amount", models.DecimalField(decimal_places=2, max_digits=8, null=True)),
                ("grounds", models.JSONField(default=dict)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("prepared", "to be done"),
                            ("sending", "being sent"),
                            ("done", "done"),
                            ("failed", "refused"),
                            ("unclear", "unclear"),
                            ("removed", "taken off"),
                        ],
                        default="prepared",
                        max_length=10,
                    ),
                ),
                ("order", models.CharField(blank=True, default="", max_length=64)),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("sent_at", models.DateTimeField(null=True)),
                ("ended_at", models.DateTimeField(null=True)),
                ("error", models.TextField(blank=True, default="")),
            ],
        ),
        migrations.CreateModel(
            name="PaymentList",
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
                        choices=[
                            ("approve", "Approve"),
                            ("bonus", "Pay bonuses"),
                            ("screen_out", "Pay screened-out people"),
                            ("request_return", "Ask to return"),
                            ("reject", "Reject"),
                            ("places", "Add places"),
                        ],
                        max_length=20,
                    ),
                ),
                ("message", models.TextField(blank=True, default="")),
                ("places", models.PositiveIntegerField(null=True)),
                ("currency", models.CharField(blank=True, default="", max_length=3)),
                ("made_at", models.DateTimeField()),
                ("confirmed_at", models.DateTimeField(null=True)),
                ("pauses", models.PositiveIntegerField(default=0)),
            ],
            options={
                "permissions": [("pay_raters", "Can approve, reject and pay raters")],
            },
        ),
        migrations.CreateModel(
            name="PlatformEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("event", models.CharField(max_length=100, unique=True)),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="PlatformStudy",
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
                ("source", models.CharField(default="prolific", max_length=30)),
                ("ext_study", models.CharField(max_length=64)),
                ("added_at", models.DateTimeField()),
                ("status", models.CharField(blank=True, default="", max_length=30)),
                ("reward", models.DecimalField(decimal_places=2, max_digits=8, null=True)),
                ("currency", models.CharField(blank=True, default="", max_length=3)),
                ("minutes", models.PositiveIntegerField(null=True)),
                ("places", models.PositiveIntegerField(null=True)),
                ("read_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Submission",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("ext_session", models.CharField(max_length=128)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("reserved", "place reserved"),
                            ("active", "under way"),
                            ("awaiting_review", "awaiting review"),
                            ("approved", "approved"),
                            ("partially_approved", "partly approved"),
                            ("returned", "returned"),
                            ("timed_out", "timed out"),
                            ("rejected", "rejected"),
                            ("screened_out", "screened out"),
                            ("unknown", "unknown"),
                        ],
                        default="unknown",
                        max_length=20,
                    ),
                ),
                ("code", models.CharField(blank=True, default="", max_length=100)),
                ("started_at", models.DateTimeField(null=True)),
                ("completed_at", models.DateTimeField(null=True)),
                ("return_asked_at", models.DateTimeField(null=True)),
                ("same_person", models.BooleanField(null=True)),
                ("bonus", models.DecimalField(decimal_places=2, max_digits=8, null=True)),
                ("unread", models.BooleanField(default=False)),
                ("seen_at", models.DateTimeField()),
                ("released_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.AddField(
            model_name="faircheck",
            name="session",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="fair_checks",
                to="raters.session",
            ),
        ),
        migrations.AddField(
            model_name="paymentlist",
            name="confirmed_by",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="paymentlist",
            name="made_by",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="payment",
            name="list",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="payments",
                to="raters.paymentlist",
            ),
        ),
        migrations.AddField(
            model_name="platformstudy",
            name="added_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="platformstudy",
            name="study",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="platform_studies", to="studies.study"
            ),
        ),
        migrations.AddField(
            model_name="paymentlist",
            name="platform",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="lists", to="raters.platformstudy"
            ),
        ),
        migrations.AddField(
            model_name="submission",
            name="platform",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="submissions",
                to="raters.platformstudy",
            ),
        ),
        migrations.AddField(
            model_name="submission",
            name="session",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="submissions", to="raters.session"
            ),
        ),
        migrations.AddField(
            model_name="payment",
            name="submission",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="payments", to="raters.submission"
            ),
        ),
        migrations.AddConstraint(
            model_name="faircheck",
            constraint=models.UniqueConstraint(fields=("session", "block"), name="fair_check_once"),
        ),
        migrations.AddConstraint(
            model_name="platformstudy",
            constraint=models.UniqueConstraint(fields=("source", "ext_study"), name="platform_study_once"),
        ),
        migrations.AddConstraint(
            model_name="paymentlist",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ("draft", "queued", "running"))),
                fields=("platform", "kind"),
                name="one_open_list_of_a_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.UniqueConstraint(fields=("platform", "ext_session"), name="submission_once"),
        ),
        migrations.AddConstraint(
            model_name="payment",
            constraint=models.UniqueConstraint(fields=("list", "submission"), name="once_on_a_list"),
        ),
    ]
