"""Write the locks: every version pinned, and of its files only the wheels that work where Earshot is supported.

    .venv/bin/python -m tests.check.locks [--upgrade]

A hash in a lock allows a file. Source archives, wheels for other systems, and pure wheels of packages that also
publish complete ones (`soundfile` without libsndfile inside) are not written, so no installer can pick them,
whatever places it is told to look in. Above each requirement stand the tags of its wheels, which
`tests/launcher/test_locks.py` reads.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.markers import Marker

from core.paths import ROOT
from launcher.environment import UV


@dataclass(frozen=True)
class System:
    """A system that Earshot runs on: how its wheels' platform tags start and end, and what markers read of it."""

    name: str
    start: str
    ends: tuple[str, ...]
    sys_platform: str


SYSTEMS = (
    System("Linux x86-64", "manylinux", ("x86_64",), "linux"),
    System("Linux aarch64", "manylinux", ("aarch64",), "linux"),
    System("macOS arm64", "macosx", ("arm64", "universal2"), "darwin"),
)
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
TARGETS = [(python, system) for python in PYTHONS for system in SYSTEMS]
FOLDER = ROOT / "locks"


@dataclass(frozen=True)
class Lock:
    """One file in `locks/`: what it resolves, and the locks it must agree with."""

    name: str
    arguments: tuple[str, ...]
    requirements: tuple[str, ...] = ()
    agrees_with: tuple[str, ...] = ()


LOCKS = (
    Lock("run", ("--group", "run")),
    Lock("check", ("--group", "run", "--group", "dnsmos", "--group", "check"), agrees_with=("run",)),
    Lock("uv", ("-",), ("uv",), ("check",)),
    Lock("demo", ("--group", "demo"), agrees_with=("run",)),
    Lock("dnsmos", ("--group", "dnsmos"), agrees_with=("run", "check")),
    Lock("judge", ("--group", "judge"), agrees_with=("run",)),
    Lock("judge-check", ("--group", "judge-check"), agrees_with=("judge", "check")),
)


def main() -> None:
    """Write every lock; versions change only with `--upgrade`, or where `pyproject.toml` asks for it."""
    upgrade = "--upgrade" in sys.argv[1:]
    for lock in LOCKS:
        path = FOLDER / f"{lock.name}.txt"
        keep = () if upgrade or not path.exists() else (lock.name,)
        packages = resolve(lock, (*keep, *lock.agrees_with))
        path.write_text(
            "--only-binary :all:\n"
            + "".join(requirement(package) for package in packages if targets(package.get("marker")))
        )


def resolve(lock: Lock, constraints: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the packages that uv chooses, each with its files, in the form of PEP 751."""
    with tempfile.TemporaryDirectory(prefix="earshot-lock-") as folder:
        output = Path(folder) / "pylock.toml"
        command = [
            str(UV), "pip", "compile", "--quiet", "--universal", "--generate-hashes", "--no-header",
            *(f"--constraints={FOLDER / name}.txt" for name in constraints), "-o", str(output), *lock.arguments,
        ]  # fmt: skip
        subprocess.run(command, cwd=ROOT, check=True, text=True, input="\n".join(lock.requirements))
        packages: list[dict[str, Any]] = tomllib.loads(output.read_text(encoding="utf-8"))["packages"]
    return packages


def requirement(package: dict[str, Any]) -> str:
    """Return a package's entry in a lock: its wheels' tags, then the requirement with their hashes."""
    files = {wheel["url"].rpartition("/")[2]: wheel["hashes"]["sha256"] for wheel in package.get("wheels", [])}
    kept = working(list(files))
    if not kept:
        raise SystemExit(f"{package['name']} {package['version']} publishes no wheel for a supported system.")
    tags = " ".join(sorted("-".join(tags_of(name)) for name in kept))
    marker = f" ; {package['marker']}" if "marker" in package else ""
    pinned = f"{package['name']}=={package['version']}{marker}"
    hashes = "".join(f" \\\n    --hash=sha256:{digest}" for digest in sorted(files[name] for name in kept))
    return f"# {tags}\n{pinned}{hashes}\n"


def targets(marker: str | None) -> list[tuple[str, System]]:
    """Return the supported Pythons and systems where a package with this marker is installed."""
    if not marker:
        return TARGETS
    return [
        (python, system)
        for python, system in TARGETS
        if any(Marker(marker).evaluate(environment(python, release, system)) for release in ("0", "99"))
    ]


def environment(python: str, release: str, system: System) -> dict[str, str]:
    """Return what markers read on a CPython."""
    return {
        "python_version": python,
        "python_full_version": f"{python}.{release}",
        "sys_platform": system.sys_platform,
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "platform_machine": system.ends[0],
        "platform_system": "Darwin" if system.sys_platform == "darwin" else "Linux",
    }


def working(names: list[str]) -> list[str]:
    """Return the wheels of one version that work on a supported system and Python.

    A wheel for any system is left out when there is one for each system: it lacks what these hold besides.
    """
    fitting = [name for name in names if any(fits(name, *target) for target in TARGETS)]
    complete = [name for name in fitting if tags_of(name)[2] != "any"]
    return complete if all(any(fits(name, *target) for name in complete) for target in TARGETS) else fitting


def fits(name: str, python: str, system: System) -> bool:
    """Say whether a wheel (its name, or its tags alone) installs on this CPython and system."""
    pythons, abis, platforms = (part.split(".") for part in tags_of(name))
    on_system = any(
        platform == "any" or (platform.startswith(system.start) and platform.endswith(system.ends))
        for platform in platforms
    )
    return on_system and any(imports(python, tag, abi) for tag in pythons for abi in abis)


def imports(python: str, tag: str, abi: str) -> bool:
    """Say whether CPython `python` imports what carries this Python tag and ABI tag."""
    minor = int(python.split(".")[1])
    if tag in {"py3", f"py3{minor}"}:
        return abi == "none"
    if not tag.startswith("cp3"):
        return False
    return (abi == "abi3" and int(tag[3:]) <= minor) or (tag == f"cp3{minor}" and abi in {tag, "none"})


def tags_of(name: str) -> tuple[str, str, str]:
    """Return the Python, ABI and platform tags of a wheel's name."""
    pythons, abis, platforms = name.removesuffix(".whl").split("-")[-3:]
    return pythons, abis, platforms


if __name__ == "__main__":
    main()
