# Earshot in one image: alone on SQLite (`run`), or as web, worker and beat. It has the packages of two locks and the code.
ARG BASE=docker.io/library/python:3.12-slim-bookworm

FROM ${BASE} AS packages
# For example "--no-index --find-links /build/wheels" where packages are taken from the folder wheels/.
ARG PIP_OPTIONS=""
WORKDIR /build
COPY locks/run.txt locks/demo.txt wheel[s]/ wheels/
# Delete what is never read at run time: tests, headers, sources of modules and translations, AWS services other than the store, and
# pyarrow's own clients of servers and stores (exports are written with `pyarrow.parquet`).
RUN python3 -m venv /opt/earshot \
    && /opt/earshot/bin/python -m pip install --no-cache-dir --no-compile --disable-pip-version-check --require-hashes ${PIP_OPTIONS} \
        -r wheels/run.txt -r wheels/demo.txt \
    && /opt/earshot/bin/python -m pip uninstall --quiet --yes pip \
    && find /opt/earshot/lib -type d \( -name tests -o -name include \) -prune -exec rm -r {} + \
    && find /opt/earshot/lib -type f \( -name '*.c' -o -name '*.pyx' -o -name '*.pxd' -o -name '*.po' \) -delete \
    && find /opt/earshot/lib/python3*/site-packages/botocore/data -mindepth 1 -maxdepth 1 -type d ! -name s3 ! -name sts -exec rm -r {} + \
    && rm -r /opt/earshot/lib/python3*/site-packages/pyarrow/*flight* /opt/earshot/lib/python3*/site-packages/pyarrow/*s3* \
    && /opt/earshot/bin/python -m compileall -q -j 0 /opt/earshot/lib

FROM packages AS code
WORKDIR /app
COPY . .
RUN rm -rf wheels \
    && EARSHOT_SECRET_KEY=only-for-this-build-and-long-enough-for-every-check-of-it EARSHOT_STATIC=/app/build/static PYTHONPATH=/app:/app/platform \
        DJANGO_SETTINGS_MODULE=config.settings /opt/earshot/bin/python manage.py collectstatic --no-input --verbosity=0 \
    && /opt/earshot/bin/python -m compileall -q -j 0 /app

FROM ${BASE} AS system
# Pango draws reports as PDF; the fonts are for their text.
# hadolint ignore=DL3008
RUN (dpkg -s libpangoft2-1.0-0 libharfbuzz-subset0 fonts-dejavu-core >/dev/null 2>&1 \
        || (apt-get update && apt-get install -y --no-install-recommends \
            libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 fonts-dejavu-core)) \
    && rm -rf /var/lib/apt/lists/*

# ffmpeg decodes m4a, aac and webm. Debian's has 246 MB of libraries for players, screens and encoders: build Debian's source with
# only what `studies/imports/ingest/ffmpeg.py` calls, unless the base has a program.
FROM ${BASE} AS ffmpeg
# hadolint ignore=DL3003,DL3008
RUN mkdir -p /ffmpeg/bin \
    && if ! command -v ffmpeg; then \
        sed -i 's/^Types: deb$/Types: deb deb-src/' /etc/apt/sources.list.d/debian.sources \
        && apt-get update && apt-get install -y --no-install-recommends dpkg-dev gcc libc6-dev make nasm \
        && cd /ffmpeg && apt-get source ffmpeg && cd ffmpeg-*/ \
        && ./configure --disable-everything --disable-autodetect --disable-network --disable-doc --disable-debug \
            --enable-protocol=file --enable-demuxer=mov,matroska,aac --enable-muxer=wav --enable-encoder=pcm_f32le --enable-filter=aresample \
            --enable-parser='aac*,ac3,flac,mpegaudio,opus,vorbis' --enable-decoder='aac,aac_latm,ac3,eac3,alac,flac,mp3float,opus,vorbis,pcm_*' \
        && make -j "$(nproc)" ffmpeg && mv ffmpeg /ffmpeg/bin; \
    fi

FROM system
COPY --from=ffmpeg /ffmpeg/bin/ /usr/local/bin/
RUN printf '#!/bin/sh\nexec python -m earshot "$@"\n' > /usr/local/bin/earshot \
    && chmod 755 /usr/local/bin/earshot \
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
CMD ["run"]
