"""`earshot study …`: short names of the management commands that take a study from its creation to its results."""

from __future__ import annotations

from collections.abc import Sequence

from core.paths import PROGRAM
from launcher.say import WrongUse

# By name: the management command, and what it does.
STUDY = {
    "list": ("list_studies", "list the studies with their state and ratings"),
    "status": ("study_status", "print state, ratings and sessions, or what blocks the launch"),
    "create": ("create_study", "create a draft from a preset"),
    "import": ("import_clips", "import clips from a manifest or a folder"),
    "audit": ("audit_study", "measure the clips, and list what could give a system away"),
    "repair": ("repair_clips", "fix what the audit lists"),
    "plan": ("plan_study", "compute how many raters or ratings are needed"),
    "simulate": ("simulate_raters", "simulate raters, to see the results page before"),
    "pilot": ("start_pilot", "let a few real people rate first"),
    "end-pilot": ("end_pilot", "end the pilot"),
    "launch": ("launch_study", "check a draft, and launch it"),
    "results": ("analyze_study", "print the scores, or write the report"),
    "export": ("export_study", "write the tables and their codebook"),
    "duplicate": ("duplicate_study", "copy settings, texts and clips into a new draft"),
    "archive": ("archive_study", "leave a study out of the lists"),
}


def usage() -> str:
    """Return the help of `study`."""
    names = "\n".join(f"  {name:<12}{text}" for name, (_, text) in STUDY.items())
    return (
        f"usage: {PROGRAM} study [--data DIR] COMMAND …\n\nTake a study from its creation to its results.\n\n"
        f"commands:\n{names}\n\n'{PROGRAM} study COMMAND --help' shows the options of a command."
    )


def management(arguments: Sequence[str]) -> tuple[str, ...]:
    """Return the management command for `study NAME …`, with its arguments."""
    name, *rest = arguments
    if name not in STUDY:
        raise WrongUse(f"There is no command 'study {name}'. See: {PROGRAM} study --help")
    return STUDY[name][0], *rest
