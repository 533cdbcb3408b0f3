"""Which checks raters went through, with their thresholds, how many failed them, and what became of those."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from analysis.sections.participants.recruited import any_of, language_of
from analysis.sections.participants.result import CheckCount, Participants
from analysis.sections.shared import Refusal
from analysis.sections.tables import Column, Table
from raters.people import rules as people_rules
from raters.sessions import screening
from raters.sessions.screening import device
from raters.sessions.screening.base import Check
from raters.sessions.stimuli import beeps

if TYPE_CHECKING:
    from studies.definition.definition import Definition
    from studies.definition.settings.screening import ScreeningSettings

WOODS = "Woods, Siegel, Traer & McDermott (2017), Attention, Perception, & Psychophysics 79, 2064–2072"
MILNE = "Milne et al. (2021), Behavior Research Methods 53, 1551–1562"
SOURCES = {"antiphase": WOODS, "huggins": MILNE}
# Of attention checks: one, and several.
KINDS = {
    "instruction": ("instruction that names its answer", "instructions that name their answers"),
    "nonsense": ("statement that nobody can agree with", "statements that nobody can agree with"),
}
NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}


def _device(found: ScreeningSettings) -> str:
    return (
        f"the device ({device.GROUPS} groups of {beeps.FEWEST} to {beeps.MOST} beeps had to be counted rightly, on a "
        f"page at least {device.NARROWEST} pixels wide)"
    )


def _language(found: ScreeningSettings) -> str:
    taken = [name or language_of(code) for code, name in found.accepted.items()]
    taken += [f"a score of at least {each.least:g} in {each.name}" for each in found.certified]
    return f"the first language ({any_of(tuple(taken)) or 'none was taken'})"


def _antiphase(found: ScreeningSettings) -> str:
    return f"headphones by tones in opposite phase (Woods et al. 2017; at least {found.antiphase_right} of 6 right)"


def _huggins(found: ScreeningSettings) -> str:
    return (
        f"headphones by a pitch that only two ears hear (Milne et al. 2021; at least {found.huggins_right} of 6 right)"
    )


def _comprehension(found: ScreeningSettings) -> str:
    return f"the instructions ({len(found.asked)} questions, all to be answered rightly)"


def _training(found: ScreeningSettings) -> str:
    needed = f"at least {found.training_right} right" if found.training_right else "passed by everybody"
    return f"practice ({found.training_clips} clips, the right answer after each, {needed})"


WORDS: dict[str, Callable[[ScreeningSettings], str]] = {
    "device": _device,
    "language": _language,
    "volume": lambda found: "the volume, set on a noise as loud as the clips",
    "antiphase": _antiphase,
    "huggins": _huggins,
    "comprehension": _comprehension,
    "training": _training,
}


def sentences(definition: Definition, participants: Participants | Refusal) -> str:
    """Return what was checked before the first clip and between batches, by the definition, and how it came out."""
    checks = [*screening.checks_of(definition, "checks"), *screening.checks_of(definition, "practice")]
    counts = {(row.name, row.later): row for row in _checks(participants)}
    has_changed = not isinstance(participants, Refusal) and participants.screening_changed
    said = []
    if checks:
        said.append("Before the first clip these were checked, in this order: ")
        said.append("; ".join(_said(check, definition, counts.get((check.name, False))) for check in checks) + ". ")
    elif not has_changed and all(later for _name, later in counts):
        said.append("Nobody was screened out by a check before the first clip. ")
    else:
        said.append("Nothing was checked before the first clip. ")
    again, minutes = screening.rechecks_of(definition), definition.screening.recheck_minutes
    if minutes is not None and again:
        names = any_of(tuple(check.name if check.name == "volume" else "headphones" for check in again), "and")
        were = "was" if names == "volume" else "were"
        said.append(f"After every {minutes} minutes of rating, {names} {were} checked again between batches")
        # Nobody can fail to set the volume.
        heard = [check for check in again if check.name != "volume"]
        late = [row for check in heard if (row := counts.get((check.name, True)))]
        failed, decided = sum(row.failed for row in late), sum(row.decided for row in late)
        said.append(f"; whoever failed was marked and went on ({failed:,} of {decided:,} checks). " if heard else ". ")
    if has_changed:
        said.append("These are the settings of the newest version; earlier ones differed: [state how]. ")
    sources = [SOURCES[check.name] for check in checks if check.name in SOURCES]
    return "".join(said) + (f"Headphone tests: {'; '.join(sources)}. " if sources else "")


def _said(check: Check, definition: Definition, count: CheckCount | None) -> str:
    what = WORDS[check.name](definition.screening) if check.name in WORDS else str(check.label)
    if check.name == "volume" or (check.name == "training" and not definition.screening.training_right):
        # Nobody can fail it.
        return what
    tries = check.tries(definition)
    ends = check.mode(definition) == "screen_out"
    became = "whoever failed had to leave" if ends else "whoever failed was marked and went on"
    if count is not None:
        became += f" ({count.failed:,} of {count.decided:,} sessions)"
    return f"{what}, in {NUMBERS.get(tries, tries)} {'try' if tries == 1 else 'tries'}: {became}"


def attention(definition: Definition, participants: Participants | Refusal) -> str:
    """Return which fair attention checks there were, and how they came out; empty where there were none."""
    fair, every = definition.screening.fair, definition.screening.attention_every
    said = ""
    if fair:
        what = " and ".join(_counted([check.kind for check in fair]))
        when = "each batch" if every == 1 else f"every {every} batches"
        said = f"After {when}, as long as another followed, one attention check was asked, each of them once ({what}); "
        said += (
            "whoever failed two of them, or one where participants were told less than "
            f"{people_rules.SHORT_STUDY} minutes, had to leave. "
            if definition.screening.attention_failed == "screen_out"
            else "whoever failed was marked and went on. "
        )
    found = None if isinstance(participants, Refusal) else participants.attention
    if found:
        said += f"Of {found.asked:,} attention checks {found.failed:,} were failed, in "
        said += f"{found.sessions_failed:,} of {found.sessions:,} sessions. "
    return said


def _counted(kinds: Sequence[str]) -> Iterator[str]:
    for kind, (one, many) in KINDS.items():
        if number := kinds.count(kind):
            yield f"{NUMBERS.get(number, number)} {one if number == 1 else many}"


def _checks(participants: Participants | Refusal) -> Sequence[CheckCount]:
    return () if isinstance(participants, Refusal) else participants.checks


def tables(participants: Participants | Refusal) -> tuple[Table, ...]:
    """Return how often each check was passed; none where nobody was checked."""
    found = _checks(participants)
    if not found:
        return ()
    rows = tuple(
        (row.label, "between batches" if row.later else "before the first clip",
         row.decided, row.passed, row.failed, row.left)
        for row in found
    )  # fmt: skip
    heads = ("Check", "When", "Decided", "Passed", "Failed", "Left by it")
    notes = ("Counted in sessions, and between batches in checks; checks of people who were erased are not there.",)
    return (Table("screening", "Checks", tuple(map(Column, heads)), rows, notes),)
