"""Profiles pin what a judge is asked, and refuse to be half right."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from judge.problems import Misconfigured
from judge.profiles import SHIPPED, PromptProfile, load, load_all
from judge.server.engine import Engine
from judge.server.rendering import render

OWN: dict[str, Any] = {
    "name": "own",
    "version": 1,
    "title": "Mine",
    "frame": "{audio}\n{prompt}",
    "prompt": "Human or Machine:",
    "read_after": ":",
    "labels": [{"text": "Human", "weight": 1}, {"text": "Machine", "weight": 0}],
}


def written(folder: Path, **changed: Any) -> str:
    path = folder / "own.json"
    path.write_text(json.dumps({**OWN, **changed}))
    return str(path)


def test_the_papers_profile_has_its_labels_and_is_read_at_the_final_colon() -> None:
    att = load("att")
    assert [(label.text, label.weight) for label in att.labels] == [("Human", 1), ("Unclear", 0.5), ("Machine", 0)]
    assert att.text("<|AUDIO|>").endswith(":")
    assert att.hls((0.5, 0.3, 0.2)) == pytest.approx(0.65)


def test_the_released_profile_has_the_published_ids_and_maps_one_to_three_onto_zero_to_one(tmp_path: Path) -> None:
    toml = (SHIPPED / "auto-att-released.toml").read_text()
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("Good, Fair or Bad? Rate this audio:\n")
    digest = hashlib.sha256(b"Good, Fair or Bad? Rate this audio:").hexdigest()
    own = tmp_path / "released.toml"
    pinned = next(line for line in toml.splitlines() if line.startswith("prompt_sha256"))
    own.write_text(toml.replace(pinned, f'prompt_sha256 = "{digest}"'))
    released = load(f"{own}={prompt}")
    assert [label.token_id for label in released.labels] == [15216, 60795, 17082]
    assert released.text("A").endswith("Rate this audio:<|im_end|>\n<|im_start|>assistant\n")
    assert released.hls((1, 0, 0)) == 1
    assert released.hls((0, 1, 0)) == 0.5
    assert released.hls((0.25, 0.5, 0.25)) == pytest.approx((2.0 - 1) / 2)


def test_the_released_profile_says_that_its_prompt_is_missing() -> None:
    with pytest.raises(Misconfigured, match=r"--profile auto-att-released=PROMPT\.txt"):
        load("auto-att-released")


def test_a_prompt_other_than_the_pinned_one_is_refused_with_both_hashes(tmp_path: Path) -> None:
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("Something else:")
    with pytest.raises(Misconfigured, match=hashlib.sha256(b"Something else:").hexdigest()):
        load(f"auto-att-released={prompt}")


def test_a_prompt_for_a_profile_that_has_its_own_is_refused(tmp_path: Path) -> None:
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("Something else:")
    with pytest.raises(Misconfigured, match="a prompt of its own"):
        load(f"att={prompt}")


def test_an_unknown_profile_is_answered_with_those_that_are_shipped() -> None:
    with pytest.raises(Misconfigured, match="att, auto-att-released"):
        load("nothing")


def test_two_profiles_of_one_name_are_refused() -> None:
    with pytest.raises(Misconfigured, match="share a name"):
        load_all(["att", "att"])


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"frame": "{prompt}"}, "once each"),
        ({"labels": OWN["labels"][:1]}, "at least 2"),
        ({"labels": [{"text": "A", "weight": 1}, {"text": "A", "weight": 0}]}, "same text"),
        ({"labels": [{"text": "A", "weight": 1}, {"text": "B", "weight": 1}]}, "weigh the same"),
        ({"invented": 1}, "invented"),
    ],
)
def test_a_profile_that_makes_no_sense_is_refused(tmp_path: Path, changed: dict[str, Any], says: str) -> None:
    with pytest.raises(Misconfigured, match=says):
        load(written(tmp_path, **changed))


def test_a_hash_covers_everything_in_the_profile_and_not_its_spelling(tmp_path: Path) -> None:
    att = load("att")
    again = tmp_path / "att.json"
    again.write_text(att.model_dump_json(indent=3))
    assert load(str(again)).sha256 == att.sha256
    for change in ({"prompt": "x:"}, {"version": 2}, {"loudness": -23.0}, {"languages": ("en",)}):
        assert att.model_copy(update=change).sha256 != att.sha256


def test_a_language_matches_by_its_first_part() -> None:
    att = load("att")
    assert att.suits("zh-CN")
    assert att.suits("")
    assert not att.suits("en")


def test_braces_in_a_prompt_are_left_alone() -> None:
    profile = PromptProfile.model_validate({**OWN, "prompt": "{audio} {x} or Machine:"})
    assert profile.text("HERE") == "HERE\n{audio} {x} or Machine:"


def test_labels_are_the_first_tokens_added_to_the_prompt(engine: Engine) -> None:
    tokenizer = engine.loaded.processor.tokenizer
    rendering = engine.renderings["att"]
    words = [tokenizer.decode([token]) for token in rendering.label_ids]
    assert all(label.text.startswith(word) for label, word in zip(rendering.profile.labels, words, strict=True))
    assert tokenizer.decode([rendering.after[-1]]) == ":"


def refusal(engine: Engine, **changed: Any) -> str:
    profile = PromptProfile.model_validate({**OWN, **changed})
    with pytest.raises(Misconfigured) as caught:
        render(profile, engine.loaded.processor.tokenizer, "<|AUDIO|>")
    return str(caught.value)


def test_labels_that_share_a_first_token_are_refused(engine: Engine) -> None:
    same = [{"text": "Human", "weight": 1}, {"text": "Human.", "weight": 0}]
    assert "same token" in refusal(engine, labels=same)


def test_published_ids_that_another_model_writes_differently_are_refused(engine: Engine) -> None:
    pinned = [{"text": "Human", "weight": 1, "token_id": 15216}, {"text": "Machine", "weight": 0}]
    assert "belongs to another model" in refusal(engine, labels=pinned)


def test_a_text_that_does_not_end_where_the_profile_says_is_refused(engine: Engine) -> None:
    assert "doesn't end with" in refusal(engine, read_after="assistant\n")


def test_a_label_that_changes_the_prompts_own_tokens_is_refused() -> None:
    vocabulary = {"<|AUDIO|>": 0, ":": 1, "H": 2, ":H": 3, "M": 4, "\n": 5, "<|audio_bos|>": 6, "<|audio_eos|>": 7}
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=[(":", "H")]))
    made.pre_tokenizer = pre_tokenizers.Split("\n", behavior="isolated")
    made.add_special_tokens(["<|AUDIO|>", "<|audio_bos|>", "<|audio_eos|>"])
    labels = [{"text": "H", "weight": 1}, {"text": "M", "weight": 0}]
    profile = PromptProfile.model_validate({**OWN, "prompt": "M:", "labels": labels})
    with pytest.raises(Misconfigured, match="merges with"):
        render(profile, PreTrainedTokenizerFast(tokenizer_object=made), "<|AUDIO|>")
