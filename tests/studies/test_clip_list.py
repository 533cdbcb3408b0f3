"""The table of a study's clips on their page: filters, order, pages, waveforms."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studies.audit import clip_list, marking, waveform
from studies.clips import figures
from studies.models import Clip, Study
from tests.researchers import logged_in, researcher, text, url
from tests.studies.audit.material import ALIKE, clip_set, measured, study_of
from tests.world import make_study


def test_a_waveform_has_one_digit_for_each_stretch_and_shows_where_the_speech_is() -> None:
    samples = np.concatenate([np.zeros((3000, 1)), np.ones((3000, 1))])
    assert waveform.peaks(samples) == "0" * 30 + "z" * 30
    assert waveform.peaks(np.zeros((0, 1))) == ""
    assert clip_list.waveform("0z") == "M1 11.5v1.0M3 1.0v22.0"


@pytest.fixture
def study(db: None, files: Path, now: datetime) -> Study:
    made = make_study(now=now, launch=False, dimensions=("news", "chat"))
    Study.objects.filter(pk=made.pk).update(owner=researcher("rita"))
    made.refresh_from_db()
    return made


def listed(study: Study, **sent: str) -> list[str]:
    return [row["clip"].file for row in context(study, sent)["clips"]]


def context(study: Study, sent: dict[str, str]) -> dict[str, Any]:
    return clip_list.context(study, figures.groups(study.pk, withdrawn=True), sent)


def test_filters_choose_by_system_role_dimension_and_words(study: Study, now: datetime) -> None:
    assert len(listed(study)) == study.clips.count()
    assert set(listed(study, system="alpha", dimension="news")) == {f"alpha/{number}.wav" for number in range(0, 12, 2)}
    assert listed(study, role="trap_flawed", sort="file") == [f"flawed/{number}.wav" for number in range(4)]
    assert set(listed(study, search="Sentence number 7.")) == {f"{name}/7.wav" for name in ("human", "alpha", "beta")}
    assert listed(study, search="BETA/3") == ["beta/3.wav"]
    Clip.objects.filter(study=study, file="beta/3.wav").update(withdrawn_at=now)
    assert "beta/3.wav" not in listed(study)
    assert listed(study, show="withdrawn") == ["beta/3.wav"]
    # What nobody knows is no error.
    assert listed(study, show="?", sort="?", page="x")
    assert listed(study, system="nobody") == []


@pytest.mark.parametrize(
    "sent",
    [{}, {"system": "alpha"}, {"role": "test", "dimension": "news"}, {"show": "withdrawn"}, {"search": "alpha"}],
    ids=str,
)
def test_the_number_of_clips_that_match_is_that_of_their_rows(
    study: Study, now: datetime, sent: dict[str, str]
) -> None:
    Clip.objects.filter(study=study, file__endswith="3.wav").update(withdrawn_at=now)
    assert context(study, sent)["page"].paginator.count == len(listed(study, **sent)) > 0


def test_a_page_costs_the_same_number_of_queries_whatever_the_clips(
    study: Study, monkeypatch: pytest.MonkeyPatch, django_assert_max_num_queries: pytest.FixtureRequest
) -> None:
    monkeypatch.setattr(clip_list, "ROWS", 10)
    with django_assert_max_num_queries(5):  # type: ignore[operator]
        second = context(study, {"sort": "file", "page": "2"})
    assert len(second["clips"]) == 10
    assert listed(study, sort="file", page="2") != listed(study, sort="file", page="1")


def test_the_page_keeps_its_filters_from_page_to_page(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clip_list, "ROWS", 5)
    rita = logged_in(study.owner)  # type: ignore[arg-type]
    shown = text(rita.get(url("clips", study.slug), {"system": "alpha", "search": "wav"}))
    assert "?search=wav&amp;system=alpha&amp;page=2#table" in shown
    assert shown.split('class="clip-measures"')[1].count("<audio controls") == 5
    assert "No clip matches these filters." in text(rita.get(url("clips", study.slug), {"search": "nothing"}))


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
def test_clips_that_stand_out_come_first_with_what_was_measured(tmp_path: Path, now: datetime) -> None:
    study = study_of(tmp_path / "clips", now, *clip_set(**ALIKE))
    Study.objects.update(owner=researcher("rita"))
    measured(study, now)
    odd = study.clips.get(file="beta/t3.wav")
    odd.audit.measures = {**odd.audit.measures, "silence_before": odd.audit.measures["silence_before"] + 0.9}
    # As of a release that drew no waveforms: the next job draws them.
    odd.audit.peaks = ""
    odd.audit.save()
    assert listed(study)[0] != "beta/t3.wav"
    study.clips.get(file="alpha/t0.wav").audit.delete()
    odd.audit.refresh_from_db()
    marking.mark(study)
    rows = context(study, {})["clips"]
    assert (rows[0]["clip"].file, rows[0]["finding"]) == ("beta/t3.wav", "Silence at the start +0.90 s")
    assert listed(study, show="far") == ["beta/t3.wav"]
    assert {row["finding"] for row in rows if row["clip"].file == "alpha/t0.wav"} == {"not measured yet"}
    measured(study, now)
    rows = context(study, {})["clips"]
    assert all(row["waveform"] and row["bandwidth"] != "–" for row in rows)
