"""A Qwen2-Audio of the real classes, small enough to be made on the spot: same code paths, no opinion worth having."""

from __future__ import annotations

from pathlib import Path

import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    PreTrainedTokenizerFast,
    Qwen2AudioConfig,
    Qwen2AudioForConditionalGeneration,
    Qwen2AudioProcessor,
    WhisperFeatureExtractor,
)

from judge.profiles import load

SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|audio_bos|>", "<|AUDIO|>", "<|audio_eos|>"]
# How Qwen's tokenizer cuts text before it looks for pairs: a colon may stay with the word behind it.
WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
LAYERS = 2


def tokenizer() -> PreTrainedTokenizerFast:
    """Return a byte-level BPE trained on the shipped prompt and the labels."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(WORDS), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    made.decoder = decoders.ByteLevel()
    profile = load("att")
    text = [profile.text(""), "Good Fair Bad", *["Human\nUnc\nMachine\nGood\nFair\nBad\n"] * 20]
    trainer = trainers.BpeTrainer(
        vocab_size=500, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    made.train_from_iterator(text, trainer)
    made.add_special_tokens([AddedToken(token, special=True) for token in SPECIAL])
    return PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<|endoftext|>", eos_token="<|im_end|>", padding_side="left"
    )


def write(folder: Path, *, seed: int = 0) -> Path:
    """Write a model and its processor into `folder` as they lie in a model's repository."""
    words = tokenizer()
    torch.manual_seed(seed)
    config = Qwen2AudioConfig(
        audio_config={
            "model_type": "qwen2_audio_encoder", "num_mel_bins": 128, "max_source_positions": 1500, "d_model": 32,
            "encoder_layers": 1, "encoder_attention_heads": 1, "encoder_ffn_dim": 64, "activation_function": "gelu",
        },
        text_config={
            "model_type": "qwen2", "vocab_size": len(words), "hidden_size": 48, "intermediate_size": 96,
            "num_hidden_layers": LAYERS, "num_attention_heads": 4, "num_key_value_heads": 2,
            "max_position_embeddings": 2048, "tie_word_embeddings": False,
        },
        audio_token_index=words.convert_tokens_to_ids("<|AUDIO|>"),
        tie_word_embeddings=False,
    )  # fmt: skip
    model = Qwen2AudioForConditionalGeneration(config)
    with torch.no_grad():
        # At its usual scale a fresh model gives every clip the same answer to five digits.
        for parameter in model.parameters():
            if parameter.ndim > 1:
                parameter.mul_(4.0)
    model.save_pretrained(folder)
    Qwen2AudioProcessor(WhisperFeatureExtractor(feature_size=128), words).save_pretrained(folder)
    return folder
