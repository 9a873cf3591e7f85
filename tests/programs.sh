#!/bin/sh
# Find the programs that the tests start: node, Chromium, nginx with envsubst, PostgreSQL. Where Debian's can be
# installed, do so, and wait for whoever else is installing something; elsewhere say what is missing and how to get it.
PATH=$PATH:/usr/sbin
LC_ALL=C
export LC_ALL

has() { command -v "$1" > /dev/null; }

# Print the Debian packages of what is not there.
missing() {
    has node || echo nodejs
    has chromium || has chromium-browser || has google-chrome || echo chromium
    has nginx || echo nginx-light
    has envsubst || echo gettext-base
    ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || has initdb || echo postgresql
}

# Run apt-get, and again every 5 seconds for 15 minutes at most while another process holds one of its locks.
apt() {
    tries=0
    until $as_root apt-get -q -y "$@" > "$said" 2>&1; do
        if ! grep -q "[Cc]ould not get lock\|Unable to acquire the dpkg" "$said" || [ "$tries" = 180 ]; then
            tail -n 5 "$said"
            return 1
        fi
        [ "$tries" != 0 ] || echo "Another process is installing packages: waiting until it has ended."
        tries=$((tries + 1))
        sleep 5
    done
}

packages=$(missing)
[ -n "$packages" ] || exit 0
packages=$(echo $packages)

if has apt-get; then
    if [ "$(id -u)" = 0 ]; then as_root=; may_install=yes; elif sudo -n true 2> /dev/null; then as_root=sudo; may_install=yes; fi
fi
if [ -n "$may_install" ]; then
    said=$(mktemp)
    trap 'rm -f "$said"' EXIT
    echo "Installing $packages for the tests."
    apt update && apt install --no-install-recommends $packages
    [ -n "$(missing)" ] || exit 0
fi
echo "The tests need programs that are not here. To get them, as root:"
echo "    Debian, Ubuntu:  apt-get install $packages"
echo "    macOS:           brew install node chromium nginx gettext postgresql"
echo "Then run make test again. make quick needs none of them."
exit 1
