#!/bin/sh
# Start what is asked for, with the secrets of this machine: a file PE_NAME in /run/secrets is the setting PE_NAME.
set -eu
for file in /run/secrets/PE_*; do
    if [ -r "$file" ]; then export "${file##*/}=$(cat "$file")"; fi
done
exec "$@"
