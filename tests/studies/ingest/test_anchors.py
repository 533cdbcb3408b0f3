from __future__ import annotations

from studies.imports.ingest.anchors import anchors
from studies.imports.ingest.manifest import ManifestRow

REFERENCE = ManifestRow(
    4, "h/1.wav", "human", "reference", voice="LJ", text_id="t1", text="One.", dimension="news", language="en",
    box="black", benchmark="b", condition="c", domain="human", take="1", prompt_file="p.wav", seen="yes",
)  # fmt: skip
TEST = ManifestRow(5, "a/1.wav", "alpha", "test", text_id="t1")


def test_each_reference_gets_an_anchor_for_each_cut_off() -> None:
    made, problems = anchors([REFERENCE, TEST], (3500, 7000), ["h/1.wav", "a/1.wav"])
    assert problems == []
    assert [(anchor.row.file, anchor.row.system, anchor.of, anchor.hertz) for anchor in made] == [
        ("anchors/3500/h/1.wav", "anchor 3.5 kHz", "h/1.wav", 3500),
        ("anchors/7000/h/1.wav", "anchor 7 kHz", "h/1.wav", 7000),
    ]


def test_an_anchor_says_what_its_reference_says_and_is_nobodys_voice() -> None:
    row = anchors([REFERENCE], (3500,), [])[0][0].row
    assert (row.number, row.role) == (4, "anchor")
    assert (row.text_id, row.text, row.dimension, row.language, row.benchmark) == ("t1", "One.", "news", "en", "b")
    # What may not be given away of the reference may not be given away of its anchor.
    assert row.box == "black"
    assert (row.voice, row.condition, row.domain, row.take, row.prompt_file, row.seen) == ("",) * 6


def test_without_cut_offs_or_references_there_are_no_anchors() -> None:
    assert anchors([REFERENCE, TEST], (), []) == ([], [])
    assert anchors([TEST], (3500,), []) == ([], [])


def test_an_anchor_whose_name_is_taken_or_too_long_is_refused_at_its_reference() -> None:
    long = ManifestRow(6, "x" * 495, "human", "reference", text_id="t2")
    made, problems = anchors([REFERENCE, long], (3500,), ["ANCHORS/3500/h/1.wav"])
    assert made == []
    assert [(problem.row, problem.column) for problem in problems] == [(4, "file"), (6, "file")]
    assert "Rename" in problems[0].reason
    assert "too long" in problems[1].reason
