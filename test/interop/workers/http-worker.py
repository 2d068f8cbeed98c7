"""An HTTP worker on FastAPI. PyJWT checks every token, as the workers of the ecosystem do.

The environment has WORKER_SECRET, and WORKER_AGE: "new", or "2025-01" for the fields that workers had then. The first
line of the output is the port on 127.0.0.1. GET /seen returns the calls that arrived, for the test.
"""

import asyncio
import json
import os
import socket
import time
from datetime import datetime

import jwt
import uvicorn
from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from http_worker_tools import TOOLS, Failure

SECRET = os.environ["WORKER_SECRET"]
IS_OLD = os.environ.get("WORKER_AGE", "new") == "2025-01"

app = FastAPI()
bearer = HTTPBearer()
seen = []


async def engine(credentials: HTTPAuthorizationCredentials = Depends(bearer)):
    try:
        claims = jwt.decode(credentials.credentials, SECRET, algorithms=["HS256"], audience="worker")
        problem = None if claims.get("ver") == "1" else f"Unsupported token version: {claims.get('ver')}"
    except jwt.InvalidTokenError as error:
        problem = str(error)
    if problem is not None:
        headers = {"WWW-Authenticate": "Bearer"}
        raise HTTPException(401, f"Invalid token. Error: {problem}", headers)


def send(content):
    return Response(json.dumps(content, ensure_ascii=False), media_type="application/json")


@app.get("/worker/health")
async def health():
    return {"status": "ok", "tool_count": str(len(TOOLS))}


@app.get("/worker/tools", dependencies=[Depends(engine)])
async def catalog():
    return send([definition_of(tool) for tool in TOOLS])


def definition_of(tool):
    definition = json.loads(json.dumps(tool.definition))
    if IS_OLD:
        del definition["metadata"]
        without_newer_fields(definition)
    return definition


def without_newer_fields(part):
    if isinstance(part, list):
        for entry in part:
            without_newer_fields(entry)
    elif isinstance(part, dict):
        if "val_type" in part:
            for field in set(part) - {"val_type", "inner_val_type", "enum"}:
                del part[field]
        for value in part.values():
            without_newer_fields(value)


@app.post("/worker/tools/invoke", dependencies=[Depends(engine)])
async def invoke(request: Request):
    call = json.loads(await request.body())
    seen.append(call)
    tool = find(call["tool"])
    started = time.monotonic()
    output = await output_of(tool, call)
    return send(
        {
            "execution_id": call.get("execution_id") or "",
            "finished_at": datetime.now().isoformat(),
            "duration": (time.monotonic() - started) * 1000,
            "success": output["error"] is None,
            "output": output,
        }
    )


def find(reference):
    """Names are compared without case; without a version any matches. An unknown tool is an unhandled error: 500 as text."""
    wanted = (reference["toolkit"].lower(), reference["name"].lower())
    for tool in TOOLS:
        toolkit = tool.definition["toolkit"]
        if (toolkit["name"].lower(), tool.definition["name"].lower()) != wanted:
            continue
        if reference.get("version") in (None, toolkit["version"]):
            return tool
    raise ValueError("not in the catalog")


async def output_of(tool, call):
    message = tool.definition["deprecation_message"]
    logs = None if message is None else [{"message": message, "level": "warning", "subtype": "deprecation"}]
    output = {"value": None, "logs": logs, "error": None, "requires_authorization": None}
    try:
        result = await asyncio.to_thread(tool.run, call.get("inputs") or {}, call["context"])
        output["value"] = "" if result is None else result
    except Failure as failure:
        # Log lines are lost with an error.
        output["logs"] = None
        output["error"] = failure.record(tool.definition["name"], IS_OLD)
    return output


@app.get("/seen")
async def calls_seen():
    return send(seen)


async def main():
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started:
        await asyncio.sleep(0.01)
    print(listener.getsockname()[1], flush=True)
    await serving


asyncio.run(main())
