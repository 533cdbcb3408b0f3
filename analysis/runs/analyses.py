"""Running an analysis, from the request to all figures; the same inputs give the same figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.data.models import Simulated
from analysis.report import printing
from analysis.runs import queries
from analysis.runs.models import Analysis
from core import jobs
from core.errors import DomainError, Invalid
from core.files import storage
from core.jobs import TakenOver, explain
from core.text import languages
from studies.clips import queries as clips_queries
from studies.definition import queries as definition_queries

if TYPE_CHECKING:
    from analysis.plots.canvas import Plot
    from analysis.sections.inputs import AnalysisInput, Settings
    from analysis.sections.results import Material, Results
    from studies.definition.models import Study

SEED, DRAWS = 1, 1000
MOST_SEED = 2**31 - 1
NO_RATINGS = {
    Simulated.WITHOUT: gettext_lazy(
        "No rater has answered a clip of these versions yet, so there is nothing to analyse."
    ),
    Simulated.WITH: gettext_lazy("There are no ratings of these versions yet, so there is nothing to analyse."),
    Simulated.ONLY: gettext_lazy(
        "There are no ratings of simulated raters for these versions, so there is nothing to analyse."
    ),
}


@transaction.atomic
def request_analysis(
    *,
    study_id: int,
    user: Any,
    now: datetime,
    simulated: str = Simulated.WITHOUT,
    versions: Sequence[int] | None = None,
    seed: int = SEED,
    repeats: Analysis | None = None,
) -> Analysis:
    """Queue an analysis; an unfinished one with the same settings and person is returned instead of a second.

    `versions` are numbers (None: all). With `repeats`, that run's settings are used.
    """
    wanted = chosen(study_id=study_id, simulated=simulated, versions=versions, seed=seed)
    if not repeats and not queries.has_ratings(study_id, Simulated(simulated), wanted["versions"]):
        problem = str(NO_RATINGS[Simulated(simulated)])
        raise Invalid(problem, {"simulated": problem})
    settings = repeats.settings if repeats else wanted
    rows = Analysis.objects.filter(study_id=study_id, created_by=user, state__in=[jobs.QUEUED, jobs.RUNNING])
    for row in rows:
        if row.settings == settings:
            return row
    return Analysis.objects.create(
        study_id=study_id, created_by=user, created_at=now, queued_at=now, settings=settings, repeats=repeats
    )


def chosen(*, study_id: int, simulated: str, versions: Sequence[int] | None, seed: int) -> dict[str, Any]:
    """Return the settings as stored; raises `Invalid` for wrong versions or seeds."""
    known = sorted(clips_queries.numbers(study_id).values())
    if not known:
        raise Invalid(_("This study was not launched yet, so there is nothing to analyse."))
    numbers = known if versions is None else sorted(set(versions))
    unknown = [str(number) for number in numbers if number not in known]
    if unknown or not numbers:
        problem = _("This study has no version {numbers}.").format(numbers=", ".join(unknown) or "–")
        raise Invalid(problem, {"versions": problem})
    if not 0 <= seed <= MOST_SEED:
        problem = _("The seed is a whole number from 0 to {most}.").format(most=MOST_SEED)
        raise Invalid(problem, {"seed": problem})
    return {"simulated": str(simulated), "versions": numbers, "seed": seed, "draws": DRAWS}


def material(
    *,
    study: Study,
    simulated: str,
    versions: Sequence[int] | None,
    seed: int,
    report: Callable[[str, int, int], None],
) -> Material:
    """Analyse a study immediately without storing anything; for commands."""
    from analysis.report import computing, gathering

    settings = settings_of(chosen(study_id=study.pk, simulated=simulated, versions=versions, seed=seed))
    inputs = gathering.gather(study, settings)
    return _material(study, inputs, computing.compute(inputs, report))


def _material(study: Study, inputs: AnalysisInput, results: Results) -> Material:
    from analysis.comparisons import judges
    from analysis.sections.results import Material

    judged = judges.of_study(study.pk, inputs.frame) if inputs.kind.paper == "att" else ()
    return Material(study.slug, str(study), inputs.kind, inputs.definition, inputs.frame, results, judges=judged)


def run(*, pk: int, clock: Callable[[], datetime]) -> bool:
    """Compute all sections and draw the plots; False if another worker has the row.

    If a worker is killed, the next one starts over. Errors are stored in the row.
    """
    analysis = jobs.claim(Analysis, pk, clock())
    if analysis is None:
        return False
    try:
        return _run(analysis, clock)
    except TakenOver:
        return False
    except DomainError as error:
        jobs.finish(analysis, clock(), error=error.message)
        return True
    except Exception as error:
        jobs.finish(analysis, clock(), error=explain(error))
        raise


def settings_of(stored: dict[str, Any]) -> Settings:
    """Convert stored settings for the computation; without "sections", all are computed."""
    from analysis.report import computing
    from analysis.sections.inputs import Settings

    return Settings(
        stored["simulated"],
        tuple(stored["versions"]),
        stored["seed"],
        stored["draws"],
        tuple(stored.get("sections") or computing.NAMES),
    )


def _run(analysis: Analysis, clock: Callable[[], datetime]) -> bool:
    # Imported here: processes that only queue analyses don't need the statistics.
    from analysis.report import computing, gathering
    from analysis.sections.results import dump

    def report(step: str, done: int, total: int) -> None:
        # The plots are the last step, after the sections.
        if not jobs.renew(analysis, clock(), done=done, total=total + 1):
            raise TakenOver
        Analysis.objects.filter(pk=analysis.pk).update(section=step)

    study = definition_queries.study_of(analysis.study_id)
    inputs = gathering.gather(study, settings_of(analysis.settings))
    results = computing.compute(inputs, report)
    total = len(computing.STEPS)
    report("plots", total, total)
    drawn = {code: _drawn(results, code) for code in settings.CATALOGUES}
    english = drawn.pop("en")
    material = _material(study, inputs, results)
    papers = printing.of_paper(material)
    files = {
        "plots": _store(english),
        "translated": {code: _store(plots) for code, plots in drawn.items()},
        "papers": [table.as_json for table in papers],
        "documents": printing.store(results, inputs.definition, english, papers),
    }
    is_mine = jobs.finish(
        analysis,
        clock(),
        results=dump(results),
        fingerprint=results.inputs.fingerprint,
        code_version=results.inputs.code_version,
        section="",
        files=files,
        done=total + 1,
        total=total + 1,
    )
    if not is_mine:
        _discard(files)
    return is_mine


def _drawn(results: Results, language: str) -> list[Plot]:
    from analysis.report import plots

    with languages.speaking(language):
        return plots.draw(results)


def _store(drawn: Sequence[Plot]) -> list[dict[str, str]]:
    return [
        {
            "name": plot.name,
            "title": plot.title,
            "alt": plot.alt,
            "svg": storage.put("analyses", plot.svg.encode()),
            "png": storage.put("analyses", plot.png),
        }
        for plot in drawn
    ]


def _discard(files: dict[str, Any]) -> None:
    for plot in [*files["plots"], *chain.from_iterable(files["translated"].values())]:
        storage.discard(plot["svg"])
        storage.discard(plot["png"])
    printing.discard(files["documents"])


@transaction.atomic
def note_erasure(*, study_id: int, now: datetime) -> int:
    """Count an erased rater on the analyses made before, which have figures of their answers; return their number."""
    rows = Analysis.objects.filter(study_id=study_id, state=jobs.DONE, ended_at__lte=now)
    return rows.update(erased_raters=F("erased_raters") + 1)
