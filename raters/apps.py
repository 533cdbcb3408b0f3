from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.apps import AppConfig

if TYPE_CHECKING:
    from core.hooks import Kept
    from launcher.findings import Finding as Diagnosis
    from studies.definition.models import Study
    from studies.hooks import Finding

# Beyond this, raters at work at the same time wait for SQLite's one writer.
SQLITE_AT_ONCE = 100
LOOPBACK = {"127.0.0.1", "localhost", "::1"}


class RatersConfig(AppConfig):
    name = "raters"

    def ready(self) -> None:
        from django.utils.translation import gettext_lazy as _

        from core import hooks
        from raters import sources
        from raters.experts import filling
        from raters.payments import reconciling
        from raters.rating import hooks as rater_hooks
        from raters.sessions import rechecks
        from studies import hooks as study_hooks

        rater_hooks.between_batches.append(rechecks.begin)
        rater_hooks.batches_settled.append(filling.take_up_new)
        rater_hooks.minutes_told.append(reconciling.minutes_told)

        hooks.diagnoses["Prolific"] = examine_token
        hooks.table_diagnoses["raters"] = examine_load
        hooks.chores.append(expire_idle)
        hooks.chores.append(fill_queues)
        hooks.chores.append(compare_reasons)
        hooks.chores.append(refresh_keys)
        hooks.chores.append(read_platforms)
        hooks.declared_words.append(code_words)
        hooks.chores.append(forget_people)
        hooks.restored.append(erase_again)
        hooks.stored_files.append(erasures_listed)
        for source in sources.offered():
            study_hooks.crowd_sources.register(study_hooks.CrowdSource(source.name, source.label, source.codes))
        study_hooks.launch_checks.register(check_source)
        study_hooks.launch_checks.register(check_recruitment)
        study_hooks.launch_checks.register(check_playing)
        study_hooks.launch_checks.register(check_languages)
        study_hooks.launch_checks.register(check_attention)
        study_hooks.study_panels.register(study_hooks.StudyPanel(_("The raters’ link"), link_panel, order=10))
        study_hooks.study_links.register(
            study_hooks.StudyLink(_("Expert review"), "experts:review_overview", order=200)
        )
        study_hooks.study_links.register(
            study_hooks.StudyLink(_("Codes in reasons"), "experts:coding_overview", order=210)
        )
        study_hooks.study_links.register(study_hooks.StudyLink(_("Paying"), "paying:overview", order=220))
        study_hooks.study_panels.register(study_hooks.StudyPanel(_("Spot check"), spot_check_panel, order=20))
        study_hooks.study_panels.register(study_hooks.StudyPanel(_("Who took part"), balance_panel, order=30))


def examine_load() -> Iterator[Diagnosis]:
    """Yield how many raters are at work, and whether SQLite is enough for them."""
    from django.db import connection

    from core import clock
    from launcher.findings import OK, WARNING, Finding
    from raters.rating import monitor

    raters = monitor.at_work(clock.now())
    if connection.vendor == "sqlite" and raters > SQLITE_AT_ONCE:
        remedy = "Move to PostgreSQL (docs/deployment.md)."
        yield Finding("raters", WARNING, f"{raters} are at work, and wait for one another at SQLite.", remedy)
    else:
        yield Finding("raters", OK, f"{raters} at work in the last five minutes")


def examine_token() -> Iterator[Diagnosis]:
    """Yield whether Prolific takes the token that the settings name."""
    from launcher.findings import OK, PROBLEM, Finding
    from raters.sources.client import configured
    from raters.sources.client.problems import NotSent, NotSetUp, Refused, Unclear

    if not configured.is_configured():
        yield Finding("Prolific", OK, "no token is set; people are paid on Prolific's own pages")
        return
    try:
        name = configured.prolific().account()
    except (NotSent, NotSetUp, Refused, Unclear) as error:
        remedy = "Make a new token on Prolific, and set EARSHOT_PROLIFIC_TOKEN (docs/paying.md)."
        yield Finding("Prolific", PROBLEM, error.message, remedy)
        return
    yield Finding("Prolific", OK, f"the token of {name} is taken")


def code_words() -> Iterator[str]:
    """Yield the words of the codebooks, which are declared and not marked."""
    from raters.rating.rules import codes

    for code in (*codes.TABLE_5, *codes.COMMENTS):
        yield from (code.name, code.dimension, code.about)


def expire_idle(now: datetime) -> None:
    """Give back the places of raters who left."""
    from raters.rating import batches

    batches.expire_idle(now=now)


def refresh_keys(now: datetime) -> None:
    """Look once a day by which keys platforms sign their links."""
    from raters.sources import signatures

    signatures.refresh_old(now=now)


def forget_people(now: datetime) -> None:
    """Delete the platforms' ids of people whose studies were closed long enough ago."""
    from raters.privacy import retention

    retention.forget_due(now=now)


