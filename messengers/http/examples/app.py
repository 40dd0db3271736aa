"""An app of your own beside Gangway, in Python 3.8 or newer, without packages.

SECRET=whsec_... python3 app.py                                   takes callbacks at PORT, 8080 by default
SECRET=whsec_... DOOR=https://.../m/... python3 app.py send Hello  sends a customer's message
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("SECRET", "")
DOOR = os.environ.get("DOOR", "")
PORT = int(os.environ.get("PORT", "8080"))
KEY = base64.b64decode(SECRET.replace("whsec_", ""))


def sign(event_id: str, timestamp: str, body: bytes) -> str:
    content = f"{event_id}.{timestamp}.".encode() + body
    return base64.b64encode(hmac.new(KEY, content, hashlib.sha256).digest()).decode()


def is_signed(headers, body: bytes) -> bool:
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        return False
    right = "v1," + sign(headers.get("webhook-id", ""), timestamp, body)
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(each.encode(), right.encode()) for each in given)


def send(text: str) -> None:
    event_id, timestamp = f"evt_{uuid.uuid4()}", str(int(time.time()))
    data = {"chat": "robin", "id": str(uuid.uuid4()), "text": text, "customer": {"name": "Robin"}}
    body = json.dumps({"type": "message.created", "data": data}).encode()
    headers = {
        "content-type": "application/json",
        "webhook-id": event_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": "v1," + sign(event_id, timestamp, body),
    }
    request = urllib.request.Request(DOOR, data=body, headers=headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            print(answer.status, answer.read().decode())
    except urllib.error.HTTPError as refusal:
        print(refusal.code, refusal.read().decode())


# Events that were taken already: keep them where a restart does not lose them.
known = set()


def take(event: dict) -> None:
    if event["id"] in known:
        return
    known.add(event["id"])
    # Here you show it to the customer.
    print(f"{event['type']}: {event['data'].get('text', '')}", flush=True)


class App(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        signed = is_signed(self.headers, body)
        if signed:
            take(json.loads(body))
        self.send_response(204 if signed else 401)
        self.end_headers()

    def log_message(self, *_):
        pass


if sys.argv[1:2] == ["send"]:
    send(sys.argv[2] if len(sys.argv) > 2 else "Hello")
else:
    server = ThreadingHTTPServer(("", PORT), App)
    print("Listening", flush=True)
    server.serve_forever()
