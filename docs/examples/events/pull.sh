#!/bin/sh
# Prints new events, one a line, and remembers how far it came: pull.sh STATE_FILE, with BASE_URL and API_KEY.
# Run it from cron, or in a loop. Needs curl and jq.
set -eu

# The events after the position are gone, or history was replaced: replace your copy here (see the guide to synchronisation).
resynchronise() {
  echo "$1: read the lists in full" >&2
}

after=$(cat "$1" 2>/dev/null || :)
query="limit=100${after:+&after=$after}"
page_query=$query
while :; do
  if ! page=$(curl --fail-with-body --silent --show-error --max-time 60 -H "Authorization: Bearer $API_KEY" "$BASE_URL/api/v1/events?$page_query"); then
    code=$(printf %s "$page" | jq -r .code)
    case $code in
      history_changed | sync_window_exceeded) resynchronise "$code" ;;
      *) exit 1 ;;
    esac
    # From the oldest event that is kept: some come again.
    query=limit=100
    page_query=$query
    continue
  fi
  printf %s "$page" | jq -c '.data[]'
  [ "$(printf %s "$page" | jq .has_more)" = true ] || break
  page_query="$query&cursor=$(printf %s "$page" | jq -r .next_cursor)"
done
# Only now: if the script dies before, the events come again.
printf %s "$page" | jq -er .next_after > "$1.new" && mv "$1.new" "$1"
