# Keeps a copy of all absences: BASE_URL=… API_KEY=cpk_… python3 synchronise.py copy.json, every minute.
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

path = sys.argv[1] if len(sys.argv) > 1 else "copy.json"


def empty_copy():
    return {"since": "1970-01-01", "absences": {}}


copy = empty_copy()
if os.path.exists(path):
    with open(path, encoding="utf-8") as file:
        copy = json.load(file)


def read(query):
    """None where the position belongs to history that was replaced."""
    address = f"{os.environ['BASE_URL']}/api/v1/time/leaves?{urllib.parse.urlencode(query)}"
    request = urllib.request.Request(address, headers={"Authorization": f"Bearer {os.environ['API_KEY']}"})
    try:
        with urllib.request.urlopen(request) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        if error.code in (429, 503):
            time.sleep(int(error.headers.get("Retry-After", "1")))
            return read(query)
        problem = json.load(error)
        if problem["code"] == "history_changed":
            return None
        raise SystemExit(f"{problem['code']} ({problem['request_id']})")


query = {"updated_since": copy["since"], "limit": 500}
while True:
    page = read(query)
    if page is None:
        # The copy may hold changes that no longer exist. Read everything again.
        copy = empty_copy()
        query = {"updated_since": copy["since"], "limit": 500}
        continue
    for absence in page["data"]:
        copy["absences"][str(absence["id"])] = absence
    if not page["has_more"]:
        break
    query["cursor"] = page["next_cursor"]
# Only the last page has the position, and only a whole reading moves it.
copy["since"] = page.get("next_updated_since", copy["since"])
# Position and records together: whatever interrupts this program, they belong to each other.
with open(f"{path}.new", "w", encoding="utf-8") as file:
    json.dump(copy, file)
os.replace(f"{path}.new", path)
print(f"{len(copy['absences'])} absences")
