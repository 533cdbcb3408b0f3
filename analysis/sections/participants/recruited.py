"""Who was meant to take part, and who they said they are: sentences for the methods, and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils import translation

from analysis.data import rare
from analysis.sections.participants.result import Participants
from analysis.sections.shared import Refusal
from analysis.sections.tables import Cell, Column, Table
from raters.sessions.first_languages import SPOKEN
from studies.definition.settings.questionnaire import AGE, DEVICE, GENDER, LANGUAGES, NOT_SAID, SKIPPED

if TYPE_CHECKING:
    from studies.definition.settings.recruitment import Recruitment

About = dict[str, dict[str, int]]
QUESTIONS = {GENDER: "Gender", AGE: "Age", LANGUAGES: "First language", DEVICE: "Listened with"}
LABELS = {
    "non_binary": "non-binary",
    "self_described": "described in their own words",
    "over_ear": "headphones",
    "in_ear": "earphones",
    "built_in": "the device’s own loudspeaker",
    NOT_SAID: "preferred not to say",
    SKIPPED: "left out",
    rare.RARE: "all others",
}
MERGED = f"Answers of fewer than {rare.LEAST} raters are put together, with others where they are still too few."
FEW = 5


def filters(recruitment: Recruitment) -> list[tuple[str, str]]:
    """Return (what, which) of each filter that was set."""
    ages = ""
    if recruitment.youngest is not None and recruitment.oldest is not None:
        ages = f"{recruitment.youngest} to {recruitment.oldest} years"
    elif recruitment.youngest is not None:
        ages = f"at least {recruitment.youngest} years"
    elif recruitment.oldest is not None:
        ages = f"at most {recruitment.oldest} years"
    rate, submissions = recruitment.least_acceptance, recruitment.least_submissions
    listed = [
        ("born in", any_of(recruitment.birth_countries)),
        ("living in", any_of(recruitment.residence_countries)),
        ("first language", any_of(recruitment.first_languages)),
        ("age", ages),
        ("acceptance rate", "" if rate is None else f"at least {rate:g} %"),
        ("earlier submissions", "" if submissions is None else f"at least {submissions:,}"),
        ("headphones", "asked for" if recruitment.headphones else ""),
        ("also", recruitment.other.rstrip(".")),
    ]
    return [(what, which) for what, which in listed if which]


def left_out(recruitment: Recruitment) -> str:
    """Return in a sentence who was left out for what they did before; empty when nobody was."""
    said = [f"had rated in {', '.join(recruitment.not_in_studies)}"] if recruitment.not_in_studies else []
    for what, days in (
        ("clips", recruitment.same_clip_days),
        ("texts", recruitment.same_text_days),
        ("voices", recruitment.same_voice_days),
    ):
        said += [f"had heard one of its {what} in another study here within {days} days"] if days else []
    return f"People who {', or who '.join(said)} were left out as they arrived. " if said else ""


def who(recruitment: Recruitment | None, about: About) -> str:
    """Return where raters lived, their languages, ages and genders, with blanks for what nobody recorded."""
    countries = any_of(recruitment.residence_countries) if recruitment else ""
    said = f"Raters lived in {countries or '[state the countries]'}, "
    languages = "[state the languages and the share of native speakers]"
    said += f"their first languages were {_counted(about, LANGUAGES) or languages}, "
    answers = [_counted(about, key) for key in (AGE, GENDER)]
    if not any(answers):
        return said + "their age and gender were [state them or that they were not asked]."
    age, gender = (answer or f"[state the {key}s]" for key, answer in zip((AGE, GENDER), answers, strict=True))
    said += f"their ages in years {age}, and their genders {gender}, as they said themselves."
    devices = _counted(about, DEVICE)
    return said + (f" Asked what they had listened with, they said: {devices}." if devices else "")


def tables(recruitment: Recruitment | None, about: About) -> tuple[Table, ...]:
    """Return the filters, and the answers to the questionnaire; none of what there is nothing of."""
    found = []
    rows: tuple[tuple[Cell, ...], ...] = tuple(filters(recruitment)) if recruitment else ()
    if rows:
        found.append(Table("recruitment", "Who was recruited", (Column("Filter"), Column("Value")), rows))
    said: tuple[tuple[Cell, ...], ...] = tuple(
        (QUESTIONS[key], *_row(key, code, about[key]))
        for key in QUESTIONS
        if key in about
        for code, _raters in _in_order(key, about[key])
    )
    if said:
        heads = (Column("Question"), Column("Answer"), Column("Raters"), Column("%", 1))
        notes = (MERGED,) if any(rare.RARE in codes for codes in about.values()) else ()
        found.append(Table("questionnaire", "What raters said about themselves", heads, said, notes))
    return tuple(found)


def label_of(key: str, code: str) -> str:
    """Return an answer in words."""
    if key != LANGUAGES or code in LABELS:
        return LABELS.get(code, code)
    return " and ".join(language_of(part) for part in code.split("|"))


def language_of(code: str) -> str:
    """Return a language’s English name, or its code where none is known."""
    with translation.override("en"):
        return str(SPOKEN.get(code, code))


def _row(key: str, code: str, counts: dict[str, int]) -> tuple[Cell, ...]:
    """Return an answer, how many gave it, and what share that is; no numbers where all were too rare to be printed."""
    if rare.hides(counts):
        return f"fewer than {rare.LEAST} answered", None, None
    return label_of(key, code), counts[code], 100 * counts[code] / sum(counts.values())


def _counted(about: About, key: str) -> str:
    """Return the answers with how many gave each, the rarest put together; empty when nobody was asked."""
    if key not in about:
        return ""
    if rare.hides(about[key]):
        return f"(not printed: fewer than {rare.LEAST} answered)"
    answers = _in_order(key, about[key])
    said = [f"{label_of(key, code)} ({raters:,})" for code, raters in answers]
    if key == LANGUAGES and len(said) > FEW + 1:
        said = [*said[:FEW], f"others ({sum(raters for _code, raters in answers[FEW:]):,})"]
    return ", ".join(said)


def _in_order(key: str, counts: dict[str, int]) -> list[tuple[str, int]]:
    """Return ages from young to old and the rest from many to few; rare ones and what was not said last."""
    last = (rare.RARE, NOT_SAID, SKIPPED)
    places = {code: last.index(code) + 1 if code in last else 0 for code in counts}
    return sorted(counts.items(), key=lambda item: (places[item[0]], 0 if key == AGE else -item[1], item[0]))


def any_of(names: tuple[str, ...], word: str = "or") -> str:
    """Return names in a row, the last behind its word."""
    return f" {word} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def about_of(participants: Participants | Refusal) -> About:
    """Return the answers to the questionnaire in an analysis's results, rare ones put together."""
    if isinstance(participants, Refusal):
        return {}
    return {key: rare.merged(counts) for key, counts in participants.about.items()}
