#!/bin/sh
# Start nginx with deploy/nginx.conf, its words filled in from the environment; none of them must be set but PE_APPS.
set -eu
: "${PE_APPS:?must name the app servers, such as: server app1:8501 max_fails=1 fail_timeout=5s;}"
: "${PE_LISTEN:=8080}"
: "${PE_FRAME_ANCESTORS:='self'}"
: "${PE_CONNECTIONS_PER_ADDRESS:=400}"
: "${PE_REQUESTS_PER_SECOND:=50}"
: "${PE_BURST:=600}"
: "${PE_ACCESS_LOG:=/dev/stdout}"
: "${PE_NGINX_TMP:=/tmp}"
# Of the one script within Streamlit's page; another version of Streamlit may need another one.
PE_SCRIPT_HASH=sha256-THxz9J9+wf7rhwR2YkXJoSZ13UCmYyC+3lNDv2+8ugA=
export PE_APPS PE_LISTEN PE_FRAME_ANCESTORS PE_CONNECTIONS_PER_ADDRESS PE_REQUESTS_PER_SECOND PE_BURST
export PE_ACCESS_LOG PE_NGINX_TMP PE_SCRIPT_HASH
names=$(env | sed -n 's/^\(PE_[A-Z_]*\)=.*/${\1}/p')
envsubst "$names" < "$(dirname "$0")/nginx.conf" > "$PE_NGINX_TMP/nginx.conf"
exec nginx -e stderr -c "$PE_NGINX_TMP/nginx.conf" -g "daemon off;"
