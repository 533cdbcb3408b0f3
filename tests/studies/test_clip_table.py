"""The table that is proposed for loose files: for whom, and of what it refuses to be made."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import User
from studies.imports.ingest import table
from studies.models import Clip, Study
from tests.researchers import logged_in, researcher
from tests.world import make_study


@pytest.fixture
def study(db: None, files: Path, now: datetime) -> Study:
    made = make_study(now=now, launch=False)
    Study.objects.filter(pk=made.pk).update(owner=researcher("rita"))
    return made


def ask(study: Study, names: Any, client: Client | None = None, **fields: Any) -> Any:
    files = SimpleUploadedFile("files.json", names if isinstance(names, bytes) else json.dumps(names).encode())
    address = reverse("studies:clip_table", args=[study.slug])
    return (client or logged_in(User.objects.get(username="rita"))).post(address, {"files": files, **fields})


def test_names_and_a_table_of_any_encoding_become_rows_and_nothing_is_stored(study: Study) -> None:
    before = Clip.objects.count()
    content = "file_name;speaker\nä/1.wav;Zoë\n".encode("utf-16")
    answer = ask(study, ["ä/1.wav"], table=SimpleUploadedFile("metadata.csv", content))
    assert answer.status_code == 200
    found = answer.json()
    assert found["mapping"] == {"file_name": "file", "speaker": "voice"}
    assert [(row["file"], row["voice"], row["role"]) for row in found["rows"]] == [("ä/1.wav", "Zoë", "test")]
    assert list(found["roles"])[:2] == ["test", "trap_flawed"]
    assert found["roles"]["trap_flawed"] == "Trap: flawed clip"
    assert Clip.objects.count() == before


def test_a_column_is_read_as_chosen(study: Study) -> None:
    content = SimpleUploadedFile("t.csv", b"file,a,b\n1.wav,alder,birch\n")
    found = ask(study, ["1.wav"], table=content, chosen=json.dumps({"b": "system"})).json()
    assert [row["system"] for row in found["rows"]] == ["birch"]


@pytest.mark.parametrize(
    ("names", "fields"),
    [
        (b"[1, 2]", {}),
        (b"no json", {}),
        (b'{"a": 1}', {}),
        (["1.wav"], {"chosen": "[]"}),
        (["1.wav"], {"chosen": '{"a": 1}'}),
    ],
)
def test_what_the_page_never_sends_is_refused(study: Study, names: Any, fields: Any) -> None:
    answer = ask(study, names, **fields)
    assert (answer.status_code, answer.json()["message"]) == (422, "The request could not be read.")


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (["notes.txt"], "None of these files is audio."),
        (["/etc/1.wav"], "The name is an absolute path."),
        ([f"{number}.wav" for number in range(table.MAX_ROWS + 1)], "These are 100001 files. Import at most 100000"),
    ],
)
def test_what_cannot_be_imported_is_refused_in_words(study: Study, names: list[str], reason: str) -> None:
    answer = ask(study, names)
    assert answer.status_code == 422
    assert answer.json()["message"].startswith(reason)


def test_it_answers_those_alone_who_may_change_the_study(study: Study) -> None:
    assert ask(study, ["1.wav"], logged_in(researcher("otto"))).status_code in {403, 404}
    assert ask(study, ["1.wav"], Client()).status_code == 302
    address = reverse("studies:clip_table", args=[study.slug])
    assert logged_in(User.objects.get(username="rita")).put(address).status_code == 405


def test_two_readings_are_offered_and_a_layout_decides_for_all_rows(study: Study) -> None:
    names = [f"{one}/{other}.wav" for one in ("alder", "birch") for other in ("hello", "river")]
    found = ask(study, names).json()
    assert [(each["layout"], each["example"]["system"]) for each in found["readings"]] == [
        ("system/text", "alder"),
        ("text/system", "hello"),
    ]
    decided = ask(study, names, layout="text/system").json()
    assert (decided["readings"], decided["layout"]) == ([], "text/system")
    assert {row["system"] for row in decided["rows"]} == {"hello", "river"}
    assert [(part["example"], part["meaning"]) for part in decided["parts"]] == [("alder", "text"), ("hello", "system")]
    refused = ask(study, names, layout="text/nothing")
    assert (refused.status_code, "is not a layout" in refused.json()["message"]) == (422, True)
