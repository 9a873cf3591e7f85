#!/bin/sh
# Whether the app in this container is ready: the image's own check.
exec python3 -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8501/ready', timeout=10)"
