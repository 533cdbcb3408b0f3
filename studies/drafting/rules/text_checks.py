"""Checks of drafted texts: length, duplicates, and what the dimension asks for. Each is simple, and only flags."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import regex

from studies.corpus.rules import StoredFlag
from studies.drafting.rules.whole_words import HAN_NUMBER, contains
from studies.rules.text import graphemes, is_cjk

# Two texts are near duplicates from this share of common n-grams (Jaccard): below, ordinary texts on one topic begin.
SIMILARITY: Final = 0.5
# Characters of an n-gram: Chinese characters carry more than letters.
GRAM, CJK_GRAM = 5, 2
SHORTEST, LONGEST = 40, 120
SHORTEST_EN, LONGEST_EN = 120, 400

# Characters with several everyday readings. Without 了着好得为还看中和地, one of which every text has.
POLYPHONES: Final = frozenset(
    "长行重调结乐都种分少发间教兴难处量数强差没干降朝藏参曾便传应当倒转空假号"
    "横华划几系济禁卷卡可累落率蒙宁铺曲切散舍省盛似宿弹帖吐鲜相削血压咽要饮扎涨只钻作薄背奔称冲担"
)
HOMOGRAPHS: Final = frozenset(
    [
        "bass",
        "bow",
        "close",
        "conduct",
        "content",
        "contract",
        "desert",
        "dove",
        "entrance",
        "excuse",
        "house",
        "lead",
        "live",
        "minute",
        "object",
        "perfect",
        "permit",
        "present",
        "produce",
        "project",
        "read",
        "rebel",
        "record",
        "refuse",
        "row",
        "sewer",
        "tear",
        "use",
        "wind",
        "wound",
    ]
)
DIALECT: Final = (
    "俺",
    "咋",
    "啥",
    "得劲",
    "中不中",
    "嘎哈",
    "埋汰",
    "老鼻子",
    "唠嗑",
    "搁",
    "忒",
    "倍儿",
    "侬",
    "阿拉",
    "伐",
    "晓得",
    "巴适",
    "摆龙门阵",
    "要得",
    "安逸",
    "冇",
    "佢",
    "唔",
    "咩",
    "嘅",
    "係",
    "靓仔",
    "俾",
    "恁",
    "弄啥",
    "杠赛来",
    "y'all",
    "ain't",
    "wee",
    "aye",
    "bairn",
    "lass",
    "gonna fix",
    "fixin'",
    "reckon",
    "hella",
    "wicked good",
    "arvo",
    "brekkie",
    "heaps",
    "bloke",
    "mardy",
    "nowt",
    "owt",
    "canny",
    "youse",
    "jawn",
    "ope",
)
SOUNDS: Final = regex.compile(
    r"(哈哈|呵呵|嘿嘿|嘻嘻|呜|唉|哎|啊|哇|嗯|呃|哼|哟|天哪|我的天|…|！"
    r"|\b(ha(ha)+|heh|ugh|oh|ah|wow|hmm+|phew|sigh|aww?|huh|whoa|gosh|oops|um+|uh+)\b|!|\.\.\.)",
    regex.IGNORECASE,
)
# An address, a tag, a placeholder or a formula: nobody says these aloud.
MARKUP = regex.compile(r"https?://\S+|www\.\S+|<[/\p{L}][^>]*>|\{+[^}]*\}+|^\s*=\s*\p{L}+\(")
NUMBERS = regex.compile(rf"\p{{Nd}}+(?:[.,:]\p{{Nd}}+)*|{HAN_NUMBER.pattern}")
SYMBOLS = regex.compile(r"[%％°℃€$¥£@#&×+=/]|\p{Nd}")
QUOTES = regex.compile(r"[“\"「『《][^”\"」』》]{4,}[”\"」』》]")
LATIN = regex.compile(r"\p{Latin}")
HAN = regex.compile(r"\p{Han}")
WORD = regex.compile(r"[\p{L}']+")
# Two capitalised words in a row, not at the start of a sentence; or a Chinese surname with a form of address.
SURNAME = "[王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董程曹袁邓许傅沈曾彭吕]"
NAME = regex.compile(
    rf"(?<=[\p{{Ll}},;] )\p{{Lu}}\p{{Ll}}+ \p{{Lu}}\p{{Ll}}+|{SURNAME}\p{{Han}}{{0,2}}(?:先生|女士|老师|总统|主席|总理)"
)


@dataclass(frozen=True, slots=True)
class Flag:
    """Something that a person should look at; `code` is one of `studies.drafting.words.FLAGS`."""

    code: str
    detail: str = ""

    def as_json(self) -> StoredFlag:
        return {"code": self.code, "detail": self.detail}


def plain(text: str) -> str:
    """Return the letters and digits of a text alone, in one case and width: what is equal in it is the same text."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(letter for letter in folded if letter.isalnum())


