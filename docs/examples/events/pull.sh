#!/bin/sh
# Prints new events, one a line, and remembers how far it came: pull.sh STATE_FILE, with BASE_URL and API_KEY.
# Run it from cron, or in a loop. Needs curl and jq.
set -eu
after=$(cat "$1" 2>/dev/null || echo 0)
query="after=$after"
while :; do
  page=$(curl --fail-with-body --silent --show-error --max-time 60 -H "Authorization: Bearer $API_KEY" "$BASE_URL/api/v1/events?$query")
  printf %s "$page" | jq -c '.data[]'
  [ "$(printf %s "$page" | jq .has_more)" = true ] || break
  query="after=$after&cursor=$(printf %s "$page" | jq -r .next_cursor)"
done
# Only now: if the script dies before, the events come again.
printf %s "$page" | jq -e .next_after > "$1.new" && mv "$1.new" "$1"
