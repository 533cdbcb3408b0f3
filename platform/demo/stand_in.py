"""A stand-in for a language model, for demonstrations and tests: fixed answers, and errors on demand."""

from __future__ import annotations

import hashlib
import json
import threading
import time
import tomllib
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import Any

import regex

from studies.drafting.rules.prompts import CLOSE, FORMATS, OPEN
from studies.rules.text import is_cjk

WORDS: dict[str, Any] = tomllib.loads((Path(__file__).parent / "stand_in.toml").read_text(encoding="utf-8"))
FAULTS = ("slow", "malformed", "429", "500", "cut", "hostile", "huge")
SLOW_SECONDS = 3.0
MATERIAL = regex.compile(f"{OPEN}\n(.*?)\n{CLOSE}", regex.DOTALL)
# Material of questions: numbers, and capitalised words inside a sentence.
KEY = regex.compile(r"\d[\d,.]*\d|\d|(?<=[\p{Ll},;] )\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)?")
HAN_KEY = regex.compile(r"[\p{Nd}一二三四五六七八九十百千万亿两]{2,}|[\p{Nd}]+")
SENTENCE = regex.compile(r"[^.!?。！？]+[.!?。！？]?")
OTHERS = ("Lindqvist", "Okafor", "Marsh", "Denver", "Geneva", "Thursday", "October", "Harlow", "Tallinn", "Norwood")


def answer(message: str) -> str:
    """Answer a prompt; the format that it asks for tells the kind."""
    materials = MATERIAL.findall(message)
    step = next((step for step, wanted in FORMATS.items() if message.endswith(wanted)), "")
    makers: dict[str, Callable[[str, list[str]], object]] = {
        "generate": lambda message, materials: {"texts": _texts(message, materials)},
        "colloquial": lambda _message, materials: {"text": _colloquial(materials[0] if materials else "")},
        "questions": lambda message, materials: {"questions": _questions(message, materials)},
        "golden": lambda message, materials: {"questions": _golden(message, materials)},
        "blind": lambda message, materials: {"option": _choice(message, materials)},
    }
    made = makers[step](message, materials) if step in makers else {"text": "I only know the steps of drafting."}
    return json.dumps(made, ensure_ascii=False)


def _number(message: str, usual: int) -> int:
    """Return the requested number: the first number outside the material."""
    found = regex.search(r"\d+", MATERIAL.sub("", message))
    return int(found.group()) if found else usual


def _words(text: str) -> dict[str, Any]:
    """Return the stand-in's words in the language of a text."""
    words: dict[str, Any] = WORDS["zh" if is_cjk(text) else "en"]
    return words


def _seed(text: str) -> Random:
    return Random(hashlib.sha256(text.encode()).hexdigest())  # noqa: S311


def _texts(message: str, known: list[str]) -> list[str]:
    """Return texts of the bank that were not shown as examples; then texts with a new beginning."""
    words = _words(MATERIAL.sub("", message))
    texts = words["texts"]
    kind = next((kind for kind, of in texts.items() if any(mark in message for mark in of["marks"])), "other")
    bodies, openings = texts[kind]["bodies"], words["colloquial"]
    wanted = _number(message, 5)
    rng = _seed(message)
    order = list(bodies)
    rng.shuffle(order)
    fresh = [body for body in order if not any(body[-12:] in each for each in known)]
    more = [f"{openings[at % len(openings)]}{body}" for at, body in enumerate(order)]
    return [*fresh, *more][:wanted]


def _colloquial(text: str) -> str:
    openings = _words(text)["colloquial"]
    end = "，你说是不是？" if is_cjk(text) else " You know what I mean?"
    return f"{openings[_seed(text).randrange(len(openings))]}{text}{end}"


def _questions(message: str, materials: list[str]) -> list[dict[str, Any]]:
    """Return questions that leave out a number or a name of the passage."""
    passage, *earlier = materials or [""]
    chinese = is_cjk(passage)
    made: list[dict[str, Any]] = []
    seen: set[str] = set()
    for sentence in SENTENCE.findall(passage):
        for match in (HAN_KEY if chinese else KEY).finditer(sentence):
            key = match.group()
            if key in seen:
                continue
            seen.add(key)
            gap = (sentence[: match.start()] + "____" + sentence[match.end() :]).strip()
            asks = f"录音里这里说的是什么：“{gap}”" if chinese else f"What does the speaker say here: “{gap}”"
            sounds, means = _distractors(key, passage)
            if asks in earlier:
                continue
            made.append(
                {
                    "question": asks,
                    "answer": key,
                    "distractors": [{"text": sounds, "error": "phonetic"}, {"text": means, "error": "semantic"}],
                }
            )
    return made[: _number(message, 4)]


