# Writes the month's hours for payroll: BASE_URL=… API_KEY=cpk_… python3 payroll.py 2026-10 payroll.csv
import calendar
import csv
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

month, path = sys.argv[1:3]
year, number = map(int, month.split("-"))
last_day = f"{month}-{calendar.monthrange(year, number)[1]}"


def read(path, **query):
    """All pages of a list."""
    while True:
        address = f"{os.environ['BASE_URL']}/api/v1{path}?{urllib.parse.urlencode(query | {'limit': 500})}"
        request = urllib.request.Request(address, headers={"Authorization": f"Bearer {os.environ['API_KEY']}"})
        try:
            with urllib.request.urlopen(request) as response:
                page = json.load(response)
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503):
                raise SystemExit(json.load(error)["code"])
            time.sleep(int(error.headers.get("Retry-After", "1")))
            continue
        yield from page["data"]
        if not page["has_more"]:
            return
        query["cursor"] = page["next_cursor"]


# On the last day of a month, a balance has the figures of the whole month.
balances = list(read("/time/balances", date=last_day))
waiting = [balance["user_name"] for balance in balances if not balance["closed"]]
if waiting:
    raise SystemExit(f"{month} is not closed yet for {len(waiting)} people. Nothing was written.")

numbers = {person["id"]: person.get("personnel_number", "") for person in read("/users")}
columns = ("worked", "target", "difference", "booked", "balance")
with open(f"{path}.new", "w", encoding="utf-8", newline="") as file:
    table = csv.writer(file)
    table.writerow(["personnel_number", "name", *(f"{column}_hours" for column in columns)])
    for balance in balances:
        hours = (f"{balance[f'{column}_minutes'] / 60:.2f}" for column in columns)
        table.writerow([numbers.get(balance["user_id"], ""), balance["user_name"], *hours])
# Whole or not at all. A closed month does not change: running it again writes the same file.
os.replace(f"{path}.new", path)
print(f"{month}: {len(balances)} people, {sum(balance['worked_minutes'] for balance in balances) / 60:.2f} hours")
