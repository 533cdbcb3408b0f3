"""Forms that two people have open at once."""

from __future__ import annotations

from typing import Any

import pytest
from django import forms

from core.web.meanwhile import MeanwhileMixin


class Both(MeanwhileMixin, forms.Form):
    title = forms.CharField(required=False)
    notice = forms.CharField(required=False)


def sent(form: Both, **values: str) -> dict[str, Any]:
    return {"title": "old", "notice": "old", **values, "seen": form.seen}


def stored(**values: str) -> dict[str, Any]:
    return {"initial": {"title": "old", "notice": "old", **values}}


def test_a_field_that_only_another_person_changed_keeps_their_value() -> None:
    form = Both(sent(Both(**stored()), title="mine"), **stored(notice="theirs"))

    assert form.is_valid()
    assert form.cleaned_data == {"title": "mine", "notice": "theirs"}


def test_a_field_that_both_changed_is_a_problem_and_saving_again_keeps_ones_own() -> None:
    form = Both(sent(Both(**stored()), title="mine"), **stored(title="theirs"))

    assert not form.is_valid()
    assert "theirs" in form.errors["title"][0]
    assert form["title"].value() == "mine"
    again = Both(sent(form, title="mine"), **stored(title="theirs"))
    assert again.is_valid()
    assert again.cleaned_data["title"] == "mine"


def test_the_same_change_by_both_is_no_problem() -> None:
    assert Both(sent(Both(**stored()), title="same"), **stored(title="same")).is_valid()


@pytest.mark.parametrize("seen", ["", "no JSON", "[1]", '{"other": "x"}'])
def test_a_form_without_what_was_shown_is_saved_as_before(seen: str) -> None:
    form = Both({"title": "mine", "notice": "old", "seen": seen}, **stored(title="theirs"))

    assert form.is_valid()
    assert form.cleaned_data["title"] == "mine"
