"""System checks: what would break only once a rater meets it."""

from __future__ import annotations

from typing import Any

from django.core.checks import CheckMessage, Error, register
from django.template import TemplateDoesNotExist
from django.template.loader import get_template

from studies import task_types


@register
def every_task_type_has_its_template(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """A task type without a template would fail in the middle of a session."""
    missing: list[CheckMessage] = []
    for name in task_types.by_name():
        try:
            get_template(f"task_types/{name}.html")
        except TemplateDoesNotExist:
            missing.append(
                Error(
                    f"The task type {name} has no template task_types/{name}.html.",
                    hint="Write templates/task_types/" + name + ".html; CONTRIBUTING shows how.",
                    id="studies.E001",
                )
            )
    return missing
