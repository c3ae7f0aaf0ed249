# A first request: BASE_URL=http://localhost:8080 API_KEY=cpk_… python3 first-request.py
import json
import os
import urllib.error
import urllib.request
import uuid


def call(method, path, body=None):
    headers = {"Authorization": f"Bearer {os.environ['API_KEY']}"}
    if body is not None:
        # Repeat a request that got no answer with the same Idempotency-Key: it is done once.
        headers |= {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{os.environ['BASE_URL']}/api/v1{path}", data, headers, method=method)
    try:
        with urllib.request.urlopen(request) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        # The code is for programs; with the request id the operator finds the request.
        problem = json.load(error)
        raise SystemExit(f"{problem['code']} ({problem['request_id']})")


states = call("GET", "/clock/states?state=out&limit=1")["data"]
if not states:
    raise SystemExit("Everybody is clocked in.")
person = states[0]["user_id"]
for verb in ("in", "out"):
    print(person, call("POST", f"/clock/{verb}", {"user_id": person})["clock_state"]["state"])
