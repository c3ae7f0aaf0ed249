#!/bin/sh
# Verifies a stored webhook: verify.sh ID TIMESTAMP SIGNATURES < body, with WEBHOOK_SECRET (whsec_…). Needs openssl.
set -eu
now=$(date +%s)
case $2 in *[!0-9]* | '') exit 1 ;; esac
[ "$2" -ge $((now - 300)) ] && [ "$2" -le $((now + 300)) ] || { echo 'too old, or from the future' >&2; exit 1; }
key=$(printf %s "${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
expected=$({ printf '%s.%s.' "$1" "$2"; cat; } | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
for entry in $3; do [ "$entry" = "v1,$expected" ] && exit 0; done
echo 'no signature matches' >&2
exit 1
