"""Differences between a study's newest version and its draft."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from studies.definition.parsing import parse
from studies.launch.states import frozen

if TYPE_CHECKING:
    from studies.definition.definition import Definition
    from studies.definition.models import Study, StudyVersion

WORDS = re.compile(r"\s+|[^\s]+")
# Longer texts are compared word by word.
SHORT = 60


@dataclass(frozen=True, slots=True)
class Change:
    """A setting before and after; `group` and `name` are its dotted field."""

    group: str
    name: str
    before: str
    after: str

    @property
    def is_text(self) -> bool:
        """True if the difference is shown word by word."""
        return len(self.before) > SHORT or len(self.after) > SHORT

    @property
    def pieces(self) -> list[tuple[str, str]]:
        """Return the text as pieces that are unchanged ("same"), removed ("out") or added ("in")."""
        before, after = WORDS.findall(self.before), WORDS.findall(self.after)
        result = []
        for kind, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            if kind == "equal":
                result.append(("same", "".join(before[a:b])))
                continue
            result += [("out", "".join(before[a:b]))] if b > a else []
            result += [("in", "".join(after[c:d]))] if d > c else []
        return result


def changes(study: Study, version: StudyVersion) -> list[Change]:
    """Return the settings of the draft that differ from the version, in the order of the settings."""
    return between(parse(version.definition), study.definition)


def between(before: Definition, after: Definition) -> list[Change]:
    """Return the frozen settings that differ between two definitions, in the order of the settings."""
    (old, _), (new, _) = frozen(before), frozen(after)
    result = []
    for group, now in new.items():
        then = old.get(group)
        if not isinstance(now, dict) or not isinstance(then, dict):
            then, now = {"": then}, {"": now}
        for name in dict.fromkeys([*now, *then]):
            if then.get(name) != now.get(name):
                result.append(Change(group, name, _shown(then.get(name)), _shown(now.get(name))))
    return result


def clips_added(study: Study, version: StudyVersion) -> int:
    """Count the clips in use that were added since the version was published."""
    return study.clips.filter(added_at__gt=version.published_at, withdrawn_at=None).count()


def _shown(value: Any) -> str:
    """Return a value as text; empty if there is none."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "✓" if value else "✗"
    if isinstance(value, list):
        return "\n".join(_shown(each) for each in value)
    if isinstance(value, dict):
        return "\n".join(f"{name}: {_shown(each)}" for name, each in value.items())
    return str(value)
