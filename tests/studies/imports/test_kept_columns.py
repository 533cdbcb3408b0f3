"""Columns of a table that have no meaning here are kept if the researcher says so, and exported again."""

from __future__ import annotations

import csv
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from analysis.data.models import Simulated
from analysis.exports import clips, profiles
from analysis.exports.columns import ExportTable
from analysis.exports.models import Profile
from analysis.exports.source import Source
from studies.imports import replacing
from studies.imports.ingest import guess, manifest
from studies.models import Clip, ClipImport, Study
from tests import audio
from tests.studies.imports.helpers import FILES, ROWS, by_list, done

pytestmark = pytest.mark.django_db
Send = Callable[..., ClipImport]
SCORED = [{**row, "x_mos": str(4 - index), "x_set": ""} for index, row in enumerate(ROWS)]


def exported(study: Study, **options: Any) -> list[dict[str, Any]]:
    source = Source(study, Simulated.WITHOUT, **options)
    table = ExportTable("clips", clips.columns(source), lambda: clips.clips(source))
    [shaped] = profiles.shaped([table], source)
    return [
        dict(zip(page, cells, strict=True)) for page in shaped.pages(10) for cells in zip(*page.values(), strict=True)
    ]


def test_a_kept_column_is_stored_and_exported_last(study: Study, send: Send, now: datetime) -> None:
    assert done(send(SCORED), now).clips_added == 3
    assert dict(Clip.objects.values_list("file", "extra")) == {
        "h/1.wav": {"mos": "4"},
        "a/1.flac": {"mos": "3"},
        "f/1.wav": {"mos": "2"},
    }
    rows = exported(study)
    assert [row["x_mos"] for row in rows] == ["3", "2", "4"]
    assert list(rows[0])[-1] == "x_mos"


def test_published_data_have_no_kept_columns_and_black_box_texts_none_for_others(
    study: Study, send: Send, now: datetime
) -> None:
    done(send([{**row, "box": "black" if index == 1 else ""} for index, row in enumerate(SCORED)]), now)
    assert "x_mos" not in exported(study, profile=Profile.OPEN)[0]
    # h/1.wav speaks the text of the black-box clip.
    assert [row["x_mos"] for row in exported(study, without_words=True)] == [None, "2", None]


def test_a_clip_without_kept_columns_has_none(study: Study, send: Send, now: datetime) -> None:
    done(send(), now)
    assert set(Clip.objects.values_list("extra", flat=True)) == {None}
    assert not any(name.startswith("x_") for name in exported(study)[0])


def test_too_long_a_value_is_refused_with_its_row(study: Study, send: Send, now: datetime) -> None:
    job = done(send([{**SCORED[0], "x_mos": "4" * 1001}, *SCORED[1:]]), now)
    assert by_list(job) == [("manifest", 2, "x_mos")]


def test_a_replacement_keeps_the_columns(study: Study, send: Send, now: datetime) -> None:
    done(send(SCORED), now)
    clip = Clip.objects.get(file="h/1.wav")
    upload = SimpleUploadedFile("new.wav", audio.wav(1.0, seed=7))
    done(replacing.replace(study=study, clip_id=clip.pk, upload=upload, user=None, now=now), now)
    assert Clip.objects.get(file="h/1-2.wav").extra == {"mos": "4"}


@pytest.mark.parametrize(
    ("name", "column"),
    [("MOS", "x_mos"), ("x_mos", "x_mos"), (" Mean score (1–5) ", "x_mean_score_1_5"), ("!", "x_column")],
)
def test_names_of_kept_columns_are_plain(name: str, column: str) -> None:
    assert manifest.extra_column(name) == column
    assert manifest.EXTRA_COLUMN.fullmatch(column)


def test_a_table_says_which_values_a_column_has_and_what_it_may_mean() -> None:
    content = b"file,systemname,gender,MOS\n1.wav,a,f,4\n2.wav,a,m,3\n3.wav,b,f,\n4.wav,c,f,1\n5.wav,d,f,2\n"
    found = guess.propose([f"{number}.wav" for number in range(1, 6)], content)
    assert found.examples is not None
    assert (found.examples["MOS"], found.examples["systemname"]) == (["4", "3", "1"], ["a", "b", "c"])
    assert found.suggestions == {"systemname": "system"}
    chosen = guess.propose(["1.wav"], content, {"MOS": "x_", "systemname": ""})
    assert (chosen.mapping["MOS"], chosen.rows[0]["x_mos"], chosen.suggestions) == ("x_mos", "4", found.suggestions)
    assert b"x_mos" in guess.as_manifest(chosen.rows).splitlines()[0]


def test_the_command_keeps_columns_of_a_manifest_and_of_another_table(
    study: Study, tmp_path: Path, capsys: Any
) -> None:
    rows = [{**row, "MOS": "4", "note": "n"} for row in ROWS]
    path = audio.write_folder(tmp_path, ROWS, FILES)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    with pytest.raises(CommandError, match="no column “mos”"):
        call_command("import_clips", "one", "--manifest", str(path), "--keep", "mos")
    call_command("import_clips", "one", "--manifest", str(path), "--keep", "MOS")
    assert "The column “note” is unknown and was ignored." in capsys.readouterr().out
    assert list(Clip.objects.values_list("extra", flat=True)) == [{"mos": "4"}] * 3
    Clip.objects.all().delete()
    path.write_text(path.read_text().replace("file,system", "file_name,model"))
    call_command("import_clips", "one", "--manifest", str(path), "--keep", "MOS", "--keep", "note")
    assert list(Clip.objects.values_list("extra", flat=True)) == [{"mos": "4", "note": "n"}] * 3
