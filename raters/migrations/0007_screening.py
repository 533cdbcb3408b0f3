from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("raters", "0006_steps")]

    operations = []
