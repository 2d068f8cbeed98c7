"""An HTTP worker with two tools: one for everybody, and one that asks a platform as the user who calls it."""

import json
import os
import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import jwt
import uvicorn
from fastapi import Body, FastAPI, Header, HTTPException

SECRET = os.environ["WORKER_SECRET"]
PLATFORM = os.environ.get("PLATFORM", "https://api.acme.example")
TOOLKIT = {"name": "Example", "description": "Tools of my own.", "version": "1.0.0"}
READS = {"behavior": {"operations": ["read"], "read_only": True, "destructive": False}}

app = FastAPI()


def hello(inputs, context):
    return f"Hello, {inputs['name']}!"


def who_am_i(inputs, context):
    token = context["authorization"]["token"]
    request = Request(f"{PLATFORM}/me", headers={"Authorization": f"Bearer {token}"})
    with urlopen(request) as answer:
        return {"name": json.load(answer)["name"]}


RUN = {"Hello": hello, "WhoAmI": who_am_i}

TOOLS = {
    "Hello": {
        "description": "Greets somebody.",
        "input": {
            "parameters": [
                {
                    "name": "name",
                    "description": "Whom to greet.",
                    "required": True,
                    "value_schema": {"val_type": "string"},
                }
            ]
        },
        "output": {"available_modes": ["value", "error"], "value_schema": {"val_type": "string"}},
        "requirements": {},
        "metadata": READS,
    },
    "WhoAmI": {
        "description": "Says who the user is on the platform.",
        "input": {"parameters": []},
        "output": {"available_modes": ["value", "error"], "value_schema": {"val_type": "json"}},
        "requirements": {
            "authorization": {
                "provider_id": "acme",
                "provider_type": "oauth2",
                "oauth2": {"scopes": ["profile"]},
            }
        },
        "metadata": READS,
    },
}


def check(authorization):
    """Only the runtime that knows the secret may list and run tools."""
    try:
        claims = jwt.decode((authorization or "")[len("Bearer ") :], SECRET, ["HS256"], audience="worker")
    except jwt.InvalidTokenError as error:
        raise HTTPException(401, f"Invalid token. Error: {error}")
    if claims.get("ver") != "1":
        raise HTTPException(401, "Unsupported token version")


@app.get("/worker/health")
def health():
    return {"status": "ok", "tool_count": str(len(TOOLS))}


@app.get("/worker/tools")
def tools(authorization: str = Header(None)):
    check(authorization)
    return [{"name": name, "toolkit": TOOLKIT, **definition} for name, definition in TOOLS.items()]


@app.post("/worker/tools/invoke")
def invoke(call: dict = Body(), authorization: str = Header(None)):
    check(authorization)
    answer = {"execution_id": call["execution_id"], "finished_at": "", "duration": 0}
    try:
        value = RUN[call["tool"]["name"]](call["inputs"], call["context"])
        return {**answer, "success": True, "output": {"value": value}}
    except HTTPError as error:
        kind = "UPSTREAM_RUNTIME_AUTH_ERROR" if error.code == 401 else "UPSTREAM_RUNTIME_BAD_REQUEST"
        failure = {"kind": kind, "message": f"The platform answers {error.code}.", "status_code": error.code}
        return {**answer, "success": False, "output": {"error": failure}}


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
