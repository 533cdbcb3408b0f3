"""What pages and commands say of drafts: flags, refusals, endings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from studies.corpus.rules import StoredFlag

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as Words

    from studies.drafting.models import DraftRun

# Of texts, by code; `detail` is filled in. The corpus shows them, too.
TEXT_FLAGS: dict[str, Words] = {
    "short": _("Shorter than asked for: {detail} characters."),
    "long": _("Longer than asked for: {detail} characters."),
    "near_duplicate": _("Almost the same words as {detail}."),
    "no_numbers": _("No number or special character was found."),
    "no_foreign_word": _("No word of another language was found."),
    "no_emotion": _("No laughter, sigh, exclamation or the like was found."),
    "no_quotation": _("No quotation was found."),
    "no_polyphone": _("No character or word with several readings was found."),
    "no_dialect_word": _("No dialect word of the list was found."),
    "numbers": _("Contains numbers, which this dimension does not ask for: {detail}."),
    "markup": _("Contains an address, a tag, a placeholder or a formula, which nobody can say: {detail}"),
    "names": _("Names somebody; check whether that person is real: {detail}."),
    "quotation": _("Quotes a work; check every word of the quotation."),
    "lost_numbers": _("A number was lost when the text was made colloquial: {detail}."),
    "not_colloquial": _("The text could not be made colloquial; this is the first version."),
}
# Of questions.
QUESTION_FLAGS: dict[str, Words] = {
    "answer_not_in_passage": _("The right answer is not in the passage’s own words."),
    "distractor_in_passage": _("A distractor is in the passage, too: {detail}."),
    "guessed": _("Answered without the passage: {detail} readable tries were right."),
    "not_always_known": _("Not always answered correctly: {detail} readable tries were right."),
    "few_tries": _("Tried too rarely: only {detail} answers of the model could be read."),
}
# Of dimensions, each with a built-in prompt of its own.
KINDS: dict[str, Words] = {
    "numbers": _("numbers and special characters"),
    "switching": _("code-switching"),
    "emotions": _("emotions and sounds"),
    "classical": _("classical poetry and prose"),
    "polyphones": _("polyphones"),
    "dialect": _("dialect"),
    "other": _("any other"),
}
REFUSALS: dict[str, Words] = {
    "count": _("It does not have exactly two distractors."),
    "error_type": _("A distractor has an unknown type of error."),
    "same_error_type": _("Both distractors have the same type of error."),
    "equals_answer": _("A distractor is the same as the right answer."),
    "same_twice": _("Two distractors are the same."),
    "other_option": _("An option is Other or speaks of the other options. The task adds Other."),
    "empty": _("The question or one of its options is empty."),
    "long": _("The question or one of its options is too long."),
    "asked_before": _("The same question was asked before."),
    "too_many": _("More questions than were asked for."),
    "duplicate": _("The same words as another text."),
}


def of_flag(flag: StoredFlag) -> str:
    """Return what a check found as a sentence."""
    known = {**TEXT_FLAGS, **QUESTION_FLAGS}
    return str(known.get(flag["code"], flag["code"])).format(detail=flag.get("detail", ""))


def of_plan(run: DraftRun, dimension: Words = "") -> str:
    """Return what a run was asked for; `dimension` is the label of a text's one."""
    plan = run.plan
    if run.kind == "texts":
        if plan.get("others"):
            text = ngettext(
                "{number} text for each of {dimensions} dimensions, {language}",
                "{number} texts for each of {dimensions} dimensions, {language}",
                _of(plan),
            )
            dimensions = 1 + len(plan["others"])
            return text.format(number=_of(plan), dimensions=dimensions, language=plan.get("language", ""))
        text = ngettext("{number} text, {dimension}, {language}", "{number} texts, {dimension}, {language}", _of(plan))
        return text.format(number=_of(plan), dimension=dimension, language=plan.get("language", ""))
    if run.kind == "golden":
        return ngettext("{number} golden question", "{number} golden questions", _of(plan)).format(number=_of(plan))
    passages = len(plan.get("passages", ()))
    text = ngettext(
        "{each} questions about {number} passage", "{each} questions about each of {number} passages", passages
    )
    return text.format(each=_of(plan), number=passages)


def _of(plan: Mapping[str, Any]) -> int:
    return int(plan.get("number", 0))


def of_parameters(parameters: Mapping[str, Any]) -> str:
    """Return the parameters of a request as a row of names and values."""
    return ", ".join(f"{name} = {value}" for name, value in parameters.items())


def of_refusal(refused: Mapping[str, Any]) -> str:
    """Return why something was refused as a sentence."""
    return str(REFUSALS.get(refused["reason"], refused["reason"]))
