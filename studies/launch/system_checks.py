"""System checks of task types; otherwise their errors would first appear to raters."""

from __future__ import annotations

from typing import Any

from django.core.checks import CheckMessage, Error, register
from django.template import TemplateDoesNotExist
from django.template.loader import get_template

from studies import task_types


@register
def every_task_type_has_its_template(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Check that every task type has a template; without one, sessions would fail."""
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
