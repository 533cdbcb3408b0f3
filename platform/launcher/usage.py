"""The commands of `earshot`, their help, and the version."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from typing import NamedTuple

from core.paths import IS_CLONE, PROGRAM, ROOT, START, default_data
from launcher.say import WrongUse, line


class Command(NamedTuple):
    """A command: its line in the help, and the module whose `main` gets its arguments and the interrupts."""

    text: str
    # Empty: `launcher.__main__` carries it out.
    module: str = ""


COMMANDS = {
    "run": Command("start everything, with a demo study to look at"),
    "quick": Command("blind test of two to five folders of audio, without an account", "launcher.quick"),
    "study": Command("create, import, launch, analyse, export: a study from a shell"),
    "doctor": Command("check everything that Earshot needs, and say what to do"),
    "manage": Command("run any management command, such as: changepassword admin"),
    "completion": Command("print the script that completes commands: bash, zsh or fish", "launcher.completion"),
}


def text() -> str:
    """Return the help, which fits a terminal of 80 columns and 24 lines."""
    names = "\n".join(f"  {name:<12}{command.text}" for name, command in COMMANDS.items())
    alone = f"\n'{START}' alone means '{START} run'." if IS_CLONE else ""
    return (
        f"usage: {PROGRAM} [--data DIR] COMMAND …\n\n"
        f"Listening tests of synthetic speech, on your own machine.\n\ncommands:\n{names}\n\n"
        "options:\n"
        f"  --data DIR  folder of the database, files and keys; default:\n              {default_data()}\n"
        "  --version   print the version\n\n"
        f"'{PROGRAM} COMMAND --help' shows the options of a command.{alone}\n"
        "Exit status: 0 fine, 1 failed, 2 wrong use."
    )


def version() -> str:
    """Return the version of this copy, and where it is."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return f"Earshot {project['version']} ({ROOT})"


def is_asked_for(arguments: Sequence[str]) -> bool:
    """Return whether these options ask for the help or the version."""
    return bool({"-h", "--help", "--version"} & set(arguments))


def without_command(options: Sequence[str]) -> int:
    """Print the help or the version; any other option needs a command."""
    if "--version" in options:
        line(version())
        return 0
    if options and not is_asked_for(options):
        raise WrongUse(f"Name a command, such as: {START} {' '.join(options)}")
    line(text())
    return 0
