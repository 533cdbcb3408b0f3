"""`python -m judge.server serve | score | merge`: see docs/judge.md."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from judge.problems import Misconfigured
from judge.profiles import load_all
from judge.server import decoding, manifest, serve
from judge.server.app import ServerSettings, Service
from judge.server.batching import Budget, ClipUnanswered
from judge.server.engine import Engine
from judge.server.judging import Judge
from judge.server.loading import DTYPES, TRAINING, LoadedModel, fingerprint, load


def parser() -> argparse.ArgumentParser:
    """Return the argument parser."""
    whole = argparse.ArgumentParser(prog="python -m judge.server", allow_abbrev=False)
    commands = whole.add_subparsers(dest="command", required=True)
    model = argparse.ArgumentParser(add_help=False)
    model.add_argument("--model", type=Path, required=True, help="folder of a Qwen2-Audio model (safetensors)")
    model.add_argument("--adapter", type=Path, help="folder of a LoRA adapter, merged into the model on loading")
    model.add_argument("--device", default="", help="cpu or cuda:N (the first GPU, else the CPU)")
    model.add_argument("--dtype", default="", choices=["", *DTYPES], help="bfloat16 on a GPU, float32 on the CPU")
    asks = argparse.ArgumentParser(add_help=False)
    asks.add_argument(
        "--profile", action="append", default=[], metavar="NAME|FILE.toml[=PROMPT.txt]",
        help="how to ask (att); may be given several times",
    )  # fmt: skip
    asks.add_argument("--batch-clips", type=int, help="clips in a forward pass at most (16 on a GPU, 1 on the CPU)")
    asks.add_argument("--batch-tokens", type=int, default=16_384, help="tokens in a forward pass at most, padding too")
    serving = commands.add_parser("serve", parents=[model, asks], help="answer POST /v1/score")
    serving.add_argument("--host", default="127.0.0.1", help="another needs EARSHOT_JUDGE_TOKEN")
    serving.add_argument("--port", type=int, default=8765)
    serving.add_argument("--queue", type=int, default=64, help="clips taken at once; more are answered 503")
    serving.add_argument("--max-mb", type=int, default=64, help="largest clip")
    serving.add_argument("--decoders", type=int, default=2, help="processes that decode")
    scoring = commands.add_parser("score", parents=[model, asks], help="score a manifest without a server")
    scoring.add_argument("manifest", type=Path, help="CSV with the column file (or clip); language and sha256 are used")
    scoring.add_argument("--root", type=Path, help="folder of the files (the manifest's own)")
    scoring.add_argument("--out", type=Path, required=True, help="scores.csv to write")
    merging = commands.add_parser("merge", parents=[model], help="write the model with its adapter merged in")
    merging.add_argument("--out", type=Path, required=True, help="folder to write")
    return whole


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    chosen = parser().parse_args(arguments)
    try:
        if chosen.command == "serve":
            return _serve(chosen)
        return _score(chosen) if chosen.command == "score" else _merge(chosen)
    except (Misconfigured, ClipUnanswered, OSError) as problem:
        _say(str(problem))
        return 1


def _serve(chosen: argparse.Namespace) -> int:
    token = serve.token_for(chosen.host)
    judge, budget = _judge(chosen)
    settings = ServerSettings(token, chosen.queue, chosen.max_mb * 1024 * 1024, chosen.decoders, budget)
    _say(f"Profiles {', '.join(judge.profiles)} on {judge.engine.loaded.device}; http://{chosen.host}:{chosen.port}")
    return serve.serve(Service(judge, settings), host=chosen.host, port=chosen.port)


def _score(chosen: argparse.Namespace) -> int:
    rows = manifest.read(chosen.manifest)
    judge, budget = _judge(chosen)
    root = chosen.root or chosen.manifest.parent
    scored, refused = manifest.write(chosen.out, manifest.score(judge, rows, root, budget))
    _say(f"{scored} scored, {refused} refused with a reason: {chosen.out}")
    return 0


def _merge(chosen: argparse.Namespace) -> int:
    if chosen.adapter is None:
        raise Misconfigured("Name the adapter that is to be merged: --adapter FOLDER")
    loaded = _load(chosen)
    loaded.model.save_pretrained(chosen.out)
    loaded.processor.save_pretrained(chosen.out)
    if loaded.training:
        (chosen.out / TRAINING).write_text(loaded.training.model_dump_json(indent=2), encoding="utf-8")
    _say(f"Written: {chosen.out}\nSHA-256 of its weights: {fingerprint(chosen.out)}")
    return 0


def _judge(chosen: argparse.Namespace) -> tuple[Judge, Budget]:
    profiles = load_all(chosen.profile or ["att"])
    loaded = _load(chosen)
    engine = Engine(loaded, profiles.values())
    engine.warm_up()
    clips = chosen.batch_clips or (16 if loaded.device.type == "cuda" else 1)
    return Judge(engine, decoding.DecoderPool(_decoders(chosen)).hear), Budget(clips, chosen.batch_tokens)


def _decoders(chosen: argparse.Namespace) -> int:
    """Return the number of parallel decoders: as configured, or one per CPU without a server."""
    return int(getattr(chosen, "decoders", 0)) or os.cpu_count() or 1


def _load(chosen: argparse.Namespace) -> LoadedModel:
    return load(chosen.model, chosen.adapter, device=chosen.device, dtype=chosen.dtype)


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")


if __name__ == "__main__":
    sys.exit(main())
