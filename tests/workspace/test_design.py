"""The page Design: which settings it shows, how they are saved beside other people's, and what they ask of raters."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from accounts.models import User
from studies import task_types
from studies.definition import presets
from studies.launch import design_page, drafting, states
from studies.launch.plan import plan_of
from studies.launch.settings_forms import models_of, settings_form
from studies.members.models import Member
from studies.models import Study
from studies.task_types._settings import MAIN_SETTINGS
from tests.researchers import as_sent, logged_in, researcher, text, url
from tests.world import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
PRESETS = sorted(presets.by_name())


def make(preset: str, now: datetime, owner: User | None = None, **changes: Any) -> Study:
    settings = {name.replace("__", "."): value for name, value in changes.items()}
    return states.create_study(
        slug=f"voices-{preset}", title="Voices", preset=preset, owner=owner, changes=settings, now=now
    )


@pytest.fixture
def rita() -> User:
    return researcher("rita")


@pytest.fixture
def page(rita: User) -> Client:
    return logged_in(rita)


@pytest.fixture
def draft(rita: User, now: datetime) -> Study:
    return make("att", now, rita)


@pytest.fixture
def live(rita: User, now: datetime) -> Study:
    study = make_study(now=now)
    Study.objects.filter(pk=study.pk).update(owner=rita)
    study.refresh_from_db()
    return study


def at(study: Study, name: str = "design") -> str:
    return reverse(f"studies:{name}", args=[study.slug])


def shown(study: Study) -> dict[str, str]:
    """Return the fingerprints that a page which is opened now holds."""
    values = drafting.values(study.definition)
    return {dotted.replace(".", "__", 1): drafting.fingerprint(value) for dotted, value in values.items()}


def whole(study: Study, **changes: Any) -> dict[str, Any]:
    """Return the whole form as a browser without a script sends it."""
    form = settings_form(study.draft["task_type"])(study=study)
    return {**as_sent(form), "shown": json.dumps(shown(study)), **changes}


def send(client: Client, study: Study, name: str, seen: dict[str, str] | None = None, **changes: Any) -> Any:
    """Send these fields as the page's script does."""
    data = {"changed": list(changes), "shown": json.dumps(seen or shown(study)), **changes}
    response = client.post(at(study, name), data)
    assert response.status_code == 200
    return response.json()


def fields(html: str) -> set[str]:
    return set(re.findall(r'<(?:input|select|textarea)[^>]* name="([a-z_]+__[a-z_]+)"', html))


def row_of(html: str, dotted: str) -> str:
    """Return the row of a setting."""
    return html.split(f'id="{dotted}" data-row', 1)[1].split('class="ds-row', 1)[0]


def main_fields(html: str) -> list[str]:
    return list(dict.fromkeys(re.findall(r' name="([a-z_]+__[a-z_]+)"', html.split('class="card ds-advanced"')[0])))


@pytest.mark.parametrize("preset", PRESETS)
def test_each_preset_has_eight_to_ten_main_settings_and_all_others_are_folded_away(
    page: Client, rita: User, now: datetime, preset: str
) -> None:
    study = make(preset, now, rita)
    html = text(page.get(at(study)))
    main = design_page.main_settings(study.definition)
    assert 8 <= len(main) <= 10
    asked = design_page.ASKED if "question" in study.definition.kind.Params.model_fields else ()
    expected = [dotted.replace(".", "__") for dotted in (*asked, *main, *design_page.CONSENT)]
    pay = expected.index("payment__rate")
    # Currency and what is paid are beside the pay.
    expected[pay : pay + 1] = ["payment__currency", "payment__rate", "payment__per"]
    assert main_fields(html) == expected
    declared = {
        f"{group}__{name}" for group, model in models_of(study.draft["task_type"]) for name in model.model_fields
    }
    unused = study.definition.kind.unused_settings()
    left_out = {name for name in declared if name.replace("__", ".", 1) in unused or name.partition("__")[0] in unused}
    assert fields(html) == declared - left_out
    assert 'name="draft"' not in html


def test_the_contact_that_raters_read_is_a_wide_field_among_the_main_settings(
    page: Client, rita: User, now: datetime
) -> None:
    html = text(page.get(at(make("acr", now, rita))))
    assert html.index('id="texts.contact"') < html.index('id="advanced-title"')
    assert '<div class="ds-row ds-text" id="texts.contact"' in html


def test_the_question_that_raters_are_asked_is_the_first_main_setting(page: Client, rita: User, now: datetime) -> None:
    html = text(page.get(at(make("acr", now, rita)))).split('class="card ds-advanced"')[0]
    assert main_fields(html)[0] == "task__question"
    assert "overall quality" in row_of(html, "task.question")