def _distractors(key: str, passage: str) -> tuple[str, str]:
    """Return a word that sounds like a key word, and one with another meaning."""
    if key[0].isdigit():
        digits = regex.sub(r"\D", "", key)
        sounds = f"{digits[:-2]}{digits[-1]}{digits[-2]}" if len(digits) > 1 else f"{digits}0"
        sounds = sounds if sounds != digits else f"{digits[:-1]}0"
        return (sounds if sounds != digits else f"{digits}0"), str(int(digits) + 1)
    if is_cjk(key) or regex.match(r"\p{Han}", key):
        return key[::-1] if key[::-1] != key else f"{key}十", f"{key}多"
    swapped = key[0] + {"a": "o", "e": "i", "i": "e", "o": "a", "u": "o"}.get(key[1], "a") + key[2:]
    swapped = swapped if swapped != key else f"{key}s"
    return swapped, next((name for name in OTHERS if name not in passage), "Nobody")


def _golden(message: str, earlier: list[str]) -> list[dict[str, Any]]:
    words = _words(MATERIAL.sub("", message.partition("Answer with")[0]))
    rows = [row for row in words["golden"] if row[0] not in earlier]
    _seed(message).shuffle(rows)
    return [
        {"question": question, "answer": right, "distractors": [{"text": one}, {"text": other}]}
        for question, right, one, other in rows[: _number(message, 5)]
    ]


def _choice(message: str, materials: list[str]) -> int:
    """Return the number of a known answer, or a random one."""
    options = [regex.sub(r"^\d+\. ", "", line) for line in (materials[-1] if materials else "").splitlines()]
    known = {right for language in ("en", "zh") for _question, right, *_others in WORDS[language]["golden"]}
    at = next((number for number, option in enumerate(options, start=1) if option in known), 0)
    return at or _seed(message).randrange(max(1, len(options))) + 1


class Handler(BaseHTTPRequestHandler):
    """Chat completions. Errors are set for the server, or by a model name such as `stand-in-429`."""

    server: StandIn

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", "0"))
        body = json.loads(self.rfile.read(length) or b"{}")
        with self.server.lock:
            self.server.requests.append(body)
            is_first = self.server.requests.count(body) % 2 == 1
        model = str(body.get("model", ""))
        fault = self.server.fault or next((each for each in FAULTS if model.endswith(f"-{each}")), "")
        if self.server.key and self.headers.get("authorization") != f"Bearer {self.server.key}":
            return self._send(401, {"error": {"message": f"Incorrect key: {self.headers.get('authorization')}"}})
        if fault == "slow":
            time.sleep(self.server.slow_seconds)
        if fault in {"429", "500"} and is_first:
            return self._send(
                int(fault), {"error": {"message": "Busy."}}, {"retry-after": "1"} if fault == "429" else {}
            )
        message = next(each["content"] for each in body["messages"] if each["role"] == "user")
        text = answer(message)
        if fault == "malformed":
            text = f"Sure! Here you are: {text[:-1]}"
        elif fault == "hostile":
            text = _hostile(text)
        elif fault == "huge":
            text = json.dumps({"text": "x" * (1 << 20)})
        return self._send(200, _document(model, message, text), cut=fault == "cut")

    def do_GET(self) -> None:
        self._send(200, {"object": "list", "data": [{"id": "stand-in", "object": "model"}]})

    def _send(self, status: int, document: Any, headers: dict[str, str] | None = None, *, cut: bool = False) -> None:
        content = json.dumps(document, ensure_ascii=False).encode()
        self.send_response(status)
        for name, value in {
            "content-type": "application/json",
            "content-length": str(len(content)),
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if cut else content)
        if cut:
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Log nothing: messages may hold texts."""


class StandIn(ThreadingHTTPServer):
    """The stand-in as a server; `requests` keeps the bodies received."""

    daemon_threads = True

    def __init__(self, port: int = 0, *, fault: str = "", key: str = "", slow_seconds: float = SLOW_SECONDS) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.fault, self.key, self.slow_seconds = fault, key, slow_seconds
        self.requests: list[dict[str, Any]] = []
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


def _document(model: str, message: str, text: str) -> dict[str, Any]:
    """Return a completion; a token is about four letters."""
    return {
        "id": "stand-in",
        "object": "chat.completion",
        "model": model,
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": len(message) // 4, "completion_tokens": max(1, len(text) // 4)},
    }


def _hostile(text: str) -> str:
    """Add markup, a formula or an instruction to every text of an answer."""
    document, number = json.loads(text), [0]

    def spoil(value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            return {key: spoil(each, key) for key, each in value.items()}
        if isinstance(value, list):
            return [spoil(each, name) for each in value]
        if isinstance(value, str) and name != "error":
            number[0] += 1
            return WORDS["hostile"][number[0] % len(WORDS["hostile"])] + value
        return value

    return json.dumps(spoil(document), ensure_ascii=False)
