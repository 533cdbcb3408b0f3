"""ICC of means, raters that stand out, sensitivity to single raters and texts, and means corrected by P.910."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from analysis.sections.agreement.compute import METRICS
from analysis.sections.inputs import AnalysisInput, design_of, guarded, systems_of
from analysis.sections.reliability import Change, Corrected, Course, LeftOut, Outstanding, Reliability, Repeated
from analysis.stats import rater_signs, reliability
from analysis.stats.design import Codes, Design, Floats, NotEstimable, coded
from analysis.stats.figures import Icc
from analysis.stats.rater_signs import Repeats, Slope
from analysis.stats.refusals import MIN_RATERS
from core.text.words import say

if TYPE_CHECKING:
    from pandas import DataFrame

# Raters or texts that a sentence names.
MOST_NAMED = 5
# Raters listed for each sign, the furthest first.
MOST_LISTED = 5
# With fewer different answers, raters' biases aren't those of a scale.
LEAST_LEVELS = 5
IN_PAIRS = say("Each answer compares clips, so clips have no means of their own.")


def compute(inputs: AnalysisInput) -> Reliability:
    """Return what single raters and texts do to the results."""
    rows = inputs.tests
    if not len(rows):
        raise NotEstimable(say("No rating counts yet."))
    rows = rows.sort_values(["session", "position"], kind="stable")
    notes: list[str] = []
    repeated = _repeated(inputs, rows)
    repeats, same = _repeats(inputs, repeated)
    slopes = {"seconds": _slopes(rows, rows["response_seconds"].to_numpy())}
    if not inputs.kind.contests:
        slopes["score"] = _slopes(rows, _residuals(rows))
    seconds, slow = _course(inputs, slopes["seconds"], "seconds")
    score, drifting = _course(inputs, slopes.get("score", []), "score")
    return Reliability(
        icc=guarded(lambda: _icc(inputs)),
        repeats=repeats,
        seconds=seconds,
        score=score,
        outstanding=(*same, *slow, *drifting),
        left_out=() if inputs.sides is not None else _left_out(inputs),
        corrected=_corrected(inputs, rows, notes),
        courses=_courses(inputs, repeated, slopes),
        notes=tuple(notes),
    )


def _icc(inputs: AnalysisInput) -> Icc:
    if inputs.kind.contests:
        raise NotEstimable(IN_PAIRS)
    rows = inputs.tests
    return reliability.icc(rows["score"].to_numpy(), rows["rater"].to_numpy(), rows["clip"].to_numpy())


def _repeated(inputs: AnalysisInput, rows: DataFrame) -> list[Repeats]:
    """Return each rater's repeats.

    None for right and wrong answers, nor for screens, where answers have no order.
    """
    if inputs.kind.asks or inputs.kind.shows == "screen":
        return []
    is_nominal = METRICS[inputs.kind.measure] == "nominal"
    answers = rows["code"].cat.codes.to_numpy() if is_nominal else rows["score"].to_numpy()
    return rater_signs.repeats(coded(answers)[1], rows["rater"].to_numpy(), rows["session"].to_numpy())


def _repeats(inputs: AnalysisInput, found: list[Repeats]) -> tuple[Repeated | None, list[Outstanding]]:
    """Return the usual repeats, and the raters far beyond the others."""
    if len(found) < MIN_RATERS:
        return None, []
    shares, longest = np.array([each.share for each in found]), np.array([float(each.longest) for each in found])
    usual = Repeated(raters=len(found), share=float(np.median(shares)), longest=float(np.median(longest)))
    signs: list[tuple[Literal["share", "longest"], Floats]] = [("share", shares), ("longest", longest)]
    outstanding = []
    for sign, values in signs:
        far = np.flatnonzero(rater_signs.far_out(values))
        for at in sorted(far, key=lambda at: -values[at])[:MOST_LISTED]:
            outstanding.append(_outstanding(inputs, found[at].rater, found[at].answers, sign, float(values[at])))
    return usual, outstanding


def _slopes(rows: DataFrame, values: Floats) -> list[Slope]:
    """Return each rater's change per place in the session.

    A trial with several answers counts once, with their mean.
    """
    trials = rows.assign(value=values).groupby("trial", sort=False)
    value = trials["value"].mean().to_numpy()
    place, rater, session = (trials[name].first().to_numpy() for name in ("position", "rater", "session"))
    return rater_signs.slopes(value, place.astype(np.float64), rater, session)


def _course(
    inputs: AnalysisInput, found: list[Slope], sign: Literal["seconds", "score"]
) -> tuple[Change | None, list[Outstanding]]:
    """Return the mean change per place in the session, and the raters that change otherwise."""
    mean = rater_signs.mean_slope(found)
    if mean is None:
        return None, []
    change = Change(raters=len(found), mean=mean[0], low=mean[1], high=mean[2])
    far: list[Slope] = sorted(rater_signs.apart(found), key=lambda each: -abs(each.value - mean[0]))[:MOST_LISTED]
    return change, [_outstanding(inputs, each.rater, each.answers, sign, each.value) for each in far]


def _courses(inputs: AnalysisInput, repeated: list[Repeats], slopes: dict[str, list[Slope]]) -> tuple[Course, ...]:
    """Return the figures of every rater with 10 answers or more."""
    figures: dict[int, dict[str, float]] = {}
    answers: dict[int, int] = {}
    for each in repeated:
        figures[each.rater] = {"share": each.share, "longest": each.longest}
        answers[each.rater] = each.answers
    for sign, found in slopes.items():
        for slope in found:
            figures.setdefault(slope.rater, {})[sign] = slope.value
            answers[slope.rater] = max(answers.get(slope.rater, 0), slope.answers)
    courses = [
        Course.model_validate({"rater": inputs.pseudonym(rater), "answers": answers[rater], **figures[rater]})
        for rater in figures
    ]
    return tuple(sorted(courses, key=lambda course: course.rater))


def _residuals(rows: DataFrame) -> Floats:
    """Return each score less its system's mean."""
    systems, _names = systems_of(rows)
    score = rows["score"].to_numpy()
    result: Floats = score - (np.bincount(systems, score) / np.bincount(systems))[systems]
    return result


