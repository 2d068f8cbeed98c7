"""A client with Authlib: registers, prints the authorization address, reads the callback's address from standard input, gets
tokens, refreshes them, and calls the gateway. Arguments: the gateway's address."""

import json
import sys

import requests
from authlib.integrations.requests_client import OAuth2Session

GATEWAY = sys.argv[1]
REDIRECT = "http://127.0.0.1:9/authlib"

refused = requests.post(GATEWAY, json={}, timeout=10)
challenge = refused.headers["www-authenticate"]
resource_metadata = challenge.split('resource_metadata="')[1].split('"')[0]
resource = requests.get(resource_metadata, timeout=10).json()
issuer = resource["authorization_servers"][0]
server = requests.get(f"{issuer}/.well-known/oauth-authorization-server", timeout=10).json()

registered = requests.post(
    server["registration_endpoint"],
    json={
        "client_name": "Authlib",
        "redirect_uris": [REDIRECT],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "application_type": "native",
    },
    timeout=10,
)
registered.raise_for_status()

client = OAuth2Session(
    registered.json()["client_id"],
    redirect_uri=REDIRECT,
    scope="mcp",
    code_challenge_method="S256",
    token_endpoint_auth_method="none",
)
verifier = "v" * 64
address, state = client.create_authorization_url(
    server["authorization_endpoint"], code_verifier=verifier, resource=resource["resource"]
)
print(address, flush=True)
callback = sys.stdin.readline().strip()
token = client.fetch_token(
    server["token_endpoint"],
    authorization_response=callback,
    state=state,
    code_verifier=verifier,
    resource=resource["resource"],
)
token = client.refresh_token(server["token_endpoint"], refresh_token=token["refresh_token"])
called = requests.post(
    GATEWAY,
    json={
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "authlib", "version": "1"},
        },
    },
    headers={
        "authorization": "Bearer " + token["access_token"],
        "accept": "application/json, text/event-stream",
    },
    timeout=10,
)
called.raise_for_status()
print(json.dumps({"answer": called.json(), "token_type": token["token_type"]}), flush=True)
