#!/bin/sh
# Install Debian's nginx and PostgreSQL for the tests of hosting where that can be done; otherwise say what is missing.
PATH=$PATH:/usr/sbin
ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 && database=there || database=$(command -v initdb)
if command -v nginx > /dev/null && command -v envsubst > /dev/null && [ -n "$database" ]; then exit 0; fi
packages="nginx-light gettext-base postgresql"
if command -v apt-get > /dev/null; then
    if [ "$(id -u)" = 0 ]; then
        apt-get update -q && apt-get install -y -q --no-install-recommends $packages && exit 0
    elif sudo -n true 2> /dev/null; then
        sudo apt-get update -q && sudo apt-get install -y -q --no-install-recommends $packages && exit 0
    fi
fi
echo "nginx, envsubst or PostgreSQL is missing, and the tests of hosting need them: on Debian, apt-get install $packages."
[ -z "$CI" ]
