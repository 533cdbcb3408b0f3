"""What machines' scores say before people listen, from any metric: no judge is needed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import t

from analysis.live.result import GroupScore
from analysis.metrics import sets
from analysis.metrics.models import MetricSet
from analysis.metrics.sets import Given
from analysis.sections.results import dump
from judge.prescreening import calibration, launch_findings
from judge.prescreening import screening as stats
from judge.prescreening.screening import screening
from studies import hooks
from studies.launch import checks
from studies.models import Clip, Study
from studies.summaries.models import Summary
from tests import figures
from tests.judge.world import clips
from tests.researchers import researcher
from tests.world import make_study

Value = Callable[[Clip], "float | Given"]


@pytest.fixture
def study(db: None, files: Path, now: datetime) -> Study:
    return make_study(now=now, launch=False, flawed=3, humans=4)


def scored(study: Study, now: datetime, value: Value, **told: Any) -> MetricSet:
    """Give every clip of a study a value."""
    made = sets.create_set(study_id=study.pk, now=now, **{"name": "hls", "low": 0.0, "high": 1.0, **told})
    given = []
    for clip in clips(study):
        said = value(clip)
        given.append(said if isinstance(said, Given) else Given(clip.pk, said))
    sets.put(set_id=made.pk, values=given)
    return made


def by_system(**values: float) -> Value:
    """Return values that differ a little within a system."""
    return lambda clip: values.get(clip.system.name, 0.5) + 0.001 * (clip.pk % 7)


def test_each_system_has_the_mean_of_its_test_clips_with_the_interval_over_clips(study: Study, now: datetime) -> None:
    found = screening(study.pk, scored(study, now, by_system(human=0.9, alpha=0.6, beta=0.2)))
    assert [row.name for row in found.systems] == ["human", "alpha", "beta"]
    alpha = found.systems[1]
    values = [
        0.6 + 0.001 * (clip.pk % 7) for clip in clips(study) if (clip.system.name, clip.role) == ("alpha", "test")
    ]
    mean = sum(values) / 12
    half = t.ppf(0.975, 11) * (sum((v - mean) ** 2 for v in values) / 11 / 12) ** 0.5
    assert (alpha.clips, alpha.mean) == (12, pytest.approx(mean))
    assert (alpha.low, alpha.high) == (pytest.approx(mean - half, abs=1e-5), pytest.approx(mean + half, abs=1e-5))


@pytest.mark.parametrize("freedom", [4, 5, 7, 11, 30, 200])
def test_the_quantile_of_students_t_is_that_of_the_tables(freedom: int) -> None:
    assert stats.student(0.95, freedom) == pytest.approx(t.ppf(0.975, freedom), abs=0.01)


def test_few_clips_or_equal_values_have_no_interval_and_none_leaves_the_scale() -> None:
    assert stats.interval([0.1, 0.2, 0.3, 0.4], 0, 1) is None
    assert stats.interval([0.5] * 9, 0, 1) is None
    low, high = stats.interval([0.0, 0.0, 0.0, 0.0, 0.9], 0, 1) or (None, None)
    assert low == 0
    assert high is not None
    assert 0.18 < high < 1


def test_a_metric_on_another_scale_is_read_on_its_own(study: Study, now: datetime) -> None:
    mos = scored(study, now, lambda clip: 4.0, name="mos", low=1.0, high=5.0)
    wer = scored(study, now, lambda clip: 0.2, name="wer", low=0.0, high=1.0, direction="lower")
    bare = scored(study, now, lambda clip: 17.0, name="snr", low=None, high=None)
    likenesses = [screening(study.pk, each).systems[0].likeness for each in (mos, wer, bare)]
    assert likenesses == [0.75, pytest.approx(0.8), None]
    assert screening(study.pk, bare).doubtful == []


def test_traps_that_the_machine_hears_the_other_way_are_doubtful(study: Study, now: datetime) -> None:
    flawed, human = (
        Clip.objects.filter(study=study, role=role).order_by("pk") for role in ("trap_flawed", "trap_human")
    )
    wrong = {flawed[1].pk: 0.5, human[2].pk: 0.499}
    right = {"trap_flawed": 0.499, "trap_human": 0.5}
    found = screening(study.pk, scored(study, now, lambda clip: wrong.get(clip.pk, right.get(clip.role, 0.5))))
    assert {hint.clip.recording.clip for hint in found.doubtful} == set(wrong)


def test_what_could_not_be_scored_is_listened_to_first_and_each_clip_once(study: Study, now: datetime) -> None:
    silent, odd, far, human = Clip.objects.filter(study=study, role="test", system__name="alpha")[:4]
    human = Clip.objects.filter(study=study, role="test", system__name="human")[0]

    def value(clip: Clip) -> float | Given:
        if clip.pk == silent.pk:
            return Given(clip.pk, None, "Nothing is heard.", {"code": "silent", "warnings": []})
        if clip.pk == odd.pk:
            return Given(clip.pk, 0.6, detail={"warnings": ["low_label_mass"], "label_mass": 0.01})
        usual = {"human": 0.9, "broken": 0.1}.get(clip.system.name, 0.6)
        return {far.pk: 0.1, human.pk: 0.3}.get(clip.pk, usual + 0.001 * (clip.pk % 7))

    found = screening(study.pk, scored(study, now, value))
    assert [hint.clip.recording.clip for hint in found.listen] == [silent.pk, human.pk, odd.pk, far.pk]
    assert found.listen[0].reason.startswith("Nothing is heard. There is nothing to hear")
    assert (found.failed, found.low_mass, found.missing) == (1, 1, 0)


def test_the_launch_checks_say_what_the_newest_judge_says(study: Study, now: datetime) -> None:
    assert launch_findings.findings in list(hooks.launch_checks)
    assert list(launch_findings.findings(study)) == []
    scored(study, now, by_system(human=0.1, alpha=0.5, beta=0.3), source="judge", name="auto-att")
    scored(study, now, by_system(human=0.9), source="import", name="newer")
    Clip.objects.filter(study=study, file="alpha/0.wav").update(role="trap_flawed")
    told = {finding.message: finding.level for finding in checks.findings(study)}
    [doubt] = [message for message in told if "doubts" in message]
    assert (doubt, told[doubt]) == ("auto-att doubts 8 traps: listen to them under Pre-screening.", "warning")
    [mean] = [message for message in told if "uncalibrated" in message]
    assert told[mean] == "note"
    assert mean.endswith("alpha 0.50 (0.50 to 0.50); beta 0.30 (0.30 to 0.30); human 0.10 (0.10 to 0.10).")


def test_a_launched_study_is_not_warned_any_more(study: Study, now: datetime) -> None:
    scored(study, now, by_system())
    Study.objects.filter(pk=study.pk).update(state=Study.State.LIVE)
    study.refresh_from_db()
    assert list(launch_findings.findings(study)) == []


def earlier(now: datetime, study: Study, systems: dict[str, tuple[float, float]], **metric: Any) -> Study:
    """Make a launched study of the same owner in which people and the machine have scored these systems."""
    other = make_study(now=now, systems=("human", *systems), texts=2)
    Study.objects.filter(pk=other.pk).update(owner=study.owner)
    scored(other, now, by_system(**{name: machine for name, (machine, _people) in systems.items()}), **metric)
    row = figures.compute(other, now)
    assert row.value is not None
    scores = [("human", "human", 0.9), *((name, "", people) for name, (_machine, people) in systems.items())]
    row.value["scores"]["system"] = [dump(_heard(*each)) for each in scores]
    row.save()
    return other


def _heard(name: str, kind: str, mean: float) -> GroupScore:
    """Return a score as the page of a study has it."""
    none = {"system": "", "low": None, "high": None, "method": "", "without_traps_ratings": 0}
    counts = dict.fromkeys(("ratings", "raters", "clips"), 9)
    means = dict.fromkeys(("mean", "clip_mean", "equal_mean", "without_traps"), mean)
    return GroupScore.model_validate({"name": name, "kind": kind, **none, **counts, **means})


@pytest.fixture
def owned(study: Study) -> Study:
    study.owner = researcher("rita")
    study.save()
    return study


LEARNT = {"s1": (0.1, 0.2), "s2": (0.3, 0.3), "s3": (0.5, 0.6), "s4": (0.7, 0.7), "s5": (0.9, 0.8)}


def test_expectations_are_calibrated_by_five_systems_of_earlier_studies(owned: Study, now: datetime) -> None:
    mine = scored(owned, now, by_system(alpha=0.6, beta=0.2))
    earlier(now, owned, dict(list(LEARNT.items())[:3]))
    few = calibration.expectation_for(owned, mine, screening(owned.pk, mine))
    assert few.systems is None
    assert "scored 3 systems together" in few.refused
    earlier(now, owned, dict(list(LEARNT.items())[3:]))
    told = calibration.expectation_for(owned, mine, screening(owned.pk, mine))
    assert told.learnt_from == 5
    assert told.level == pytest.approx(5 / 6)
    assert told.systems is not None
    assert set(told.systems) == {"alpha", "beta"}
    assert told.systems["alpha"] == pytest.approx(0.65, abs=0.01)
    assert told.systems["beta"] == pytest.approx(0.25, abs=0.01)
    assert any("Expected from people, by hls" in finding.message for finding in launch_findings.findings(owned))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda other, metric: Study.objects.filter(pk=other.pk).update(owner=researcher("otto")),
        lambda other, metric: MetricSet.objects.filter(study=other).update(name="another machine"),
        lambda other, metric: MetricSet.objects.filter(study=other).update(provenance={"weights_sha256": "e"}),
        lambda other, metric: Summary.objects.filter(study=other).delete(),
    ],
    ids=["another owner", "another machine", "another model", "nobody rated"],
)
def test_what_is_not_the_same_machine_or_not_ones_own_teaches_nothing(
    owned: Study, now: datetime, spoil: Callable[[Study, MetricSet], Any]
) -> None:
    mine = scored(owned, now, by_system(alpha=0.6, beta=0.2))
    spoil(earlier(now, owned, LEARNT), mine)
    assert calibration.expectation_for(owned, mine, screening(owned.pk, mine)).systems is None


def test_another_preset_or_language_teaches_nothing(owned: Study, now: datetime) -> None:
    mine = scored(owned, now, by_system(alpha=0.6, beta=0.2))
    other = earlier(now, owned, LEARNT)
    version = other.versions.get()
    version.definition = {**version.definition, "texts": {**version.definition["texts"], "language": "zh"}}
    version.save()
    assert calibration.expectation_for(owned, mine, screening(owned.pk, mine)).systems is None
