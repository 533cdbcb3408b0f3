from __future__ import annotations

import re

import pytest

from core.paths import ROOT
from launcher.selftest import COMPILED
from tests.check import locks

NAMES = [lock.name for lock in locks.LOCKS]


def entries(name):
    """Yield (package, version, marker, tags of its wheels) of a lock."""
    text = (ROOT / "locks" / f"{name}.txt").read_text()
    pinned = r"([a-z0-9._-]+)(?:\[[^\]]*\])?==([^ ]+)(?: ; (.+?))?"
    hashes = r"((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)"
    pattern = rf"^# (.+)\n{pinned} \\\n{hashes}"
    for tags, package, version, marker, hashes in re.findall(pattern, text, re.MULTILINE):
        assert len(hashes.splitlines()) == len(tags.split()), package
        yield package, version, marker, tags.split()


@pytest.mark.parametrize("name", NAMES)
def test_each_package_has_a_wheel_on_every_supported_system_and_python(name):
    missing = [
        f"{package} {version} on {system.name} with Python {python}"
        for package, version, marker, tags in entries(name)
        for python, system in locks.targets(marker)
        if not any(locks.fits(tag, python, system) for tag in tags)
    ]
    assert missing == []


@pytest.mark.parametrize("name", NAMES)
def test_a_lock_allows_wheels_alone_and_says_which(name):
    text = (ROOT / "locks" / f"{name}.txt").read_text()
    assert text.startswith("--only-binary :all:\n")
    assert len(list(entries(name))) == len(re.findall(r"^[a-z0-9._-]+(?:\[[^\]]*\])?==", text, re.MULTILINE)) > 0


def test_no_lock_allows_soundfile_without_its_library():
    tags = {tag for name in NAMES for package, _, _, tags in entries(name) if package == "soundfile" for tag in tags}
    assert len(tags) == 3
    assert not any(tag.endswith("-any") for tag in tags)


def test_the_self_test_imports_every_compiled_package():
    compiled = {package for package, _, _, tags in entries("run") if not any(tag.endswith("-none-any") for tag in tags)}
    assert compiled == {*COMPILED, "audioop-lts"}


@pytest.mark.parametrize(
    ("files", "kept"),
    [
        (["a-1.tar.gz", "a-1-py3-none-any.whl"], ["a-1-py3-none-any.whl"]),
        (
            [f"a-1-py3-none-{tag}.whl" for tag in ("any", "manylinux_2_28_x86_64", "win_amd64")],
            ["a-1-py3-none-any.whl", "a-1-py3-none-manylinux_2_28_x86_64.whl"],
        ),
        (
            [
                f"a-1-cp311-abi3-{tag}.whl"
                for tag in (
                    "manylinux_2_17_x86_64",
                    "manylinux2014_aarch64",
                    "macosx_11_0_arm64",
                    "musllinux_1_2_x86_64",
                )
            ]
            + ["a-1-py3-none-any.whl", "a-1-pp311-pypy311_pp73-manylinux_2_17_x86_64.whl"],
            [
                f"a-1-cp311-abi3-{tag}.whl"
                for tag in ("manylinux_2_17_x86_64", "manylinux2014_aarch64", "macosx_11_0_arm64")
            ],
        ),
    ],
)
def test_what_cannot_work_is_not_written_into_a_lock(files, kept):
    wheels = [name for name in files if name.endswith(".whl")]
    assert sorted(locks.working(wheels)) == sorted(kept)
