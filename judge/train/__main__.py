"""`python -m judge.train --model DIR --ratings ratings.csv --audio DIR --out DIR`: see docs/judge.md."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from judge.problems import Misconfigured
from judge.profiles import load as load_profile
from judge.server.loading import DTYPES, load
from judge.train import data, script
from judge.train.script import Recipe


def main(arguments: Sequence[str] | None = None) -> int:
    """Train as the command line says; return the exit status."""
    chosen = parser().parse_args(arguments)
    recipe = Recipe(
        chosen.epochs, chosen.batch, chosen.rate, rank=chosen.rank, alpha=chosen.alpha, dropout=chosen.dropout,
        reduction=chosen.reduction, seed=chosen.seed, keep=chosen.keep, recompute=chosen.recompute,
    )  # fmt: skip
    try:
        examples = data.read(chosen.ratings, chosen.audio, raters=chosen.raters, simulated=chosen.simulated)
        examples = [example for example in examples if example.family not in chosen.without]
        split = data.split(examples, seed=chosen.seed, hold_out=chosen.hold_out)
        profile = load_profile(chosen.profile)
        loaded = load(chosen.model, device=chosen.device, dtype=chosen.dtype)
        script.train(loaded, profile, split, recipe, chosen.out)
    except (Misconfigured, OSError) as problem:
        script.say(str(problem))
        return 1
    script.say(f"Written: {chosen.out}; its README.md tells the figures.")
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the argument parser."""
    usual = Recipe()
    command = argparse.ArgumentParser(prog="python -m judge.train", allow_abbrev=False)
    command.add_argument("--model", type=Path, required=True, help="folder of a Qwen2-Audio model (safetensors)")
    command.add_argument("--ratings", type=Path, required=True, help="ratings.csv of an export")
    command.add_argument("--audio", type=Path, required=True, help="folder that the column clip counts from")
    command.add_argument("--out", type=Path, required=True, help="folder to write; goes on where a killed run stopped")
    command.add_argument("--profile", default="att", metavar="NAME|FILE.toml[=PROMPT.txt]", help="how to ask (att)")
    command.add_argument("--raters", type=int, default=3, help="usable ratings that a clip needs (3)")
    command.add_argument(
        "--hold-out", action="append", default=[], metavar="SYSTEM/VOICE", help="else drawn by the seed"
    )
    command.add_argument("--without", action="append", default=[], metavar="SYSTEM", help="leave a family out")
    command.add_argument("--simulated", action="store_true", help="train on simulated ratings, to try the machinery")
    command.add_argument("--epochs", type=int, default=usual.epochs)
    command.add_argument("--batch", type=int, default=usual.batch, help="clips of one dimension that share a step")
    command.add_argument("--rate", type=float, default=usual.rate, help="learning rate")
    command.add_argument("--rank", type=int, default=usual.rank)
    command.add_argument("--alpha", type=int, default=usual.alpha)
    command.add_argument("--dropout", type=float, default=usual.dropout)
    command.add_argument(
        "--reduction", choices=["sum", "mean"], default=usual.reduction, help="of the loss over a batch"
    )
    command.add_argument("--seed", type=int, default=usual.seed)
    command.add_argument("--keep", type=int, default=usual.keep, help="steps between checkpoints")
    command.add_argument("--recompute", action="store_true", help="save memory: compute activations twice")
    command.add_argument("--device", default="")
    command.add_argument("--dtype", default="", choices=["", *DTYPES])
    return command


if __name__ == "__main__":
    sys.exit(main())