def _outstanding(
    inputs: AnalysisInput,
    rater: int,
    answers: int,
    sign: Literal["share", "longest", "seconds", "score"],
    value: float,
) -> Outstanding:
    return Outstanding(rater=inputs.pseudonym(rater), answers=answers, sign=sign, value=value)


def _left_out(inputs: AnalysisInput) -> tuple[LeftOut, ...]:
    rows = inputs.compared
    if not len(rows):
        return ()
    design, names = design_of(rows)
    if len(names) < 2:
        return ()
    raters, _codes = coded(rows["rater"].to_numpy())
    found = [_changed("rater", design, design.rater, [inputs.pseudonym(int(each)) for each in raters])]
    text, known = rows["text"].cat.codes.to_numpy().astype(np.int64), list(rows["text"].cat.categories)
    if "" not in set(rows["text"]):
        levels, codes = coded(text)
        found.append(_changed("text", design, codes, [str(known[each]) for each in levels]))
    return tuple(each for each in found if each.tried > 1)


def _changed(of: Literal["rater", "text"], design: Design, cluster: Codes, names: list[str]) -> LeftOut:
    changed, tried = reliability.reordering(design, cluster)
    return LeftOut(of=of, tried=tried, changed=len(changed), names=tuple(names[at] for at in changed[:MOST_NAMED]))


def _corrected(inputs: AnalysisInput, rows: DataFrame, notes: list[str]) -> tuple[Corrected, ...]:
    """Return the corrected means of systems if all raters rated all clips on a scale."""
    score = rows["score"].to_numpy()
    if inputs.kind.contests or len(np.unique(score)) < LEAST_LEVELS:
        return ()
    means, raters, clips = reliability.cells(score, rows["rater"].to_numpy(), rows["clip"].to_numpy())
    size = (int(clips.max()) + 1, int(raters.max()) + 1)
    if len(means) != size[0] * size[1] or size[1] < MIN_RATERS or size[0] < 2:
        notes.append(
            say("Means are not corrected for raters’ biases: that needs 5 raters or more who rated all clips.")
        )
        return ()
    table = np.empty(size)
    table[clips, raters] = means
    try:
        latent = reliability.corrected(table)[0]
    except NotEstimable as error:
        notes.append(str(error))
        return ()
    systems, names = systems_of(rows)
    of_clip = np.empty(size[0], dtype=np.int64)
    of_clip[coded(rows["clip"].to_numpy())[1]] = systems
    count = np.bincount(of_clip, minlength=len(names))
    raw, better = (np.bincount(of_clip, each, minlength=len(names)) / count for each in (table.mean(axis=1), latent))
    return tuple(
        Corrected(name=name, kind=kind, raw=float(raw[at]), corrected=float(better[at]))
        for at, (name, kind) in enumerate(names)
    )
