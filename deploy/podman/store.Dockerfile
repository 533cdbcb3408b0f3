# moto stands in for an S3-compatible store: it keeps objects in memory and takes any key.
FROM localhost/earshot-base
COPY wheels /wheels
RUN python3 -m venv /opt/store && /opt/store/bin/python -m pip install --quiet --no-cache-dir --no-index --find-links /wheels "moto[server]"
EXPOSE 8333
ENTRYPOINT ["/bin/sh", "-c", "exec /opt/store/bin/moto_server -H 0.0.0.0 -p 8333"]
