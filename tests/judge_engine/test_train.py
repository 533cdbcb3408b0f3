"""Training on the tiny model: it learns, it goes on after a kill, and what it writes can be served."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from judge.problems import Misconfigured
from judge.profiles import load as load_profile
from judge.schemas import ScoreQuery, TrainingRecord
from judge.server.engine import Engine
from judge.server.judging import Judge
from judge.server.loading import load, read
from judge.train import checkpoints, data, loss, model, script
from judge.train.__main__ import main
from judge.train.script import Recipe
from tests.judge_engine import export

ROOT = Path(__file__).parents[2]
SHORT = Recipe(epochs=2, batch=6, rate=1e-3, rank=4, alpha=4, keep=2, seed=5)


@pytest.fixture(scope="module")
def ratings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export.make(tmp_path_factory.mktemp("export"), each=1)


@pytest.fixture(scope="module")
def split(ratings: Path) -> data.Split:
    return data.split(data.read(ratings, ratings.parent), seed=0)


def train(folder: Path, split: data.Split, recipe: Recipe, out: Path) -> dict[str, Any]:
    return script.train(load(folder, device="cpu"), load_profile("att"), split, recipe, out)


def adapter(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "adapter_model.safetensors")


@pytest.fixture(scope="module")
def trained(folder: Path, split: data.Split, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Return the folder and the figures of a run that is long enough to learn the task."""
    out = tmp_path_factory.mktemp("trained")
    return out, train(folder, split, Recipe(epochs=12, batch=6, rate=2e-2, rank=8, alpha=16, reduction="mean"), out)


def test_it_learns_order_and_level_and_comes_near_the_floor(trained: tuple[Path, dict[str, Any]]) -> None:
    out, figures = trained
    history = [json.loads(line) for line in (out / "history.jsonl").read_text().splitlines()]
    excess = [line["loss"] - line["floor"] for line in history]
    assert min(excess) >= -1e-6, "nothing is below the floor"
    assert sum(excess[-4:]) < 0.3 * sum(excess[:4])
    held_out = figures["held_out"]
    assert held_out["clips"] == 12
    assert held_out["pair_accuracy"] > 0.85
    assert figures["training"]["mean_square"] < 0.1
    assert figures["training"]["excess"] < 0.05


def test_what_is_written_serves_the_same_scores(
    trained: tuple[Path, dict[str, Any]], folder: Path, split: data.Split
) -> None:
    out, figures = trained
    judge = Judge(Engine(load(folder, out, device="cpu"), [load_profile(str(out / "profile.json"))]))
    predicted = []
    for example in split.held_out:
        question = judge.question(example.path.read_bytes(), ScoreQuery(length=None, seconds=None))
        predicted.append(judge.score(question, judge.engine.read([question.prepared])[0]).hls)
    wanted = [example.label for example in split.held_out]
    again = sum((p - w) ** 2 for p, w in zip(predicted, wanted, strict=True)) / len(wanted)
    assert again == pytest.approx(figures["held_out"]["mean_square"], abs=1e-5)
    assert judge.profiles["att"].sha256 == load_profile("att").sha256


def test_the_card_names_the_training_clips_the_held_out_voices_and_the_figures(
    trained: tuple[Path, dict[str, Any]], folder: Path, split: data.Split
) -> None:
    out, figures = trained
    card = (out / "README.md").read_text()
    assert all(example.sha256 in card for example in split.training)
    assert not any(example.sha256 in card for example in split.held_out)
    assert all(voice in card for voice in split.voices)
    assert f"{figures['held_out']['pair_accuracy']:.4f}" in card
    assert load_profile("att").sha256 in card
    told = load(folder, out, device="cpu").training
    assert told == TrainingRecord(
        clips=tuple(sorted(example.sha256 for example in split.training)),
        dimensions=("news", "poem"),
        held_out=split.voices,
    )


def test_only_the_language_models_adapters_change(folder: Path, split: data.Split, tmp_path: Path) -> None:
    loaded = load(folder, device="cpu")
    before = {name: tensor.clone() for name, tensor in loaded.model.state_dict().items()}
    script.train(loaded, load_profile("att"), split, SHORT, tmp_path)
    after = {name.replace(".base_layer", ""): tensor for name, tensor in loaded.model.state_dict().items()}
    assert all(torch.equal(after[name], tensor) for name, tensor in before.items())
    changed = adapter(tmp_path)
    assert len(changed) == 2 * 7 * 2
    assert all(float(tensor.abs().max()) > 0 for tensor in changed.values()), "each has learned something"


