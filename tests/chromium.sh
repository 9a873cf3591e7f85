#!/bin/sh
# Install Debian's Chromium for the browser tests where that can be done; otherwise say what is missing.
for name in chromium chromium-browser google-chrome; do
    if command -v "$name" > /dev/null; then exit 0; fi
done
if command -v apt-get > /dev/null; then
    if [ "$(id -u)" = 0 ]; then
        apt-get update -q && apt-get install -y -q --no-install-recommends chromium && exit 0
    elif sudo -n true 2> /dev/null; then
        sudo apt-get update -q && sudo apt-get install -y -q --no-install-recommends chromium && exit 0
    fi
fi
echo "Chromium is missing, and the browser tests need it: install it with your system's packages (Debian: apt-get install chromium)."
[ -z "$CI" ]
