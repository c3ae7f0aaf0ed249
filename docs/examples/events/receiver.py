"""Receives webhooks: python3 receiver.py, with WEBHOOK_SECRET (whsec_...) and PORT."""
import base64
import hashlib
import hmac
import json
import os
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

key = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
# In production: two tables with a unique index, in the database of your own effects.
handled = set()
epochs = set()


def resynchronise():
    """The installation may have lost its last changes, which your copy still holds: replace it here (synchronise.py)."""
    print("history changed: read the lists in full", flush=True)


def is_genuine(headers, body: bytes) -> bool:
    event_id = headers.get("webhook-id", "")
    sent = headers.get("webhook-timestamp", "")
    if not re.fullmatch(r"[0-9]{1,12}", sent) or abs(time.time() - int(sent)) > 300:
        return False
    digest = hmac.new(key, f"{event_id}.{sent}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(entry.encode(), expected.encode()) for entry in given)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        # The bytes as they came, before anything parses them.
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        if not is_genuine(self.headers, body):
            return self.answer(400)
        event = json.loads(body)
        if event["epoch"] not in epochs:
            if epochs:
                resynchronise()
            epochs.add(event["epoch"])
        if event["id"] not in handled:
            handled.add(event["id"])
            print(event["sequence"], event["type"], flush=True)
        # Unknown types are accepted too.
        self.answer(204)

    def answer(self, status: int):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver)
print("ready", flush=True)
server.serve_forever()
