"""What every table of one export needs to know."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypedDict

from django.conf import settings

from analysis.data.models import Simulated
from analysis.exports.models import Format, Layout, Profile
from analysis.exports.pseudonyms import Pseudonyms
from raters.rating import ratings
from raters.sessions import checks
from studies.clips import black_box
from studies.definition import facts
from studies.definition import queries as definition_queries

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from studies.definition.definition import Definition
    from studies.definition.models import Study, StudyVersion


class Window(TypedDict, total=False):
    """Which rows of a table are read, as `core.database.paging.paged` takes it."""

    after: int | None
    size: int


@dataclass
class Source:
    """A study, which sessions of it are read, how they are written and for whom, and names for its people.

    `is_blind`: scores are hidden from the person who asks, so that no table may tell what was answered (rule D10).
    `without_words`: this person doesn't get the words of black-box texts (`studies.clips.black_box`).
    """

    study: Study
    simulated: Simulated
    format: Format = Format.CSV
    layout: Layout = Layout.OWN
    profile: Profile = Profile.ANALYSIS
    is_blind: bool = False
    without_words: bool = False
    # Of ratings, sessions and reviews.
    page: Window = field(default_factory=Window)
    # Those that the rows of the page are from; None: all.
    sessions: Collection[int] | None = None
    app_version: str = field(default_factory=lambda: str(settings.VERSION))

    @cached_property
    def names(self) -> Pseudonyms:
        """Return pseudonyms; what is published has its own, which can't be joined with those of an analysis."""
        return Pseudonyms(self.study.secret, "open" if self.is_open else "")

    @property
    def is_open(self) -> bool:
        return self.profile == Profile.OPEN

    @property
    def is_withholding(self) -> bool:
        """Return whether words of the black box are left out: of what is published, or for whom it is (rule D11)."""
        return self.is_open or self.without_words

    @cached_property
    def black_texts(self) -> frozenset[str]:
        """Return the names of texts whose words are left out; none where they may be in the export."""
        return black_box.texts(self.study) if self.is_withholding else frozenset()

    @cached_property
    def black_corpus(self) -> frozenset[str]:
        """Return the names of texts that are black-box themselves, so that no audio of them is published."""
        return black_box.corpus(self.study) if self.is_open else frozenset()

    def keeps_words(self, box: object, text: object) -> bool:
        """Return whether the words of a clip or text of this box and name are left out."""
        return self.is_withholding and black_box.is_black(box, text, self.black_texts)

    def keeps_audio(self, box: object, text: object) -> bool:
        """Return whether a clip's audio is left out, which members hear on pages whatever their role."""
        return self.is_open and black_box.is_black(box, text, self.black_corpus)

    @cached_property
    def versions(self) -> Sequence[StudyVersion]:
        return definition_queries.versions(self.study.pk)

    @cached_property
    def definition(self) -> Definition:
        """Return what raters meet now."""
        return definition_queries.definition(self.study)

    @cached_property
    def _by_key(self) -> dict[int, StudyVersion]:
        return {version.pk: version for version in self.versions}

    @cached_property
    def reasons(self) -> ratings.Reasons:
        """Return the active verdicts against using something, read once."""
        return ratings.reasons(self.study.pk, sessions=self.sessions)

    @cached_property
    def taken_back(self) -> frozenset[int]:
        """Return the sessions whose deletion was asked for: what was said in them is written nowhere any more."""
        return ratings.sessions_to_delete(self.study.pk)

    def who(self, session: int, rater: int) -> dict[str, str]:
        """Return the cells that say of which study, session and rater a row is."""
        return {"study": self.study.slug, "session": self.names.session(session), "rater": self.names.rater(rater)}

    def blanks(self, session: int, *names: str) -> dict[str, None]:
        """Return these cells, empty, where a session's deletion was asked for; nothing elsewhere."""
        return dict.fromkeys(names) if session in self.taken_back else {}

    @cached_property
    def failed_checks(self) -> dict[int, list[str]]:
        """Return {session: the first checks that it did not pass}, read once."""
        return checks.failed(self.study.pk, self.sessions)

    def quick_seconds(self, version: int) -> float:
        """Return below which decision time an answer of this version is flagged (rule B3)."""
        return facts.frozen(version).protocol.quick_seconds

    def number(self, version: int) -> int:
        return self._by_key[version].number

    def preset(self, version: int) -> str:
        return str(self._by_key[version].definition.get("preset", ""))
