"""Checks before a launch: errors that block it, warnings, and the study in numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from math import ceil

from django.db import connection
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.jobs import QUEUED, RUNNING
from core.text import languages as text_languages
from studies import hooks
from studies.definition import texts as study_texts
from studies.definition import widths
from studies.definition.models import Study
from studies.definition.settings.crowd import CODES
from studies.hooks import LaunchFinding, Level
from studies.imports import renditions
from studies.launch import quota_checks
from studies.launch.effort import effort as effort_of
from studies.launch.plan import LaunchPlan, plan_of
from studies.launch.troubles import TroubleGroup
from studies.rules.validity import batches_offered, guesser_rate

LEVELS: tuple[Level, ...] = ("blocking", "warning", "note")
HUMAN = "human"
# Number of raters of a study for which SQLite is enough; also in docs/deployment.md.
SQLITE_RATERS = 300


def findings(study: Study, plan: LaunchPlan | None = None) -> list[LaunchFinding]:
    """Run every check, also those of higher apps; the most serious findings come first.

    Reads all clips of the study once: about a second for 100,000.
    """
    plan = plan or plan_of(study)
    own = [replace(finding, place=finding.place or place) for check, place in CHECKS for finding in check(plan)]
    results = list(chain(own, *(check(study) for check in hooks.launch_checks)))
    return sorted(results, key=lambda finding: LEVELS.index(finding.level))


def layout_findings(plan: LaunchPlan) -> list[str]:
    """Return the findings that prevent a batch: with these, a draft can't even be tried out."""
    each = chain.from_iterable(check(plan) for check in (clips, traps, golden, texts, passes, systems))
    return [finding.message for finding in each if finding.level == "blocking"]


def clips(plan: LaunchPlan) -> Iterator[LaunchFinding]:
    """Check that there are test clips, and that the task type can use the clips."""
    for trouble in plan.numbers.problems:
        if trouble.fix != "questions" or not _has_no_questions(plan):
            yield _trouble("blocking", trouble)
    for trouble in plan.numbers.warnings:
        yield _trouble("warning", trouble)
    if not plan.tests and not plan.numbers.problems:
        yield LaunchFinding("blocking", _("There are no test clips yet. Add clips with the role “test”."), anchor="add")
    if outdated := plan.numbers.outdated:
        text = _("The clips are being converted to {rate} kHz, the highest sample rate among them. Wait for it.")
        if outdated.is_repair:
            text = _("The clips are being repaired. Wait for it.")
        if outdated.is_anchors:
            text = _("The anchors are being made of the references. Wait for it.")
        if renditions.has_failed(plan.study):
            text = _("The clips couldn’t be converted to {rate} kHz. Open this conversion under Clips and try again.")
            if outdated.is_repair:
                text = _("The clips couldn’t be repaired. Open this repair under Clips and try again.")
            if outdated.is_anchors:
                text = _("The anchors couldn’t be made of the references. Open this job under Clips to see why.")
        yield LaunchFinding("blocking", text.format(rate=outdated.kilohertz), anchor="imports")
    elif plan.study.imports.filter(state__in=[QUEUED, RUNNING]).exists():
        yield LaunchFinding(
            "warning",
            _("Clips are still being imported. Wait for them, or they are added after the launch."),
            anchor="imports",
        )


def _trouble(level: Level, trouble: TroubleGroup) -> LaunchFinding:
    message = text_languages.translate(trouble.reason)
    examples = tuple(text_languages.translate(example) for example in trouble.examples)
    setting = trouble.fix if "." in trouble.fix else ""
    place = trouble.fix if trouble.fix and not setting else "clips"
    anchor = {"clips": "table", "questions": "listed"}.get(place, "")
    return LaunchFinding(level, message, place=place, setting=setting, anchor=anchor, examples=examples)


def _has_no_questions(plan: LaunchPlan) -> bool:
    return plan.definition.kind.asks and not plan.study.questions.exists()


