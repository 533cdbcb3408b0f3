from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("raters", "0023_repeats"),
    ]

    operations = [
        migrations.AddField("trial", "pass_number", models.PositiveSmallIntegerField(db_default=0, default=0)),
        migrations.RemoveConstraint("trial", "no_item_twice"),
        migrations.AddConstraint(
            "trial",
            models.UniqueConstraint(fields=("rater", "item", "repeat", "pass_number"), name="no_item_twice"),
        ),
    ]
