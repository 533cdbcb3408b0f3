# Redis under the names of Valkey, which this Debian has not got.
FROM localhost/earshot-base
# hadolint ignore=DL3008
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends redis-server && rm -rf /var/lib/apt/lists/* \
    && ln -s redis-server /usr/bin/valkey-server && ln -s redis-cli /usr/bin/valkey-cli