def traps(plan: LaunchPlan) -> Iterator[LaunchFinding]:
    """Check the number of batches that the traps allow: a rater never hears a trap twice."""
    protocol = plan.definition.protocol
    flawed, human = plan.count("trap_flawed"), plan.count("trap_human")
    if not plan.definition.kind.traps and (protocol.flawed_traps or protocol.human_traps):
        yield LaunchFinding(
            "blocking",
            _("This task has no traps. Set the numbers of traps under Protocol to 0."),
            setting="protocol.flawed_traps",
        )
        return
    if protocol.human_traps and "trap_human" not in plan.definition.kind.trap_roles:
        yield LaunchFinding(
            "blocking",
            _(
                "A human trap is the same clip twice. Raters who must choose A or B can’t fail it. Set the number of "
                "human traps to 0, or choose answers with “no preference”."
            ),
            setting="protocol.human_traps",
        )
        return
    offered = batches_offered(protocol, flawed, human)
    have = {"flawed": flawed, "human": human, "offered": offered, "wanted": protocol.batches_per_session}
    if not offered:
        text = _(
            "There are too few traps, clips with a known answer: {flawed} flawed and {human} human ones, and a batch "
            "needs {need_flawed} and {need_human}. Add trap clips, or lower the numbers under Protocol."
        )
        have |= {"need_flawed": protocol.flawed_traps, "need_human": protocol.human_traps}
        yield LaunchFinding("blocking", text.format(**have), setting="protocol.flawed_traps")
    elif offered < protocol.batches_per_session:
        text = ngettext(
            "The traps ({flawed} flawed, {human} human) allow {offered} batch for each rater, not {wanted}; "
            "the session then ends as complete.",
            "The traps ({flawed} flawed, {human} human) allow {offered} batches for each rater, not {wanted}; "
            "the session then ends as complete.",
            offered,
        )
        text = text.format(**have)
        yield LaunchFinding("warning", text, setting="protocol.batches_per_session", value=offered)
    elif protocol.flawed_traps or protocol.human_traps:
        text = _("The traps ({flawed} flawed, {human} human) allow all {wanted} batches of a session.")
        yield LaunchFinding("note", text.format(**have))
    elif plan.definition.kind.traps:
        yield LaunchFinding(
            "warning",
            _(
                "There are no traps, clips with a known answer that show who listens: all answers will be used. Traps "
                "are optional."
            ),
            setting="protocol.flawed_traps",
        )


def texts(plan: LaunchPlan) -> Iterator[LaunchFinding]:
    """Check the number of batches that the texts allow: a rater hears a text once unless repeats are allowed."""
    protocol = plan.definition.protocol
    have = {"texts": plan.texts, "need": protocol.tests_per_batch, "wanted": protocol.batches_per_session}
    crossed = protocol.repeat_text == "crossed"
    if plan.tests and plan.texts < protocol.tests_per_batch:
        text = (
            _(
                "A batch, the clips that a rater gets at a time, needs {need} test clips; there are {texts}. Add "
                "clips, or lower “Test clips per batch”."
            )
            if crossed
            else _(
                "A batch, the clips that a rater gets at a time, needs {need} different texts; there are {texts}. Add "
                "clips, lower “Test clips per batch”, or allow repeated texts (Design → Advanced)."
            )
        )
        yield LaunchFinding(
            "blocking", text.format(**have), setting="protocol.tests_per_batch", value=plan.texts or None
        )
    elif plan.tests and plan.texts < protocol.tests_per_batch * protocol.batches_per_session:
        batches = plan.texts // protocol.tests_per_batch
        text = ngettext(
            "The test clips allow {batches} batch for each rater, not {wanted}, because nobody hears a text twice.",
            "The test clips allow {batches} batches for each rater, not {wanted}, because nobody hears a text twice.",
            batches,
        )
        if crossed:
            text = _("The test clips allow {batches} batches for each rater, not {wanted}.")
        text = text.format(batches=batches, **have)
        yield LaunchFinding("warning", text, setting="protocol.batches_per_session", value=batches)


def passes(plan: LaunchPlan) -> Iterator[LaunchFinding]:
    """Check that nothing is set that separate passes exclude (ADR 47)."""
    definition, protocol = plan.definition, plan.definition.protocol
    if definition.kind.pass_count(definition.params) == 1:
        return
    if protocol.batches_per_session > 1:
        text = _("In separate passes, a rater hears all clips again in each pass. Set “Batches per rater” to 1.")
        yield LaunchFinding("blocking", text, setting="protocol.batches_per_session", value=1)
    if protocol.repeats:
        text = _("Separate passes can’t be combined with repeated trials. Set “Repeated trials per batch” to 0.")
        yield LaunchFinding("blocking", text, setting="protocol.repeats")
    if protocol.most_ratings:
        text = _("Separate passes can’t be combined with “Most ratings per clip”. Leave that setting empty.")
        yield LaunchFinding("blocking", text, setting="protocol.most_ratings")


