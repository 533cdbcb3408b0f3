"""Clips that stand out from their own system come first, and say in what."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

import pytest

from studies.audit import words
from studies.audit.comparing import SystemClip
from studies.audit.outliers import Outlier, outliers
from studies.models import Study
from tests.researchers import logged_in, researcher, text, url
from tests.studies.audit.material import ALIKE, clip_set, measured, study_of

THRESHOLDS = {"loudness": 1.0, "pauses": 6.0}


def clip(system: str, **values: float) -> SystemClip:
    return SystemClip(system, "", values)


def test_each_clip_is_compared_with_the_median_of_its_own_system_in_thresholds() -> None:
    clips = {
        **{number: clip("alpha", loudness=-23.0, pauses=-60.0) for number in (1, 2, 3)},
        4: clip("alpha", loudness=-18.5, pauses=-48.0),
        # The whole system is quieter, which is a finding of its own and makes none of its clips stand out.
        **{number: clip("beta", loudness=-35.0) for number in (5, 6)},
        7: clip("beta"),
    }
    found = outliers(clips, THRESHOLDS)
    assert found[4] == Outlier("loudness", 4.5, 4.5)
    assert found[4].is_far
    assert not outliers({1: clip("a", pauses=0.0), 2: clip("a", pauses=17.0)}, THRESHOLDS)[1].is_far
    assert {key for key, each in found.items() if each.distance > 0} == {4}
    assert 7 not in found


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (Outlier("loudness", 4.5, 4.5), "Loudness +4.5 LU"),
        (Outlier("bandwidth", -3400.0, 3.4), "Bandwidth −3.4 kHz"),
        (Outlier("speech_rate", -0.7, 5.0), "Speech rate −50 %"),
    ],
)
def test_it_is_said_in_words(found: Outlier, says: str) -> None:
    assert words.of_outlier(found) == says


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
def test_the_page_lists_clips_that_stand_out_first_to_be_heard(tmp_path: Path, now: datetime) -> None:
    study = study_of(tmp_path / "clips", now, *clip_set(**ALIKE))
    rita = researcher("rita")
    Study.objects.update(owner=rita)
    measured(study, now)
    odd = study.clips.get(file="alpha/t3.wav")
    odd.audit.measures = {**odd.audit.measures, "silence_before": odd.audit.measures["silence_before"] + 0.9}
    odd.audit.save()
    shown = text(logged_in(rita).get(url("audit", study.slug)))
    assert "1 stands out from its system" in shown
    table = shown.split('class="clip-measures"')[1]
    assert table.index("alpha/t3.wav") < table.index("alpha/t0.wav")
    assert re.search(r"Silence at the start \+0\.(89|90|91) s", table)
    assert table.count("<audio controls") == study.clips.count()