def test_a_task_type_that_names_no_main_settings_gets_the_usual_ones() -> None:
    assert task_types.get("acr").main_settings == MAIN_SETTINGS
    assert design_page.main_settings(presets.get("acr").definition) == MAIN_SETTINGS


@pytest.mark.parametrize(
    ("preset", "has", "lacks"),
    [
        (
            "att",
            "protocol__flawed_traps texts__good_reasons review__mode",
            "protocol__golden_share protocol__quota_raters",
        ),
        ("hfr", "protocol__quota_raters protocol__flawed_traps", "protocol__golden_share task__anchors"),
        ("sp-mcqa", "protocol__golden_share coding__mode", "protocol__flawed_traps review__mode texts__good_reasons"),
        ("mushra", "task__anchors", "protocol__flawed_traps protocol__golden_share protocol__human_share coding__mode"),
        ("acr", "protocol__flawed_traps", "review__mode coding__mode protocol__most_ratings"),
    ],
)
def test_a_page_never_shows_settings_that_its_task_cant_use(
    page: Client, rita: User, now: datetime, preset: str, has: str, lacks: str
) -> None:
    names = fields(text(page.get(at(make(preset, now, rita)))))
    assert names.issuperset(has.split())
    assert names.isdisjoint(lacks.split())


def test_a_setting_that_the_task_cant_use_is_shown_once_it_was_set_all_the_same(
    page: Client, rita: User, now: datetime
) -> None:
    study = make("mushra", now, rita, protocol__flawed_traps=1)
    assert "protocol__flawed_traps" in fields(text(page.get(at(study))))
    send(page, study, "design_save", protocol__flawed_traps="0")
    assert "protocol__flawed_traps" not in fields(text(page.get(at(study))))


def test_a_default_names_its_source_and_a_changed_setting_is_marked(page: Client, draft: Study) -> None:
    html = text(page.get(at(draft)))
    assert "Default: 10." in html
    assert "?." not in html
    row = row_of(html, "protocol.ratings_wanted")
    assert "data-mark hidden" in row
    send(page, draft, "design_save", protocol__ratings_wanted="4")
    row = row_of(text(page.get(at(draft))), "protocol.ratings_wanted")
    assert "data-mark>" in row
    assert 'name="reset" value="protocol__ratings_wanted"' in row


def test_texts_in_another_language_and_made_codes_are_no_changes(rita: User, now: datetime) -> None:
    study = states.create_study(
        slug="zh", title="声音", preset="att", owner=rita, changes={}, now=now, language="zh-hans"
    )
    form = settings_form("ternary")(study=study)
    assert study.definition.crowd.completion_code
    assert [dotted for dotted in form.dotted().values() if not form.is_default(dotted)] == []


def test_without_a_script_saving_changes_what_was_changed_and_stays_on_the_page(page: Client, draft: Study) -> None:
    before = draft.definition
    saved = page.post(at(draft), whole(draft, protocol__ratings_wanted="4", texts__contact="lab@example.org"))
    assert saved.headers["Location"] == at(draft)
    draft.refresh_from_db()
    assert draft.definition.protocol.ratings_wanted == 4
    assert draft.definition.texts == before.texts.model_copy(update={"contact": "lab@example.org"})
    assert "Saved." in text(page.get(at(draft)))
    message = LogEntry.objects.get().get_change_message()
    assert message == "Ratings per clip: 10 → 4\nContact: not set → lab@example.org"


def test_a_bad_setting_is_told_beside_its_field_and_costs_nothing_typed(page: Client, draft: Study) -> None:
    sent = whole(draft, texts__contact="Typed", crowd__return_url="http://example.org", protocol__ratings_wanted="x")
    answer = page.post(at(draft), sent)
    assert answer.status_code == 400
    html = text(answer)
    row = row_of(html, "crowd.return_url")
    assert "begins with https://" in row
    assert 'value="http://example.org"' in html
    assert "Enter a whole number" in row_of(html, "protocol.ratings_wanted")
    assert "2 settings were not saved" in html
    draft.refresh_from_db()
    assert draft.definition.crowd.return_url.startswith("https://")
    # What is valid isn't held back by the rest.
    assert draft.definition.texts.contact == "Typed"


def test_a_request_that_says_nothing_changes_nothing(page: Client, draft: Study) -> None:
    before = draft.draft
    for data in ({}, {"shown": "["}, {"shown": "[1]"}, {"shown": json.dumps({"protocol__ratings_wanted": 1})}):
        page.post(at(draft), data)
        page.post(at(draft, "design_save"), {**data, "changed": ["protocol__ratings_wanted", "title", "nonsense"]})
    draft.refresh_from_db()
    assert draft.draft == before
    assert not LogEntry.objects.exists()


