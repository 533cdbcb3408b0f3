from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("analysis", "0007_comparison_clips"),
    ]

    operations = [
        migrations.AddField(
            model_name="export",
            name="without_words",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
