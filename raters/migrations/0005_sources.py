import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def decide_pay(apps, schema_editor):
    """Sessions that ended before pay was recorded."""
    sessions = apps.get_model("raters", "Session").objects
    sessions.filter(outcome__in=["complete", "declined", "withdrawn"]).update(payable=False)
    sessions.filter(outcome="complete", simulated=False).update(payable=True)


class Migration(migrations.Migration):

    dependencies = [
        ('raters', '0004_codes'),
        ('studies', '0004_spot_checks'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Invite',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token_sha256', models.CharField(max_length=64, unique=True)),
                ('label', models.CharField(blank=True, default='', max_length=60)),
                ('made_at', models.DateTimeField()),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('made_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rater_invites', to='studies.study')),
            ],
            options={
                'verbose_name': 'personal link',
            },
        ),
        migrations.CreateModel(
            name='KeySet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('url', models.CharField(max_length=500, unique=True)),
                ('keys', models.JSONField(default=list)),
                ('tried_at', models.DateTimeField()),
                ('fetched_at', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.AddField(
            model_name='session',
            name='payable',
            field=models.BooleanField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='session',
            name='preview',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='session',
            name='proof',
            field=models.CharField(choices=[('unsigned', 'unsigned link'), ('signed', 'signed link'), ('invited', 'personal link'), ('anonymous', 'open link')], default='unsigned', max_length=10),
        ),
        migrations.AlterField(
            model_name='identity',
            name='person',
            field=models.CharField(max_length=200),
        ),
        migrations.AlterField(
            model_name='session',
            name='outcome',
            field=models.CharField(blank=True, choices=[('', 'under way'), ('complete', 'complete'), ('declined', 'declined'), ('bad_device', 'device won’t do'), ('screened_out', 'screened out'), ('failed_comprehension', 'failed comprehension'), ('failed_attention', 'failed attention'), ('technical_failure', 'technical failure'), ('withdrawn', 'withdrawn')], default='', max_length=20),
        ),
        migrations.RunPython(decide_pay, migrations.RunPython.noop),
    ]
