"""Find references between tables, to reach every row that depends on others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Any

from django.db import models

from core.database.paging import PAGE

Model = type[models.Model]
CHUNK = 500


def referencing_tables(model: Model) -> Iterator[tuple[Model, str]]:
    """Yield every table with a key to this one, and the name of that key; hidden relations and link tables too."""
    relations: list[Any] = model._meta.get_fields(include_hidden=True)
    for relation in relations:
        if relation.auto_created and not relation.concrete and (relation.one_to_many or relation.one_to_one):
            yield relation.related_model, relation.field.name


def parts(keys: Collection[Any], size: int = CHUNK) -> Iterator[list[Any]]:
    """Yield the keys in order, in chunks that fit into one statement."""
    ordered = sorted(keys)
    for start in range(0, len(ordered), size):
        yield ordered[start : start + size]


def referencing_keys(model: Model, where: dict[str, Any]) -> Iterator[Any]:
    """Yield the primary keys of a table's rows with these columns."""
    return model._base_manager.filter(**where).values_list("pk", flat=True).iterator(PAGE)


def delete_with_references(root: Model, keys: Collection[Any]) -> None:
    """Delete these rows and all that refer to them, directly or indirectly, inside the caller's transaction.

    Databases check keys at the end of a transaction, so the order doesn't matter.
    """
    reached: dict[Model, set[Any]] = defaultdict(set)
    waiting: list[tuple[Model, set[Any]]] = [(root, set(keys))]
    while waiting:
        model, some = waiting.pop()
        new = some - reached[model]
        reached[model] |= new
        for child, name in referencing_tables(model) if new else ():
            below = {key for part in parts(new) for key in referencing_keys(child, {f"{name}__in": part})}
            waiting.append((child, below))
    for model, rows in reached.items():
        for some_keys in parts(rows):
            model._base_manager.filter(pk__in=some_keys)._raw_delete(using=model._base_manager.db)
