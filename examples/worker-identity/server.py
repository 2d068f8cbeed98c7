"""An MCP server that is told who calls: `python3 server.py PORT RUNTIME`. RUNTIME is the public address of the runtime."""

import sys

import jwt
import uvicorn
from fastapi import Body, FastAPI, Request, Response
from fastapi.responses import JSONResponse

port, runtime = sys.argv[1:]
address = f"http://127.0.0.1:{port}/mcp"
keys = jwt.PyJWKClient(f"{runtime}/.well-known/jwks.json")
app = FastAPI()

TOOL = {"name": "who", "description": "Says who calls.", "inputSchema": {"type": "object", "properties": {}}}
SERVER = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "who", "version": "1.0.0"},
}


def caller_of(request: Request):
    """The claims of the token. Raises an error for one that is not valid, or is for another worker."""
    token = request.headers.get("x-runtime-identity", "")
    key = keys.get_signing_key_from_jwt(token).key
    return jwt.decode(token, key, algorithms=["ES256"], issuer=runtime, audience=address)


def reply_to(method, caller):
    if method == "initialize":
        return {"result": SERVER}
    if method == "tools/list":
        return {"result": {"tools": [TOOL]}}
    if method != "tools/call":
        return {"error": {"code": -32601, "message": "Method not found"}}
    # Only calls have a user: the catalog is read for everybody.
    if "sub" not in caller:
        return {"error": {"code": -32600, "message": "A call needs a user."}}
    text = f"{caller['sub']} of {caller['project']}, through {caller['act']['sub']}"
    return {"result": {"content": [{"type": "text", "text": text}]}}


@app.post("/mcp")
def mcp(request: Request, message: dict = Body()):
    try:
        caller = caller_of(request)
    except jwt.PyJWTError:
        return Response(status_code=401)
    if "id" not in message:
        return Response(status_code=202)
    return JSONResponse({"jsonrpc": "2.0", "id": message["id"], **reply_to(message["method"], caller)})


uvicorn.run(app, host="127.0.0.1", port=int(port), log_level="error")
