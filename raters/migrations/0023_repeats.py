from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("raters", "0022_simulations"),
    ]

    operations = [
        migrations.AddField("trial", "repeat", models.PositiveSmallIntegerField(db_default=0, default=0)),
        migrations.RemoveConstraint("trial", "no_item_twice"),
        migrations.AddConstraint(
            "trial", models.UniqueConstraint(fields=("rater", "item", "repeat"), name="no_item_twice")
        ),
    ]
