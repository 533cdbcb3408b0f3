from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("raters", "0008_questionnaire")]

    operations = []