def test_two_people_save_different_settings_and_neither_loses_theirs(page: Client, draft: Study) -> None:
    seen = shown(draft)
    send(page, draft, "design_save", seen, protocol__ratings_wanted="4")
    answer = send(page, draft, "design_save", seen, protocol__tests_per_batch="5")
    assert answer["saved"]["protocol__tests_per_batch"]["value"] == ["5"]
    draft.refresh_from_db()
    assert (draft.definition.protocol.ratings_wanted, draft.definition.protocol.tests_per_batch) == (4, 5)


def test_a_setting_that_somebody_else_changed_is_not_overwritten_and_their_value_is_shown(
    page: Client, draft: Study
) -> None:
    seen = shown(draft)
    send(page, draft, "design_save", seen, protocol__ratings_wanted="4")
    answer = send(page, draft, "design_save", seen, protocol__ratings_wanted="20", protocol__lease_minutes="40")
    assert list(answer["saved"]) == ["protocol__lease_minutes"]
    conflict = answer["conflicts"]["protocol__ratings_wanted"]
    assert (conflict["message"], conflict["value"]) == ("Somebody changed this meanwhile. It is now: 4.", ["4"])
    draft.refresh_from_db()
    assert draft.definition.protocol.ratings_wanted == 4
    # Who has seen it may set it.
    send(page, draft, "design_save", {"protocol__ratings_wanted": conflict["shown"]}, protocol__ratings_wanted="20")
    draft.refresh_from_db()
    assert draft.definition.protocol.ratings_wanted == 20
    refused = page.post(at(draft), {**whole(draft, protocol__ratings_wanted="6"), "shown": json.dumps(seen)})
    assert "Somebody changed this meanwhile. It is now: 20." in text(refused)


def test_two_settings_that_are_valid_only_together_are_saved_together(page: Client, draft: Study) -> None:
    answer = send(page, draft, "design_save", protocol__human_traps_right="3", crowd__identity_days="30")
    assert "no batch could ever be valid" in answer["problems"]["protocol__human_traps_right"]
    assert list(answer["saved"]) == ["crowd__identity_days"]
    answer = send(page, draft, "design_save", protocol__human_traps_right="3", protocol__human_traps="3")
    assert answer["problems"] == {}
    draft.refresh_from_db()
    assert (draft.definition.protocol.human_traps, draft.definition.protocol.human_traps_right) == (3, 3)


def test_a_setting_is_reset_to_the_presets_default(page: Client, draft: Study) -> None:
    send(page, draft, "design_save", protocol__ratings_wanted="4", review__mode="off")
    response = page.post(at(draft, "design_save"), {"reset": "protocol__ratings_wanted"}).json()
    assert response["saved"]["protocol__ratings_wanted"]["is_default"] is True
    draft.refresh_from_db()
    assert (draft.definition.protocol.ratings_wanted, draft.definition.review.mode) == (10, "off")
    # And without a script, where what else was typed is saved, too.
    page.post(at(draft), {**whole(draft, protocol__lease_minutes="40"), "reset": "review__mode"})
    draft.refresh_from_db()
    assert (draft.definition.review.mode, draft.definition.protocol.lease_minutes) == ("all", 40)


def test_an_estimate_is_made_of_the_unsaved_form_and_saves_nothing(page: Client, draft: Study) -> None:
    assert "There are no test clips yet. The figures assume 100 of them" in text(page.get(at(draft)))
    answer = send(page, draft, "design_estimate", protocol__ratings_wanted="20", protocol__tests_per_batch="0")
    assert "greater than or equal to 1" in answer["problems"]["protocol__tests_per_batch"]
    # 100 × 20 ratings, 21 of each rater.
    assert "<dd>96</dd>" in answer["panel"]
    draft.refresh_from_db()
    assert draft.definition.protocol.ratings_wanted == 10


def test_the_panel_says_what_a_rater_does_and_what_it_costs(page: Client, live: Study) -> None:
    panel = send(page, live, "design_estimate", payment__rate="1.5", payment__minutes="8")["panel"]
    said = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", panel))
    for sentence in (
        "3 batches of 10 clips: 7 test clips, 1 flawed trap, 2 human traps.",
        "Hears each clip whole before answering.",
        "Chooses Human, Unclear or Machine.",
        "Writes what decided it, in at least 20 letters.",
        "Minutes told to raters 8",
        "Batches that pass if a rater only guesses 18.5 %",
    ):
        assert sentence in said
    assert "no test clips" not in said
    # 36 clips × 10 ratings by raters of one batch, since there are 12 texts.
    assert "<dd>52</dd>" in panel
    assert "GBP 78.00" in said
    without = send(page, live, "design_estimate", protocol__playback="record")["panel"]
    assert "Set the pay" in without
    assert "May answer before a clip ends" in without


