"""Reading all inputs of an analysis, and their fingerprint."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings as config

from analysis.data import frame, plan, reasons, sides
from analysis.data.models import Simulated
from analysis.exports.pseudonyms import Pseudonyms
from analysis.planning import plans as power_plans
from analysis.planning.inputs import PowerInputs
from analysis.sections.breakdowns import compute as breakdowns_compute
from analysis.sections.inputs import AnalysisInput, CollectedFacts, Settings
from analysis.sections.metrics import compute as metrics_compute
from analysis.sections.participants import compute as participants_compute
from analysis.sections.quality import traps as trap_answers
from analysis.sections.repeats import compute as repeats_compute
from analysis.sections.results import dump
from analysis.sections.times import compute as times_compute
from core.errors import Invalid
from raters.payments import histories
from raters.rating import breakdowns as counts
from raters.rating import monitor
from raters.sessions import questionnaire
from studies.audit import queries as audit_queries
from studies.clips import queries as clips_queries
from studies.clips import tables as clips_tables
from studies.definition import facts as facts_of
from studies.definition import queries as definition_queries
from studies.definition.definition import Definition
from studies.definition.settings.questionnaire import QUESTIONS
from studies.rules.validity import guesser_rate

if TYPE_CHECKING:
    from pandas import DataFrame

    from studies.definition.models import Study

HERE = Path(__file__).resolve()
# The code that affects figures; modules in `SHOWN` only affect their display.
CODE = tuple(HERE.parents[1] / name for name in ("stats", "data", "sections", "report"))
SHOWN = {
    "page",
    "display",
    "plot",
    "blocks",
    "parts",
    "prose",
    "tables",
    "document",
    "methods",
    "plots",
    "printing",
    "summary",
    "checklist",
}


def gather(study: Study, settings: Settings) -> AnalysisInput:
    """Read a study's ratings and facts; raises `Invalid` for versions that the study doesn't have."""
    numbers = clips_queries.numbers(study.pk)
    unknown = sorted(set(settings.versions) - set(numbers.values()))
    if unknown:
        raise Invalid(f"This study has no version {', '.join(map(str, unknown))}.")
    chosen = [pk for pk, number in sorted(numbers.items()) if number in settings.versions]
    # All versions: the same as no selection, and faster.
    keys = None if len(chosen) == len(numbers) else chosen
    which = Simulated(settings.simulated).flag
    definition = definition_queries.definition(study)
    versions = None if keys is None else settings.versions
    table = frame.scores(study.pk, which, versions)
    scored = [scale.part for scale in definition.kind.outcomes if scale.part != definition.kind.score.part]
    others = [*scored, *(choices.part for choices in definition.kind.several)]
    outcomes = {part: frame.scores(study.pk, which, versions, part) for part in others}
    facts: dict[str, Any] = {
        **_facts(study, definition, which, settings, keys),
        **_passed(study, definition, table, which, keys),
    }
    kind = definition.kind
    if any(facts_of.frozen(version.pk).protocol.repeats for version in definition_queries.versions(study.pk)):
        facts["repeats"] = repeats_compute.collected(study.pk, kind, which, keys)
    known = sides.sides_of(study.pk, kind)
    both = None
    if known is not None:
        facts["over"] = known.name
        if known.baseline is None:
            facts["breakdowns"] = ()
            both = sides.both_sides(table, study.pk, known, kind.score.low + kind.score.high)
    planned = plan.collected(study, which)
    facts["plan"] = planned and {**planned, "power": _power(study)}
    names = Pseudonyms(study.secret)
    facts["metrics"] = metrics_compute.compute(study.pk, table if both is None else both)
    return AnalysisInput(definition, table, CollectedFacts.model_validate(facts), settings, both, outcomes, names.rater)


def _power(study: Study) -> dict[str, Any] | None:
    """Return the newest plan of the number of raters before the launch; those of other releases may be unreadable."""
    for plan_row in power_plans.before(study.pk, study.launched_at):
        with suppress(KeyError, Invalid):
            inputs = power_plans.shown_inputs(plan_row)
            if isinstance(inputs, PowerInputs):
                return {
                    "date": plan_row.created_at.date().isoformat(),
                    "raters": plan_row.results["needed"],
                    "difference": inputs.difference,
                    "power": inputs.power,
                }
    return None


def _facts(
    study: Study, definition: Definition, which: bool | None, settings: Settings, keys: Sequence[int] | None
) -> dict[str, Any]:
    kind, protocol = definition.kind, definition.protocol
    groups = clips_tables.groups(study.pk)
    traps, human = trap_answers.answered(study.pk, kind.score.part, which, keys) if kind.traps else ([], [])
    # Of a pair, a human trap is compared with itself.
    human = human if kind.shows == "clip" else []
    golden = counts.golden_counts(study.pk, which, keys) if kind.asks else {"asked": 0, "right": 0}
    answered = questionnaire.counts(study.pk, which, keys)
    about = {key: codes for key, codes in answered.items() if key in QUESTIONS}
    accepted = [row.text for row in sorted(audit_queries.accepted(study).values(), key=lambda row: row.pk)]
    return {
        "slug": study.slug,
        "title": str(study),
        "launched_at": study.launched_at.isoformat() if study.launched_at else None,
        "minutes": monitor.minutes(study.pk, which, keys),
        "batches": monitor.batches(study.pk, which, keys),
        **({"about": about} if about else {}),
        **({"accepted": accepted} if accepted else {}),
        "guesser": guesser_rate(protocol, kind.guessed) if kind.traps else None,
        "traps": [
            *({"key": answers.role, "asked": answers.asked, "right": answers.right} for answers in traps),
            {"key": "golden", **golden},
        ],
        "human_traps": {
            "rater": [row.rater for row in human],
            "clip": [row.clip for row in human],
            "score": [row.value for row in human],
        },
        "breakdowns": breakdowns_compute.tables(study.pk, kind.breakdowns, which, groups, keys),
        "times": times_compute.tables(study.pk, which, groups, keys),
        "experts": reasons.expert_work(study, Simulated(settings.simulated)),
        "pending": reasons.reviews_pending(study.pk, Simulated(settings.simulated)),
        "first_trials": monitor.first_answers(study.pk, which, protocol.ratings_wanted, keys)
        if protocol.most_ratings
        else None,
    }


def _passed(
    study: Study, definition: Definition, table: DataFrame, which: bool | None, keys: Sequence[int] | None
) -> dict[str, Any]:
    """Return the sessions by their course, and the results of their checks."""
    tried = table[~table["role"].isin(frame.TRAPS).to_numpy()]
    rated, counted = (set(rows["session"].tolist()) for rows in (tried, frame.counted(table)))
    frozen = [version for version in definition_queries.versions(study.pk) if keys is None or version.pk in keys]
    screenings = {Definition.model_validate(version.definition).screening for version in frozen}
    return {
        "ways": participants_compute.session_groups(histories.session_histories(study.pk, which, keys), rated, counted),
        "checks": [check._asdict() for check in histories.check_counts(study.pk, which, keys)],
        "attention": histories.attention_counts(study.pk, which, keys)._asdict(),
        # The report describes the newest settings, regardless of the versions selected.
        "screening_changed": len(screenings | {definition.screening}) > 1,
    }


def fingerprint(inputs: AnalysisInput) -> str:
    """Return the SHA-256 of all ratings and facts that figures depend on."""
    digest = sha256(json.dumps(dump(inputs.facts), sort_keys=True).encode())
    digest.update(json.dumps(inputs.definition.model_dump(mode="json"), sort_keys=True).encode())
    for table in (inputs.frame, *inputs.outcomes.values()):
        for name in table.columns:
            digest.update(name.encode())
            digest.update(_bytes(table, name))
    return digest.hexdigest()


def _bytes(table: DataFrame, name: str) -> bytes:
    column = table[name]
    if column.dtype == "category":
        return json.dumps(list(column.cat.categories)).encode() + column.cat.codes.to_numpy().astype("<i4").tobytes()
    return column.to_numpy().tobytes()


@cache
def code_version() -> str:
    """Return the release and a hash of the code that computes figures, which also distinguishes builds of a release."""
    digest = sha256()
    for folder in CODE:
        for path in sorted(folder.rglob("*.py")):
            if path.stem not in SHOWN:
                digest.update(path.read_bytes())
    return f"{config.VERSION}+{digest.hexdigest()[:12]}"
