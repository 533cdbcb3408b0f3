"""Other tools' files, read back as these tools read them, against ratings.csv."""

from __future__ import annotations

import csv
from collections import defaultdict
from datetime import datetime
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pandas as pd
import pytest
import soundfile
from django.core.management import CommandError, call_command

from analysis.data.models import Simulated
from analysis.exports import files as tables
from analysis.exports.layouts.scored import distinct, safe
from analysis.exports.models import Layout, Profile
from analysis.exports.source import Source
from studies.models import Clip
from tests.analysis.exports.test_tables import table
from tests.analysis.rated import Rated
from tests.analysis.world import World

Scores = dict[str, list[float]]


def written(world: World, folder: Path, layout: Layout, profile: Profile = Profile.ANALYSIS) -> Path:
    tables.write(Source(world.study, Simulated.WITHOUT, layout=layout, profile=profile), folder)
    return folder


def scored(world: World, folder: Path) -> list[dict[str, str]]:
    """Return what ratings.csv has of usable scores of test items."""
    tables.write(Source(world.study, Simulated.WITHOUT), folder)
    part = world.study.definition.kind.score.part
    rows = table(folder / "ratings.csv")
    return [row for row in rows if row["part"] == part and row["usable"] == "true" and row["role"] == "test"]


def by(rows: list[dict[str, str]], name: str) -> Scores:
    found: defaultdict[str, list[float]] = defaultdict(list)
    for row in rows:
        found[row[name]].append(float(row["score"]))
    return dict(found)


def utterances(folder: Path) -> dict[str, str]:
    return {row["utterance"]: row["clip"] for row in table(folder / "names.csv")}


@pytest.fixture
def acr(db: None, files: Path, now: datetime) -> Rated:
    """Return a study of a task whose scores are whole numbers, as most of these tools want them."""
    return Rated(now, kind="acr").everybody(18)


def test_crowd_18_voicemos_lists_are_read_by_its_parsers(acr: Rated, tmp_path: Path) -> None:
    rows = scored(acr, tmp_path / "own")
    folder = written(acr, tmp_path / "voicemos", Layout.VOICEMOS)
    named = utterances(folder)
    seen = []
    # As lhotse's recipe and the challenge's README split the lines of TRAINSET.
    for line in (folder / "DATA/sets/TRAINSET").read_text().splitlines():
        system, utterance, rating, _ignored, listener = line.split(",")
        empty, age, rater, gender, _one, _two, kind = listener.split("_")
        assert (empty, age, gender, kind) == ("{}", "na", "na", "EP")
        assert utterance.endswith(".wav")
        seen.append((system, named[utterance], int(rating), rater))
    assert seen == [(row["system"], row["clip"], int(row["score"]), row["rater"]) for row in rows]
    # As the challenge's baseline reads them.
    lines = (folder / "DATA/sets/train_mos_list.txt").read_text().splitlines()
    means = {named[line.split(",")[0]]: float(line.split(",")[1]) for line in lines}
    assert means == pytest.approx({clip: fmean(each) for clip, each in by(rows, "clip").items()}, abs=1e-6)
    with open(folder / "DATA/mydata_system.csv", encoding="utf-8", newline="") as file:
        systems = {row["system_ID"]: float(row["mean"]) for row in csv.DictReader(file)}
    assert systems == pytest.approx({name: fmean(each) for name, each in by(rows, "system").items()}, abs=1e-6)


def test_crowd_18_somos_lists_are_read_by_their_names(acr: Rated, tmp_path: Path) -> None:
    rows = scored(acr, tmp_path / "own")
    folder = written(acr, tmp_path / "somos", Layout.SOMOS)
    named = utterances(folder)
    train = pd.read_csv(folder / "training_files/split1/clean/TRAINSET")
    assert list(train) == ["systemId", "utteranceId", "choice", "listenerId"]
    assert train["choice"].dtype.kind == "i"
    found = [(named[row.utteranceId], row.choice, row.listenerId) for row in train.itertuples()]
    assert found == [(row["clip"], int(row["score"]), row["rater"]) for row in rows]
    means = pd.read_csv(folder / "training_files/split1/clean/train_mos_list.txt")
    assert list(means) == ["utteranceId", "mean"]
    assert len(means) == len(by(rows, "clip"))
    systems = pd.read_csv(folder / "training_files/split1/clean/train_system.csv").set_index("systemId")["mean"]
    assert systems.to_dict() == pytest.approx(
        {name: fmean(each) for name, each in by(rows, "system").items()}, abs=1e-6
    )


def test_crowd_18_webmushra_screens_are_pivoted_by_session_and_trial(
    db: None, files: Path, now: datetime, tmp_path: Path
) -> None:
    world = Rated(now, kind="mushra").everybody(12)
    rows = scored(world, tmp_path / "own")
    folder = written(world, tmp_path / "webmushra", Layout.WEBMUSHRA)
    found = pd.read_csv(folder / "mushra.csv")
    assert list(found) == [
        "session_test_id",
        "listener",
        "session_uuid",
        "trial_id",
        "rating_stimulus",
        "rating_score",
        "rating_time",
        "rating_comment",
    ]
    screens = found.pivot(index=["session_uuid", "trial_id"], columns="rating_stimulus", values="rating_score")
    assert "reference" in screens
    for row in rows:
        stimulus = "reference" if row["clip_role"] == "reference" else row["system"]
        assert screens.loc[(row["session"], row["text_id"]), stimulus] == float(row["score"])
    assert screens.count().sum() == len(rows)
    # The whole screen's time, where ours is divided by its clips.
    first = rows[0]
    together = sum(row["trial_index"] == first["trial_index"] and row["session"] == first["session"] for row in rows)
    assert found["rating_time"][0] == pytest.approx(1000 * float(first["response_seconds"]) * together, abs=1)


