"""The reporting checklist: what papers on speech synthesis should report of a listening test, filled from the study.

Items are from Chiang, Huang and Lee (2023, arXiv 2306.02044): their abstract and the columns of their survey; and
from Cooper, Le Maguer, Klabbers and Yamagishi (2025, arXiv 2503.03250): the guideline's summary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from analysis.sections.participants import description
from analysis.sections.parts import Part, listed, row_name
from analysis.sections.plan import Plan
from analysis.sections.plan import display as plan_display
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Table, titled
from core.text.languages import translate
from core.text.numbers import general, whole
from core.text.words import Translatable
from raters import sources

if TYPE_CHECKING:
    from studies.definition.definition import Definition

CHIANG, COOPER = "Chiang et al. 2023", "Cooper et al. 2025"
# Item, who asks for it, what this study did, and the section of the report.
Item = tuple[str, str, str, str]


def part(results: Results, definition: Definition | None) -> Part:
    """Return the checklist as a table; the methods text has a gap for what only authors know."""
    rows = (*_raters(results, definition), *_task(results, definition), *_material(results, definition))
    columns = titled(_("Item"), _("Asked for by"), _("This study"), _("Where in the report"))
    notes = (
        "Chiang, Huang & Lee (2023), arXiv 2306.02044; Cooper, Le Maguer, Klabbers & Yamagishi (2025), "
        "arXiv 2503.03250.",
        _("What the authors have to state is a marked gap in the methods text."),
    )
    title = _("Reporting checklist")
    return Part("checklist", title, (), (Table("checklist", title, columns, rows, notes),))


def _gap() -> str:
    return _("for the authors to state")


def platform(definition: Definition | None) -> str:
    """Return the crowd source in words; a gap if it is unknown."""
    if definition is None:
        return _("[state the platform]")
    source = sources.all_sources().get(definition.crowd.source)
    return str(source.recruited or source.label) if source else definition.crowd.source


def offered(results: Results, definition: Definition | None) -> str:
    """Return the answers that raters chose from, as they read them; without `definition`, the names of the codes."""
    if definition is None:
        return listed(list(results.study.scale.codes.values()))
    words = definition.kind.offered(definition.params)
    return listed([translate(answer) if isinstance(answer, Translatable) else _(answer) for answer in words])


def _raters(results: Results, definition: Definition | None) -> list[Item]:
    people, is_simulated = results.participants, results.study.simulated == "only"
    recruitment = definition.recruitment if definition else None
    values = description.recruitment_values(recruitment, description.about_of(people))
    no_people = _("no people: a program gave all answers")
    filters = values["filters"] or _("no prescreener was set")
    countries = values["countries"] or _gap()
    # A source without a name of its own is a gap of the methods text.
    recruited = platform(definition)
    recruited = _gap() if recruited.startswith("[") else recruited
    languages = values["answers"].get("languages") or (
        listed(recruitment.first_languages) if recruitment else ""
    )  # fmt: skip
    numbers = "" if isinstance(people, Refusal) else whole(people.raters)
    methods, participants = _("Methods"), _("Participants")
    return [
        (_("Recruitment of raters"), CHIANG, no_people if is_simulated else recruited, methods),
        (_("Filtering of raters"), CHIANG, no_people if is_simulated else filters, methods),
        (_("Pay"), CHIANG, _("none: simulated raters") if is_simulated else _gap(), methods),
        (_("Where raters live"), CHIANG, no_people if is_simulated else countries, methods),
        (
            _("Raters’ languages"), CHIANG,
            no_people if is_simulated else languages or _gap(),
            methods,
        ),
        (_("Number of raters"), CHIANG, numbers, participants),
        (
            _("Qualification of listeners"), COOPER,
            description.qualification(definition, people, is_simulated=is_simulated),
            participants,
        ),
        (_("Enough listeners for the power needed"), COOPER, _power(results), _("Plan and changes")),
    ]  # fmt: skip


def _power(results: Results) -> str:
    plan = results.plan
    return "" if isinstance(plan, Refusal) else " ".join(plan_display.power(plan.power, results.study.scale.unit))


def _task(results: Results, definition: Definition | None) -> list[Item]:
    scale, methods = results.study.scale, _("Methods")
    points = _("{low} to {high}").format(low=f"{scale.low:g}", high=f"{scale.high:g}")
    answers = offered(results, definition) or points
    trials = ""
    if definition is not None:
        protocol = definition.protocol
        words = _("offered {batches} × {items} trials")
        trials = words.format(batches=protocol.batches_per_session, items=protocol.batch_size)
    return [
        (_("Instructions and question"), CHIANG, _("quoted in full") if definition else "", methods),
        (_("Answers and their steps"), CHIANG, answers, methods),
        (_("Samples that one rater rates"), CHIANG, trials, methods),
        (_("Ratings of one sample"), CHIANG, _each(results.plan), _("Plan and changes")),
        (_("The test fits what is claimed"), COOPER, _gap(), methods),
    ]


def _each(plan: Plan | Refusal) -> str:
    if isinstance(plan, Refusal) or not plan.reached:
        return ""
    every = plan.reached[0]
    words = _("{least} to {most}, median {median}")
    return words.format(least=every.least, most=every.most, median=f"{every.median:g}")


def _material(results: Results, definition: Definition | None) -> list[Item]:
    design, methods = results.design, _("Methods")
    loudness = definition.audio.delivered_loudness if definition else None
    level = _("{n} LUFS").format(n=general(loudness)) if loudness is not None else _("original loudness")
    names = [] if isinstance(design, Refusal) else [row_name(system) for system in design.systems]
    return [
        (_("Number of samples"), CHIANG, "" if isinstance(design, Refusal) else whole(design.clips), _("Design")),
        (_("Level of all clips alike"), COOPER, level if definition else "", methods),
        (
            _("Systems and baselines described"), COOPER,
            _("{names}; their versions: for the authors to state").format(names=listed(names)), _("Design"),
        ),
        (_("Statistics"), COOPER, _("95 % intervals over raters and what they heard; all pairs together"), methods),
        (
            _("Scores not compared across tests"), COOPER,
            _("Scores of different listening tests can’t be compared with each other."), methods,
        ),
    ]  # fmt: skip
