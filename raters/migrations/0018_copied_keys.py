from typing import Any

import django.db.models.deletion
from django.db import migrations, models


class UniqueByConstraint(migrations.SeparateDatabaseAndState):
    """Make a column unique by a named constraint; PostgreSQL renames the one it has, so that raters needn't wait."""

    def __init__(self, model: str, column: str, constraint: str) -> None:
        operations = [
            migrations.AlterField(model, column, models.CharField(max_length=22)),
            migrations.AddConstraint(model, models.UniqueConstraint(fields=[column], name=constraint)),
        ]
        super().__init__(operations, operations)
        self.model, self.column, self.constraint = model, column, constraint

    def deconstruct(self) -> Any:
        return self.__class__.__name__, [self.model, self.column, self.constraint], {}

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        model = from_state.apps.get_model(app_label, self.model)
        table, quote = schema_editor.quote_name(model._meta.db_table), schema_editor.quote_name
        [unique] = schema_editor._constraint_names(model, [self.column], unique=True, primary_key=False)
        if unique != self.constraint:
            schema_editor.execute(f"ALTER TABLE {table} RENAME CONSTRAINT {quote(unique)} TO {quote(self.constraint)}")
        # For searches by a prefix, which nobody makes.
        like = schema_editor._create_index_name(model._meta.db_table, [self.column], suffix="_like")
        schema_editor.execute(f"DROP INDEX IF EXISTS {quote(like)}")


def copied(to: str, **more: Any) -> models.ForeignKey[Any, Any]:
    """Return a key without a constraint of its own."""
    kept = django.db.models.deletion.PROTECT
    return models.ForeignKey(to, kept, db_constraint=False, db_index=False, **more)


class Migration(migrations.Migration):
    # Each operation in a transaction of its own: dropping a key locks both of its tables, and all of them together met
    # raters who had locked some of them. One that stops halfway can run again.
    atomic = False
    dependencies = [
        ("raters", "0017_large_studies"),
        ("studies", "0017_clip_figures"),
    ]

    operations = [
        migrations.AlterField("rating", "clip", copied("studies.clip", null=True, related_name="+")),
        migrations.AlterField("rating", "study", copied("studies.study", related_name="+")),
        migrations.AlterField("trial", "rater", copied("raters.rater", related_name="trials")),
        migrations.AlterField("trial", "session", copied("raters.session", related_name="trials")),
        migrations.AlterField("trial", "text", copied("studies.text", null=True, related_name="+")),
        UniqueByConstraint("trial", "token", "trial_token_once"),
        UniqueByConstraint("trialclip", "key", "clip_key_once"),
    ]
