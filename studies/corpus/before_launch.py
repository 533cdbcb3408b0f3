"""Launch checks of texts: if raters see context, every clip needs the same kinds of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from studies.clips.models import Clip
from studies.definition.models import Study
from studies.hooks import LaunchFinding

PARTS = ("style", "turns")


def findings(study: Study) -> Iterator[LaunchFinding]:
    """Block a launch that shows context if a clip lacks a part that others have: raters could recognise traps by it."""
    if not study.definition.protocol.show_context:
        return
    clips = Clip.objects.filter(study=study, withdrawn_at=None).exclude(role=Clip.Role.TRAINING)
    contexts = [context or {} for context in clips.values_list("text__context", flat=True)]
    lacking = Counter(part for part in PARTS for context in contexts if not context.get(part))
    if without := sum(not any(context.get(part) for part in PARTS) for context in contexts):
        text = ngettext(
            "The study shows context, but {number} clip has neither a style prompt nor dialogue turns: raters could "
            "tell traps from tests by that. Give its text some under Texts, or don’t show context.",
            "The study shows context, but {number} clips have neither a style prompt nor dialogue turns: raters could "
            "tell traps from tests by that. Give their texts some under Texts, or don’t show context.",
            without,
        )
        yield LaunchFinding("blocking", text.format(number=without), place="texts")
    elif any(0 < number < len(contexts) for number in lacking.values()):
        yield LaunchFinding(
            "blocking",
            _(
                "Some clips show a style prompt or dialogue turns that others lack: raters could tell traps from tests "
                "by that. Give the texts of all clips both, or all of them only one, under Texts."
            ),
            place="texts",
        )