@pytest.mark.parametrize("kind", ["acr", "cmos", "hfr", "ternary"])
def test_crowd_18_webmushra_has_single_clips_in_its_likert_file(
    db: None, files: Path, now: datetime, tmp_path: Path, kind: str
) -> None:
    world = Rated(now, kind=kind).everybody(12)
    rows = scored(world, tmp_path / "own")
    found = pd.read_csv(written(world, tmp_path / "webmushra", Layout.WEBMUSHRA) / "lss.csv")
    assert list(found) == ["session_test_id", "listener", "trial_id", "stimuli_rating", "stimuli", "rating_time"]
    assert list(found["stimuli_rating"]) == [float(row["score"]) for row in rows]
    assert list(found["stimuli"]) == [row["clip"] for row in rows]
    assert (found["rating_time"] > 0).all()


def test_p808_votes_have_the_toolkits_columns_and_statistics(acr: Rated, tmp_path: Path) -> None:
    rows = scored(acr, tmp_path / "own")
    folder = written(acr, tmp_path / "p808", Layout.P808)
    workers = pd.read_csv(folder / "votes_per_worker.csv")
    assert list(workers) == ["HITId", "workerid", "file", "vote", "condition"]
    assert list(workers["vote"]) == [float(row["score"]) for row in rows]
    clips = pd.read_csv(folder / "votes_per_clip.csv").set_index("file_url")
    votes = by(rows, "clip")
    most = max(map(len, votes.values()))
    assert list(clips) == [
        "n",
        "MOS",
        "std",
        "95%CI",
        "short_file_name",
        "system",
        *(f"vote_{number}" for number in range(1, most + 1)),
    ]
    for clip, each in votes.items():
        assert (clips.loc[clip, "n"], clips.loc[clip, "MOS"]) == (len(each), pytest.approx(fmean(each), abs=1e-6))
        assert clips.filter(like="vote_").loc[clip].dropna().tolist() == each
    conditions = pd.read_csv(folder / "votes_per_cond.csv").set_index("condition_name")
    for system, each in by(rows, "system").items():
        assert conditions.loc[system, "std"] == pytest.approx(stdev(each), abs=1e-6)
        assert conditions.loc[system, "95%CI"] == pytest.approx(1.96 * stdev(each) / len(each) ** 0.5, abs=1e-6)


def test_an_audio_folder_has_the_audio_that_each_row_names(world: World, tmp_path: Path) -> None:
    world.crowd(9)
    rows = scored(world, tmp_path / "own")
    folder = written(world, tmp_path / "folder", Layout.AUDIOFOLDER)
    metadata = pd.read_csv(folder / "metadata.csv")
    assert metadata.columns[0] == "file_name"
    for row in metadata.itertuples():
        assert soundfile.info(folder / str(row.file_name)).samplerate == 8000
    scores = by(rows, "clip")
    assert dict(zip(metadata["clip"], metadata["score"], strict=True)) == pytest.approx(
        {clip: fmean(each) for clip, each in scores.items()}, abs=1e-6
    )
    assert metadata["text"].notna().all()
    assert not (folder / "withheld.csv").exists()


def test_rule_d11_an_open_audio_folder_has_neither_text_nor_audio_of_black_boxes(world: World, tmp_path: Path) -> None:
    world.crowd(9)
    Clip.objects.filter(study=world.study, system__name="alpha").update(box="black")
    folder = written(world, tmp_path / "folder", Layout.AUDIOFOLDER, Profile.OPEN)
    metadata = pd.read_csv(folder / "metadata.csv")
    assert set(metadata["system"]) == {"human", "beta"}
    # The same texts are said by alpha, so that nobody's row tells them.
    assert metadata["text"].isna().all()
    assert len(list((folder / "audio").iterdir())) == len(metadata)
    withheld = pd.read_csv(folder / "withheld.csv")
    assert set(withheld["system"]) == {"alpha"}
    assert withheld["score"].notna().all()
    assert "text" not in withheld
    everything = b"".join(path.read_bytes() for path in folder.rglob("*.csv"))
    assert b"Sentence number" not in everything


def test_names_are_made_safe_and_stay_apart() -> None:
    assert safe("alpha/take 1,a_b") == "alpha-take-1-a-b"
    assert safe("数字") != safe("数学")
    assert distinct({"a": "x/y", "b": "x y", "c": "X-Y"}) == {"a": "x-y", "b": "x-y-2", "c": "X-Y-3"}
    assert safe("___") == "x"


def test_what_a_spreadsheet_would_compute_is_made_harmless_in_every_layout(acr: Rated, tmp_path: Path) -> None:
    first = Clip.objects.filter(study=acr.study, role="test").order_by("pk")[0]
    Clip.objects.filter(pk=first.pk).update(file="=cmd()/1.wav")
    for layout in (Layout.P808, Layout.WEBMUSHRA, Layout.VOICEMOS):
        folder = written(acr, tmp_path / layout, layout)
        for path in folder.rglob("*.csv"):
            cells = [cell for row in csv.reader(path.open(encoding="utf-8", newline="")) for cell in row]
            assert not [cell for cell in cells if cell.startswith("=")], path.name


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"layout": "somos", "format": "parquet"}, "Other tools read CSV"),
        ({"layout": "somos", "profile": "payment"}, "holds no ratings"),
    ],
)
def test_what_can_not_go_together_is_refused_in_words(
    world: World, tmp_path: Path, options: dict[str, Any], says: str
) -> None:
    with pytest.raises(CommandError, match=says):
        call_command("export_study", world.study.slug, out=tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()
