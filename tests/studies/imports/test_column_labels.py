"""Every column, role and part of names has words, in each language."""

from __future__ import annotations

from django.utils import translation

from studies.imports import column_labels
from studies.imports.ingest import layouts, manifest
from studies.models import Clip


def test_every_column_role_and_part_has_words_of_its_own() -> None:
    for words, values in (
        (column_labels.columns(), manifest.COLUMNS),
        (column_labels.roles(), manifest.ROLES),
        (column_labels.parts(), layouts.PARTS),
    ):
        assert tuple(words) == tuple(values)
        assert len(set(words.values())) == len(values)
        assert not set(words.values()) & set(values)


def test_the_roles_of_a_manifest_are_those_of_clips() -> None:
    assert tuple(Clip.Role.values) == manifest.ROLES


def test_the_words_are_translated() -> None:
    english = {**column_labels.columns(), **column_labels.roles(), **column_labels.parts()}
    with translation.override("zh-hans"):
        chinese = {**column_labels.columns(), **column_labels.roles(), **column_labels.parts()}
    assert [name for name, word in english.items() if chinese[name] == word] == []
