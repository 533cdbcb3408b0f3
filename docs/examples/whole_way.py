"""From a folder of audio to results and a report, all by Earshot's API: a rehearsal with simulated raters.

    API_URL=https://listening.example.org API_TOKEN=esh_… \\
        python whole_way.py clips my-study --preset acr --raters 12

The folder holds `system/text.wav` (recordings of people under `human/`), or a manifest.csv with the columns of
docs/clips.md. It needs only httpx, and api_client.py next to it. You can stop it and start it again.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from api_client import Earshot, bring_clips, download, is_over, launch, setting

SOUNDS = {".wav", ".flac", ".mp3", ".ogg", ".opus", ".m4a"}


def packed(folder: Path, into: Path) -> tuple[Path, Path]:
    """Write the folder's manifest and its audio as one ZIP; return the paths of both."""
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in SOUNDS)
    if not files:
        sys.exit(f"There is no audio in {folder}.")
    names = [path.relative_to(folder).as_posix() for path in files]
    manifest, archive = into / "manifest.csv", into / "clips.zip"
    own = folder / "manifest.csv"
    manifest.write_text(own.read_text("utf-8") if own.is_file() else listed(names), "utf-8")
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as target:
        for path, name in zip(files, names, strict=True):
            target.write(path, name)
    return manifest, archive


def listed(names: list[str]) -> str:
    """Return a manifest of `system/text.wav`: the folder is the system, the file's name the text."""
    target = io.StringIO()
    rows = csv.writer(target, lineterminator="\n")
    rows.writerow(("file", "system", "role", "text_id"))
    rows.writerows((name, name.partition("/")[0], "test", Path(name).stem) for name in names)
    return target.getvalue()


def create(earshot: Earshot, asked: argparse.Namespace) -> str:
    """Make the draft, from a study file or a preset; return its address."""
    body: dict[str, Any] = {"preset": asked.preset, "title": asked.slug}
    if asked.study_file:
        body |= json.loads(asked.study_file.read_text("utf-8"))
    body |= {"slug": asked.slug, "settings": body.get("settings", {}) | dict(asked.set)}
    return str(earshot.ask("POST", "/studies", json=body).json()["url"])


def read_audit(earshot: Earshot, study: str, every: float) -> None:
    """Wait for the audit that the import started, and print what it found."""
    audit = earshot.wait(
        "the audit",
        f"{study}/audit",
        lambda audit: audit["state"] == "failed" or (audit["state"] == "done" and audit["findings"] is not None),
        every,
    )
    if audit["state"] == "failed":
        sys.exit(f"The audit failed: {audit['error']}")
    print(f"{audit['measured']} of {audit['total']} clips are measured.")
    for finding in audit["findings"]:
        print(f"audit, {finding['level']}: {finding['text']} {finding['why']}")


def rehearse(earshot: Earshot, study: str, raters: int, every: float) -> None:
    """Send simulated raters, and wait until they are through."""
    begun = earshot.ask("POST", f"{study}/simulations", json={"raters": raters}).json()
    done = earshot.wait("the simulated raters", begun["url"], is_over, every)
    if done["state"] == "failed":
        sys.exit(f"The simulation failed: {done['error']}")


def report(earshot: Earshot, study: str, folder: Path, every: float) -> None:
    """Analyse what the simulated raters answered, and download the report and its tables."""
    begun = earshot.ask("POST", f"{study}/analyses", json={"simulated": "only"}).json()
    analysis = earshot.wait("the analysis", begun["url"], is_over, every)
    if analysis["state"] == "failed":
        sys.exit(f"The analysis failed: {analysis['error']}")
    for name, url in analysis["documents"].items():
        (folder / name).write_bytes(earshot.ask("GET", url).content)
        print(f"Wrote {folder / name}.")


def main() -> None:
    parser = argparse.ArgumentParser(description="API_URL and API_TOKEN are read from the environment.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("slug")
    parser.add_argument("--preset", default="acr")
    parser.add_argument("--study-file", type=Path, help="JSON with title, preset, language and settings")
    parser.add_argument("--set", action="append", default=[], type=setting, metavar="KEY=VALUE")
    parser.add_argument("--raters", type=int, default=12, help="how many are simulated")
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument("--every", type=float, default=5.0, metavar="SECONDS", help="how often to ask")
    asked = parser.parse_args()

    earshot = Earshot(os.environ["API_URL"], os.environ["API_TOKEN"])
    study = create(earshot, asked)
    with tempfile.TemporaryDirectory() as scratch:
        bring_clips(earshot, study, *packed(asked.folder, Path(scratch)), asked.every)
    read_audit(earshot, study, asked.every)
    cost = earshot.ask("GET", f"{study}/cost").json()
    print(f"A launch takes {cost['raters']} raters of {cost['minutes']} minutes; pay: {cost['total_with_fee']}.")
    launch(earshot, study)
    rehearse(earshot, study, asked.raters, asked.every)
    progress = earshot.ask("GET", f"{study}/progress?simulated=only").json()
    print(f"{progress['ratings']} usable ratings.")
    asked.out.mkdir(parents=True, exist_ok=True)
    scores = f"{study}/results?simulated=only"
    results = earshot.wait("the scores", scores, lambda results: bool(results["is_fresh"]), asked.every)
    (asked.out / "results.json").write_text(json.dumps(results, indent=1, ensure_ascii=False), "utf-8")
    report(earshot, study, asked.out, asked.every)
    download(earshot, study, "only", asked.out / "data.zip", asked.every)


if __name__ == "__main__":
    main()
