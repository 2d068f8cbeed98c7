"""The tools of the worker: definitions in the form of the protocol, with `null` for every absent field."""

TOOLKIT = {"name": "Peer", "description": "Tools of the test.", "version": "1.0.0"}
TOOLS = []


class Failure(Exception):
    """An error of a tool. `kind`, `type` and name stand in front of the message, as in the ecosystem's library."""

    def __init__(self, kind, type_name, message, **details):
        super().__init__(message)
        self.kind, self.type_name, self.details = kind, type_name, details

    def record(self, tool, is_old):
        prefix = f"[{self.kind}] {self.type_name} during execution of tool '{tool}': "
        details = dict(self.details)
        developer = details.get("developer_message")
        record = {
            "message": str(self) if is_old else prefix + str(self),
            "developer_message": None if developer is None else (developer if is_old else prefix + developer),
            "can_retry": details.get("can_retry", False),
            "additional_prompt_content": details.get("additional_prompt_content"),
            "retry_after_ms": details.get("retry_after_ms"),
        }
        trace = "Traceback (most recent call last):\n  File \"/srv/tools.py\", line 7"
        if is_old:
            return {**record, "traceback_info": trace}
        return {
            **record,
            "kind": self.kind,
            "stacktrace": trace,
            "status_code": details.get("status_code"),
            "extra": details.get("extra"),
        }


class Tool:
    def __init__(self, definition, run):
        self.definition, self.run = definition, run


def value(val_type, **fields):
    absent = dict.fromkeys(
        [
            "inner_val_type",
            "enum",
            "properties",
            "inner_properties",
            "description",
            "required_keys",
            "inner_required_keys",
            "nullable",
        ]
    )
    return {"val_type": val_type, **absent, **fields}


def parameter(name, schema, required=True, description=None, inferrable=True):
    return {
        "name": name,
        "required": required,
        "description": description,
        "value_schema": schema,
        "inferrable": inferrable,
    }


def tool(
    name,
    parameters=(),
    output=None,
    version="1.0.0",
    authorization=None,
    secrets=None,
    metadata_keys=None,
    deprecation=None,
    metadata=None,
    modes=("value", "error"),
):
    def add(run):
        requirements = {
            "authorization": authorization,
            "secrets": None if secrets is None else [{"key": key} for key in secrets],
            "metadata": None if metadata_keys is None else [{"key": key} for key in metadata_keys],
        }
        definition = {
            "name": name,
            "fully_qualified_name": f"Peer.{name}",
            "description": run.__doc__,
            "toolkit": {**TOOLKIT, "version": version},
            "input": {"parameters": list(parameters)},
            "output": {
                "description": "The result.",
                "available_modes": list(modes),
                "value_schema": output or value("string"),
            },
            "requirements": requirements,
            "deprecation_message": deprecation,
            "metadata": metadata,
        }
        TOOLS.append(Tool(definition, run))
        return run

    return add


def oauth2(provider_id=None, id=None, scopes=None):
    return {
        "provider_id": provider_id,
        "provider_type": "oauth2",
        "id": id,
        "oauth2": {"scopes": scopes},
    }


def behaviour(**fields):
    absent = dict.fromkeys(["operations", "read_only", "destructive", "idempotent", "open_world"])
    return {"classification": None, "behavior": {**absent, **fields}, "extras": None}


READS = behaviour(operations=["read"], read_only=True, destructive=False)
WORDS = parameter("inp", value("string"), description="A text.")
ITEM = {"status": value("string"), "count": value("integer"), "note": value("string", nullable=True)}


@tool("Simple", [WORDS], metadata=READS)
def simple(inputs, context):
    """Returns its input."""
    return inputs["inp"]


@tool("Simple", [WORDS], version="0.9.0")
def simple_before(inputs, context):
    """Returns its input, as in an earlier version."""
    return "0.9.0: " + inputs["inp"]


@tool("SimpleDeprecated", [WORDS], deprecation="Use Simple in its place.")
def simple_deprecated(inputs, context):
    """Returns its input; deprecated."""
    return inputs["inp"]


@tool("Sum", [parameter("a", value("integer")), parameter("b", value("integer"))], value("integer"))
def sum_of(inputs, context):
    """Adds two integers."""
    return inputs["a"] + inputs["b"]


@tool("Nothing")
def nothing(inputs, context):
    """Returns nothing."""
    return None


@tool("Object", output=value("json"))
def an_object(inputs, context):
    """Returns an object."""
    return {"key": "value", "number": 42, "id": 9007199254740993123, "nested": {"inner": [1.5, None, True]}}


@tool("Typed", output=value("json", properties=ITEM, required_keys=["count", "note", "status"]))
def typed(inputs, context):
    """Returns an object whose type is known."""
    return {"status": "done", "count": 3, "note": None}


@tool(
    "TypedList",
    output=value("array", inner_val_type="json", inner_properties=ITEM, inner_required_keys=["status"]),
)
def typed_list(inputs, context):
    """Returns a list of objects whose type is known."""
    return [{"status": "first", "count": 1, "note": "x"}, {"status": "second", "count": 2, "note": None}]


