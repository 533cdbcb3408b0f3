"""Launch checks of screening: settings that nobody could pass or that have no effect."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from studies import hooks
from studies.clips.queries import training_clips
from studies.definition.models import Study
from studies.definition.settings.screening import ScreeningSettings
from studies.hooks import LaunchFinding

FEWEST_QUESTIONS, MOST_QUESTIONS = 2, 4


def findings(study: Study) -> Iterator[LaunchFinding]:
    """Yield problems of a study's first checks and practice."""
    definition = study.definition
    screening = definition.screening
    if screening.language != "off" and not screening.accepted:
        yield LaunchFinding(
            "blocking",
            _("Raters are asked for their first language, but none is accepted. Name languages under First checks."),
            setting="screening.languages",
        )
    if screening.comprehension != "off":
        yield from _questions(screening)
    if screening.training != "off":
        yield from _training(study, screening, has_one_clip=definition.kind.traps and definition.kind.shows == "clip")
    if screening.recheck_minutes is not None and not screening.volume and screening.headphones == "none":
        text = _(
            "A recheck is set, but there is nothing to check again. Switch on the volume check or a headphone test."
        )
        yield LaunchFinding("blocking", text, setting="screening.recheck_minutes")
    if screening.attention:
        yield from _attention(screening, definition.protocol.batches_per_session)
    if screening.headphones != "none":
        if not screening.volume:
            text = _(
                "The headphone test comes without the volume check: at a wrong volume, its results are unreliable."
            )
            yield LaunchFinding("warning", text, setting="screening.volume")
        text = _("Say in the information sheet that the study requires and tests headphones, also for people with "
                 "hearing aids.")  # fmt: skip
        yield LaunchFinding("note", text, setting="texts.information")
    yield from _codes(study, screening)


def _questions(screening: ScreeningSettings) -> Iterator[LaunchFinding]:
    questions = screening.asked
    if not questions:
        yield LaunchFinding(
            "blocking",
            _("Questions on the instructions are switched on, but there are none."),
            setting="screening.questions",
        )
        return
    for question in questions:
        if question.right is None:
            text = _("The question “{question}” has no right answer. Put a star before the right one.")
            yield LaunchFinding("blocking", text.format(question=question.text), setting="screening.questions")
    if not FEWEST_QUESTIONS <= len(questions) <= MOST_QUESTIONS:
        text = _("{number} questions on the instructions: 2 to 4 are usual, so that a guess is unlikely and few leave.")
        yield LaunchFinding("warning", text.format(number=len(questions)), setting="screening.questions")


def _attention(screening: ScreeningSettings, batches: int) -> Iterator[LaunchFinding]:
    shown, number = screening.fair_asked(batches), len(screening.attention)
    if not shown:
        text = _("Attention checks are set, but no rater gets one: they come between two batches, and a session has "
                 "{batches}.")  # fmt: skip
        yield LaunchFinding("blocking", text.format(batches=batches), setting="screening.attention")
    elif shown < number:
        text = _("Only {asked} of {number} attention checks are asked: they come between two of {batches} batches.")
        yield LaunchFinding(
            "warning", text.format(asked=shown, number=number, batches=batches), setting="screening.attention"
        )


def _training(study: Study, screening: ScreeningSettings, *, has_one_clip: bool) -> Iterator[LaunchFinding]:
    if not has_one_clip:
        text = _("This task has no practice: it asks about several clips or about their content. Switch practice off.")
        yield LaunchFinding("blocking", text, setting="screening.training")
        return
    have = len(training_clips(study.pk))
    counts = {"have": have, "wanted": screening.training_clips, "right": screening.training_right}
    if not have:
        text = _("Practice is switched on, but no clip has the role “training”. Add some, or switch it off.")
        yield LaunchFinding("blocking", text, setting="screening.training")
    elif have < screening.training_clips:
        text = _("Practice asks for {wanted} clips, and {have} have the role “training”: all of them are practised on.")
        yield LaunchFinding("warning", text.format(**counts), setting="screening.training_clips")
    if screening.training_right > screening.training_clips:
        text = _("Practice needs {right} right answers on {wanted} clips: lower the number, or practise on more.")
        yield LaunchFinding("blocking", text.format(**counts), setting="screening.training_right")


def _codes(study: Study, screening: ScreeningSettings) -> Iterator[LaunchFinding]:
    """Check the completion codes of raters who are screened out: they are paid for these minutes."""
    leaving = [screening.language]
    leaving += [screening.headphones_failed] if screening.headphones != "none" else []
    leaving += [screening.training] if screening.training_right else []
    crowd = study.definition.crowd
    has_codes = any(source.name == crowd.source and source.codes for source in hooks.crowd_sources)
    if "screen_out" in leaving and has_codes and not crowd.screened_out_code:
        text = _("Raters can be screened out, but there is no code for them: they couldn’t be paid for these minutes.")
        yield LaunchFinding("warning", text, setting="crowd.screened_out_code")
    is_ended = bool(screening.attention) and screening.attention_failed == "screen_out"
    if is_ended and has_codes and not crowd.failed_attention_code:
        text = _("Failed attention checks end sessions, but there is no code for them. Set it under Crowd.")
        yield LaunchFinding("warning", text, setting="crowd.failed_attention_code")