def erase_again(say: Callable[[str], object]) -> None:
    """Erase whom a backup still has, though they were erased since."""
    from core import clock
    from raters.privacy import erasing, identities

    say(f"{erasing.replay(clock=clock.now)} erasures were asked for again, of people whom the backup still had")
    if not identities.are_readable():
        say("The platforms' ids of people were encrypted with another key: name it in EARSHOT_IDENTITY_KEYS, too.")


def erasures_listed(study: int | None) -> Iterator[Kept]:
    """Yield the list of erasures, which belongs to no study and outlives all rows."""
    from core import backups
    from core.hooks import Kept

    for name in backups.stored(f"{backups.ERASURES}/") if study is None else ():
        yield Kept(name, "the list of erasures")


def read_platforms(now: datetime) -> None:
    """See every few minutes how far people are at their platform."""
    from raters.payments import reading

    reading.queue_due(now=now)


def check_source(study: Study) -> Iterator[Finding]:
    """Say what a study's crowd source still needs before the launch."""
    from raters import sources
    from studies.hooks import Finding

    crowd = study.definition.crowd
    if crowd.source in sources.found():
        for problem in sources.get(crowd.source).problems(crowd):
            yield Finding("warning", str(problem))


def check_playing(study: Study) -> Iterator[Finding]:
    """Name the clips that several raters could not play."""
    from django.utils.translation import gettext as _

    from raters.rating.skipping import failing
    from studies.hooks import Finding

    said = _("{people} raters could not play {file}, and skipped it. Listen to it; withdraw or replace it if it fails.")
    for clip in failing(study.pk):
        yield Finding("warning", said.format(people=clip.people, file=clip.file))


def check_languages(study: Study) -> Iterator[Finding]:
    """Say which first languages are offered by this study alone, since it takes them."""
    from django.utils.translation import gettext as _

    from raters.sessions.screening.language import LANGUAGES
    from studies.hooks import Finding

    screening = study.definition.screening
    unusual = [code for code in screening.accepted if code not in LANGUAGES]
    if screening.language != "off" and unusual:
        text = _("First languages beyond the usual list ({codes}) are offered only where they are accepted, which "
                 "tells raters what is wanted.")  # fmt: skip
        yield Finding("warning", text.format(codes=", ".join(unusual)))


def check_attention(study: Study) -> Iterator[Finding]:
    """Say when too few attention checks are asked for a rejection to be possible, or one asks for what would fail."""
    from django.utils.translation import gettext as _

    from core import languages
    from raters.people import rules as people_rules
    from studies.definition.settings import attention
    from studies.hooks import Finding

    definition = study.definition
    for language in definition.languages if definition.screening.attention else ():
        with languages.speaking(language):
            scale = [languages.said(label) for label in attention.AGREEMENT]
        for fair in definition.asking(language).screening.fair:
            if fair.kind == "nonsense":
                yield from (Finding("blocking", problem) for problem in attention.obeyed(fair, scale))
    asked = definition.screening.fair_asked(definition.protocol.batches_per_session)
    needed = people_rules.failures_needed(definition.payment.minutes)
    if 0 < asked < needed:
        text = _("Attention checks asked in a session: {asked}. Prolific allows a rejection only after {needed} were "
                 "failed, or 1 where the study is told to take less than {minutes} minutes.")  # fmt: skip
        yield Finding("warning", text.format(asked=asked, needed=needed, minutes=people_rules.SHORT_STUDY))


def check_recruitment(study: Study) -> Iterator[Finding]:
    """Name the studies whose raters are to be left out and that aren't there."""
    from django.utils.translation import gettext as _

    from studies.definition import queries as definition_queries
    from studies.hooks import Finding

    unknown = definition_queries.unknown(study.definition.recruitment.not_in_studies)
    if unknown:
        text = _("Raters of these studies are to be left out, and there are no such studies: {names}.")
        yield Finding("warning", text.format(names=", ".join(unknown)))


def balance_panel(study: Study) -> str:
    """Show the raters' genders and ages."""
    from raters.sessions.balance import panel

    return panel(study)


def fill_queues(now: datetime) -> None:
    """Put answers into experts' queues that no worker has put there when they became usable."""
    from raters.experts import filling

    filling.take_up_new()
    filling.queue_due(now=now)


def compare_reasons(now: datetime) -> None:
    """Flag reasons that nearly repeat another rater's."""
    from raters.experts import review_queue

    review_queue.compare_all()


def spot_check_panel(study: Study) -> str:
    """Say where the spot check before the launch stands."""
    from raters.experts import overviews

    return overviews.panel(study)


def link_panel(study: Study) -> str:
    """Show the address that the researcher gives to the crowd platform."""
    from django.conf import settings
    from django.utils.html import format_html
    from django.utils.translation import gettext as _

    from raters.people.links import panel as render

    panel = render(study)
    if urlsplit(settings.BASE_URL).hostname not in LOOPBACK:
        return panel
    says = _("Only this machine can open this address. To invite others, see “Running it for others” in the README.")
    return format_html('{}<p class="here-only">{}</p>', panel, says)