def grams(text: str) -> frozenset[str]:
    """Return the n-grams of a text's letters and digits."""
    letters = plain(text)
    size = CJK_GRAM if is_cjk(text) else GRAM
    return frozenset(letters[at : at + size] for at in range(max(1, len(letters) - size + 1)))


def likeness(first: frozenset[str], second: frozenset[str]) -> float:
    """Return the Jaccard index of two sets of n-grams, 0 to 1."""
    return len(first & second) / len(first | second) if first or second else 0.0


class Known:
    """The texts that a new one must not repeat, by name."""

    def __init__(self, texts: Mapping[str, str], *, similarity: float = SIMILARITY) -> None:
        self.similarity = similarity
        self.exact: dict[str, str] = {}
        self.grams: dict[str, frozenset[str]] = {}
        for name, body in texts.items():
            self.add(name, body)

    def add(self, name: str, body: str) -> None:
        self.exact.setdefault(plain(body), name)
        self.grams[name] = grams(body)

    def same_as(self, body: str) -> str:
        """Return the name of the text with the same words; empty if there is none."""
        return self.exact.get(plain(body), "")

    def near(self, body: str) -> tuple[str, float]:
        """Return the most similar text and its likeness, if that reaches the threshold."""
        own = grams(body)
        best = max(((likeness(own, each), name) for name, each in self.grams.items()), default=(0.0, ""))
        return (best[1], best[0]) if best[0] >= self.similarity else ("", best[0])


def usual_length(language: str) -> tuple[int, int]:
    """Return the usual length of a text in characters: about a hundred in Chinese, as in the ATT paper."""
    return (SHORTEST, LONGEST) if language.lower().startswith(("zh", "ja", "ko", "yue")) else (SHORTEST_EN, LONGEST_EN)


def length_flags(text: str, shortest: int, longest: int) -> Iterable[Flag]:
    number = graphemes(text)
    if number < shortest:
        yield Flag("short", str(number))
    elif number > longest:
        yield Flag("long", str(number))


def dimension_flags(text: str, kind: str) -> Iterable[Flag]:
    """Yield a flag when what the dimension asks for was not found in the text."""
    if kind == "numbers" and not (SYMBOLS.search(text) or NUMBERS.search(text)):
        yield Flag("no_numbers")
    elif kind == "switching" and not (LATIN.search(text) and HAN.search(text)) and is_cjk(text):
        yield Flag("no_foreign_word")
    elif kind == "emotions" and not SOUNDS.search(text):
        yield Flag("no_emotion")
    elif kind == "classical" and not QUOTES.search(text):
        yield Flag("no_quotation")
    elif kind == "polyphones" and not polyphones(text):
        yield Flag("no_polyphone")
    elif kind == "dialect" and not any(contains(text, word) for word in DIALECT):
        yield Flag("no_dialect_word")


def polyphones(text: str) -> list[str]:
    """Return the characters or words of a text that have several readings, each once."""
    words = {word.casefold() for word in WORD.findall(text)}
    return [*sorted(words & HOMOGRAPHS), *sorted(set(text) & POLYPHONES)]


def content_flags(text: str, kind: str) -> Iterable[Flag]:
    """Yield what a person should check because a model may have invented it."""
    if odd := MARKUP.search(text):
        yield Flag("markup", odd.group()[:60])
    if kind != "numbers" and (found := NUMBERS.findall(text)):
        yield Flag("numbers", ", ".join(found)[:40])
    if found := [match.group() for match in NAME.finditer(text)]:
        yield Flag("names", ", ".join(dict.fromkeys(found))[:100])
    if kind == "classical" and QUOTES.search(text):
        yield Flag("quotation")


def numbers(text: str) -> list[str]:
    """Return the whole numbers of a text, in one width."""
    return [match.group() for match in NUMBERS.finditer(unicodedata.normalize("NFKC", text))]


def lost_flags(before: str, after: str) -> Iterable[Flag]:
    """Yield a flag when rewriting lost a number."""
    stays = set(numbers(after))
    if lost := [number for number in numbers(before) if number not in stays]:
        yield Flag("lost_numbers", ", ".join(dict.fromkeys(lost))[:100])


def check(text: str, *, kind: str, shortest: int, longest: int, known: Known, before: str = "") -> Sequence[Flag]:
    """Return the flags of a drafted text; `before` is what it was rewritten from."""
    flags = [*length_flags(text, shortest, longest), *dimension_flags(text, kind), *content_flags(text, kind)]
    name, value = known.near(text)
    if name:
        flags.append(Flag("near_duplicate", f"{name} ({value:.2f})"))
    return [*flags, *lost_flags(before, text)]
