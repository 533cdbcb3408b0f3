"""Read the settings of a study, and change single ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from core.errors import Invalid
from core.spec import problems
from studies import task_types
from studies.definition import question_lists
from studies.definition.definition import Definition, Translation
from studies.task_types.base import AnyTaskType


def parse(raw: Mapping[str, Any]) -> Definition:
    """Validate a whole definition; raises `Invalid` with a message for each dotted field."""
    messages: dict[str, str] = {}
    definition: Definition | None = None
    try:
        definition = Definition.model_validate(raw)
    except ValidationError as error:
        messages.update(problems(error.errors()))
    kind = task_types.get(str(raw.get("task_type", "")))
    try:
        params = kind.params(raw.get("task", {}))
    except Invalid as error:
        messages.update({f"task.{field}": message for field, message in error.problems.items()})
    if definition is not None and not messages:
        for language, translation in definition.translations.items():
            messages.update(_problems_of(definition.kind, definition, language, translation))
    if messages or definition is None:
        raise Invalid("Some settings are not valid.", messages)
    return definition.model_copy(update={"task": params.model_dump(mode="json")})


def _problems_of(
    kind: AnyTaskType, definition: Definition, language: str, translation: Translation
) -> Iterator[tuple[str, str]]:
    where = f"translations.{language}"
    if language == definition.texts.language:
        yield where, "this is the study's own language"
    unknown = sorted(set(translation.prompts) - set(kind.prompts()))
    for name in unknown:
        yield f"{where}.prompts.{name}", f"this task asks {', '.join(kind.prompts())}"
    try:
        kind.params(
            kind.with_texts(definition.task, {n: t for n, t in translation.prompts.items() if n not in unknown})
        )
    except Invalid as error:
        for field, message in error.problems.items():
            yield f"{where}.prompts.{field}", message
    for name, lines in translation.questions.items():
        if name not in question_lists.BY_NAME:
            yield f"{where}.questions.{name}", f"lists of questions are {', '.join(question_lists.BY_NAME)}"
            continue
        for message in question_lists.BY_NAME[name].unreadable(definition, lines):
            yield f"{where}.questions.{name}", message


def change(raw: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return `raw` with dotted keys changed: {"protocol.ratings_wanted": 5}; raises `Invalid` for unknown keys."""
    changed: dict[str, Any] = {key: dict(value) if isinstance(value, Mapping) else value for key, value in raw.items()}
    for dotted, value in changes.items():
        group, _, field = dotted.partition(".")
        if group == "translations" and field:
            # A translation is set as a whole, and removed with None.
            others = {name: texts for name, texts in changed.get(group, {}).items() if name != field}
            changed[group] = others if value is None else {**others, field: value}
            continue
        if not field or not isinstance(changed.get(group), dict) or field not in changed[group]:
            known = sorted(f"{name}.{key}" for name, part in changed.items() if isinstance(part, dict) for key in part)
            raise Invalid(f"There is no setting {dotted!r}.", {dotted: f"known settings are {', '.join(known)}"})
        changed[group][field] = value
    return changed
