"""Settings of the web server: few processes with several threads, and slow clients outside them (`config.serving`)."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from gunicorn.glogging import Logger  # type: ignore[import-untyped]

from core import env
from core.operations import logs

# The processes of one server count requests together, in files of this folder; read before prometheus_client is.
counts = tempfile.mkdtemp(prefix="earshot-metrics-") if env.text("EARSHOT_METRICS_TOKEN") else ""
if counts:
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = counts

worker_class = "config.serving.worker.Worker"
workers = env.number("EARSHOT_WEB_WORKERS", 2)
threads = env.number("EARSHOT_WEB_THREADS", 8)
# The process's heartbeat is watched, not its threads; a long upload does not stop it.
timeout = 60
graceful_timeout = 8
# The heartbeat is a file: on a busy disk it would stall the process that it watches.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108  (gunicorn makes an unnamed file)
# No line for each request: paths hold raters' tokens and platforms' ids.
accesslog = None
errorlog = "-"
control_socket_disable = True


class Masked(Logger):  # type: ignore[misc]  # gunicorn has no types
    """Masks the server's own log lines, which quote addresses of requests that failed."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        form = (
            logs.JsonFormatter()
            if env.text("EARSHOT_LOG_FORMAT") == "json"
            else logs.PlainFormatter(self.error_fmt, self.datefmt)
        )
        for handler in self.error_log.handlers:
            handler.setFormatter(form)


logger_class = Masked


def on_starting(server: Any) -> None:
    """Listen for nginx's reports before there are processes to read them."""
    if env.text("EARSHOT_SENDFILE") == "nginx":
        from config.serving import reports
        from config.settings import SENT_SOCKET

        reports.listen(SENT_SOCKET)


def post_worker_init(worker: Any) -> None:
    """Stop before the first request if keys or tables don't match; settle what lives as long as the process."""
    from core.operations.starting import require_if_reachable

    require_if_reachable()
    # Or the first rater who ends a set in this process would wait for these imports.
    import kombu.transport.redis  # noqa: F401
    from celery import current_app
    from django.core.cache import close_caches
    from django.core.signals import request_finished, request_started
    from django.db import reset_queries

    _ = current_app.amqp.producer_pool
    # After each request these close caches and empty the log of queries, of which there are none.
    request_finished.disconnect(close_caches)
    request_started.disconnect(reset_queries)
    # What was loaded stays: the garbage collector need not look at it again and again.
    gc.collect()
    gc.freeze()


def on_exit(server: Any) -> None:
    """Delete the metrics of this run."""
    if counts:
        shutil.rmtree(counts, ignore_errors=True)
