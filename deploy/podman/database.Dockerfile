# PostgreSQL with the settings that docker-compose.yml gives to the official image.
FROM localhost/earshot-base
# hadolint ignore=DL3008
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends postgresql && rm -rf /var/lib/apt/lists/*
COPY database-start /usr/local/bin/database-start
ENTRYPOINT ["/bin/sh", "/usr/local/bin/database-start"]