def systems(plan: LaunchPlan) -> Iterator[LaunchFinding]:
    """Check that there are systems to compare, and report the share of human recordings."""
    if not plan.tests:
        return
    share = plan.definition.protocol.human_share
    human = plan.numbers.rated.get(HUMAN, 0)
    if not set(plan.numbers.rated) - {HUMAN}:
        yield LaunchFinding(
            "warning", _("No test clip comes from a speech synthesiser: there are no systems to compare."), anchor="add"
        )
    has_baseline = plan.definition.kind.traps and plan.definition.kind.shows == "clip"
    if human and has_baseline:
        percent = 100 * (human / plan.tests if share is None else share)
        if share is None:
            text = _("Human recordings make {percent:.0f} % of the test clips ({human} of {all}).")
        else:
            text = _("Human recordings make {percent:.0f} % of each batch’s test clips, as set under Protocol.")
        yield LaunchFinding("note", text.format(percent=percent, human=human, all=plan.tests))
    elif share:
        yield LaunchFinding(
            "blocking",
            _("A share of human recordings is set under Protocol, but no test clip has the system “human”."),
            setting="protocol.human_share",
        )
    elif not human:
        text = (
            _("No test clip is a human recording: the human baseline will come from the traps alone.")
            if has_baseline and plan.definition.protocol.human_traps
            else _("No test clip is a human recording: there will be no human baseline.")
        )
        yield LaunchFinding("warning", text, anchor="add")


def crowd(plan: LaunchPlan) -> Iterator[LaunchFinding]:
    """Check the crowd source and the completion codes."""
    crowd = plan.definition.crowd
    known = [source.name for source in hooks.crowd_sources]
    if known and crowd.source not in known:
        text = _("The crowd source “{source}” is unknown; choose one of {known}.")
        yield LaunchFinding(
            "blocking", text.format(source=crowd.source, known=", ".join(known)), setting="crowd.source"
        )
    if any(source.name == crowd.source and not source.codes for source in hooks.crowd_sources):
        return
    codes = {name.replace("_", " "): crowd.code(outcome) for outcome, name in CODES.items()}
    if not crowd.completion_code:
        yield LaunchFinding(
            "warning",
            _("There is no completion code: raters who finish can’t prove it on their platform."),
            setting="crowd.completion_code",
        )
    elif missing := [name for name, code in codes.items() if not code]:
        text = _("There is no {names}: these raters are asked to return their submission themselves.")
        yield LaunchFinding(
            "warning", text.format(names=", ".join(missing)), setting=f"crowd.{missing[0].replace(' ', '_')}"
        )
    written_codes = [code for code in codes.values() if code]
    if shared := [name for name, code in codes.items() if written_codes.count(code) > 1]:
        text = _("Two outcomes share one code, so your platform can’t distinguish them: {names}.")
        yield LaunchFinding(
            "warning", text.format(names=", ".join(shared)), setting=f"crowd.{shared[0].replace(' ', '_')}"
        )
    elif len(written_codes) == len(codes):
        yield LaunchFinding("note", _("Every outcome of a session has its own completion code."))


def wording(plan: LaunchPlan) -> Iterator[LaunchFinding]:
    """Check that no text for raters and no fact of the consent page is missing."""
    wording = plan.definition.texts
    if not wording.consent:
        yield LaunchFinding(
            "blocking",
            _("The consent sentence is empty: write what raters agree to, under Texts."),
            setting="texts.consent",
        )
    if not wording.information:
        yield LaunchFinding(
            "warning",
            _("The information sheet is empty: raters don’t know what they agree to."),
            setting="texts.information",
        )
    if not wording.instructions:
        yield LaunchFinding("warning", _("The instructions are empty."), setting="texts.instructions")
    if not wording.contact:
        yield LaunchFinding("warning", _("There is no contact for raters’ questions."), setting="texts.contact")
    if plan.definition.payment.rate is None:
        text = _("No pay is set. Enter 0 if the study is not paid.")
        yield LaunchFinding("warning", text, setting="payment.rate")
    if plan.definition.payment.minutes is None:
        text, session = _("No minutes are set: raters read an estimate before they consent."), effort_of(plan)
        if session.proposed:
            text = _("{problem} {advice}").format(problem=text, advice=session.estimate)
        yield LaunchFinding("warning", text, setting="payment.minutes", value=session.proposed or None)
    if wording.consent and wording.information and wording.instructions and wording.contact:
        yield LaunchFinding("note", _("Consent, information sheet, instructions and contact are written."))


