"""The release workflow: its notes are those of the released version."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml

from core.paths import ROOT

WORKFLOW = ROOT / ".github" / "workflows" / "release.yml"


@pytest.mark.parametrize(
    ("heading", "is_released"),
    [("[1.2.3] - 2026-11-30", True), ("[1.2.3] - Unreleased", False), ("[1.2.4] - 2026-11-30", False)],
)
def test_a_tag_is_released_with_the_dated_section_of_its_version_only(
    heading: str, is_released: bool, tmp_path: Path
) -> None:
    steps = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]["wheel"]["steps"]
    (script,) = [step["run"] for step in steps if step.get("name") == "Take the notes from the changelog"]
    changelog = f"# Changelog\n\n## {heading}\n\n- New.\n\n## [1.2.2] - 2026-11-01\n\n- Old.\n"
    (tmp_path / "CHANGELOG.md").write_text(changelog, encoding="utf-8")
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "GITHUB_REF_NAME": "v1.2.3"},
        capture_output=True,
        text=True,
        check=False,
    )
    if is_released:
        assert done.returncode == 0, done.stdout
        assert (tmp_path / "notes.md").read_text(encoding="utf-8") == f"## {heading}\n\n- New.\n\n"
    else:
        assert done.returncode == 1
        assert done.stdout.startswith("::error::CHANGELOG.md must begin with '## [1.2.3] - YYYY-MM-DD'")
