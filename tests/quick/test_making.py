"""A quick test is an ordinary study of folders, made without naming them to anybody."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import numpy as np
import pytest
import soundfile
from scipy.stats import binomtest, t, ttest_1samp

from core.errors import DomainError, Invalid
from quick import answers, making, results
from quick.request import Kept
from studies.audit import queries
from studies.clips import tables
from studies.definition.queries import get
from tests.audio import flac
from tests.quick.folders import asked, folder, listener, prefers

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


def made(*folders: Path, **options: Any) -> tuple[Kept, list[str]]:
    said: list[str] = []
    return making.make(asked(*folders, **options), said.append), said


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    return folder(tmp_path, "crimson", 8), folder(tmp_path, "indigo", 8, level=0.1)


def test_it_makes_a_live_study_and_says_what_is_compared_without_names(pair: tuple[Path, Path]) -> None:
    (pair[1] / "indigo_extra.wav").write_bytes((pair[1] / "indigo_sentence000.wav").read_bytes()[:-400])
    kept, said = made(*pair)
    study = get(kept.slug)
    assert (study.state, study.definition.preset, study.definition.crowd.source) == ("live", "ab", "open")
    assert study.definition.results.hide_scores
    assert said[:2] == [
        "8 texts have a file in every folder.",
        "1 file in folder B is left out, because another folder has no match.",
    ]
    assert "Each listener does 8 trials in about 2 minutes." in said
    assert study.definition.payment.minutes == 2
    assert said[-1] == (
        "For a clear result (p < .05), one listener must prefer the same folder on at least 8 of 8 texts."
    )
    assert not any(word in " ".join(said) for word in ("crimson", "indigo", "sentence"))


def test_loudness_is_matched_and_its_gains_are_said(pair: tuple[Path, Path]) -> None:
    kept, said = made(*pair)
    gains = {each.folder: [clip.gain for clip in kept.files if clip.folder == each.folder] for each in kept.files}
    apart = np.mean(gains["indigo"]) - np.mean(gains["crimson"])
    assert apart == pytest.approx(6.0, abs=1.0)
    every = [clip["gain"] for clip in tables.table(get(kept.slug).pk)]
    [line] = [line for line in said if line.startswith("The loudness")]
    gains_said = f"with gains from {min(every):+.1f} to {max(every):+.1f} dB.".replace("-", "−")
    assert line == f"The loudness is matched at −23 LUFS, {gains_said}"


def test_as_is_keeps_the_loudness(pair: tuple[Path, Path]) -> None:
    kept, said = made(*pair, as_is=True)
    assert "The loudness is not matched (--as-is)." in said
    assert {clip.gain for clip in kept.files} == {0.0}
    assert "Warning: listeners may recognise a folder by these differences: loudness." in said


def _warning(said: list[str]) -> str:
    """Return the line on differences; empty if there is none."""
    return next((line for line in said if line.startswith("Warning: listeners may recognise a folder")), "")


def edges_and_bands(kept: Kept) -> tuple[list[float], dict[str, float]]:
    """Return the seconds of silence before each clip, and the median bandwidth of each folder."""
    bands: dict[str, list[float]] = {}
    clips = queries.clips(get(kept.slug))
    for clip in clips:
        bands.setdefault(clip.system, []).append(clip.values["bandwidth"])
    return [clip.values["silence_before"] for clip in clips], {name: median(each) for name, each in bands.items()}


def test_edges_are_trimmed_and_bands_limited_alike_where_asked(tmp_path: Path) -> None:
    places = folder(tmp_path, "low", 5), folder(tmp_path, "high", 5, rate=32000)
    draw = np.random.default_rng(1)
    for place, seconds, hiss in zip(places, (0.6, 0.3), (0.0, 0.05), strict=True):
        for path in place.iterdir():
            sound, rate = soundfile.read(path)
            silence = draw.normal(0, 1e-4, int(seconds * rate))
            soundfile.write(path, np.concatenate([silence, sound + draw.normal(0, hiss, len(sound))]), rate)
    before, said_before = made(*places)
    after, said = made(*places, trim=True, common_band=True)
    assert "silence at the start" in _warning(said_before)
    assert "silence at the start" not in _warning(said)
    silence, bands = edges_and_bands(after)
    silence_before, bands_before = edges_and_bands(before)
    assert max(silence) - min(silence) < 0.1 < max(silence_before) - min(silence_before)
    assert set(after.repairs) == {"edges", "band"}
    assert max(bands.values()) <= 1.15 * after.repairs["band"] < bands_before["high"]
    assert "All clips have 0.2 s of silence at the start and the end (--trim)." in said
    assert f"The bandwidth of all clips is limited to {after.repairs['band']:g} Hz (--common-band)." in said
    assert before.repairs == {}


def test_other_sample_rates_are_said(tmp_path: Path) -> None:
    kept, said = made(folder(tmp_path, "low", 5), folder(tmp_path, "high", 5, rate=48000))
    assert "sample rate" in _warning(said)
    assert any("16" in sentence and "48" in sentence and "low" in sentence for sentence in results.differences(kept))


def test_three_pairs_get_a_warning(tmp_path: Path) -> None:
    _kept, said = made(folder(tmp_path, "one", 3), folder(tmp_path, "two", 3))
    assert said[:2] == [
        "3 texts have a file in every folder.",
        "Warning: with fewer than 5 texts, the result has only counts, no test.",
    ]
    assert said[-1] == "Each listener does 3 trials in about 1 minute."


def test_files_of_the_same_sound_are_left_out(pair: tuple[Path, Path]) -> None:
    first, second = pair
    (second / "indigo_sentence000.wav").write_bytes((first / "crimson_sentence000.wav").read_bytes())
    # The same samples in another format.
    (first / "crimson_sentence100.flac").write_bytes(flac(seed=5))
    (second / "indigo_sentence100.flac").write_bytes(flac(seed=5) + b"")
    kept, said = made(*pair)
    assert "2 texts are left out: they have the same sound in two folders." in said
    assert (kept.identical, len(kept.texts)) == (2, 7)


@pytest.mark.parametrize("problem", ["missing", "empty", "names", "same"])
def test_folders_that_don_t_fit_are_refused(pair: tuple[Path, Path], tmp_path: Path, problem: str) -> None:
    (tmp_path / "empty").mkdir()
    other = {
        "missing": (tmp_path / "crimsom", "There is no folder"),
        "empty": (tmp_path / "empty", "There is no audio file in"),
        "same": (pair[0], "named twice"),
        "names": (folder(tmp_path, "names", 0), "There is no audio file"),
    }
    place, message = other[problem]
    if problem == "names":
        (place / "unlike.wav").write_bytes((pair[0] / "crimson_sentence000.wav").read_bytes())
        message = "No file names match .*--by-order"
    with pytest.raises(Invalid, match=message):
        made(pair[0], place)


def test_by_order_refuses_files_of_other_lengths(tmp_path: Path) -> None:
    short, long = folder(tmp_path, "short", 5), folder(tmp_path, "long", 5, seconds=1.2)
    with pytest.raises(Invalid, match="5 texts one file that is more than twice as long"):
        made(short, long, by_order=True)


def test_at_most_so_many_trials_are_drawn_by_the_seed(pair: tuple[Path, Path], tmp_path: Path) -> None:
    third = folder(tmp_path, "third", 8)
    kept, _said = made(*pair, third, trials=10)
    assert (len(kept.texts), kept.trials) == (3, 9)
    assert made(*pair, third, trials=10)[0].texts == kept.texts


def test_too_few_trials_for_the_texts_get_a_warning_with_the_number_needed(
    pair: tuple[Path, Path], tmp_path: Path
) -> None:
    kept, said = made(*pair, folder(tmp_path, "third", 8), trials=10)
    assert len(kept.texts) == 3
    assert "Warning: with fewer than 5 texts, the result has only counts, no test." in said
    assert "--trials 10 leaves 3 texts. Use --trials 15 or more." in said
    assert not any("Warning" in line for line in made(*pair, tmp_path / "third", trials=15)[1])


@pytest.mark.parametrize("task", ["abx", "acr", "mushra"])
def test_the_other_tasks_can_be_launched_and_answered(
    pair: tuple[Path, Path], tmp_path: Path, task: str, now: Any
) -> None:
    more = {"reference": folder(tmp_path, "reference", 8)} if task == "mushra" else {}
    kept, said = made(*pair, task=task, **more)
    # 8 texts of half a second: of ABX, three clips twice; of MUSHRA, six clips three times, and five answers.
    expected_time = {"abx": "8 trials in about 2", "acr": "16 trials in about 3", "mushra": "8 trials in about 8"}[task]
    assert f"Each listener does {expected_time} minutes." in said

    def better(text: str, heard: list[str]) -> Any:
        if task == "abx":
            return {"preference": 1 if heard[0] == heard[2] else -1}
        if task == "acr":
            return {"score": 4 if heard == ["indigo"] else 2}
        # The first is the reference that is shown.
        return {"ratings": {key: 80 if name == "indigo" else 50 for key, name in rated(heard)}}

    def rated(heard: list[str]) -> list[tuple[str, str]]:
        keys = [clip.key for clip in person.current.trial.clips]
        return list(zip(keys, heard, strict=True))[1:]

    person = listener(kept, now)
    person.rate(better)
    collected = answers.collect(kept, is_stopped=False)
    assert (collected.complete, collected.given) == (1, kept.trials)
    [line] = results.compare(kept, collected, is_stopped=False).lines
    p = f"Sign test: p = {binomtest(8, 8).pvalue:.3f}".replace("0.", ".")
    expected = {
        "abx": "crimson and indigo: X was recognised on 8 of 8 texts, 100 %",
        "acr": "indigo was rated higher than crimson on 8 of 8 texts, 100 %",
        "mushra": "indigo was rated higher than crimson on 8 of 8 texts, 100 %",
    }
    assert line.startswith(f"{expected[task]}. 95 % interval: 68 to 100 %. {p}.")
    assert line.endswith("One listener: this holds for texts like these, not for other listeners.")


def two_way(table: Any) -> tuple[float, float, float, float]:
    """Return the mean of a table (raters, texts) of 0 and 1, its interval and p for ½, by leaving out one at a time.

    The variance is the largest of that by raters, by texts, and both less that by answers; t has Satterthwaite's
    degrees of freedom (the rule for five raters and more in docs/statistics.md).
    """
    mean, (raters, texts) = table.mean(), table.shape
    by_rater = sum((np.delete(table, rater, axis=0).mean() - mean) ** 2 for rater in range(raters))
    by_text = sum((np.delete(table, text, axis=1).mean() - mean) ** 2 for text in range(texts))
    by_answer = sum((np.delete(table, place).mean() - mean) ** 2 for place in range(table.size))
    variance = max(by_rater + by_text - by_answer, by_rater, by_text)
    df = max(variance**2 / (by_rater**2 / (raters - 1) + by_text**2 / (texts - 1)), 1.0)
    error = np.sqrt(variance)
    reach = t.isf(0.025, df) * error
    assert 0.15 < mean < 0.85, "nearer to an end, the rule is another one"
    assert reach < min(mean, 1 - mean), "nearer to an end, the rule is another one"
    return mean, mean - reach, mean + reach, 2 * t.sf(abs(mean - 0.5) / error, df)


@pytest.mark.parametrize("raters", [1, 3, 6])
def test_the_result_is_that_of_the_answers(pair: tuple[Path, Path], now: Any, raters: int, tmp_path: Path) -> None:
    kept, _said = made(*pair, raters=raters)
    draw, given = Random(raters), np.zeros((raters, len(kept.texts)))
    for number in range(raters):
        against = [text for text in kept.texts if draw.random() < 0.3]
        given[number] = [text not in against for text in kept.texts]
        listener(kept, now).rate(prefers(*against, system="indigo"))
    assert len(answers.complete_sessions(kept)) == raters
    collected = answers.collect(kept, is_stopped=False)
    found = results.compare(kept, collected, is_stopped=False)
    [verdict] = found.verdicts
    by_text = given.mean(axis=0)
    assert (verdict.first, verdict.wins, verdict.losses) == ("indigo", int(given.sum()), int((1 - given).sum()))
    assert set(verdict.against) == {text for text, share in zip(kept.texts, by_text, strict=True) if share < 0.5}
    share = verdict.share
    if raters == 1:
        wins = int(given.sum())
        assert (share.value, share.p) == (wins / 8, pytest.approx(binomtest(wins, 8).pvalue))
    elif raters == 3:
        reference = ttest_1samp(by_text, 0.5)
        assert (share.value, share.p) == (pytest.approx(by_text.mean()), pytest.approx(reference.pvalue, abs=1e-6))
        assert "For these listeners only" in found.lines[0]
    else:
        assert (share.value, share.low, share.high, share.p) == pytest.approx(two_way(given))
    paths = results.write(found, tmp_path / "out")
    data = json.loads((tmp_path / "out" / "result.json").read_text())
    assert (data["seed"], data["version"], data["listeners"]) == (7, "0.2.0", raters)
    assert all(each["sha256"] and "gain" in each for each in data["files"])
    assert data["heard_first"] == {"crimson": given.size / 2, "indigo": given.size / 2}
    assert "may have been one of the listeners" in paths[0].read_text()
    assert len((tmp_path / "out" / "answers.csv").read_text().splitlines()) == 1 + given.size


def test_a_test_stopped_by_hand_says_so_and_counts_the_answers_given(pair: tuple[Path, Path], now: Any) -> None:
    kept, _said = made(*pair, raters=2)
    listener(kept, now).rate(prefers(system="crimson"))
    listener(kept, now).rate(prefers(system="crimson"), trials=3)
    assert len(answers.complete_sessions(kept)) == 1
    complete = answers.collect(kept, is_stopped=False)
    assert (complete.complete, complete.listeners, len(complete.answers)) == (1, 1, 8)
    stopped = results.compare(kept, answers.collect(kept, is_stopped=True), is_stopped=True)
    assert stopped.lines[0] == "Stopped by hand after 11 of 16 answers."
    assert stopped.verdicts[0].wins == 11


def test_three_folders_are_compared_in_pairs_with_adjusted_p(pair: tuple[Path, Path], tmp_path: Path, now: Any) -> None:
    kept, _said = made(*pair, folder(tmp_path, "third", 8))
    order = ["third", "crimson", "indigo"]
    listener(kept, now).rate(
        lambda _text, heard: {"preference": 1 if order.index(heard[1]) < order.index(heard[0]) else -1}
    )
    found = results.compare(kept, answers.collect(kept, is_stopped=False), is_stopped=False)
    assert {(each.first, each.second) for each in found.verdicts} == {
        ("crimson", "indigo"), ("third", "crimson"), ("third", "indigo")
    }  # fmt: skip
    assert {round(each.p or 0, 6) for each in found.verdicts} == {round(3 * binomtest(8, 8).pvalue, 6)}
    assert all("adjusted for 3 pairs" in line for line in found.lines)


def test_no_page_of_a_listener_names_a_folder_or_a_file(pair: tuple[Path, Path], client: Any) -> None:
    kept, _said = made(*pair)
    sources = [client.get(f"/s/{kept.slug}/")]
    sources.append(client.post(f"/s/{kept.slug}/", follow=True))
    for step, form in (("consent", {"decision": "agree", "agreed": "on"}), ("instructions", {})):
        sources.append(client.post(f"/rate/{kept.slug}/{step}/", form, follow=True))
    shown = sources[-1].content.decode()
    assert 'id="progress"' in shown
    for response in sources:
        assert response.status_code == 200
        said = response.content.decode() + str(response.headers) + str(getattr(response, "redirect_chain", ""))
        assert not any(word in said for word in ("crimson", "indigo", "sentence0"))


def test_a_study_can_t_be_made_of_broken_files(pair: tuple[Path, Path]) -> None:
    (pair[0] / "crimson_sentence003.wav").write_bytes(b"not a sound")
    with pytest.raises(DomainError):
        made(*pair)