def languages(plan: LaunchPlan) -> Iterator[LaunchFinding]:
    """Check that every language has all texts."""
    problems = list(study_texts.findings(plan.definition))
    yield from problems
    if not problems:
        names = ", ".join(study_texts.called(language) for language in plan.definition.languages)
        yield LaunchFinding("note", _("All texts are written in every language: {languages}.").format(languages=names))


def effort(plan: LaunchPlan) -> Iterator[LaunchFinding]:
    """Report how many raters the study needs, and how often a guesser passes."""
    protocol, kind = plan.definition.protocol, plan.definition.kind
    if plan.tests and plan.batches:
        text = ngettext(
            "{number} {items} × {each} ratings need at least {raters} raters with {batches} valid batch each.",
            "{number} {items} × {each} ratings need at least {raters} raters with {batches} valid batches each.",
            plan.batches,
        )
        items = _("screens") if plan.numbers.has_screens else _("test clips")
        items = _("pairs") if kind.shows == "pair" else items
        have = {"number": plan.tests, "items": items}
        have |= {"each": protocol.ratings_wanted, "raters": plan.raters, "batches": plan.batches}
        yield LaunchFinding("note", text.format(**have))
    rate = guesser_rate(protocol, kind.guessed)
    if rate is not None:
        text = _("A rater who only guesses passes {rate:.1f} % of batches.")
        yield LaunchFinding("note", text.format(rate=100 * rate))


def golden(plan: LaunchPlan) -> Iterator[LaunchFinding]:
    """Check that there are enough golden questions, so that nobody gets one twice."""
    protocol = plan.definition.protocol
    if _has_no_questions(plan):
        text = _("There are no questions yet. Add questions on each passage.")
        if protocol.golden_share:
            text = _("There are no questions yet. Add questions on each passage, and golden questions.")
        yield LaunchFinding("blocking", text, anchor="import")
        return
    if not plan.definition.kind.asks or not protocol.golden_share:
        return
    needed = max(1, ceil(protocol.golden_share * protocol.tests_per_batch * protocol.batches_per_session))
    have = {"golden": plan.numbers.golden, "needed": needed}
    if not plan.numbers.golden:
        text = _("The protocol asks golden questions, but there are none. Add golden questions.")
        yield LaunchFinding("blocking", text, anchor="golden")
    elif plan.numbers.golden < needed:
        text = _("There are {golden} golden questions, and a session needs about {needed}; nobody gets one twice.")
        yield LaunchFinding("warning", text.format(**have), anchor="golden")


def database(plan: LaunchPlan) -> Iterator[LaunchFinding]:
    """Check that SQLite is enough: only one process writes at a time, so many raters would wait for each other."""
    if connection.vendor == "sqlite" and plan.raters > SQLITE_RATERS:
        text = _(
            "This study needs at least {raters} raters, and the database is SQLite, which is enough for about {most}. "
            "Before you recruit, ask the administrator of this server to move it to PostgreSQL."
        )
        text = text.format(raters=plan.raters, most=SQLITE_RATERS)
        admins = _("Set EARSHOT_DATABASE_URL to the address of a PostgreSQL database, and restart the server.")
        yield LaunchFinding("warning", text, for_admins=admins)


# Each yields findings with the page that fixes them.
def results(plan: LaunchPlan) -> Iterator[LaunchFinding]:
    """Check that margins and widths are possible values: the launch fixes them."""
    for dotted, problem in widths.problems(plan.definition).items():
        yield LaunchFinding("blocking", problem, setting=dotted)


CHECKS = (
    (clips, "clips"),
    (traps, "design"),
    (golden, "questions"),
    (texts, "clips"),
    (passes, "design"),
    (systems, "clips"),
    (crowd, "design"),
    (wording, "design"),
    (languages, "languages"),
    (effort, "design"),
    (quota_checks.quota, "design"),
    (results, "design"),
    (database, ""),
)
