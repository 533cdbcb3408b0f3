"""Files of `clip,metric,value`: what becomes of good ones, and what is said of bad ones."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from analysis.metrics import queries as metrics_queries
from analysis.metrics import sets
from analysis.metrics.models import ClipMetric, MetricSet
from analysis.metrics.reading import MAX_ROWS, Problem, read
from core.errors import Invalid
from judge.schemas import SCORE_COLUMNS
from studies.models import Clip, Study
from tests.world import make_study

CLIPS = {"a.wav": 1, "b.wav": 2, "=c.wav": 3}


def csv(*rows: str, header: str = "clip,metric,value") -> bytes:
    return "\n".join([header, *rows]).encode()


def problems(*rows: str, header: str = "clip,metric,value") -> list[Problem]:
    found = read(csv(*rows, header=header), CLIPS)
    return list(found.problems)


def test_several_metrics_share_a_file() -> None:
    found = read(csv("a.wav,wer,0.1", "a.wav,dnsmos,3.5", "b.wav,wer,1e-1"), CLIPS)
    assert found.problems == ()
    assert {name: [(m.clip, m.value) for m in metric.values] for name, metric in found.metrics.items()} == {
        "wer": [(1, 0.1), (2, 0.1)],
        "dnsmos": [(1, 3.5)],
    }


def test_a_clip_may_be_named_as_the_export_names_it() -> None:
    assert [m.clip for m in read(csv("'=c.wav,wer,1", "=c.wav,mos,1"), CLIPS).metrics["wer"].values] == [3]


@pytest.mark.parametrize(
    "content", ["\ufeffclip;metric;value\r\na.wav;wer;0.5\r\n", "Clip\tMETRIC\tvalue\na.wav\twer\t0.5"]
)
def test_spreadsheets_separators_marks_and_capitals_are_understood(content: str) -> None:
    assert [m.value for m in read(content.encode(), CLIPS).metrics["wer"].values] == [0.5]


@pytest.mark.parametrize(
    ("row", "column", "reason"),
    [
        ("z.wav,wer,0.1", "clip", "No clip of this study is called “z.wav”."),
        (",wer,0.1", "clip", "It is empty."),
        ("a.wav,,0.1", "metric", "Give the metric a name"),
        ("a.wav,wer,high", "value", "“high” is no number."),
        ("a.wav,wer,nan", "value", "no number"),
        ("a.wav,wer,inf", "value", "no number"),
        ("a.wav,wer,1_000", "value", "no number"),
        ('a.wav,wer,"0,5"', "value", "“0,5” is no number."),
    ],
)
def test_a_bad_cell_is_named_by_row_and_column(row: str, column: str, reason: str) -> None:
    [found] = problems("b.wav,wer,0.2", row)
    assert (found.row, found.column) == (3, column)
    assert reason in found.reason


def test_a_second_value_of_one_clip_names_the_first() -> None:
    assert problems("a.wav,wer,0.1", "a.wav,mos,4", "'a.wav,wer,0.1") == [
        Problem(4, "clip", "The clip has a value of wer in row 2 already.")
    ]


def test_a_metric_has_one_direction_and_one_scale() -> None:
    header = "clip,metric,value,direction,low,high"
    found = problems("a.wav,wer,0,lower,0,1", "b.wav,wer,0,higher,0,2", "a.wav,mos,1,higher,1,5", header=header)
    assert [(each.row, each.column) for each in found] == [(3, "direction"), (3, "high")]
    assert "lower in an earlier row" in found[0].reason
    assert [each.column for each in problems("a.wav,wer,0,up,x,1", header=header)] == ["direction", "low"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"clip,value\na.wav,1", "The column metric is missing"),
        (b"", "The column clip, metric, value is missing"),
        (b"clip,metric,value", "no rows below its header"),
        (b"clip,metric,value,value\na.wav,wer,1,1", "The column value appears twice"),
        (b"clip,metric,value\na.wav,wer,1,2", "Row 2 has more cells"),
        (b'clip,metric,value\n"a.wav,wer,1', "quotation mark"),
        (b"\xff\xfe" + b"\x00\xd8x\x00", "can't be read as text"),
        ("clip,metric,value".encode("utf-16"), "no rows below its header"),
    ],
)
def test_a_file_that_is_no_such_csv_says_what_it_lacks(content: bytes, reason: str) -> None:
    [found] = read(content, CLIPS).problems
    assert reason in found.reason


def test_a_file_without_end_is_refused() -> None:
    rows = (f"a.wav,m{number},1" for number in range(MAX_ROWS + 1))
    assert f"more than {MAX_ROWS:,} rows" in problems(*rows)[-1].reason


@given(st.lists(st.text(max_size=30), max_size=6), st.text(max_size=60))
def test_no_text_whatever_makes_an_exception(rows: list[str], header: str) -> None:
    for first in (header, "clip,metric,value"):
        found = read("\n".join([first, *rows]).encode(), CLIPS)
        assert found.problems or found.metrics


def test_what_all_rows_share_is_provenance_and_the_rest_is_the_clips() -> None:
    header = "clip,metric,value,model,seconds,probs,error,message"
    found = read(
        csv(
            'a.wav,m,1,abc,2.5,"{""human"": 0.5}",,',
            "b.wav,m,2,abc,3,,,",
            "=c.wav,m,,abc,,,silent,No sound.",
            header=header,
        ),
        CLIPS,
    ).metrics["m"]
    assert found.provenance == {"model": "abc"}
    assert [m.detail for m in found.values] == [
        {"seconds": "2.5", "probs": {"human": 0.5}},
        {"seconds": "3"},
        {"error": "silent", "message": "No sound."},
    ]
    assert [m.failure for m in found.values] == ["", "", "No sound."]


@pytest.fixture
def study(db: None, now: datetime) -> Study:
    return make_study(now=now, texts=2)


def files(study: Study) -> list[str]:
    return list(Clip.objects.filter(study=study).order_by("pk").values_list("file", flat=True))


def test_an_import_makes_a_set_of_each_metric_with_the_hash_of_the_file(study: Study, now: datetime) -> None:
    one, two = files(study)[:2]
    header = "clip,metric,value,direction,low,high"
    content = csv(f"{one},wer,0.25,lower,0,1", f"{two},wer,,,,", f"{one},mos,4,,,", header=header)
    wer, mos = sets.import_file(
        study_id=study.pk, content=content, file_name="m.csv", low=1.0, high=5.0, source="ours", now=now
    )
    assert (wer.name, wer.direction, wer.low, wer.high, wer.source) == ("wer", "lower", 0, 1, "ours")
    assert (mos.name, mos.direction, mos.low, mos.high) == ("mos", "higher", 1, 5)
    assert wer.provenance["file"] == "m.csv"
    assert len(wer.provenance["file_sha256"]) == 64
    assert list(metrics_queries.failures(wer.pk).values()) == ["no value in the file"]
    assert list(metrics_queries.values(wer.pk).values()) == [0.25]


def test_the_same_file_again_makes_a_new_set(study: Study, now: datetime) -> None:
    content = csv(f"{files(study)[0]},wer,0.25")
    for _ in range(2):
        sets.import_file(study_id=study.pk, content=content, file_name="m.csv", now=now)
    assert [each.name for each in metrics_queries.sets(study.pk)] == ["wer", "wer"]


def test_of_a_bad_file_nothing_is_kept(study: Study, now: datetime) -> None:
    content = csv(f"{files(study)[0]},wer,0.25", "other.wav,wer,0.5")
    with pytest.raises(sets.BadFile) as caught:
        sets.import_file(study_id=study.pk, content=content, file_name="m.csv", now=now)
    assert [(each.row, each.column) for each in caught.value.found] == [(3, "clip")]
    assert not MetricSet.objects.exists()


def test_a_scale_that_is_none_keeps_nothing_of_any_metric(study: Study, now: datetime) -> None:
    content = csv(f"{files(study)[0]},a,0.25,,", f"{files(study)[0]},b,0.25,5,1", header="clip,metric,value,low,high")
    with pytest.raises(Invalid, match="upper end"):
        sets.import_file(study_id=study.pk, content=content, file_name="m.csv", now=now)
    assert not MetricSet.objects.exists()


def test_a_name_is_for_one_metric_alone(study: Study, now: datetime) -> None:
    one = files(study)[0]
    both = csv(f"{one},wer,0.25", f"{one},mos,3")
    with pytest.raises(Invalid, match="several metrics"):
        sets.import_file(study_id=study.pk, content=both, file_name="m.csv", name="mine", now=now)
    [only] = sets.import_file(
        study_id=study.pk, content=csv(f"{one},wer,0.25"), file_name="m.csv", name="mine", now=now
    )
    assert only.name == "mine"


def judges_row(clip: str, **cells: Any) -> dict[str, str]:
    origin = {
        "clip": clip, "metric": "hls:att", "value": "", "profile": "att", "profile_version": "1",
        "profile_sha256": "p" * 64, "weights_sha256": "w" * 64, "engine": "earshot-1", "dtype": "float32",
        "preprocessing": "1", "versions": '{"torch": "2.13.0"}',
    }  # fmt: skip
    return {**dict.fromkeys(SCORE_COLUMNS, ""), **origin, **cells}


def test_a_judges_scores_csv_is_imported_with_its_hashes(study: Study, now: datetime) -> None:
    one, two, three = files(study)[:3]
    rows = [
        judges_row(one, value="0.8", label_mass="0.97", probabilities='{"Human": 0.8}', audio_sha256="1" * 64),
        judges_row(two, value="0.2", label_mass="0.4", warnings="low_label_mass", audio_sha256="2" * 64),
        judges_row(three, error="too_short", message="The clip is too short."),
    ]
    quoted = [",".join('"' + row[column].replace('"', '""') + '"' for column in SCORE_COLUMNS) for row in rows]
    content = csv(*quoted, header=",".join(SCORE_COLUMNS))
    [judge] = sets.import_file(study_id=study.pk, content=content, file_name="scores.csv", now=now)
    assert (judge.name, judge.source, judge.direction, judge.low, judge.high) == ("hls:att", "judge", "higher", 0, 1)
    assert judge.provenance["weights_sha256"] == "w" * 64
    assert judge.provenance["profile_sha256"] == "p" * 64
    assert judge.provenance["versions"] == {"torch": "2.13.0"}
    first, second, third = metrics_queries.details(judge.pk)
    assert first.detail == {"label_mass": "0.97", "probabilities": {"Human": 0.8}, "audio_sha256": "1" * 64}
    assert second.detail["warnings"] == "low_label_mass"
    assert (third.value, third.failure) == (None, "The clip is too short.")


def test_the_command_imports_and_lists_clips_without_a_value(
    study: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "m.csv"
    path.write_bytes(csv(f"{files(study)[0]},mos,4.5"))
    call_command("import_metrics", study.slug, str(path), "--name", "UTMOS", "--low", "1", "--high", "5")
    said = capsys.readouterr().out
    assert "UTMOS" in said
    assert f"{len(files(study)) - 1} clips have no value" in said
    assert MetricSet.objects.get().high == 5


def test_the_command_says_which_rows_are_wrong(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_bytes(csv("z.wav,mos,4.5", f"{files(study)[0]},mos,x"))
    with pytest.raises(CommandError) as caught:
        call_command("import_metrics", study.slug, str(path))
    assert "row 2, clip: No clip" in str(caught.value)
    assert "row 3, value: “x”" in str(caught.value)
    with pytest.raises(CommandError, match="No such file"):
        call_command("import_metrics", study.slug, str(tmp_path / "none.csv"))
    assert not ClipMetric.objects.exists()


def test_details_are_stored_as_json(study: Study, now: datetime) -> None:
    content = csv(f'{files(study)[0]},m,1,"[1, 2]"', f"{files(study)[1]},m,1,[", header="clip,metric,value,more")
    sets.import_file(study_id=study.pk, content=content, file_name="m.csv", now=now)
    assert json.dumps([row.detail for row in ClipMetric.objects.order_by("pk")]) == '[{"more": [1, 2]}, {"more": "["}]'


def test_a_wide_table_has_a_column_for_each_metric() -> None:
    found = read(csv("a.wav,alder,0.1,3.5", "b.wav,alder,,4", header="clip,system,WER,UTMOS"), CLIPS)
    assert found.problems == ()
    assert {name: [(m.clip, m.value) for m in metric.values] for name, metric in found.metrics.items()} == {
        "WER": [(1, 0.1), (2, None)],
        "UTMOS": [(1, 3.5), (2, 4.0)],
    }
    # What holds words stays with the clips, or here with the metric.
    assert found.metrics["WER"].provenance == {"system": "alder"}


def test_a_cell_of_a_wide_table_that_is_no_number_is_named() -> None:
    assert [(each.row, each.column) for each in problems("a.wav,1", "b.wav,2", "=c.wav,x", header="clip,wer")] == [
        (4, "value")
    ]


def test_a_wide_table_without_a_number_says_which_tables_are_read() -> None:
    [problem] = problems("a.wav,good", header="clip,opinion")
    assert "or a column for each metric" in problem.reason
