"""Which checks raters went through, with their thresholds, how many failed them, and what became of those."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from analysis.plots.charts import whole
from analysis.sections.participants import CheckCount, Participants
from analysis.sections.participants.recruited import language_of
from analysis.sections.prose import any_of, enumerated, paragraph
from analysis.sections.shared import Refusal
from analysis.sections.tables import Column, Table
from raters.people import rules as people_rules
from raters.sessions import screening
from raters.sessions.screening import device
from raters.sessions.screening.base import Check
from raters.sessions.stimuli import beeps

if TYPE_CHECKING:
    from studies.definition.definition import Definition
    from studies.definition.settings.screening import ScreeningSettings

WOODS = "Woods, Siegel, Traer & McDermott (2017), Attention, Perception, & Psychophysics 79, 2064–2072"
MILNE = "Milne et al. (2021), Behavior Research Methods 53, 1551–1562"
SOURCES = {"antiphase": WOODS, "huggins": MILNE}
BEEPS = {"groups": device.GROUPS, "fewest": beeps.FEWEST, "most": beeps.MOST, "narrowest": device.NARROWEST}


def paragraph_of(definition: Definition | None, participants: Participants | Refusal) -> str:
    """Return how clips were played and what was checked, by the definition, and how the checks came out."""
    if definition is None:
        return paragraph("screening")
    settings = definition.screening
    people = None if isinstance(participants, Refusal) else participants
    counts = {(count.name, count.later): count for count in (people.checks if people else ())}
    asked = [*screening.checks_of(definition, "checks"), *screening.checks_of(definition, "practice")]
    has_changed = bool(people and people.screening_changed)
    kinds = [check.kind for check in settings.fair]
    return paragraph(
        "screening",
        definition=definition,
        protocol=definition.protocol,
        screening=settings,
        checks=[_check(check, definition, counts.get((check.name, False))) for check in asked],
        is_none=not has_changed and all(later for _name, later in counts),
        again=_again(definition, counts),
        has_changed=has_changed,
        sources=enumerated([SOURCES[check.name] for check in asked if check.name in SOURCES]),
        beeps=BEEPS,
        languages=_languages(settings),
        fair=settings.fair,
        instructions=kinds.count("instruction"),
        nonsense=kinds.count("nonsense"),
        short_study=people_rules.SHORT_STUDY,
        attention=people.attention if people else None,
    )


def _check(check: Check, definition: Definition, count: CheckCount | None) -> dict[str, Any]:
    return {
        "name": check.name,
        "label": str(check.label),
        "can_fail": check.name != "volume" and (check.name != "training" or bool(definition.screening.training_right)),
        "tries": check.tries(definition),
        "ends": check.mode(definition) == "screen_out",
        "failed": whole(count.failed) if count else "",
        "decided": whole(count.decided) if count else "",
    }


def _again(definition: Definition, counts: dict[tuple[str, bool], CheckCount]) -> dict[str, Any]:
    """Return what was checked again between batches, and how headphones came out: nobody can fail to set the volume."""
    minutes, checks = definition.screening.recheck_minutes, screening.rechecks_of(definition)
    if minutes is None:
        return {}
    heard = [check for check in checks if check.name != "volume"]
    late = [row for check in heard if (row := counts.get((check.name, True)))]
    return {
        "minutes": minutes,
        "volume": len(heard) < len(checks),
        "headphones": bool(heard),
        "failed": whole(sum(row.failed for row in late)),
        "decided": whole(sum(row.decided for row in late)),
    }


def _languages(settings: ScreeningSettings) -> str:
    taken = [name or language_of(code) for code, name in settings.accepted.items()]
    score = _("a score of at least {least} in {name}")
    return any_of([*taken, *(score.format(least=f"{each.least:g}", name=each.name) for each in settings.certified)])


def tables(participants: Participants) -> tuple[Table, ...]:
    """Return how often each check was passed; none where nobody was checked."""
    if not participants.checks:
        return ()
    rows = tuple(
        (count.label, _("between batches") if count.later else _("before the first clip"),
         count.decided, count.passed, count.failed, count.left)
        for count in participants.checks
    )  # fmt: skip
    heads = (_("Check"), _("When"), _("Decided"), _("Passed"), _("Failed"), _("Left by it"))
    notes = (_("Counted in sessions, and between batches in checks; checks of people who were erased are not there."),)
    return (Table("screening", _("Checks"), tuple(map(Column, heads)), rows, notes),)
