"""Save single settings of a draft, each unless somebody else changed it meanwhile or it isn't valid."""

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
    """What became of changed settings, by dotted name: the values saved, problems, and what somebody else saved."""

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
    """Return a short name of a value, by which a page says which one it showed."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


def save(*, study: Study, changes: Mapping[str, Any], shown: Mapping[str, str]) -> SavedSettings:
    """Save each change that is valid; `shown` are the fingerprints of the values that the person saw before.

    A setting that differs both from what was shown and from what is to be saved was changed by somebody else: it stays.
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
    done = {dotted: saved[dotted] for dotted in changes if dotted not in conflicts and dotted not in problems}
    return SavedSettings(done, problems, conflicts)


def possible(study: Study, changes: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the changes that are valid together, and what is wrong with each of the others."""
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
    # A rule about several settings names none of them: find those that are valid with the ones before.
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
    """Return the draft with changes that are `possible`."""
    return parse(states.changed(study, changes))


def _message(error: Invalid, dotted: str) -> str:
    """Return what an error says of one setting, or of a line in it; empty if nothing."""
    lines = (message for name, message in error.problems.items() if f"{name}.".startswith(f"{dotted}."))
    return next(lines, "")
