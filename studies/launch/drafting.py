"""Save settings of a draft one by one, except those that another person changed meanwhile or that are invalid."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from core.errors import Invalid
from studies.definition.definition import Definition
from studies.definition.models import Study
from studies.definition.parsing import parse
from studies.launch import states


@dataclass(frozen=True, slots=True)
class SavedSettings:
    """Result of a save by dotted name: saved values, also those that follow others, problems, and others' changes."""

    saved: dict[str, Any] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    conflicts: dict[str, Any] = field(default_factory=dict)


def values(definition: Definition) -> dict[str, Any]:
    """Return {dotted setting: value as JSON} of a definition."""
    groups = definition.model_dump(mode="json", exclude={"translations"})
    return {
        f"{group}.{name}": value
        for group, part in groups.items()
        if isinstance(part, dict)
        for name, value in part.items()
    }


def fingerprint(value: Any) -> str:
    """Return a short hash of a value, by which a page names the value it showed."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


def save(*, study: Study, changes: Mapping[str, Any], shown: Mapping[str, str]) -> SavedSettings:
    """Save each valid change; `shown` are the fingerprints of the values that the person saw.

    A setting that differs from the value shown and from the new one was changed by another person: it stays.
    """
    with transaction.atomic():
        study.refresh_from_db(from_queryset=Study.objects.select_for_update(no_key=True))
        now = values(study.definition)
        conflicts = {
            dotted: now[dotted]
            for dotted, value in changes.items()
            if dotted in shown and fingerprint(now[dotted]) not in {shown[dotted], fingerprint(value)}
        }
        wanted = {
            dotted: value for dotted, value in changes.items() if dotted not in conflicts and now[dotted] != value
        }
        accepted, problems = possible(study, wanted)
        if accepted:
            states.change_settings(study=study, changes=accepted)
        saved = values(study.definition)
    done = {
        dotted: value
        for dotted, value in saved.items()
        if (dotted in changes and dotted not in conflicts and dotted not in problems) or value != now[dotted]
    }
    return SavedSettings(done, problems, conflicts)


def possible(study: Study, changes: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the changes that are valid together, and the problem of each of the others."""
    accepted, problems, waiting = dict(changes), dict[str, str](), dict[str, Any]()
    while accepted:
        try:
            states.tried(study=study, changes=accepted)
            break
        except Invalid as error:
            wrong = {dotted: message for dotted in accepted if (message := _message(error, dotted))}
            problems |= wrong
            waiting = {} if wrong else accepted
            accepted = {dotted: value for dotted, value in accepted.items() if dotted not in wrong} if wrong else {}
    # A rule about several settings names none of them: add them one by one and keep those that stay valid.
    progresses = bool(waiting)
    while progresses:
        progresses = False
        for dotted, value in list(waiting.items()):
            try:
                states.tried(study=study, changes={**accepted, dotted: value})
            except Invalid as error:
                problems[dotted] = next(iter(error.problems.values()), error.message)
            else:
                accepted[dotted] = waiting.pop(dotted)
                problems.pop(dotted, None)
                progresses = True
    return accepted, problems


def with_changes(study: Study, changes: Mapping[str, Any]) -> Definition:
    """Return the draft with its `possible` changes."""
    return parse(states.changed(study, changes))


def _message(error: Invalid, dotted: str) -> str:
    """Return an error's message about one setting or a line in it; empty if it has none."""
    lines = (message for name, message in error.problems.items() if f"{name}.".startswith(f"{dotted}."))
    return next(lines, "")
