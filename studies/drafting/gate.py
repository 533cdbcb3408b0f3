"""The only place that puts material of a study into requests to a model; it lets no black-box text out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from core.errors import Conflict
from studies.clips import black_box
from studies.clips.models import Text
from studies.corpus.models import CorpusText
from studies.corpus.rules import BLACK, may_leave
from studies.drafting.rules import prompts, quoting
from studies.drafting.rules.text_checks import plain

if TYPE_CHECKING:
    from studies.drafting.rules.prompts import Step


class Withheld(Conflict):
    """A black-box text was about to be sent to an endpoint that is not private; nothing was sent."""

    code = "withheld"


@dataclass(frozen=True, slots=True)
class Material:
    """Words of a study for a model, with their box."""

    text: str
    box: str


class Gate:
    """Writes requests for one study, for private endpoints or for others."""

    def __init__(self, study_id: int, *, is_private: bool) -> None:
        self.is_private = is_private
        self.names = black_names(study_id)
        self.bodies = [] if is_private else list(_bodies(study_id, self.names))
        # Cached: the same prompt is sent many times.
        self.quotes = cache(lambda text: quoting.quotes_any(text, self.bodies))

    def box_of(self, name: str, box: str = "") -> str:
        """Return the box of a text of this name: black if any clip or text says so."""
        return BLACK if name in self.names else box

    def sendable(self, materials: Iterable[Material]) -> list[Material]:
        """Return the materials that may be sent."""
        return [each for each in materials if may_leave(each, self.is_private)]

    def check(self, materials: Iterable[Material]) -> None:
        """Raise `Withheld` unless all of these may be sent."""
        if not all(may_leave(each, self.is_private) for each in materials):
            raise Withheld(_refusal())

    def message(
        self, step: Step, body: str, values: Mapping[str, str], materials: Mapping[str, Sequence[Material]]
    ) -> str:
        """Return a prompt with its values and materials; raises `Withheld` if it would contain a black-box text."""
        for each in materials.values():
            self.check(each)
        filled = {name: "\n".join(prompts.quoted(one.text) for one in each) for name, each in materials.items()}
        message = prompts.render(step, body, {**values, **filled})
        # A researcher may have copied part of one into a prompt or topic. Materials may share words with one.
        written = prompts.render(step, body, values)
        letters = plain(message)
        if self.quotes(written) or any(each in letters for each in self.bodies):
            raise Withheld(
                _(
                    "The prompt or the topics contain words of a black-box text, and this endpoint is not marked as "
                    "private. Remove these words, then start a new run."
                )
            )
        return message


def quotes_black(study_id: int, text: str) -> bool:
    """True if a text entered by a person, such as a topic, quotes a black-box text."""
    return quoting.quotes_any(text, _bodies(study_id, black_names(study_id)))


def black_names(study_id: int) -> frozenset[str]:
    """Return the names of the study's black-box texts, spoken or not."""
    return black_box.names(study_id)


def _bodies(study_id: int, names: Collection[str]) -> Iterable[str]:
    """Yield the letters of every black-box text."""
    for table in (CorpusText, Text):
        rows = table._default_manager.filter(study_id=study_id).values_list("name", "body")
        for name, body in rows.iterator():
            if name in names and len(letters := plain(body)) >= quoting.FEWEST_LETTERS:
                yield letters


def _refusal() -> str:
    return _("Texts of the black box are sent to private endpoints only, and this one is not marked as private.")
