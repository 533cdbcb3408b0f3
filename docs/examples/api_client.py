"""Make a study, upload its clips, launch it, wait for ratings and download them: all by the API.

    API_TOKEN=esh_… python api_client.py https://listening.example.org my-study \\
        --preset acr --set protocol.ratings_wanted=5 --manifest clips.csv --archive clips.zip --ratings 100

It needs httpx alone. It may be stopped and started again at any point: what is done already is not done twice.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

API = "/api/v1"


class Earshot:
    """One server, asked with one token."""

    def __init__(self, url: str, token: str) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        self.http = httpx.Client(base_url=url, headers=headers, timeout=120)

    def ask(self, method: str, path: str, **request: Any) -> httpx.Response:
        """Send a request, again when the server asks to wait, and end with what it says when it refuses."""
        while True:
            response = self.http.request(method, path if path.startswith(API) else API + path, **request)
            if response.status_code != 429:
                break
            time.sleep(float(response.headers["Retry-After"]))
        if response.is_error:
            sys.exit(f"{method} {path}: {response.status_code} {explained(response)}")
        return response

    def upload(self, path: Path) -> str:
        """Send a file in parts, each checked by its hash, and return the upload's id."""
        content = path.read_bytes()
        about = {"name": path.name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        upload = self.ask("POST", "/uploads", json=about).json()
        size = upload["part_bytes"]
        for number in upload["missing"]:
            part = content[(number - 1) * size : number * size]
            headers = {"X-Content-SHA256": hashlib.sha256(part).hexdigest(), "Content-Type": "application/octet-stream"}
            self.ask("PUT", f"{upload['url']}/parts/{number}", content=part, headers=headers)
        return str(upload["id"])

    def wait(self, what: str, path: str, holds: Callable[[dict[str, Any]], bool], seconds: float) -> dict[str, Any]:
        """Ask again and again until something holds."""
        while True:
            found: dict[str, Any] = self.ask("GET", path).json()
            if holds(found):
                return found
            print(f"waiting for {what} …", flush=True)
            time.sleep(seconds)


def is_over(job: dict[str, Any]) -> bool:
    """Say whether a worker is done with a job, well or not."""
    return job["state"] in {"done", "failed"}


def explained(response: httpx.Response) -> str:
    """Return a refusal in words, with the field of each message."""
    try:
        said = response.json()
    except ValueError:
        return response.text[:500]
    lines = [f"{error.get('field', '')}: {error['message']}" for error in said["errors"]]
    return "\n  ".join([f"{said['code']}: {said['message']}", *lines])


def bring_clips(earshot: Earshot, study: str, manifest: Path, archive: Path, every: float) -> None:
    """Import the clips, unless the study has some; end with each row that was refused."""
    if earshot.ask("GET", f"{study}/clips?limit=1").json()["results"]:
        return
    fields = {"upload": earshot.upload(archive)}
    begun = earshot.ask("POST", f"{study}/imports", data=fields, files={"manifest": manifest.open("rb")}).json()
    job = earshot.wait("the import", begun["url"], is_over, every)
    if not job["accepted"]:
        rows = [f"row {line['row']}, {line['column']}: {line['message']}" for line in job["errors"]]
        sys.exit("\n  ".join(["Nothing was imported.", job["error"], *rows]))
    print(f"{job['clips_added']} clips are in.")


def launch(earshot: Earshot, study: str) -> None:
    """Launch a draft; end with what blocks it."""
    if earshot.ask("GET", study).json()["state"] != "draft":
        return
    checked = earshot.ask("POST", f"{study}/validate", json={}).json()
    for finding in checked["findings"]:
        print(f"{finding['level']}: {finding['message']}")
    if not checked["launchable"]:
        sys.exit("The study can't be launched like this.")
    earshot.ask("POST", f"{study}/launch")
    print("The study is live.")


def download(earshot: Earshot, study: str, simulated: str, target: Path, every: float) -> None:
    """Begin an export, wait for it, and keep it."""
    begun = earshot.ask("POST", f"{study}/exports", json={"simulated": simulated}).json()
    export = earshot.wait("the export", begun["url"], is_over, every)
    if export["state"] == "failed":
        sys.exit(f"The export failed: {export['error']}")
    target.write_bytes(earshot.ask("GET", export["download"]).content)
    print(f"Wrote {target}.")


def setting(text: str) -> tuple[str, Any]:
    """Read KEY=VALUE; the value is JSON, or else text."""
    name, _, value = text.partition("=")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def main() -> None:
    parser = argparse.ArgumentParser(description="Run a study by Earshot's API; the token is in API_TOKEN.")
    parser.add_argument("url")
    parser.add_argument("slug")
    parser.add_argument("--title")
    parser.add_argument("--preset", default="att")
    parser.add_argument("--set", action="append", default=[], type=setting, metavar="KEY=VALUE")
    parser.add_argument("--manifest", type=Path, required=True)
    parser.add_argument("--archive", type=Path, required=True)
    parser.add_argument("--ratings", type=int, required=True, help="how many to wait for")
    parser.add_argument("--simulated", default="without", choices=["without", "with", "only"])
    parser.add_argument("--out", type=Path, default=Path("results.zip"))
    parser.add_argument("--every", type=float, default=10.0, metavar="SECONDS", help="how often to ask")
    asked = parser.parse_args()

    earshot = Earshot(asked.url, os.environ["API_TOKEN"])
    body = {"slug": asked.slug, "title": asked.title or asked.slug, "preset": asked.preset, "settings": dict(asked.set)}
    study = earshot.ask("POST", "/studies", json=body).json()["url"]
    bring_clips(earshot, study, asked.manifest, asked.archive, asked.every)
    launch(earshot, study)
    earshot.wait(
        f"{asked.ratings} ratings",
        f"{study}/progress?simulated={asked.simulated}",
        lambda progress: bool(progress["ratings"] >= asked.ratings),
        asked.every,
    )
    download(earshot, study, asked.simulated, asked.out, asked.every)


if __name__ == "__main__":
    main()
