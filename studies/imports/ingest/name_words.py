"""Words in the names of files and folders: people, roles, systems, speakers, texts, takes, conditions."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

HUMAN = "human"
HUMANS = re.compile(
    "humans?|natural|nat|real|genuine|bonafide|groundtruth|gt|gtwavs?|originals?|recordings?|rec|recorded|"
    "refs?|hiddenrefs?|target"
)
# People even where all files share the folder and there is no system next to it.
SURELY_HUMAN = re.compile("humans?|natural|real|genuine|bonafide|groundtruth|gt")
ROLES = {
    "trap_flawed": re.compile("traps?flawed|flawed(traps?)?|broken"),
    "trap_human": re.compile("traps?human|humantraps?"),
    "training": re.compile("train|training|practice|examples?"),
    "reference": re.compile("(hidden)?references?"),
    "anchor": re.compile("(low|mid|high|lp)?anchors?(35|70|1|2|3|low|mid|35khz|7khz|70khz)?"),
    "prompt": re.compile("prompts?(wavs?|audios?|speech)?|speakerprompts?|enrol(l|lment)s?|refwavs?|refaudios?"),
}
ANCHORS = {"35": "anchor 3.5 kHz", "35khz": "anchor 3.5 kHz", "70": "anchor 7 kHz", "7khz": "anchor 7 kHz"}
TRAPS = re.compile("traps?")
# Folders that say nothing of a clip.
NEUTRAL = re.compile(
    "audios?|clips?|wavs?(16k|22k|24k|44k|48k)?|flac|mp3|data|dataset|test|valid(ation)?|dev|eval|samples?|"
    "out|outputs?|gen|generated|synth|results?"
)
LANGUAGES = re.compile("ar|cs|da|de|el|en|es|fi|fr|he|hi|hu|it|ja|ko|nb|nl|pl|pt|ro|ru|sv|th|tr|uk|vi|zh")
SYSTEMS = re.compile(
    "tts|model|vits|tacotron|speech[0-9t]|hifi|vocod|wave(net|rnn|glow|grad)|gan$|cosyvoice|voicebox|voicecraft|valle|"
    "bark|tortoise|elevenlabs|openai|azure|google|polly|espeak|festival|piper|kokoro|gpt|diff|flow|glow|baseline|"
    "proposed|^ours|^sys|^method|^vc$|ablation|sovits|higgs|parler|orpheus|maskgct|copysyn|resyn"
)
SPEAKERS = re.compile(
    r"(p|spk|spkr|sp|speaker|voice|talker|reader|id)[-_ ]?\d+|(fe)?male[-_ ]?\d*|(wo)?man[-_ ]?\d*|lj(speech)?|"
    "awb|bdl|slt|clb|rms|jmk|ksp"
)
GENDERED = re.compile(r"[fm][-_ ]?\d+")
TEXTS = re.compile(
    r"(utt|utterance|u|sent|sentence|text|txt|t|line|item|clip|sample|audio|wav|file|passage|para|stim|stimulus|seg|"
    r"segment|arctic|no|num|phrase|prompt|q)[-_ ]?[ab]?\d+[a-z]?"
)
TAKES = re.compile(r"(take|tk|rep|repetition|run|seed|try|attempt)[-_ ]?\d+")
CONDITIONS = re.compile(
    "clean|noisy|noise|reverb|(un)?seen|zeroshot|fewshot|finetuned|ft|indomain|outofdomain|ood|easy|hard|neutral|"
    "angry|happy|sad|surprised?|whisper|fast|slow|short|long"
)
# Names that corpora give to recordings, with their speaker: LibriTTS and LibriSpeech, VCTK, LJ Speech.
CORPORA = re.compile(
    r"(?P<libri>\d{2,5})[_-]\d{3,6}([_-]\d{4,6}){1,2}|(?P<vctk>p\d{3}|s5)_\d{3}(_mic[12])?|(?P<lj>LJ)\d{3}-\d{4}"
)
DIGITS = re.compile(r"\d+")
# The end of wiki_0013: sentences are counted with leading zeros, systems hardly ever.
COUNTED = re.compile(r"\D0\d{2,}$")


@lru_cache(maxsize=4096)
def plain(name: str) -> str:
    """Return a name's letters and digits, lower case."""
    return re.sub(r"[\W_]+", "", name.lower())


