"""HTTP interface of the judge: authorization, queue limits, and error responses."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import AsyncIterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any, get_args

from fastapi import FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.requests import ClientDisconnect

from judge.problems import ClipRefusal
from judge.schemas import Code, ErrorBody, ModelInfo, Reason, ScoreQuery
from judge.server.batching import Batcher, Budget, ClipUnanswered, Reader
from judge.server.engine import ModelReading
from judge.server.judging import Judge, ScoreRequest
from judge.server.metrics import ServerMetrics

STATUS: dict[Code, int] = {
    **dict.fromkeys(get_args(Reason), 422),
    "invalid_request": 400,
    "unauthorized": 401,
    "unknown_profile": 404,
    "too_large": 413,
    "failed": 500,
}
RETRY_SECONDS = 1
# A sender that stalls must not keep its place in the queue.
BODY_SECONDS = 60
# Status for a disconnected sender, who doesn't read it.
GONE = 499


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The operator's settings; `queue` limits the clips between their first byte and their answer."""

    token: str = ""
    queue: int = 64
    max_bytes: int = 64 * 1024 * 1024
    decoders: int = 2
    budget: Budget = field(default_factory=lambda: Budget(1, 16_384))


class SenderGone(Exception):
    """The client has closed the connection."""


class Service:
    """A judge with an HTTP interface."""

    def __init__(self, judge: Judge, settings: ServerSettings, reader: Reader | None = None) -> None:
        self.judge, self.settings = judge, settings
        self.metrics = ServerMetrics()
        self.batcher = Batcher(reader or judge.engine, settings.budget, on_batch=self.metrics.batches.observe)
        self.decoders = ThreadPoolExecutor(settings.decoders, thread_name_prefix="decoder")
        self.in_flight = 0

    def app(self) -> FastAPI:
        """Return the ASGI application."""
        app = FastAPI(title="Earshot judge", docs_url=None, redoc_url=None, lifespan=self._lifespan)
        app.add_exception_handler(RequestValidationError, self._invalid)
        app.add_exception_handler(Exception, self._unforeseen)
        app.add_api_route("/v1/score", self.score, methods=["POST"], response_model=None)
        app.add_api_route("/v1/model", self.model, methods=["GET"], response_model=None)
        app.add_api_route("/metrics", self.metrics_text, methods=["GET"], response_model=None)
        app.add_api_route("/livez", self.livez, methods=["GET"], response_model=None)
        app.add_api_route("/readyz", self.readyz, methods=["GET"], response_model=None)
        return app

    async def score(self, request: Request, query: Annotated[ScoreQuery, Query()]) -> Response:
        """Score the clip in the request's body."""
        began = time.monotonic()
        if not self._is_authorised(request):
            return self._failure("unauthorized", "The bearer token is missing or wrong.")
        if query.profile and query.profile not in self.judge.profiles:
            known = ", ".join(self.judge.profiles)
            return self._failure("unknown_profile", f"There is no profile {query.profile}; this judge has {known}.")
        if self.in_flight >= self.settings.queue:
            return self._failure("busy", "The queue is full. Try again later.")
        self.in_flight += 1
        self.metrics.in_flight.set(self.in_flight)
        try:
            content = await self._body(request)
            if content is None:
                return self._failure("too_large", f"A clip may have {self.settings.max_bytes:,} bytes.")
            question, reading = await self._judged(request, content, query)
        except (ClipRefusal, ClipUnanswered) as error:
            return self._failure(error.code, error.message)
        except TimeoutError:
            return self._failure("invalid_request", f"The clip did not arrive within {BODY_SECONDS} s.")
        except (SenderGone, ClientDisconnect):
            self.metrics.answers.labels("gone").inc()
            return Response(status_code=GONE)
        finally:
            self.in_flight -= 1
            self.metrics.in_flight.set(self.in_flight)
        self.metrics.answers.labels("scored").inc()
        self.metrics.audio.inc(question.clip.seconds)
        self.metrics.latency.observe(time.monotonic() - began)
        return _json(self.judge.score(question, reading).model_dump_json())

    async def model(self, request: Request) -> Response:
        """Return the description of the model."""
        if not self._is_authorised(request):
            return self._failure("unauthorized", "The bearer token is missing or wrong.")
        info: ModelInfo = self.judge.info(max_bytes=self.settings.max_bytes, queue=self.settings.queue)
        return _json(info.model_dump_json())

    async def metrics_text(self, request: Request) -> Response:
        """Return the counters."""
        if not self._is_authorised(request):
            return self._failure("unauthorized", "The bearer token is missing or wrong.")
        return Response(self.metrics.text(), media_type="text/plain; version=0.0.4")

    async def livez(self) -> Response:
        """Report that the process answers."""
        return Response("alive\n", media_type="text/plain")

    async def readyz(self) -> Response:
        """Report whether a clip sent now would be scored. The model is loaded and warm before the server listens."""
        if self.batcher.is_broken or self.batcher.is_closed:
            return Response("not ready\n", status_code=503, media_type="text/plain")
        return Response("ready\n", media_type="text/plain")

    async def _body(self, request: Request) -> bytes | None:
        """Return the body; None if it is too large."""
        most, parts, size = self.settings.max_bytes, list[bytes](), 0
        if int(request.headers.get("content-length", 0)) > most:
            return None
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                size += len(part)
                if size > most:
                    return None
                parts.append(part)
        return b"".join(parts)

    async def _judged(self, request: Request, content: bytes, query: ScoreQuery) -> tuple[ScoreRequest, ModelReading]:
        loop = asyncio.get_running_loop()
        question = await loop.run_in_executor(self.decoders, self.judge.question, content, query)
        return question, await _unless_gone(request, self.batcher.submit(question.prepared))

    def _is_authorised(self, request: Request) -> bool:
        sent = request.headers.get("authorization", "").encode()
        return not self.settings.token or hmac.compare_digest(sent, f"Bearer {self.settings.token}".encode())

    def _failure(self, code: Code, message: str) -> Response:
        """Return an error response; 503 (try again) unless the clip or the request is at fault."""
        self.metrics.answers.labels(code).inc()
        status = STATUS.get(code, 503)
        headers = {"retry-after": str(RETRY_SECONDS)} if status == 503 else {}
        headers |= {"www-authenticate": "Bearer"} if status == 401 else {}
        return _json(ErrorBody(code=code, message=message).model_dump_json(), status, headers)

    async def _invalid(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        text = "; ".join(f"{'.'.join(str(part) for part in one['loc'][1:])}: {one['msg']}" for one in error.errors())
        return self._failure("invalid_request", text)

    async def _unforeseen(self, request: Request, error: Exception) -> Response:
        """Return an error response for an exception, which is logged."""
        return self._failure("failed", f"This judge fails on the clip ({type(error).__name__}).")

    @asynccontextmanager
    async def _lifespan(self, app: FastAPI) -> AsyncIterator[None]:
        yield
        self.close()

    def close(self) -> None:
        """Answer pending clips, and stop the threads."""
        self.decoders.shutdown()
        self.batcher.close()


async def _unless_gone(request: Request, answer: Future[ModelReading]) -> ModelReading:
    """Wait for the answer; if the client disconnects first, remove the clip from the queue."""
    waited = asyncio.wrap_future(answer)
    gone = asyncio.ensure_future(request.receive())
    try:
        either: set[asyncio.Future[Any]] = {waited, gone}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not waited.done():
            raise SenderGone
        return waited.result()
    finally:
        waited.cancel()
        gone.cancel()


def _json(body: str, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(body, status, headers, media_type="application/json")
