"""What is drawn for a spot check, and what stays drawn."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

import pytest

from studies.imports import changes
from studies.models import Clip, SpotClip, SpotItem, Study, Text
from studies.spot_checks import checking as spot_checking
from tests.raters.experts.people import expert
from tests.studies.spot_checks.checking import again, change, decide_all, draft, offered, with_takes

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


def drawn(study: Study, kind: str = "success") -> set[str]:
    spot_checking.fill(study=study)
    return {str(clip) for clip in SpotClip.objects.filter(item__study=study, item__kind=kind)}


def test_a_quarter_of_each_system_is_drawn_and_no_recording_of_a_person_and_no_trap(now: datetime) -> None:
    study = draft(now)
    assert Counter(file.split("/")[0] for file in drawn(study)) == {"alpha": 6, "beta": 6}


def test_a_system_with_a_single_clip_has_it_checked(now: datetime) -> None:
    assert drawn(draft(now, texts=1)) == {"alpha/0.wav", "beta/0.wav"}


def test_the_sample_is_drawn_once_and_grows_with_the_clips(now: datetime) -> None:
    study = draft(now)
    first = drawn(study)
    assert drawn(study) == first
    change(study, share=0.5)
    more = drawn(study)
    assert (len(more), more > first) == (22, True)
    text = Text.objects.create(study=study, name="late")
    alpha = Clip.objects.filter(study=study, system__name="alpha").first()
    assert alpha is not None
    late = again(alpha, "", "alpha/late.wav")
    Clip.objects.filter(pk=late.pk).update(text=text)
    again(late, "", "alpha/later.wav")
    assert (len(drawn(study)), drawn(study) > more) == (23, True)


def test_two_studies_of_the_same_clips_draw_differently(now: datetime) -> None:
    assert drawn(draft(now)) != drawn(draft(now))


def test_a_clip_withdrawn_before_it_was_decided_gives_way_to_another(now: datetime) -> None:
    study = draft(now)
    gone = Clip.objects.get(study=study, file=sorted(drawn(study))[0])
    changes.withdraw(clips=[gone.pk], now=now)
    whole = {file for file in drawn(study) if file != gone.file}
    assert len([file for file in whole if file.startswith("alpha")]) == 5
    change(study, share=0.3)
    assert len([file for file in drawn(study) - {gone.file} if file.startswith("alpha")]) == 6


def test_takes_of_one_text_by_one_voice_are_compared_and_nothing_else_is(now: datetime) -> None:
    study = with_takes(draft(now), texts=5)
    assert len(drawn(study, "consistency")) == 4
    for item in SpotItem.objects.filter(study=study, kind="consistency"):
        first, second = [each.about for each in item.clips.order_by("place")]
        assert (first["voice"], first["text"]) == (second["voice"], second["text"])
        assert (first["take"], second["take"]) == ("1", "2")
    other = Clip.objects.filter(study=study, system__name="beta").first()
    assert other is not None
    Clip.objects.filter(pk=again(other, "2").pk).update(voice="another")
    assert len(drawn(study, "consistency")) == 4


def test_what_replaces_a_failed_clip_is_checked_beside_the_sample(now: datetime) -> None:
    study = draft(now)
    spot_checking.fill(study=study)
    for name in ("eva", "otto"):
        decide_all(study, expert(name, study), now, lambda item: "incomplete" if item.system.name == "alpha" else "ok")
    failed = Clip.objects.filter(spot_clips__item__outcome="failed").first()
    assert failed is not None
    assert spot_checking.fill(study=study) == 0
    changes.withdraw(clips=[failed.pk], now=now)
    assert spot_checking.fill(study=study) == 0
    new = again(failed, "", "alpha/new.wav")
    assert spot_checking.fill(study=study) == 1
    item = SpotItem.objects.get(clips__clip=new)
    assert (item.is_replacement, item.state) == (True, "open")
    assert offered(study, expert("mia", study), now)


def test_nothing_is_drawn_while_it_is_off_or_after_the_launch(now: datetime) -> None:
    study = draft(now, spot_check__mode="off")
    assert spot_checking.fill(study=study) == 0
    change(study, mode="offered")
    Study.objects.filter(pk=study.pk).update(state="live")
    study.refresh_from_db()
    assert spot_checking.fill(study=study) == 0
    Study.objects.filter(pk=study.pk).update(state="draft")
    study.refresh_from_db()
    assert spot_checking.fill(study=study) == 12
