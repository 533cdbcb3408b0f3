"""What the pages of settings say: it is declared with the settings, and marked nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from studies import presets, task_types
from studies.forms.definition import models_of
from studies.forms.fields import label_of
from studies.presets.definition import Translation
from studies.selectors import ready_texts


def words() -> Iterator[str]:
    """Yield the name and the description of every setting and preset, its texts, and what answers are called."""
    yield from ready_texts.words()
    for task_type, _label in task_types.choices():
        declared: list[type[BaseModel]] = [*(model for _group, model in models_of(task_type)), Translation]
        for model in declared:
            for name, info in model.model_fields.items():
                yield label_of(name)
                yield info.description or ""
        yield from task_types.get(task_type).score.codes.values()
    for name, label in presets.choices():
        yield label
        yield presets.get(name).summary