def test_clips_that_allow_no_batch_are_told_in_the_panel(page: Client, rita: User, now: datetime) -> None:
    study = make_study(now=now, launch=False, flawed=0)
    Study.objects.filter(pk=study.pk).update(owner=rita)
    html = text(page.get(at(study)))
    assert "There are too few traps" in html
    assert "appears here once the clips allow at least one batch" in html


def test_a_draft_s_design_and_clips_end_with_a_button_to_the_next_step(page: Client, rita: User, now: datetime) -> None:
    draft = make("acr", now, rita)
    assert f'<a class="button" href="{url("clips", draft.slug)}">Next: Add clips</a>' in text(page.get(at(draft)))
    assert "Next:" not in text(page.get(at(draft, "clips")))
    full = make_study(now=now, launch=False)
    Study.objects.filter(pk=full.pk).update(owner=rita)
    onward = f'<a class="button" href="{url("launch", full.slug)}">Next: Check &amp; launch</a>'
    assert onward in text(page.get(at(full)))
    assert onward in text(page.get(at(full, "clips")))


def test_a_live_study_has_no_next_step_at_the_end_of_design(page: Client, live: Study) -> None:
    assert "Next:" not in text(page.get(at(live)))


def test_the_panel_says_how_raters_and_minutes_come_about(page: Client, rita: User, now: datetime) -> None:
    study = make_study(now=now, launch=False, protocol__ratings_wanted=4)
    Study.objects.filter(pk=study.pk).update(owner=rita)
    panel = text(page.get(at(study))).split("data-panel")[1]
    plan = plan_of(study)
    each = plan.batches * study.definition.protocol.tests_per_batch
    assert f"{plan.tests} clips × 4 ratings ÷ {each} clips per rater: at least {plan.raters}" in panel
    assert re.search(
        r"Estimate: [\d.]+ (s|min) of listening \+ [\d.]+ (s|min) of answering \(\d+ × \d+ s\) = \d+ min, rounded up",
        panel,
    )


@pytest.mark.parametrize("preset", PRESETS)
def test_the_panel_of_every_preset_says_what_raters_do(page: Client, rita: User, now: datetime, preset: str) -> None:
    panel = text(page.get(at(make(preset, now, rita)))).split("ds-activity")[1].split("</ul>")[0]
    assert len(re.findall("<li>", panel)) >= 3
    assert ("trap" in panel) is (preset == "att")


def test_after_the_launch_changes_wait_for_publishing(page: Client, live: Study) -> None:
    assert "don’t apply to raters yet" in text(page.get(at(live)))
    assert re.search(r"<p data-unpublished hidden>", text(page.get(at(live))))
    answer = send(page, live, "design_save", texts__consent="I agree.")
    assert answer["is_changed"] is True
    html = text(page.get(at(live)))
    assert "Raters see what you change here after you publish version 2" in html
    assert url("launch", live.slug) in html
    assert re.search(r"<p data-unpublished>", html)
    assert "Applies at once" in row_of(html, "payment.rate")
    assert "Applies at once" not in row_of(html, "protocol.ratings_wanted")
    page.post(url("move", live.slug, "publish"))
    assert [version.number for version in live.versions.all()] == [1, 2]
    html = text(page.get(at(live)))
    assert "after you publish version 3" in html
    assert re.search(r"<p data-unpublished hidden>", html)


def test_what_is_fixed_is_shown_with_its_reason_and_stays(page: Client, rita: User, now: datetime) -> None:
    live = make_study(now=now, audio__loudness=-25.0)
    Study.objects.filter(pk=live.pk).update(owner=rita)
    html = text(page.get(at(live)))
    row = row_of(html, "results.hide_scores")
    assert "Fixed: This can" in row
    assert "<input" not in row
    assert "audio__max_seconds" in fields(html)
    assert "audio__loudness" not in fields(html)
    for data in ({"changed": "audio__loudness", "audio__loudness": "-30"}, {"reset": "audio__loudness"}):
        page.post(at(live, "design_save"), {**data, "shown": json.dumps(shown(live))})
    live.refresh_from_db()
    assert live.definition.audio.loudness == -25.0


def test_a_viewer_sees_settings_and_nothing_to_change_them(live: Study, now: datetime) -> None:
    viewer = researcher("vera")
    Member.objects.create(study=live, user=viewer, role="viewer", added_at=now)
    client = logged_in(viewer)
    html = text(client.get(at(live)))
    assert fields(html) == set()
    assert "<textarea" not in html
    row = row_of(html, "protocol.ratings_wanted")
    assert 'dir="auto">10</p>' in row
    assert "Reset to default" not in html
    assert "Save settings" not in html
    for name in ("design", "design_save", "design_estimate"):
        assert client.post(at(live, name), {}).status_code == 403