def test_a_killed_run_goes_on_to_the_very_same_adapter(
    folder: Path, ratings: Path, split: data.Split, tmp_path: Path
) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    train(folder, split, SHORT, whole)
    command = [
        "--model", str(folder), "--ratings", str(ratings), "--audio", str(ratings.parent), "--out", str(killed),
        "--epochs", "2", "--batch", "6", "--rate", "1e-3", "--rank", "4", "--alpha", "4", "--keep", "2", "--seed", "5",
        "--device", "cpu", *[f"--hold-out={voice}" for voice in split.voices],
    ]  # fmt: skip
    with subprocess.Popen(
        [sys.executable, "-m", "judge.train", *command], cwd=ROOT, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "OMP_NUM_THREADS": "2"},
    ) as process:  # fmt: skip
        assert process.stderr
        for line in process.stderr:
            if line.startswith("step 2 of"):
                process.send_signal(signal.SIGKILL)
                break
    assert (killed / checkpoints.NAME / "progress.json").is_file()
    assert not (killed / "adapter_model.safetensors").exists()
    assert main(command) == 0
    one, other = adapter(whole), adapter(killed)
    assert one.keys() == other.keys()
    assert all(torch.allclose(one[name], other[name], atol=1e-6) for name in one)
    assert len((killed / "history.jsonl").read_text().splitlines()) == 4


def test_another_run_is_never_gone_on_with(folder: Path, split: data.Split, tmp_path: Path) -> None:
    one = Recipe(epochs=1, batch=12, rank=4, alpha=4)
    train(folder, split, one, tmp_path)
    with pytest.raises(Misconfigured, match="other data or settings"):
        train(folder, split, Recipe(epochs=1, batch=12, rank=4, alpha=4, seed=1), tmp_path)


def test_a_kill_while_a_checkpoint_is_replaced_leaves_the_one_before(folder: Path, tmp_path: Path) -> None:
    wrapped = model.adapted(read(folder, torch.float32)[0], rank=2, alpha=2, dropout=0.0)
    optimizer = torch.optim.AdamW(model.trainable(wrapped))
    checkpoints.save(tmp_path, wrapped, optimizer, checkpoints.TrainingProgress(7, []), "run")
    (tmp_path / checkpoints.NAME).rename(tmp_path / f"{checkpoints.NAME}.old")
    assert checkpoints.restore(tmp_path, wrapped, optimizer, "run").step == 7


def test_recomputing_activations_gives_the_same_gradients(folder: Path, split: data.Split) -> None:
    def gradients(recompute: bool) -> list[torch.Tensor]:
        loaded = load(folder, device="cpu")
        engine = Engine(loaded, [load_profile("att")])
        torch.manual_seed(1)
        wrapped = model.adapted(loaded.model, rank=2, alpha=2, dropout=0.0).train()
        if recompute:
            script.recompute_activations(loaded.model)
        batch = list(split.training[:4])
        wanted = torch.tensor([example.label for example in batch])
        loss.att_loss(model.scores(wrapped, script.prepared(engine, batch)), wanted).backward()
        return [parameter.grad for parameter in model.trainable(wrapped) if parameter.grad is not None]

    plain, recomputed = gradients(False), gradients(True)
    assert len(plain) == len(recomputed) == 28
    assert all(torch.allclose(one, other, atol=1e-6) for one, other in zip(plain, recomputed, strict=True))


def test_a_clip_that_the_judge_would_refuse_cannot_train_it(
    folder: Path, ratings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    audio = tmp_path / "audio"
    audio.mkdir()
    for path in ratings.parent.glob("*.wav"):
        (audio / path.name).write_bytes(path.read_bytes()[:44] + bytes(16_000))
    arguments = ["--model", str(folder), "--ratings", str(ratings), "--audio", str(audio), "--out", str(tmp_path / "o")]
    assert main([*arguments, "--device", "cpu", "--rank", "2"]) == 1
    assert "can't be used: Nothing in the clip reaches" in capsys.readouterr().err


def test_the_learning_rate_rises_in_a_line_and_falls_along_a_cosine() -> None:
    rates = [script.pace(step, 100, 0.1) for step in range(100)]
    assert rates[0] == pytest.approx(0.1)
    assert rates[9] == rates[10] == 1.0
    assert rates[55] == pytest.approx(0.5)
    assert 0 < rates[99] < 0.01
