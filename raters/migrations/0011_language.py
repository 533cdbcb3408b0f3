from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("raters", "0010_rights")]

    operations = [
        migrations.AddField(
            model_name="session",
            name="language",
            field=models.CharField(blank=True, db_default="", default="", max_length=35),
        ),
    ]
