"""Systems, speakers, texts and roles read from file names as people have them."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from studies.imports.ingest import guess
from studies.imports.ingest.problems import InvalidInput
from tests.bench import layouts


def proposed(names: Iterable[str], layout: str = "") -> guess.Proposal:
    return guess.propose([*names], layout=layout)


def values(names: Iterable[str], column: str, role: str = "test") -> set[str]:
    return {row[column] for row in proposed(names).rows if row["role"] == role}


def grid(form: str, **parts: Iterable[str]) -> list[str]:
    """Return a name for each combination of the parts."""
    names = [form]
    for part, each in parts.items():
        names = [name.replace(f"{{{part}}}", value) for name in names for value in each]
    return names


MODELS = ("modelA", "modelB", "gt")
NUMBERS = ("001", "002", "003", "004", "005")


def test_more_systems_than_sentences_are_not_swapped() -> None:
    systems = ("modelA", "modelB", "modelC", "modelD", "gt")
    names = grid("out/{system}/{text}.wav", system=systems, text=("sent1", "sent2", "sent3", "sent4"))
    assert values(names, "system") == {"modelA", "modelB", "modelC", "modelD", "human"}
    assert values(names, "text_id") == {"sent1", "sent2", "sent3", "sent4"}
    assert not proposed(names).readings


@pytest.mark.parametrize("form", ["out/{system}/{speaker}/{text}.wav", "out/{speaker}/{system}/{text}.wav"])
def test_speakers_are_told_from_systems_on_either_side(form: str) -> None:
    names = grid(form, system=MODELS, speaker=("p1", "p2"), text=("u1", "u2"))
    assert values(names, "system") == {"modelA", "modelB", "human"}
    assert values(names, "voice") == {"p1", "p2"}
    assert values(names, "text_id") == {"p1_u1", "p1_u2", "p2_u1", "p2_u2"}


def test_a_word_for_people_ends_the_name_of_an_utterance() -> None:
    texts = [f"utt{number:02}" for number in range(1, 21)]
    names = grid("out/{text}_{system}.wav", system=("GT", "modelA", "modelB"), text=texts)
    assert values(names, "system") == {"human", "modelA", "modelB"}
    assert values(names, "text_id") == set(texts)


def test_a_speaker_starts_the_name_of_an_utterance() -> None:
    names = grid("out/{speaker}_{text}_{system}.wav", system=MODELS, speaker=("p225", "p226"), text=NUMBERS)
    assert values(names, "system") == {"modelA", "modelB", "human"}
    assert values(names, "voice") == {"p225", "p226"}
    assert values(names, "text_id") == {f"{speaker}_{text}" for speaker in ("p225", "p226") for text in NUMBERS}


def test_files_named_like_a_role_have_it() -> None:
    names = grid(
        "out/{text}/{system}.wav", text=("t1", "t2", "t3"), system=("reference", "anchor35", "modelA", "modelB")
    )
    assert values(names, "system") == {"modelA", "modelB"}
    assert values(names, "system", "reference") == {"human"}
    assert values(names, "system", "anchor") == {"anchor 3.5 kHz"}
    assert values(names, "text_id") == values(names, "text_id", "reference") == {"t1", "t2", "t3"}


def test_ref_is_a_person_and_next_to_an_anchor_a_reference() -> None:
    names = grid("{system}/{text}.wav", system=("ref", "modelA"), text=NUMBERS)
    assert values(names, "system") == {"human", "modelA"}
    names = grid("{system}/{text}.wav", system=("ref", "modelA", "anchor70"), text=NUMBERS)
    assert values(names, "system", "reference") == {"human"}


@pytest.mark.parametrize(
    ("names", "voices", "text"),
    [
        (
            [f"LibriTTS/{s}/505/{s}_505_00000{n}_000000.wav" for s in ("84", "174") for n in "12"],
            {"84", "174"},
            "174_505_000001_000000",
        ),
        ([f"{s}/{s}_00{n}_mic1.flac" for s in ("p225", "p226") for n in (1, 2)], {"p225", "p226"}, "p226_001_mic1"),
        ([f"wavs/LJ001-{n:04}.wav" for n in range(1, 9)], {"LJ"}, "LJ001-0001"),
    ],
)  # fmt: skip
def test_the_speaker_in_names_of_corpora_is_the_voice(names: list[str], voices: set[str], text: str) -> None:
    assert values(names, "voice") == voices
    assert text in values(names, "text_id")
    # Only the researcher knows whose recordings they are.
    assert values(names, "system") == {""}


def test_prompts_of_seed_tts_eval_are_no_system() -> None:
    names = [f"zh/prompt-wavs/{n:08}.wav" for n in range(3)] + [f"zh/wavs/{n:08}-{n + 1:08}.wav" for n in range(3)]
    assert values(names, "file", "prompt") == set(names[:3])
    assert values(names, "file") == set(names[3:])


def test_systems_that_have_separators_in_their_names_stay_whole() -> None:
    names = grid("{text}_{system}.wav", text=("utt01", "utt02", "utt03"), system=("f5_tts", "gt", "xtts"))
    assert values(names, "system") == {"f5_tts", "human", "xtts"}


def test_traps_in_a_folder_are_no_system_and_a_bare_one_is_asked_about() -> None:
    traps = ["traps/human/7.wav", "traps/flawed/8.wav", "traps/9.wav"]
    names = grid("{text}_{system}.wav", text=NUMBERS, system=MODELS) + traps
    roles = {row["file"]: (row["role"], row["system"]) for row in proposed(names).rows}
    assert [roles[trap] for trap in traps] == [("trap_human", "human"), ("trap_flawed", "flawed"), ("", "")]
    assert values(names, "system") == {"modelA", "modelB", "human"}


def test_takes_are_numbered() -> None:
    names = grid("{system}/{text}_take{take}.wav", system=MODELS, text=("utt1", "utt2", "utt3"), take=("1", "2"))
    assert values(names, "take") == {"1", "2"}
    assert values(names, "text_id") == {"utt1", "utt2", "utt3"}


def test_where_two_readings_are_as_likely_both_are_offered_with_an_example() -> None:
    names = grid("{one}/{other}.wav", one=("alder", "birch", "cedar"), other=("hello", "river", "letter"))
    found = proposed(names)
    assert [reading.layout for reading in found.readings] == ["system/text", "text/system"]
    assert [reading.example["system"] for reading in found.readings] == ["alder", "hello"]
    # The answer is the layout, for all rows at once.
    answered = proposed(names, "text/system")
    assert not answered.readings
    assert {row["system"] for row in answered.rows} == {"hello", "river", "letter"}


def test_a_layout_says_what_each_part_is_and_its_parts_are_listed_with_examples() -> None:
    names = grid("run/{one}/x_{two}.wav", one=("a1", "a2"), two=("b1", "b2"))
    found = proposed(names, "condition/ignore_text")
    assert [(row["condition"], row["text_id"], row["system"]) for row in found.rows][:2] == [
        ("a1", "b1", ""),
        ("a1", "b2", ""),
    ]
    assert [(part.example, part.values, part.meaning) for part in found.parts] == [
        ("a1", 2, "condition"),
        ("x", 1, "ignore"),
        ("b1", 2, "text"),
    ]
    # A folder that all files share can be the system.
    assert {row["system"] for row in proposed(names, "system/ignore/text").rows} == {"run"}


@pytest.mark.parametrize("layout", ["", "system", "system/words", "system/system_text", "_text"])
def test_what_is_no_layout_is_refused_with_the_parts(layout: str) -> None:
    if layout:
        with pytest.raises(InvalidInput, match="layout"):
            proposed(["a/1.wav"], layout)
    else:
        assert proposed(["a/1.wav"]).layout == "text"


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_of_40_drawn_layouts_38_are_right_or_asked_about_and_none_is_silently_wrong(seed: int) -> None:
    found = [outcome for outcome, *_rest in layouts.outcomes(seed)]
    assert "silently wrong" not in found
    assert sum(outcome in {"right", "asked"} for outcome in found) >= 38


def test_folders_below_the_systems_that_are_the_same_for_all_say_nothing() -> None:
    names = grid(
        "{system}/submission/english/wavs/news_2013_{text}.wav", system="ABC", text=("0001", "0002", "0003", "0004")
    )
    assert values(names, "system") == {"A", "B", "C"}
    assert values(names, "text_id") == {f"news_2013_000{number}" for number in range(1, 5)}


def test_a_system_in_folder_and_name_is_one() -> None:
    names = [f"{system}/{system}_{number:03}.wav" for system in ("alder", "birch") for number in range(1, 6)]
    assert values(names, "system") == {"alder", "birch"}
    assert not proposed(names).readings
