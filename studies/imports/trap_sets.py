"""The trap clips of another study as a source of an import: labels, texts and recordings are copied."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.db.models import Count, QuerySet

from core.files import storage
from core.text.words import say
from studies.clips.models import Clip, Text
from studies.definition.models import Study
from studies.imports.ingest import guess
from studies.imports.ingest.archive import ArchiveLimits, pour
from studies.imports.ingest.manifest import EXTRA
from studies.imports.ingest.problems import ImportProblem, InvalidInput
from studies.imports.publishing import COPIED
from studies.members import access
from studies.rules.roles import Capability
from studies.task_types.base import TRAPS

# The prompt of a trap is no trap, and is not copied.
LABELS = tuple(name for name in COPIED if name not in ("file", "prompt_file"))


def origins(study: Study, user: Any) -> QuerySet[Study]:
    """Return the other studies with traps whose clips this person may copy, with the number of their `traps`.

    As for a duplicate, they must be allowed to change the origin: the words of black-box texts are copied, too.
    """
    mine = access.visible(user, Capability.CHANGE_STUDY).filter(pilot_of=None).exclude(pk=study.pk)
    of_traps = mine.filter(clips__role__in=TRAPS, clips__withdrawn_at=None)
    return of_traps.annotate(traps=Count("clips")).order_by("title", "slug")


class TrapSet:
    """The traps of `origin` as files below its address, for an import into `study`; raises `InvalidInput` if empty."""

    def __init__(self, origin: Study, study: Study) -> None:
        clips = Clip.objects.filter(study=origin, role__in=TRAPS, withdrawn_at=None).select_related("system", "text")
        self.name = origin.slug
        self.clips = {f"{origin.slug}/{clip.file}": clip for clip in clips.order_by("file")}
        self.texts = dict(Text.objects.filter(study=study).values_list("name", "body"))
        self.limits = ArchiveLimits()
        if not self.clips:
            raise InvalidInput(say("The study {study} has no traps.", study=origin.slug))

    @property
    def names(self) -> list[str]:
        return list(self.clips)

    def manifest(self) -> bytes:
        return guess.as_manifest([self._row(file, clip) for file, clip in self.clips.items()])

    def _row(self, file: str, clip: Clip) -> dict[str, str]:
        labels = {name: getattr(clip, name) for name in LABELS}
        extra = {f"{EXTRA}{name}": value for name, value in (clip.extra or {}).items()}
        return {"file": file, "system": clip.system.name, **labels, **self._text(clip.text), **extra}

    def _text(self, text: Text | None) -> dict[str, str]:
        """Return text_id and words; the same id for other words, or for unknown ones, gets the origin's address."""
        if text is None:
            return {}
        is_same = text.name not in self.texts or (text.body and self.texts[text.name] == text.body)
        return {"text_id": text.name if is_same else f"{self.name}/{text.name}", "text": text.body}

    def match(self, names: Iterable[str]) -> list[ImportProblem]:
        return []

    def missing(self, name: str) -> str:
        return "" if name in self.clips else say("The study {study} has no such trap.", study=self.name)

    def copy(self, name: str, target: Path) -> None:
        with storage.open_file(self.clips[name].original) as file, target.open("xb") as out:
            pour(file, out, self.limits.file_bytes)


def of_import(origin: int, study: Study) -> TrapSet:
    """Return the traps of the study with this key; raises `InvalidInput` if it was deleted."""
    found = Study.objects.filter(pk=origin).first()
    if found is None:
        raise InvalidInput(say("The study whose traps were to be copied was deleted."))
    return TrapSet(found, study)
