"""Follow every relation from a session or a rater to the rows that hang on it, by whatever table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db import models

from core.paging import PAGE
from raters.services.erasing.kept import KEPT

Model = type[models.Model]
CHUNK = 500


@dataclass(frozen=True, slots=True)
class Reached:
    """Primary keys by table: of rows to delete, and of rows to empty."""

    doomed: dict[Model, set[Any]] = field(default_factory=lambda: defaultdict(set))
    kept: dict[Model, set[Any]] = field(default_factory=lambda: defaultdict(set))


def rows(root: Model, keys: Collection[Any], *, only: Collection[Model] | None = None) -> Reached:
    """Return all that hangs on these rows: some statements a table, for every few hundred rows.

    A row is deleted when its table isn't among those that are kept, or when it hangs on a row that is deleted. With
    `only`, other tables are passed over.
    """
    found = Reached()
    waiting: list[tuple[Model, set[Any], bool]] = [(root, set(keys), False)]
    while waiting:
        model, some, is_doomed = waiting.pop()
        into = found.doomed if is_doomed else found.kept
        new = some - into.get(model, set()) - (set() if is_doomed else found.doomed.get(model, set()))
        if not new:
            continue
        into[model] |= new
        if is_doomed and model in found.kept:
            found.kept[model] -= new
        for child, name in hanging_on(model):
            if only is not None and child not in only:
                continue
            below = {key for part in parts(new) for key in _keys(child, {f"{name}__in": part})}
            if below:
                waiting.append((child, below, is_doomed or child not in KEPT))
    return found


def hanging_on(model: Model) -> Iterator[tuple[Model, str]]:
    """Yield every table with a key to this one, and the name of that key; hidden relations and link tables too."""
    relations: list[Any] = model._meta.get_fields(include_hidden=True)
    for relation in relations:
        if relation.auto_created and not relation.concrete and (relation.one_to_many or relation.one_to_one):
            yield relation.related_model, relation.field.name


def parts(keys: Collection[Any], size: int = CHUNK) -> Iterator[list[Any]]:
    """Yield the keys in order, as many at a time as one statement takes."""
    ordered = sorted(keys)
    for start in range(0, len(ordered), size):
        yield ordered[start : start + size]


def _keys(model: Model, where: dict[str, Any]) -> Iterator[Any]:
    return model._base_manager.filter(**where).values_list("pk", flat=True).iterator(PAGE)
