# Copies people and absences into a database of your own: BASE_URL=… API_KEY=cpk_… python3 roster.py roster.db
import json
import os
import sqlite3
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

db = sqlite3.connect(sys.argv[1] if len(sys.argv) > 1 else "roster.db")
db.executescript("""
    CREATE TABLE IF NOT EXISTS records (list TEXT, id INTEGER, record TEXT, PRIMARY KEY (list, id));
    CREATE TABLE IF NOT EXISTS positions (list TEXT PRIMARY KEY, position TEXT);
""")


def read(path, query):
    address = f"{os.environ['BASE_URL']}/api/v1{path}?{urllib.parse.urlencode(query)}"
    request = urllib.request.Request(address, headers={"Authorization": f"Bearer {os.environ['API_KEY']}"})
    try:
        with urllib.request.urlopen(request) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        if error.code not in (429, 503):
            raise
        time.sleep(int(error.headers.get("Retry-After", "1")))
        return read(path, query)


def changes(path, parameter, beginning):
    row = db.execute("SELECT position FROM positions WHERE list = ?", (path,)).fetchone()
    query = {parameter: row[0] if row else beginning, "limit": 500}
    while (page := read(path, query))["has_more"]:
        yield from page["data"]
        query["cursor"] = page["next_cursor"]
    yield from page["data"]
    db.execute("REPLACE INTO positions VALUES (?, ?)", (path, page[f"next_{parameter}"]))


def copy(path):
    for record in changes(path, "updated_since", "1970-01-01"):
        db.execute("REPLACE INTO records VALUES (?, ?, ?)", (path, record["id"], json.dumps(record)))
    for removed in changes(f"{path}/removed", "since", time.strftime("%Y-%m-%d", time.gmtime())):
        db.execute("DELETE FROM records WHERE list = ? AND id = ?", (path, removed["id"]))


for path in ("/users", "/time/leaves"):
    with db:  # One transaction: whatever interrupts it, records and positions belong together.
        try:
            copy(path)
        except urllib.error.HTTPError as error:
            if error.code != 410:
                raise SystemExit(json.load(error)["code"])
            # The position is too old, or history was replaced: read everything again.
            db.execute("DELETE FROM records WHERE list = ?", (path,))
            db.execute("DELETE FROM positions WHERE list IN (?, ?)", (path, f"{path}/removed"))
            copy(path)
    print(*db.execute("SELECT count(*) FROM records WHERE list = ?", (path,)).fetchone(), path)
