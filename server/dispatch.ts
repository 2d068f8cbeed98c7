// The one dispatcher: credential, content type, JSON, schema, service, answer. In this order, so that nobody without a
// credential learns anything about the rules behind it.
import { checked, fieldErrors, JsonText } from "../src/base";
import {
  internalError,
  invalidAuthorization,
  invalidParameter,
  notFound,
  type RuntimeError,
} from "../src/errors";
import { actorOf, type Principal, requireRole } from "../src/identity";
import { errorBody } from "../src/llm";
import type { Runtime } from "../src/runtime";
import { after, type Awaitable } from "../src/store";
import { errorAnswer, identified, recordAnswer, taggedAnswer } from "./answer";
import { bodyLimits, bodyMissing, promisedBytes, useJsonBody } from "./body";
import { CheckedCall, type ReadBody } from "./call";
import { markDeprecated } from "./deprecation";
import { type AnyCall, type Operation, StatusAnswer } from "./operations";
import type { Incoming, Means } from "./route";

/**
 * Runs one operation. Never throws or rejects: what is thrown becomes an answer, and its cause goes to the log. What is
 * known at once is answered at once: a turn of waiting costs as much as a look into a cache.
 */
export function dispatch(
  runtime: Runtime,
  operation: Operation,
  incoming: Incoming,
  means: Means,
  requestId: string,
): Awaitable<Response> {
  const asked: Asked = { runtime, operation, incoming, means, requestId };
  try {
    const principal = principalOf(asked);
    const answer =
      operation.body === undefined && !(principal instanceof Promise)
        ? answered(asked, principal, NO_BODY)
        : answeredLater(asked, principal);
    return answer instanceof Promise ? answer.catch((error: unknown) => failed(asked, error)) : answer;
  } catch (error) {
    return failed(asked, error);
  }
}

// As clients of language models read errors.
function modelError(error: RuntimeError): object {
  return { error: errorBody(error) };
}

/** One request to one operation. */
interface Asked {
  runtime: Runtime;
  operation: Operation;
  incoming: Incoming;
  means: Means;
  requestId: string;
}

function failed({ runtime, operation, requestId }: Asked, error: unknown): Response {
  const answer = errorAnswer(error, operation.modelErrors ? modelError : undefined);
  if (answer.status >= 500) runtime.core.log.error("request failed", { request_id: requestId, error });
  return identified(answer, requestId);
}

// Promises are handed on rather than waited for: each wait would cost every write as much as a look into a header.
function answeredLater(asked: Asked, known: Awaitable<Principal>): Awaitable<Response> {
  return after(known, (principal) => withBody(asked, (read) => answered(asked, principal, read)));
}

function answered(asked: Asked, principal: Principal, read: ReadBody): Awaitable<Response> {
  const { runtime, operation, incoming, means } = asked;
  checkParameters(operation, incoming.params);
  const call = new CheckedCall(runtime, principal, read, operation, incoming, means);
  return after(handled(operation, call, incoming), (value) => answerOf(asked, call, value));
}

function handled(operation: Operation, call: AnyCall, { params }: Incoming): Awaitable<unknown> {
  const key = operation.remembersAnswer === true ? call.idempotencyKey : undefined;
  return key === undefined ? operation.handle(call) : handledOnce(operation, call, params, key);
}

function answerOf(asked: Asked, call: AnyCall, value: unknown): Response {
  const { runtime, operation } = asked;
  const answer = responseOf(asked, value);
  if (operation.tool !== undefined) markDeprecated(answer.headers, runtime, operation.tool(call));
  return answer;
}

function responseOf({ operation, incoming, requestId }: Asked, value: unknown): Response {
  const { status } = operation.success;
  if (value instanceof JsonText && value.cacheable && operation.etag === true)
    return identified(taggedAnswer(incoming.request, value), requestId);
  if (value instanceof Response) return identified(value, requestId);
  if (value instanceof StatusAnswer) return recordAnswer(value.status, value.body, requestId);
  return status === 204
    ? identified(new Response(null, { status }), requestId)
    : recordAnswer(status, value, requestId);
}

/** A repeat under the same key gets the answer of the first. */
function handledOnce(
  operation: Operation,
  call: AnyCall,
  params: Incoming["params"],
  key: string,
): Promise<unknown> {
  const { runtime, principal, body, signal } = call;
  const request = JSON.stringify([params, body]);
  const credential = actorOf(principal);
  return runtime.idempotency.once<unknown>(
    { projectId: principal.projectId, credential, operation: operation.id, key, request },
    async () => operation.handle(call),
    () => {
      throw internalError(
        "The first request under this Idempotency-Key was cut off and nobody knows how far it came. Look whether it was done before you send it under a new key.",
        { shouldRetry: false },
      );
    },
    signal,
  );
}

// Public operations run for nobody: their handlers use no principal.
const NOBODY: Principal = { kind: "key", keyId: "", projectId: "", role: "read", users: [] };

function principalOf(asked: Asked): Awaitable<Principal> {
  const { runtime, operation, incoming } = asked;
  if (operation.credential === "public") return NOBODY;
  const header = incoming.request.headers.get("authorization") ?? undefined;
  const found = runtime.identity.authenticate(header, incoming.params["project_id"]);
  return after(found, (principal) => admitted(asked, operation.credential, principal));
}

function admitted(
  { runtime, operation, incoming: { params }, means }: Asked,
  credential: Operation["credential"],
  principal: Principal,
): Awaitable<Principal> {
  means.rateLimit?.take(principal);
  if (credential !== "public") requireRole(principal, credential);
  const { org_id: orgId, project_id: projectId } = params;
  if (orgId === undefined || projectId === undefined) return principal;
  return inProject(runtime.identity, principal, operation, params, orgId, projectId);
}

async function inProject(
  identity: Runtime["identity"],
  principal: Principal,
  operation: Operation,
  params: Incoming["params"],
  orgId: string,
  projectId: string,
): Promise<Principal> {
  const named = operation.path.includes("{project_id}");
  if (named) checkParameters(operation, params);
  await identity.checkProject(principal, orgId, projectId).catch((error: unknown) => {
    // Where 404 is not declared, a project of somebody else is one that the credential does not open.
    throw named && !operation.errors.includes(404)
      ? invalidAuthorization("This credential is not one of this project.")
      : error;
  });
  return principal;
}

const NO_BODY: ReadBody = { body: undefined, text: "" };

function withBody(
  { runtime, operation: { body }, incoming: { request } }: Asked,
  use: (read: ReadBody) => Awaitable<Response>,
): Awaitable<Response> {
  if (body === undefined) return use(NO_BODY);
  const promised = promisedBytes(request.headers);
  if (promised === 0) throw bodyMissing();
  return useJsonBody(request, bodyLimits(runtime.core.settings), promised, ({ text, value }) =>
    use({ body: checked(body, value, "request body"), text }),
  );
}

// A path value is decoded by the router, which lets broken escapes through as U+FFFD: no id of ours has one.
function checkParameters({ parameters, errors }: Operation, params: Incoming["params"]): void {
  // An operation that declares no 400 says the same of an id that cannot be as of one that is not there.
  const refusal = errors.includes(400) ? invalidParameter : notFound;
  for (const name in params) {
    const value = params[name] ?? "";
    if (value.length > 256 || /[\0\uFFFD]/.test(value)) throw refusal(`${name} is not a valid value.`);
    const schema = parameters?.[name];
    if (schema === undefined) continue;
    const [error] = fieldErrors(schema, value);
    if (error !== undefined) throw refusal(`${name} ${error.message}.`);
  }
}
