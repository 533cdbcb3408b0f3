"""What may train a judge, who is held out, and equation 2."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from judge.problems import Misconfigured
from judge.train import data, loss
from tests.judge_engine import export
from tests.judge_engine.export import row


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    return export.make(tmp_path, each=1)


def test_a_label_is_the_median_of_three_raters(ratings: Path) -> None:
    examples = data.read(ratings, ratings.parent)
    assert len(examples) == 24
    labels = {example.clip.split("-")[3]: example.label for example in examples}
    assert labels == {"human": 1.0, "unclear": 0.5, "machine": 0.0}


def test_traps_unusable_and_simulated_ratings_never_train(tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_bytes(b"a")
    three = [row("a.wav", rater, 1.0) for rater in range(3)]
    others = [
        row(clip, rater, 0.0, **changed)
        for clip, changed in (
            ("trap.wav", {"role": "trap_human"}),
            ("flawed.wav", {"role": "trap_flawed"}),
            ("bad.wav", {"usable": "false"}),
            ("bot.wav", {"simulated": "true"}),
        )
        for rater in range(3)
    ]
    few = [row("few.wav", rater, 1.0) for rater in range(2)]
    again = [row("a.wav", 9, "")]
    examples = data.read(export.write(tmp_path, [*three, *others, *few, *again]), tmp_path)
    assert [example.clip for example in examples] == ["a.wav"]


def test_scores_of_another_scale_and_absent_audio_are_refused(tmp_path: Path) -> None:
    rows = [row("a.wav", rater, 4.0) for rater in range(3)]
    with pytest.raises(Misconfigured, match="from 0 to 1"):
        data.read(export.write(tmp_path, rows), tmp_path)
    rows = [row("none.wav", rater, 1.0) for rater in range(3)]
    with pytest.raises(Misconfigured, match=r"none\.wav can't be read"):
        data.read(export.write(tmp_path, rows), tmp_path)
    with pytest.raises(Misconfigured, match="no test clip with 3"):
        data.read(export.write(tmp_path, []), tmp_path)


def test_an_apostrophe_that_an_export_put_before_a_name_is_taken_off(tmp_path: Path) -> None:
    (tmp_path / "=a.wav").write_bytes(b"a")
    rows = [row("'=a.wav", rater, 1.0) for rater in range(3)]
    assert [example.clip for example in data.read(export.write(tmp_path, rows), tmp_path)] == ["=a.wav"]


def test_one_voice_of_each_family_is_held_out(ratings: Path) -> None:
    examples = data.read(ratings, ratings.parent)
    split = data.split(examples, seed=1)
    held_out = {(example.family, example.voice) for example in split.held_out}
    assert {family for family, _ in held_out} == {"alpha", "beta"}
    assert len(held_out) == 2
    assert not held_out & {(example.family, example.voice) for example in split.training}
    assert len(split.training) + len(split.held_out) == len(examples)
    assert data.split(examples, seed=1) == split
    assert data.split(examples, seed=0, hold_out=["alpha/b"]).voices[0] == "alpha/b"


def test_a_family_with_one_voice_cannot_be_held_out(ratings: Path) -> None:
    examples = [one for one in data.read(ratings, ratings.parent) if (one.family, one.voice) != ("beta", "a")]
    with pytest.raises(Misconfigured, match="beta has one voice"):
        data.split(examples, seed=1)


def test_a_named_voice_must_exist(ratings: Path) -> None:
    with pytest.raises(Misconfigured, match="no voice alpha/z"):
        data.split(data.read(ratings, ratings.parent), seed=1, hold_out=["alpha/z"])


def test_each_batch_comes_from_one_dimension_and_each_clip_once_an_epoch(ratings: Path) -> None:
    examples = data.read(ratings, ratings.parent)
    first = list(data.batches(examples, 5, seed=1, epoch=0))
    assert all(len({example.dimension for example in batch}) == 1 for batch in first)
    assert all(len(batch) <= 5 for batch in first)
    assert sorted(example.clip for batch in first for example in batch) == sorted(one.clip for one in examples)
    assert list(data.batches(examples, 5, seed=1, epoch=0)) == first
    assert list(data.batches(examples, 5, seed=1, epoch=1)) != first


def by_hand(predicted: list[float], wanted: list[float]) -> tuple[float, float]:
    pairs = [
        -math.log(1 / (1 + math.exp(-(predicted[i] - predicted[j]))))
        for i in range(len(wanted))
        for j in range(len(wanted))
        if wanted[i] > wanted[j]
    ]
    return sum(pairs), 0.5 * sum((p - w) ** 2 for p, w in zip(predicted, wanted, strict=True))


def test_equation_2_is_a_sum_over_pairs_and_clips() -> None:
    predicted, wanted = [0.9, 0.4, 0.3, 0.1], [1.0, 0.5, 0.5, 0.0]
    ranked, squared = by_hand(predicted, wanted)
    found = loss.att_loss(torch.tensor(predicted), torch.tensor(wanted))
    assert float(found) == pytest.approx(0.4 * ranked + 0.6 * squared, rel=1e-6)
    mean = loss.att_loss(torch.tensor(predicted), torch.tensor(wanted), "mean")
    assert float(mean) == pytest.approx(0.4 * ranked / 5 + 0.6 * squared / 4, rel=1e-6)


def test_a_batch_with_one_label_has_squares_alone() -> None:
    found = loss.att_loss(torch.tensor([0.2, 0.6]), torch.tensor([0.5, 0.5]), "mean")
    assert float(found) == pytest.approx(0.6 * 0.5 * (0.09 + 0.01) / 2)


@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_the_floor_is_the_least_loss_that_scores_within_0_and_1_can_have(reduction: loss.Reduction) -> None:
    wanted = [1.0, 1.0, 0.5, 0.0]
    labels = torch.tensor(wanted, dtype=torch.float64)
    free = minimize(
        lambda scores: loss.att_loss(torch.tensor(scores), labels, reduction).item(),
        np.full(4, 0.5), bounds=[(0, 1)] * 4, method="L-BFGS-B", options={"ftol": 1e-14, "gtol": 1e-10},
    ).fun  # fmt: skip
    assert loss.floor(wanted, reduction) == pytest.approx(free, abs=1e-6)
    assert loss.floor(wanted, reduction) <= float(loss.att_loss(labels, labels, reduction))


def test_one_full_pair_leaves_what_a_sigmoid_of_one_leaves() -> None:
    assert loss.floor([1.0, 0.0]) == pytest.approx(0.4 * math.log(1 + math.exp(-1)))
    assert loss.floor([0.5, 0.5]) == pytest.approx(0)


def test_pair_accuracy_counts_order_and_f1_the_level() -> None:
    assert loss.pair_accuracy([0.9, 0.5, 0.1], [1, 0.5, 0]) == 1
    assert loss.pair_accuracy([0.3, 0.2, 0.1], [1, 0.5, 0]) == 1
    assert loss.pair_accuracy([0.1, 0.1], [1, 0]) == 0.5
    assert math.isnan(loss.pair_accuracy([0.1, 0.2], [1, 1]))
    assert loss.f1([0.9, 0.4, 0.6], [1, 1, 0]) == pytest.approx(0.5)
    assert math.isnan(loss.f1([0.1], [0.0]))
