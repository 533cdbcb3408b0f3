"""Presets of this server: settings of a study that were saved under a name, to make other studies of."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from core.errors import Invalid, NotFound
from studies.definition import presets
from studies.definition.definition import Definition
from studies.definition.models import SavedPreset, Study
from studies.definition.parsing import parse
from studies.launch.addresses import plain, unused

if TYPE_CHECKING:
    from accounts.users.models import User

# Groups of settings that a preset takes from a study; people, money and codes stay the study's own.
KEPT = ("task", "protocol", "texts", "translations", "audio", "screening", "questionnaire")
# Texts that name the study's people.
OWN_TEXTS = {"contact": "", "institution": ""}


def save(*, study: Study, name: str, description: str, author: User | None, now: datetime) -> SavedPreset:
    """Save the draft's settings under a name; raises `Invalid` if there is none, or another preset has it."""
    name, most = " ".join(name.split()), SavedPreset.LONGEST_NAME
    if not name:
        raise Invalid(_("Write a name for the preset."))
    if len(name) > most:
        raise Invalid(_("The name of a preset may have up to {most} characters.").format(most=most))
    if SavedPreset.objects.filter(name=name).exists():
        raise Invalid(_("Another preset of this server has this name; choose a different one."))
    taken = {*presets.by_name(), *SavedPreset.objects.values_list("slug", flat=True)}
    return SavedPreset.objects.create(
        slug=unused(plain(name) or "preset", taken),
        name=name,
        description=" ".join(description.split())[: SavedPreset.LONGEST_DESCRIPTION],
        definition=_kept(study.definition).model_dump(mode="json"),
        author=author,
        created_at=now,
    )


def _kept(definition: Definition) -> Definition:
    raw: dict[str, Any] = definition.model_dump(mode="json")
    begun = presets.of(definition).definition.model_dump(mode="json")
    wordings = {language: {**texts, **OWN_TEXTS} for language, texts in raw["translations"].items()}
    texts = {"texts": {**raw["texts"], **OWN_TEXTS}, "translations": wordings}
    return parse({**begun, **{group: raw[group] for group in KEPT}, **texts})


def listed() -> list[SavedPreset]:
    """Return all presets of this server by name, with their authors."""
    return list(SavedPreset.objects.select_related("author").order_by("name"))


def definition_of(slug: str) -> Definition | None:
    """Return the settings of a preset of this server; None if there is none of this name."""
    preset = SavedPreset.objects.filter(slug=slug).first()
    return None if preset is None else parse(preset.definition)


def find(slug: str) -> SavedPreset:
    """Return the preset of this server of this name; raise `NotFound` if there is none."""
    preset = SavedPreset.objects.filter(slug=slug).first()
    if preset is None:
        raise NotFound(_("There is no such preset on this server."))
    return preset


def may_delete(preset: SavedPreset, user: Any) -> bool:
    """Return whether this person may delete a preset: its author, or an administrator."""
    return bool(user.is_superuser or preset.author_id == user.pk)
