"""Make the studies of the demo step by step; steps done by an earlier run are skipped."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _

from core import clock
from core.errors import DomainError, Invalid, NotFound
from core.rng import seeded
from demo import designs
from raters.simulation.simulated_sessions import SimulationSummary, simulate
from studies.clips import figures as clip_figures
from studies.definition.queries import get
from studies.imports import requests
from studies.launch import states

if TYPE_CHECKING:
    from accounts.users.models import User
    from demo.designs import Design
    from studies.definition.models import Study

SEED, CARELESS = 174, 0.2
MISSING = 3
LIMIT_SECONDS = 120

Say = Callable[[str], object]


class CannotSpeak(DomainError):
    """The demo's clips can't be made on this machine."""

    code = "cannot_speak"


@dataclass(frozen=True, slots=True)
class Made:
    """A study of the demo that is live or closed; `is_new` if this call did some of the work."""

    study: Study
    played: SimulationSummary
    is_new: bool


def seed(*, slug: str, owner: User | None, say: Say) -> None:
    """Complete the live study, also after an interrupted run; raise `DomainError`."""
    made = make(replace(designs.LIVE, slug=slug), owner=owner, say=say)
    if made is None:
        return
    if made.is_new:
        text = _("The demo study is ready: {new} simulated raters gave {answers} answers.")
        say(text.format(new=made.played.sessions, answers=made.played.answers))
    else:
        say(_("The demo study exists already; nothing was changed."))


def make(design: Design, *, owner: User | None, say: Say) -> Made | None:
    """Create, launch and rate a study, without the steps that are done; None if another study has its address."""
    study = find(design.slug)
    if study is not None and study.remark != design.remark:
        say(_("The study “{slug}” exists and isn't the demo; it was not changed.").format(slug=design.slug))
        return None
    is_new = False
    if study is None or (study.state == "draft" and not clip_figures.total(study.pk)):
        with tempfile.TemporaryDirectory(prefix="earshot-demo-") as folder:
            say(_("Synthesising the demo's clips …"))
            count = synthesise(Path(folder), design.clips)
            say(_("Importing {count} clips …").format(count=count))
            study = study or _create(design, owner)
            _import(study, Path(folder), owner)
        is_new = True
    if study.state == "draft":
        say(_("Launching the demo study …"))
        states.launch(study=study, now=clock.now(), rng=seeded("demo", SEED))
        is_new = True
    if design.is_closed and study.state == "live":
        states.close(study=study)
    played = simulate(study_id=study.pk, raters=design.raters, seed=SEED, careless=CARELESS, now=clock.now())
    return Made(study, played, is_new or played.new > 0)


def synthesise(folder: Path, plan: str) -> int:
    """Make the clips in a separate process, as the synthesiser's licence requires; return their number."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    try:
        done = subprocess.run(  # noqa: S603  (this program, with a folder made here)
            [sys.executable, "-m", "demo.synthesise", str(folder), plan],
            env=environment,
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CannotSpeak(_("Making the demo's clips took too long; try again, or run with --no-demo.")) from None
    if done.returncode == MISSING:
        raise CannotSpeak(
            _(
                "The demo's clips can't be synthesised: espeakng-loader is not installed. "
                "Install it with: pip install --require-hashes -r locks/demo.txt, or run with --no-demo."
            )
        )
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise CannotSpeak(
            _("The demo's clips can't be synthesised: {reason} To start without the demo, use --no-demo.").format(
                reason=reason
            )
        )
    return int(done.stdout)


def find(slug: str) -> Study | None:
    """Return the study of an address, or None."""
    try:
        return get(slug)
    except NotFound:
        return None


def _create(design: Design, owner: User | None) -> Study:
    """Create the study; a later run recognises the demo by its remark."""
    with transaction.atomic():
        study = states.create_study(
            slug=design.slug,
            title=design.title,
            preset=design.preset,
            owner=owner,
            changes=design.settings,
            now=clock.now(),
        )
        return states.update_draft(study=study, raw=study.draft, remark=design.remark)


def _import(study: Study, folder: Path, owner: User | None) -> None:
    asks = study.definition.kind.asks
    job = requests.import_folder(
        study=study,
        manifest_path=folder / "manifest.csv",
        root=folder,
        user=owner,
        questions_path=folder / "questions.csv" if asks else None,
        golden_path=folder / "golden.csv" if asks else None,
    )
    refused = [line for line in job.report if not line["warning"]]
    if refused or not job.clips_added:
        why = f"{refused[0]['file']}: {refused[0]['reason']}" if refused else job.error
        raise Invalid(_("The demo's clips could not be imported."), {"clips": why})
