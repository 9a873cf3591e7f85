#!/bin/sh
# Whether the app in this container answers: the check that the image brings along.
exec python3 -c 'import urllib.request; urllib.request.urlopen("http://127.0.0.1:8501/_stcore/health", timeout=4)'
