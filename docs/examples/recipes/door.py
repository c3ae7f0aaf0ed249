# A door with number cards: BASE_URL=… API_KEY=cpk_… python3 door.py cards.csv; the reader types like a keyboard
import csv
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid

# Number of the card, id of the person.
with open(sys.argv[1], encoding="utf-8", newline="") as file:
    cards = {number: int(person) for number, person in csv.reader(file)}


def call(path, body=None):
    """Repeats a request without an answer. The same Idempotency-Key each time: it is done once."""
    headers = {"Authorization": f"Bearer {os.environ['API_KEY']}", "Content-Type": "application/json"}
    if body is not None:
        headers["Idempotency-Key"] = str(uuid.uuid4())
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{os.environ['BASE_URL']}/api/v1{path}", data, headers)
    for attempt in range(5):
        try:
            with urllib.request.urlopen(request, timeout=5) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503):
                return json.load(error)
        except OSError:  # no connection, or no answer
            pass
        time.sleep(attempt)
    return {"code": "no answer: please clock in elsewhere"}


for line in sys.stdin:
    person = cards.get(line.strip())
    if person is None:
        print("card not known", flush=True)
        continue
    states = call(f"/clock/states?user_id={person}").get("data", [])
    is_out = bool(states) and states[0]["state"] == "out"
    answer = call("/clock/in" if is_out else "/clock/out", {"user_id": person})
    # Only what the service has answered is recorded.
    print(answer["clock_state"]["state"] if "clock_state" in answer else answer["code"], flush=True)
