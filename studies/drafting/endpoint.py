"""A client for endpoints of OpenAI's chat completions, used by workers and commands."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import regex
from django.utils import timezone
from django.utils.translation import gettext as _
from pydantic import BaseModel, ValidationError

from core.errors import DomainError
from studies.drafting.rules.tokens import estimate

if TYPE_CHECKING:
    import httpx

TRIES = 4
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0
CONNECT_SECONDS, READ_SECONDS, WHOLE_SECONDS = 5.0, 120.0, 300.0
LARGEST_ANSWER = 1 << 20
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
UNSUPPORTED = regex.compile(r"unsupported|not supported", regex.IGNORECASE)
# Replacement for a parameter that a model refuses; empty: leave it out.
REPLACEMENTS = {"max_tokens": "max_completion_tokens", "temperature": ""}
# Replaces the key in an endpoint's messages.
HIDDEN_KEY = "[key]"


class EndpointTrouble(DomainError):
    """The endpoint gave no usable answer after `calls` requests."""

    code = "endpoint"

    def __init__(self, message: str, *, calls: int = 1) -> None:
        super().__init__(message)
        self.calls = calls


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer and its cost; `cut` if the model stopped at its token limit.

    `parameters` are the accepted ones. Tokens are estimated if the endpoint reported none.
    """

    text: str
    model: str
    tokens_in: int
    tokens_out: int
    is_estimated: bool
    seconds: float
    calls: int
    cut: bool
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Reply:
    """A response: content, or an error and the seconds to wait before a retry (None: never)."""

    problem: str = ""
    again_after: float | None = None
    content: bytes = b""
    is_busy: bool = False
    # A parameter that the model doesn't support.
    refuses: str = ""


