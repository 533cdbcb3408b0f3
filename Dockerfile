# Earshot's web, worker and beat in one image: the packages of locks/run.txt, the code, and nothing that compiles.
ARG BASE=docker.io/library/python:3.12-slim-bookworm

FROM ${BASE} AS packages
# For example "--no-index --find-links /build/wheels" where packages are taken from the folder wheels/.
ARG PIP_OPTIONS=""
WORKDIR /build
COPY locks/run.txt wheel[s]/ wheels/
RUN python3 -m venv /opt/earshot \
    && /opt/earshot/bin/python -m pip install --no-cache-dir --disable-pip-version-check --require-hashes ${PIP_OPTIONS} \
        -r wheels/run.txt

FROM packages AS code
WORKDIR /app
COPY . .
RUN rm -rf wheels \
    && EARSHOT_SECRET_KEY=only-for-this-build-and-long-enough-for-every-check-of-it EARSHOT_STATIC=/app/build/static PYTHONPATH=/app:/app/platform \
        DJANGO_SETTINGS_MODULE=config.settings /opt/earshot/bin/python manage.py collectstatic --no-input --verbosity=0 \
    && /opt/earshot/bin/python -m compileall -q -j 0 /app

FROM ${BASE}
# ffmpeg decodes m4a and webm; Pango draws reports as PDF; the fonts are for their text.
# hadolint ignore=DL3008
RUN (dpkg -s ffmpeg libpangoft2-1.0-0 libharfbuzz-subset0 fonts-dejavu-core >/dev/null 2>&1 \
        || (apt-get update && apt-get install -y --no-install-recommends \
            ffmpeg libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 fonts-dejavu-core)) \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 earshot \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin earshot \
    && mkdir /data && chown 10001:10001 /data
COPY --from=packages /opt/earshot /opt/earshot
COPY --from=code /app /app
WORKDIR /app
ENV PATH=/opt/earshot/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONPATH=/app:/app/platform \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    DJANGO_SETTINGS_MODULE=config.settings \
    EARSHOT_DATA=/data \
    EARSHOT_STATIC=/app/build/static \
    MPLCONFIGDIR=/tmp/matplotlib
USER 10001:10001
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=10s --start-period=60s --retries=4 CMD ["/app/deploy/entrypoint", "healthy"]
ENTRYPOINT ["/app/deploy/entrypoint"]
CMD ["web"]