@tool("FilledIn", output=value("json", properties=ITEM))
def filled_in(inputs, context):
    """Returns null for members that are absent, as older workers do."""
    return {"status": "done", "count": None, "note": None}


@tool(
    "Maybe",
    [parameter("found", value("boolean"))],
    value("json", properties=ITEM),
    modes=("value", "error", "null"),
)
def maybe(inputs, context):
    """Returns an object or nothing."""
    return {"status": "done"} if inputs["found"] else None


@tool(
    "Everything",
    [
        parameter("text", value("string", enum=["one word", "other"]), inferrable=False),
        parameter("flag", value("boolean"), required=False),
        parameter("ratio", value("number"), required=False),
        parameter("words", value("array", inner_val_type="string", enum=["a", "b"]), required=False),
        parameter("free", value("json"), required=False),
        parameter(
            "item",
            value("json", properties={**ITEM, "deep": value("json", properties=ITEM)}, required_keys=["status"]),
            required=False,
        ),
        parameter("maybe", value("string", nullable=True), required=False),
    ],
    value("json"),
)
def everything(inputs, context):
    """Has a parameter of each type and returns what arrived."""
    return inputs


def failing(name, failure, **options):
    @tool(name, **options)
    def fails(inputs, context):
        """Fails."""
        raise failure

    return fails


failing(
    "Retry",
    Failure(
        "TOOL_RUNTIME_RETRY",
        "RetryableToolError",
        "no such city",
        developer_message="code 17",
        can_retry=True,
        additional_prompt_content="Cities are Oslo and Bergen.",
        retry_after_ms=1000,
    ),
)
failing("Fatal", Failure("TOOL_RUNTIME_FATAL", "ToolExecutionError", "it broke", developer_message="line 7"))
failing(
    "Unexpected",
    Failure(
        "TOOL_RUNTIME_FATAL",
        "FatalToolError",
        "a RuntimeError was not handled",
        developer_message="RuntimeError: no",
        status_code=500,
    ),
)
failing(
    "ContextRequired",
    Failure(
        "TOOL_RUNTIME_CONTEXT_REQUIRED",
        "ContextRequiredToolError",
        "which of them",
        additional_prompt_content="Ask the user.",
    ),
)
failing("BadRequest", Failure("UPSTREAM_RUNTIME_BAD_REQUEST", "UpstreamError", "refused", status_code=400))
failing(
    "RateLimit",
    Failure(
        "UPSTREAM_RUNTIME_RATE_LIMIT",
        "UpstreamRateLimitError",
        "too many",
        status_code=429,
        retry_after_ms=1000,
        can_retry=True,
    ),
)
failing(
    "BadOutput",
    Failure("TOOL_RUNTIME_BAD_OUTPUT_VALUE", "ToolOutputError", "cannot be sent", status_code=500),
)
failing(
    "BadInput",
    Failure("TOOL_RUNTIME_BAD_INPUT_VALUE", "ToolInputError", "inp: not a text", status_code=400),
)
failing(
    "Unreachable",
    Failure(
        "NETWORK_TRANSPORT_RUNTIME_TIMEOUT",
        "NetworkTransportError",
        "no answer",
        can_retry=True,
        extra={"error_type": "PoolTimeout"},
    ),
)
failing("EmptyMessage", Failure("TOOL_RUNTIME_FATAL", "FatalToolError", "(no details provided)"))


@tool("Secret", secrets=["API_KEY", "SECOND_KEY"])
def secret(inputs, context):
    """Reads a secret, whose name it writes in another case."""
    items = {item["key"].lower(): item["value"] for item in context.get("secrets") or []}
    return "read" if "api_key" in items else "missing"


@tool("WhoAmI", authorization=oauth2("known", scopes=["read", "write"]), metadata_keys=["CLIENT_ID"])
def who_am_i(inputs, context):
    """Calls a platform with the user's token."""
    authorization = context.get("authorization") or {}
    if authorization.get("token") == "expired":
        raise Failure("UPSTREAM_RUNTIME_AUTH_ERROR", "UpstreamError", "expired", status_code=401)
    return (authorization.get("user_info") or {}).get("name", "")


@tool("ByRecord", authorization=oauth2(id="my-provider", scopes=["scope1", "scope2"]))
def by_record(inputs, context):
    """Names the record of the provider."""
    return "token" if (context.get("authorization") or {}).get("token") else "no token"


@tool("WithoutScopes", authorization=oauth2("known", id="my-provider"))
def without_scopes(inputs, context):
    """Needs an authorization, whatever its scopes."""
    return "token" if (context.get("authorization") or {}).get("token") else "no token"


@tool("Coordinator", metadata_keys=["coordinator_url", "my_other_metadata_key"])
def coordinator(inputs, context):
    """Reads the address of the runtime."""
    return {item["key"]: item["value"] for item in context.get("metadata") or []}.get("coordinator_url", "")


@tool("Crash", metadata=behaviour(operations=["create"], read_only=False))
def crash(inputs, context):
    """Ends in an error that the worker does not handle."""
    raise KeyError("not handled")
