"""Sends requests with http.client over one connection and prints what came back, one JSON line each."""
import http.client
import json
import sys

port, good, bad = int(sys.argv[1]), sys.argv[2], sys.argv[3]
path = "/api/v2/accounts/current/projects/42"
json_type = {"Content-Type": "application/json"}


def chunks(text):
    data = text.encode()
    for start in range(0, len(data), 7):
        yield data[start : start + 7]


connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
requests = [
    ("GET", "/api/v2/anything", None, {}),
    ("PATCH", path, good, json_type),
    ("PATCH", path, bad, json_type),
    ("PATCH", path, chunks(good), json_type),
    ("PATCH", path, chunks(bad), json_type),
    ("HEAD", "/api/v2/anything", None, {}),
    ("DELETE", "/api/v2/anything", None, {}),
]
sockets = set()
for method, target, body, headers in requests:
    connection.request(method, target, body, headers, encode_chunked=True)
    response = connection.getresponse()
    text = response.read().decode()
    sockets.add(connection.sock.getsockname() if connection.sock else None)
    print(json.dumps({"method": method, "status": response.status, "body": text}))
print(json.dumps({"connections": len(sockets)}))
