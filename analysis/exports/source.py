"""The options and shared data of one export, for all of its tables."""

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
    """Range of rows to read, as arguments of `core.database.paging.paged`."""

    after: int | None
    size: int


@dataclass
class Source:
    """A study, the sessions that are read, the format and audience, and pseudonyms for its people.

    `is_blind`: scores are hidden from this user, so no table may contain answers (rule D10). `without_words`: this user
    may not see the words of black-box texts (`studies.clips.black_box`).
    """

    study: Study
    simulated: Simulated
    format: Format = Format.CSV
    layout: Layout = Layout.OWN
    profile: Profile = Profile.ANALYSIS
    is_blind: bool = False
    without_words: bool = False
    # For ratings, sessions and reviews.
    page: Window = field(default_factory=Window)
    # The sessions of the page's rows; None: all.
    sessions: Collection[int] | None = None
    app_version: str = field(default_factory=lambda: str(settings.VERSION))

    @cached_property
    def names(self) -> Pseudonyms:
        """Pseudonyms; published data has separate ones that can't be matched with those for analysis."""
        return Pseudonyms(self.study.secret, "open" if self.is_open else "")

    @property
    def is_open(self) -> bool:
        return self.profile == Profile.OPEN

    @property
    def is_withholding(self) -> bool:
        """True if words of black-box texts are left out: for publication, or for this user (rule D11)."""
        return self.is_open or self.without_words

    @cached_property
    def black_texts(self) -> frozenset[str]:
        """Names of the texts with words to leave out; empty if the export may have them."""
        return black_box.texts(self.study) if self.is_withholding else frozenset()

    @cached_property
    def black_corpus(self) -> frozenset[str]:
        """Names of black-box texts in the corpus, which no published audio may speak."""
        return black_box.corpus(self.study) if self.is_open else frozenset()

    def keeps_words(self, box: object, text: object) -> bool:
        """True if the words of a clip or text with this box and name are left out."""
        return self.is_withholding and black_box.is_black(box, text, self.black_texts)

    def keeps_audio(self, box: object, text: object) -> bool:
        """True if a clip's audio is left out; on pages, all members of the study hear it."""
        return self.is_open and black_box.is_black(box, text, self.black_corpus)

    @cached_property
    def versions(self) -> Sequence[StudyVersion]:
        return definition_queries.versions(self.study.pk)

    @cached_property
    def definition(self) -> Definition:
        """The study's current definition."""
        return definition_queries.definition(self.study)

    @cached_property
    def _by_key(self) -> dict[int, StudyVersion]:
        return {version.pk: version for version in self.versions}

    @cached_property
    def reasons(self) -> ratings.Reasons:
        """The active verdicts that exclude data; read once."""
        return ratings.reasons(self.study.pk, sessions=self.sessions)

    @cached_property
    def taken_back(self) -> frozenset[int]:
        """Sessions with a request for deletion: their answers are no longer written anywhere."""
        return ratings.sessions_to_delete(self.study.pk)

    def who(self, session: int, rater: int) -> dict[str, str]:
        """Return the cells that identify a row's study, session and rater."""
        return {"study": self.study.slug, "session": self.names.session(session), "rater": self.names.rater(rater)}

    def blanks(self, session: int, *names: str) -> dict[str, None]:
        """Return these cells as None if the session's deletion was requested; otherwise nothing."""
        return dict.fromkeys(names) if session in self.taken_back else {}

    @cached_property
    def failed_checks(self) -> dict[int, list[str]]:
        """{session: its first failed checks}; read once."""
        return checks.failed(self.study.pk, self.sessions)

    def quick_seconds(self, version: int) -> float:
        """Return the decision time in seconds below which an answer of this version is flagged (rule B3)."""
        return facts.frozen(version).protocol.quick_seconds

    def number(self, version: int) -> int:
        return self._by_key[version].number

    def preset(self, version: int) -> str:
        return str(self._by_key[version].definition.get("preset", ""))
