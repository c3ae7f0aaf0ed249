# Compares a root with the ledger: INDEX=http://localhost:8090 TX=… ROOT=… python3 verify.py
import json
import os
import sys
import urllib.error
import urllib.request

address = "{INDEX}/api/v1/verify/{TX}?root={ROOT}".format_map(os.environ)
try:
    with urllib.request.urlopen(address) as response:
        answer = json.load(response)
except urllib.error.HTTPError as error:
    problem = json.load(error)
    raise SystemExit(f"{problem['code']} ({problem['request_id']})")

print(answer["verdict"], *filter(None, [answer.get("reason")]))
# Only True means that this root stands in this transaction.
sys.exit(0 if answer["verified"] is True else 1)