@lru_cache(maxsize=4096)
def role_of(name: str) -> str:
    """Return the role that a folder or a value names; empty if it names none."""
    return next((role for role, names in ROLES.items() if names.fullmatch(plain(name))), "")


def is_human(name: str) -> bool:
    return HUMANS.fullmatch(plain(name)) is not None


def trap(name: str) -> str:
    """Return the role of a folder below traps/; empty for another folder."""
    if is_human(name):
        return "trap_human"
    return role if (role := role_of(name)).startswith("trap") else ""


def says_little(folder: str) -> bool:
    """True for folders that name a language or a role, or nothing: en, train, wavs."""
    return bool(LANGUAGES.fullmatch(folder.lower()) or role_of(folder) or NEUTRAL.fullmatch(plain(folder)))


def anchor(name: str) -> str:
    """Return the system of an anchor, named as an import names those it makes."""
    return ANCHORS.get(re.sub("^.*?anchors?", "", plain(name)), "anchor")


def speaker_in(name: str) -> str:
    """Return the speaker in the name that a corpus gave to a recording; empty for another name."""
    match = CORPORA.fullmatch(name)
    return next((value for value in match.groupdict().values() if value), "") if match else ""


def kind_of(values: Collection[str]) -> str:
    """Return what the different values of one part of the names are: people, system, speaker, text, digits, names …"""
    words = [plain(value) for value in values]
    if len(words) == 1:
        return "constant"
    if all(role_of(word) or NEUTRAL.fullmatch(word) for word in words):
        return "role"
    if any(HUMANS.fullmatch(word) or (role_of(word) not in {"", "training"}) for word in words):
        return "people"
    tests = (
        ("corpus", lambda value: CORPORA.fullmatch(value)),
        ("language", lambda value: LANGUAGES.fullmatch(value.lower())),
        ("take", lambda value: TAKES.fullmatch(value.lower())),
        ("speaker", lambda value: SPEAKERS.fullmatch(value.lower())),
        ("text", lambda value: TEXTS.fullmatch(value.lower())),
        ("condition", lambda value: CONDITIONS.fullmatch(plain(value))),
        ("digits", DIGITS.fullmatch),
        ("gendered", lambda value: GENDERED.fullmatch(value.lower())),
    )
    for kind, test in tests:
        if sum(test(value) is not None for value in values) >= 0.9 * len(values):
            return _exactly(kind, values)
    if sum(SYSTEMS.search(word) is not None for word in words) >= 0.25 * len(words):
        return "system"
    if all(len(word) == 1 for word in words):
        return "letters"
    shapes = {DIGITS.sub("#", value.lower()) for value in values}
    if len(shapes) == 1 and "#" in (shape := shapes.pop()):
        return _numbered(shape, values)
    if sum(COUNTED.search(value) is not None for value in values) >= 0.6 * len(values):
        return "text"
    if sum(len(re.split(r"[\s_-]+", value)) for value in values) >= 4 * len(words):
        return "sentence"
    return "names"


def _numbered(shape: str, values: Collection[str]) -> str:
    if shape == "s#":
        # s1, s2 may be speakers, systems or sentences; s001 is a sentence.
        return "text" if max(map(len, values)) > 3 or any(value[1] == "0" for value in values) else "speaker or system"
    return "numbered" if plain(DIGITS.sub("", shape.replace("#", ""))) else "digits"


def _exactly(kind: str, values: Collection[str]) -> str:
    """Tell apart what looks alike: numbers of texts, takes and speakers; f1 and m1 are speakers only together."""
    if kind == "digits":
        numbers = sorted(map(int, filter(str.isdecimal, values)))
        if len(values) <= 5 and all(len(value) == 1 for value in values):
            return "few digits"
        is_counted = numbers[-1] - numbers[0] < 2 * len(numbers) or any(value[0] == "0" for value in values)
        return "digits" if is_counted else "ids"
    if kind == "gendered":
        return "speaker" if len({value[0].lower() for value in values}) == 2 else "numbered"
    return kind