class Endpoint:
    """One address and its key. Errors never contain the key. Several threads may use it at once.

    `sleep` waits between tries; `seconds_now` is the clock.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        sleep: Callable[[float], None] = time.sleep,
        seconds_now: Callable[[], float] = time.monotonic,
        transport: httpx.BaseTransport | None = None,
        seconds: float = WHOLE_SECONDS,
    ) -> None:
        # Not at the top: the web process shows drafts without it.
        import httpx

        self.url = url if url.endswith("/chat/completions") else f"{url}/chat/completions"
        self.key, self.sleep, self.seconds_now, self.seconds = key, sleep, seconds_now, seconds
        # No requests before this time: the endpoint reported too many.
        self.quiet_until = 0.0
        # (model, parameter): refused ones are not sent again.
        self.refused: set[tuple[str, str]] = set()
        self.http = httpx.Client(
            # Uncompressed: a small answer must not unfold into a large one.
            headers={"accept-encoding": "identity", **({"authorization": f"Bearer {key}"} if key else {})},
            timeout=httpx.Timeout(min(seconds, READ_SECONDS), connect=CONNECT_SECONDS),
            # The key goes only to this address.
            follow_redirects=False,
            # A proxy of the environment may lead outside, so it is not used for this machine.
            trust_env=urlsplit(url).hostname not in LOOPBACK,
            transport=transport,
        )

    def complete(
        self, *, model: str, messages: Sequence[Mapping[str, str]], parameters: Mapping[str, Any]
    ) -> Completion:
        """Return a model's answer, with retries; raises `EndpointTrouble`."""
        wait, started, own_wait_until, tries = FIRST_WAIT, time.monotonic(), 0.0, 0
        for call in range(1, TRIES + len(REPLACEMENTS) + 1):
            while (pause := max(own_wait_until, self.quiet_until) - self.seconds_now()) > 0:
                self.sleep(pause)
            sent = self._accepted(model, parameters)
            reply = self._ask({"model": model, "messages": list(messages), "stream": False, **sent})
            if not reply.problem:
                seconds = time.monotonic() - started
                return self._completion(reply.content, messages, model=model, seconds=seconds, calls=call, sent=sent)
            if reply.refuses in sent:
                self.refused.add((model, reply.refuses))
                continue
            tries += 1
            if reply.again_after is None or tries == TRIES:
                raise EndpointTrouble(reply.problem, calls=call)
            own_wait_until = self.seconds_now() + min(LONGEST_WAIT, max(wait, reply.again_after))
            if reply.is_busy:
                self.quiet_until = max(self.quiet_until, own_wait_until)
            wait *= 2
        raise AssertionError

    def _accepted(self, model: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return parameters with those that the model refused replaced or left out."""
        names = {name: REPLACEMENTS[name] if (model, name) in self.refused else name for name in parameters}
        return {names[name]: value for name, value in parameters.items() if names[name]}

    def close(self) -> None:
        self.http.close()

    def _ask(self, body: Mapping[str, Any]) -> _Reply:
        import httpx

        until = time.monotonic() + self.seconds
        try:
            with self.http.stream("POST", self.url, json=body) as answer:
                if answer.headers.get("content-encoding", "identity") != "identity":
                    return _Reply(_("The language model’s answer is compressed, although that was not asked for."))
                content = b""
                for part in answer.iter_bytes():
                    content += part
                    if len(content) > LARGEST_ANSWER:
                        return _Reply(_("The language model’s answer is larger than 1 MB. It was discarded."))
                    if time.monotonic() > until:
                        return _Reply(_("The language model took too long to answer."), 0.0)
        except httpx.TimeoutException:
            return _Reply(_("The language model took too long to answer."), 0.0)
        except httpx.TransportError:
            return _Reply(_("The language model can’t be reached, or the connection was lost."), 0.0)
        return self._reply(answer, content)

    def _reply(self, answer: httpx.Response, content: bytes) -> _Reply:
        status = answer.status_code
        if answer.is_success:
            return _Reply(content=content)
        if answer.is_redirect:
            return _Reply(_("The language model’s address redirects elsewhere. Nothing was sent there."))
        if status in {401, 403}:
            return _Reply(_("The language model rejects the key. An administrator must correct EARSHOT_DRAFT_KEY."))
        if status == 429:
            text = _("The language model accepts no more requests at the moment.")
            return _Reply(text, _retry_after(answer.headers.get("retry-after", "")), is_busy=True)
        if status >= 500:
            return _Reply(_("The language model replied with error {status}.").format(status=status), 0.0)
        text = _("The language model refused: {reason}").format(reason=self._clean(_message(content)) or status)
        return _Reply(text, refuses=_refused_parameter(content) if status in {400, 422} else "")

    def _completion(
        self,
        content: bytes,
        messages: Sequence[Mapping[str, str]],
        *,
        model: str,
        seconds: float,
        calls: int,
        sent: Mapping[str, Any],
    ) -> Completion:
        try:
            document = _Document.model_validate(json.loads(content))
        except (ValueError, ValidationError, RecursionError):
            text = _("What answers at the language model’s address is no endpoint of chat completions.")
            raise EndpointTrouble(text, calls=calls) from None
        choice, usage = document.choices[0], document.usage or _Usage()
        tokens = max(0, usage.prompt_tokens), max(0, usage.completion_tokens)
        if is_estimated := not any(tokens):
            said = f"{choice.message.reasoning_content or ''}{choice.message.content or ''}"
            tokens = sum(estimate(each["content"]) for each in messages), estimate(said)
        return Completion(
            text=self._clean(choice.message.content or ""),
            model=self._clean(document.model or model)[:200],
            tokens_in=tokens[0],
            tokens_out=tokens[1],
            is_estimated=is_estimated,
            seconds=seconds,
            calls=calls,
            cut=choice.finish_reason == "length",
            parameters=sent,
        )

    def _clean(self, text: str) -> str:
        """Return text without the key, and without NUL, which PostgreSQL doesn't store."""
        text = text.replace("\x00", "")
        return text.replace(self.key, HIDDEN_KEY) if self.key else text


class _Usage(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Message(BaseModel):
    content: str | None = None
    # Thoughts of some reasoning models; they cost tokens too.
    reasoning_content: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Document(BaseModel):
    choices: list[_Choice]
    model: str = ""
    usage: _Usage | None = None

    def model_post_init(self, _context: Any) -> None:
        if not self.choices:
            raise ValueError("no choices")


def _retry_after(value: str) -> float:
    """Return the seconds that a Retry-After header asks for, as a number or a date."""
    if value.isdecimal():
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - timezone.now()).total_seconds())
    except (TypeError, ValueError):
        return 0.0


def _error(content: bytes) -> object:
    """Return an endpoint's error: usually an object with a message."""
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        return ""
    return body.get("error", body) if isinstance(body, dict) else ""


def _message(content: bytes) -> str:
    """Return the endpoint's message, short and on one line."""
    error = _error(content)
    detail = error.get("message") if isinstance(error, dict) else error
    return " ".join(str(detail or "").split())[:300]


def _refused_parameter(content: bytes) -> str:
    """Return the parameter that a model refuses; empty if an error is about something else."""
    error, said = _error(content), _message(content)
    named = f"{error.get('param')} {error.get('code')} {said}" if isinstance(error, dict) else said
    is_unknown = "max_completion_tokens" in named or UNSUPPORTED.search(named)
    if "max_tokens" in named and is_unknown:
        return "max_tokens"
    return "temperature" if regex.search(r"\btemperature\b", named, regex.IGNORECASE) else ""
