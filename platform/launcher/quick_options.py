"""Parse the command line of `earshot quick`."""

from __future__ import annotations

import argparse
import json
import secrets
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import strftime

from core.paths import PROGRAM

TASKS = ("ab", "abx", "acr", "mushra")
# Presets that people may ask for, and why a folder of files is too little for them.
OTHERS = {
    "att": "The Audio Turing Test (preset att) needs flawed clips and human recordings as traps",
    "hfr": "The Human Fooling Rate (preset hfr) needs human recordings of the same texts",
}
LEAST, MOST = 2, 5
# Nothing is sent there: it makes the system choose the address that it uses in the local network.
FAR = ("192.0.2.1", 9)
EPILOG = f"""\
examples:
  {PROGRAM} quick old/ new/                          one listener, at most 30 pairs
  {PROGRAM} quick old/ new/ --raters 3 --host        three listeners in the local network
  {PROGRAM} quick a/ b/ c/ --task mushra --reference ref/

exit status: 0 complete, 1 failed or stopped by hand, 2 wrong use
"""


@dataclass(frozen=True)
class QuickOptions:
    """The options that the launcher uses, and `request` for `quick_study` in JSON."""

    host: str
    port: int
    data: Path | None
    out: Path
    raters: int
    keep_open: bool
    json: bool
    request: str


def parser() -> argparse.ArgumentParser:
    """Return the parser."""
    parser = argparse.ArgumentParser(
        prog=f"{PROGRAM} quick", description="A blind listening test of two to five folders of audio.",
        epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
    )  # fmt: skip
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="two to five; files pair by name")
    parser.add_argument("--task", default="ab", help="ab (which sounds better), abx, acr or mushra (default: ab)")
    parser.add_argument("--question", default="", metavar="TEXT", help="ask this instead of the task's own question")
    parser.add_argument("--tie", action="store_true", help="ab: offer “no preference”")
    parser.add_argument("--reference", type=Path, metavar="FOLDER", help="mushra: the recordings to compare with")
    parser.add_argument("--by-order", action="store_true", help="pair files in their order, whatever their names")
    parser.add_argument("--as-is", action="store_true", help="don't match the loudness")
    parser.add_argument("--trim", action="store_true", help="trim silence at the edges of all clips alike")
    parser.add_argument(
        "--common-band", action="store_true", help="limit all clips to the lowest bandwidth of a folder"
    )
    parser.add_argument("--trials", type=_count(200), default=30, metavar="N", help="at most so many a listener (30)")
    parser.add_argument("--raters", type=_count(100), default=1, metavar="N", help="end after so many listeners (1)")
    parser.add_argument("--language", default="en", choices=("en", "zh-hans"), help="of the listeners' pages (en)")
    parser.add_argument("--seed", type=int, help="draws the texts and their order (default: at random)")
    parser.add_argument("--host", nargs="?", const="", metavar="ADDRESS", help="open the test to the local network")
    parser.add_argument("--port", type=int, default=0, help="of the pages (default: a free one)")
    parser.add_argument("--data", type=Path, metavar="DIR", help="keep the study here, to open it later")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the result (default: quick-DATE-TIME)")
    parser.add_argument("--keep-open", action="store_true", help="go on serving the pages after the result")
    parser.add_argument("--json", action="store_true", help="print the result as JSON; all else goes to standard error")
    return parser


def parse(arguments: Sequence[str]) -> QuickOptions:
    """Parse the command line; exit with 2 if it is wrong."""
    known = parser()
    values = known.parse_args(arguments)
    if problem := _problem(values):
        known.error(problem)
    return QuickOptions(
        host="127.0.0.1" if values.host is None else values.host or lan_address(),
        port=values.port,
        data=values.data and values.data.expanduser().resolve(),
        out=(values.out or Path(strftime("quick-%Y%m%d-%H%M%S"))).expanduser().resolve(),
        raters=values.raters, keep_open=values.keep_open, json=values.json, request=_request(values),
    )  # fmt: skip


def lan_address() -> str:
    """Return this machine's address in the local network; 127.0.0.1 without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(FAR)
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])


def _problem(values: argparse.Namespace) -> str:
    if values.task in OTHERS:
        return (
            f"{OTHERS[values.task]}, which quick doesn't imitate. Choose the preset under New study, or: "
            f"{PROGRAM} study create my-study --preset {values.task}"
        )
    if values.task not in TASKS:
        return f"there is no task {values.task}; choose {', '.join(TASKS)}"
    if not LEAST <= len(values.folders) <= MOST:
        return f"name {LEAST} to {MOST} folders, not {len(values.folders)}"
    if (values.task == "mushra") != (values.reference is not None):
        return "--task mushra and --reference FOLDER go together"
    if values.tie and values.task != "ab":
        return "--tie goes with --task ab"
    return ""


def _request(values: argparse.Namespace) -> str:
    names = ("task", "question", "tie", "by_order", "as_is", "trim", "common_band", "trials", "raters", "language")
    reference = values.reference and str(values.reference.expanduser().resolve())
    folders = [str(path.expanduser().resolve()) for path in values.folders]
    seed = secrets.randbelow(2**31) if values.seed is None else values.seed
    return json.dumps(
        {name: getattr(values, name) for name in names} | {"folders": folders, "reference": reference, "seed": seed}
    )


def _count(most: int) -> Callable[[str], int]:
    def count(text: str) -> int:
        number = int(text)
        if not 1 <= number <= most:
            raise argparse.ArgumentTypeError(f"choose 1 to {most}")
        return number

    return count
