"""Make the demo study step by step; steps done by an earlier run are skipped."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.translation import gettext as _

from core import clock
from core.errors import DomainError, Invalid, NotFound
from core.rng import seeded
from demo.material import LANGUAGE
from raters.simulation.simulated_sessions import simulate
from studies.clips import figures as clip_figures
from studies.definition.presets import att
from studies.definition.queries import get
from studies.imports import requests
from studies.launch import states

if TYPE_CHECKING:
    from accounts.users.models import User

TITLE = "Demo: does this voice pass for a person?"
REMARK = (
    "This is the demo. Every clip was synthesised on this machine with espeak-ng; those of the system “human” are "
    "stand-ins for recordings, spoken by a synthetic voice. The first raters are simulated."
)
HINT = (
    "**This is a demo, and every voice in it is synthetic.** The woman with the British accent plays the human: "
    "where you hear her, choose Human. All men's voices are machines, and so is anything that sounds broken.\n\n"
)
SETTINGS: dict[str, Any] = {
    "protocol.batches_per_session": 2,
    "protocol.ratings_wanted": 5,
    "audio.sample_rate": 22050,
    "texts.language": LANGUAGE,
    "texts.instructions": HINT + att.TEXTS.instructions,
    # No rater comes from a crowd platform, so nobody is sent back to one.
    "crowd.return_url": "",
    "questionnaire.gender": True,
    "questionnaire.age": True,
    "questionnaire.device": True,
    # No real rater has written a reason yet, so experts' pages would be empty.
    "review.simulated": True,
}
RATERS, SEED, CARELESS = 25, 174, 0.2
MISSING = 3
LIMIT_SECONDS = 120

Say = Callable[[str], object]


class CannotSpeak(DomainError):
    """The demo's clips can't be made on this machine."""

    code = "cannot_speak"


def seed(*, slug: str, owner: User | None, say: Say) -> None:
    """Complete the demo, also after an interrupted run; raise `DomainError`."""
    study = _find(slug)
    if study is not None and study.remark != REMARK:
        say(_("The study “{slug}” exists and isn't the demo; it was not changed.").format(slug=slug))
        return
    changed = False
    if study is None or (study.state == "draft" and not clip_figures.total(study.pk)):
        with tempfile.TemporaryDirectory(prefix="earshot-demo-") as folder:
            say(_("Synthesising the demo's clips …"))
            count = synthesise(Path(folder))
            say(_("Importing {count} clips …").format(count=count))
            study = study or _create(slug, owner)
            _import(study, Path(folder), owner)
        changed = True
    if study.state == "draft":
        say(_("Launching the demo study …"))
        states.launch(study=study, now=clock.now(), rng=seeded("demo", SEED))
        changed = True
    played = simulate(study_id=study.pk, raters=RATERS, seed=SEED, careless=CARELESS, now=clock.now())
    if changed or played.new:
        text = _("The demo study is ready: {new} simulated raters gave {answers} answers.")
        say(text.format(new=played.sessions, answers=played.answers))
    else:
        say(_("The demo study exists already; nothing was changed."))


def synthesise(folder: Path) -> int:
    """Make the clips in a separate process, as the synthesiser's licence requires; return their number."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    try:
        done = subprocess.run(  # noqa: S603  (this program, with a folder made here)
            [sys.executable, "-m", "demo.synthesise", str(folder)],
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


def _find(slug: str) -> Any:
    try:
        return get(slug)
    except NotFound:
        return None


def _create(slug: str, owner: User | None) -> Any:
    """Create the study; a later run recognises the demo by its remark."""
    with transaction.atomic():
        study = states.create_study(
            slug=slug, title=TITLE, preset="att", owner=owner, changes=SETTINGS, now=clock.now()
        )
        return states.update_draft(study=study, raw=study.draft, remark=REMARK)


def _import(study: Any, folder: Path, owner: User | None) -> None:
    job = requests.import_folder(study=study, manifest_path=folder / "manifest.csv", root=folder, user=owner)
    refused = [line for line in job.report if not line["warning"]]
    if refused or not job.clips_added:
        why = f"{refused[0]['file']}: {refused[0]['reason']}" if refused else job.error
        raise Invalid(_("The demo's clips could not be imported."), {"clips": why})
