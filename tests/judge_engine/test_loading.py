"""A model is loaded whole, from here, as safetensors, or not at all."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from judge.problems import Misconfigured
from judge.profiles import load as load_profile
from judge.server.__main__ import main
from judge.server.engine import Engine
from judge.server.loading import fingerprint, load, merged, read
from judge.train import model as adapters
from tests.judge_engine import tiny
from tests.judge_engine.sounds import sound


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder, tmp_path / "copy"))


@pytest.fixture(scope="session")
def adapter(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of an adapter that changes answers."""
    out = tmp_path_factory.mktemp("adapter")
    wrapped = adapters.adapted(read(folder, torch.float32)[0], rank=4, alpha=4, dropout=0.0)
    torch.manual_seed(3)
    with torch.no_grad():
        for parameter in adapters.trainable(wrapped):
            parameter.normal_(std=0.3)
    adapters.save(wrapped, out)
    return out


def weights(folder: Path, change) -> None:  # type: ignore[no-untyped-def]
    path = folder / "model.safetensors"
    tensors = load_file(path)
    change(tensors)
    save_file(tensors, path, metadata={"format": "pt"})


def test_a_missing_key_is_refused_by_name(copy: Path) -> None:
    weights(copy, lambda tensors: tensors.pop("multi_modal_projector.linear.bias"))
    with pytest.raises(Misconfigured, match=r"missing keys: 1, such as .*multi_modal_projector\.linear\.bias"):
        read(copy, torch.float32)


def test_a_left_over_key_is_refused(copy: Path) -> None:
    weights(copy, lambda tensors: tensors.update({"language_model.lost.weight": torch.zeros(2)}))
    with pytest.raises(Misconfigured, match="unexpected keys: 1"):
        read(copy, torch.float32)


def test_pickled_weights_are_not_even_looked_at(copy: Path) -> None:
    torch.save(load_file(copy / "model.safetensors"), copy / "pytorch_model.bin")
    (copy / "model.safetensors").unlink()
    with pytest.raises(Misconfigured, match=r"\*\.safetensors"):
        read(copy, torch.float32)


def test_another_kind_of_model_is_refused(copy: Path) -> None:
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps({**config, "model_type": "qwen2"}))
    with pytest.raises(Misconfigured, match="of the kind qwen2"):
        read(copy, torch.float32)


def test_code_in_a_models_folder_is_never_run(copy: Path) -> None:
    config = json.loads((copy / "config.json").read_text())
    remote = {"AutoConfig": "evil.Evil", "AutoModel": "evil.Evil", "AutoProcessor": "evil.Evil"}
    (copy / "config.json").write_text(json.dumps({**config, "auto_map": remote}))
    (copy / "evil.py").write_text("raise SystemExit('the code of a stranger ran')\n")
    model, _ = read(copy, torch.float32)
    assert type(model).__name__ == "Qwen2AudioForConditionalGeneration"
    assert not [name for name in sys.modules if "evil" in name]


def test_a_models_hash_changes_with_its_weights_and_its_tokenizer(copy: Path, folder: Path) -> None:
    assert fingerprint(copy) == fingerprint(folder)
    (copy / "README.md").write_text("This decides nothing.")
    assert fingerprint(copy) == fingerprint(folder)
    (copy / "tokenizer.json").write_text((copy / "tokenizer.json").read_text() + "\n")
    assert fingerprint(copy) != fingerprint(folder)


def test_lora_sits_on_seven_linears_of_each_layer_of_the_language_model_alone(folder: Path) -> None:
    model, _ = read(folder, torch.float32)
    wrapped = adapters.adapted(model, rank=4, alpha=4, dropout=0.0)
    names = {name for name, parameter in wrapped.named_parameters() if parameter.requires_grad}
    assert len(names) == 2 * 7 * tiny.LAYERS
    assert all("language_model" in name and "audio_tower" not in name for name in names)
    assert not any("projector" in name or "lm_head" in name for name in names)


def test_a_merged_adapter_answers_as_the_adapter_beside_the_model_does(folder: Path, adapter: Path) -> None:
    profile = load_profile("att")
    plain = Engine(load(folder, device="cpu"), [profile])
    fused = Engine(load(folder, adapter, device="cpu"), [profile])
    clip = plain.prepare(sound(2.0), "att")
    beside, _ = read(folder, torch.float32)
    wrapped = adapters.adapted(beside, rank=4, alpha=4, dropout=0.0).eval()
    adapters.restore(wrapped, adapter)
    with torch.inference_mode():
        expected = float(adapters.scores(wrapped, [clip]))
    score = profile.hls(fused.read([clip])[0].probabilities)
    assert score == pytest.approx(expected, abs=1e-5)
    assert score != pytest.approx(profile.hls(plain.read([clip])[0].probabilities), abs=1e-3)
    assert fused.loaded.weights_sha256 == plain.loaded.weights_sha256
    assert fused.loaded.adapter_sha256 == fingerprint(adapter)
    assert plain.loaded.adapter_sha256 == ""


def test_a_merged_model_is_written_and_read_like_any_other(
    folder: Path, adapter: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "merged"
    arguments = ["--model", str(folder), "--adapter", str(adapter), "--dtype", "float32", "--device", "cpu"]
    assert main(["merge", *arguments, "--out", str(out)]) == 0
    assert fingerprint(out) in capsys.readouterr().err
    profile = load_profile("att")
    fused = Engine(load(folder, adapter, device="cpu"), [profile])
    again = Engine(load(out, device="cpu"), [profile])
    clip = fused.prepare(sound(2.0), "att")
    assert again.read([clip])[0].log_probabilities == pytest.approx(fused.read([clip])[0].log_probabilities, abs=1e-6)


def damaged(adapter: Path, tmp_path: Path, change) -> Path:  # type: ignore[no-untyped-def]
    out = Path(shutil.copytree(adapter, tmp_path / "damaged"))
    path = out / "adapter_model.safetensors"
    tensors = load_file(path)
    change(tensors)
    save_file(tensors, path, metadata={"format": "pt"})
    return out


@pytest.mark.filterwarnings("ignore:Found missing adapter keys")
def test_an_adapter_with_a_layer_missing_is_refused(folder: Path, adapter: Path, tmp_path: Path) -> None:
    out = damaged(adapter, tmp_path, lambda tensors: tensors.pop(min(tensors)))
    with pytest.raises(Misconfigured, match="doesn't fit the model"):
        merged(read(folder, torch.float32)[0], out)


def test_an_adapter_that_touches_the_audio_tower_is_refused(folder: Path, adapter: Path, tmp_path: Path) -> None:
    name = "base_model.model.model.audio_tower.layers.0.self_attn.q_proj.lora_A.weight"
    out = damaged(adapter, tmp_path, lambda tensors: tensors.update({name: torch.zeros(4, 32)}))
    with pytest.raises(Misconfigured, match="touches more than the language model"):
        merged(read(folder, torch.float32)[0], out)


def test_a_folder_without_an_adapter_is_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="holds no adapter"):
        merged(read(folder, torch.float32)[0], tmp_path)


def test_no_django_is_loaded_with_the_engine() -> None:
    assert not [name for name in sys.modules if name.partition(".")[0] in {"django", "celery", "studies", "raters"}]
