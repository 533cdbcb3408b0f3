"""Programs that pip can't bring: found, or installed where this account may install."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from core.paths import ROOT
from launcher import folder
from launcher.commands import tail
from launcher.environment import PYTHON
from launcher.say import LauncherError, line, step

POSTGRES_FOLDERS = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/opt/homebrew/opt/postgresql*/bin",
    "/usr/local/opt/postgresql*/bin",
)
# The shell has the same engine, and computes no window around each page.
PACKAGES = ("chromium-headless-shell", "chromium")
BROWSERS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
# The Debian packages that each other browser needs, and a program in them; a screen and a loudspeaker are among them.
ENGINES = {
    "firefox": {"firefox-esr": "firefox-esr", "pulseaudio": "pulseaudio"},
    "webkit": {"webkit2gtk-driver": "WebKitWebDriver", "xvfb": "Xvfb", "pulseaudio": "pulseaudio"},
}
MAC_BROWSERS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
TYPESCRIPT = ROOT / "tests" / "check" / "typescript"
KEPT = ROOT / ".check" / "typescript"
COMPILER = Path("node_modules", "typescript", "bin", "tsc")
# npm's own patience is minutes where there is no network.
PATIENCE = ("--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=30000")
NPM = ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", *PATIENCE)
BUNDLED = """
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    print(playwright.chromium.executable_path)
"""


def postgres() -> Path:
    """Return the folder with PostgreSQL's server programs."""
    found = find_postgres()
    if found is None:
        install("postgresql", "PostgreSQL", "postgres")
        found = find_postgres()
    if found is None:
        raise LauncherError("PostgreSQL was installed, but its program initdb was not found.")
    return found


def find_postgres() -> Path | None:
    """Return the folder of the newest initdb here."""
    folders = [path for pattern in POSTGRES_FOLDERS for path in Path("/").glob(pattern.lstrip("/"))]
    folders.sort(key=lambda path: [int(number) for number in re.findall(r"\d+", path.parent.name)], reverse=True)
    on_path = shutil.which("initdb")
    if on_path:
        folders.append(Path(on_path).resolve().parent)
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


def chromium() -> str:
    """Return a Chromium to drive."""
    found = find_chromium()
    if found is None:
        install_chromium()
        found = find_chromium()
    if found is None:
        raise LauncherError("Chromium was installed, but was not found. Name it in EARSHOT_TEST_CHROMIUM.")
    return found


def install_chromium() -> None:
    """Install the first of the system's packages that it has, else Playwright's own."""
    for package in PACKAGES:
        try:
            return install(package, "Chromium", "browser")
        except LauncherError as raised:
            problem = raised
    with step("Fetching Playwright's own Chromium"):
        command = [PYTHON, "-m", "playwright", "install", "chromium"]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise problem


def find_chromium() -> str | None:
    """Return the path of a browser: the one named, the system's, or Playwright's."""
    named = os.environ.get("EARSHOT_TEST_CHROMIUM")
    if named:
        return named
    for name in BROWSERS:
        path = shutil.which(name)
        if path:
            return path
    own = subprocess.run([PYTHON, "-c", BUNDLED], check=False, capture_output=True, text=True).stdout.strip()
    return next((path for path in (*MAC_BROWSERS, own) if path and Path(path).exists()), None)


def typescript(home: Path = KEPT) -> Path | None:
    """Return the TypeScript compiler of the lock, installed by npm; without it say why types are not checked."""
    unchecked = "The types of scripts are not checked:"
    if not (shutil.which("node") and shutil.which("npm")):
        line(f"{unchecked} node and npm are not installed. The browser tests run the scripts all the same.")
        return None
    stamps, compiler = home / "installed.json", home / COMPILER
    wanted = hashlib.sha256((TYPESCRIPT / "package-lock.json").read_bytes()).hexdigest()
    if folder.read_stamps(stamps).get("typescript") == wanted and compiler.exists():
        return compiler
    home.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(TYPESCRIPT / name, home)
    with step("Installing TypeScript"):
        done = subprocess.run(NPM, cwd=home, check=False, text=True, capture_output=True)
    if done.returncode:
        reason = next(iter(done.stderr.splitlines()), "").removeprefix("npm error code ")
        if reason == "EINTEGRITY":
            raise LauncherError("TypeScript as the registry has it is not the one of the lock.")
        line(f"{unchecked} npm could not install TypeScript ({reason}).")
        return None
    folder.write_stamps(stamps, {"typescript": wanted})
    return compiler


def ffmpeg() -> None:
    """See that there is an ffmpeg."""
    if not shutil.which("ffmpeg"):
        install("ffmpeg", "ffmpeg", "ffmpeg")


def nginx() -> None:
    """See that there is an nginx."""
    if not shutil.which("nginx"):
        install("nginx-light", "nginx", "nginx")


def pgbouncer() -> None:
    """See that there is a PgBouncer."""
    if not shutil.which("pgbouncer"):
        install("pgbouncer", "PgBouncer", "pgbouncer")


def engines() -> None:
    """See that Firefox, WebKit and what they need to play are here."""
    needed = {package: program for engine in ENGINES.values() for package, program in engine.items()}
    missing = [package for package, program in needed.items() if not shutil.which(program)]
    if missing:
        install(" ".join(missing), "Firefox and WebKit", "engines")


def install(package: str, title: str, left_out: str) -> None:
    """Install Debian or Ubuntu packages as root; otherwise say what to install."""
    advice = f"leave its tests out: ./check --without {left_out}"
    if not shutil.which("apt-get"):
        raise LauncherError(f"{title} was not found. Install it with your system's package manager, or {advice}")
    if os.geteuid() != 0:
        raise LauncherError(f"{title} was not found. Install it: 'sudo apt-get install {package}', or {advice}")
    with step(f"Installing {title}"):
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        apt(["update", "-qq"], quiet)
        failed = apt(["install", "-y", "-qq", "--no-install-recommends", *package.split()], quiet)
    if failed:
        raise LauncherError(f"{title} could not be installed with apt-get:\n{tail(failed)}\nInstall it, or {advice}")


def apt(arguments: Sequence[str], environ: dict[str, str]) -> str:
    """Run apt-get; return what it said when it failed."""
    done = subprocess.run(["apt-get", *arguments], check=False, env=environ, text=True, capture_output=True)
    if done.returncode == 0:
        return ""
    line()
    return done.stdout + done.stderr or "apt-get failed."
