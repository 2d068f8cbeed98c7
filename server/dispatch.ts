// The one dispatcher: credential, content type, JSON, schema, service, answer. In this order, so that nobody without a
// credential learns anything about the rules behind it.
import { checked, fieldErrors, JsonText } from "../src/base";
import {
  internalError,
  invalidAuthorization,
  invalidParameter,
  malformedRequest,
  notFound,
} from "../src/errors";
import { actorOf, type Principal, requireRole } from "../src/identity";
import type { Runtime } from "../src/runtime";
import type { Awaitable } from "../src/store";
import { errorAnswer, jsonAnswer, taggedAnswer, textAnswer } from "./answer";
import { bodyLimits, hasBody, readJsonAndText } from "./body";
import { CheckedCall, type ReadBody } from "./call";
import { markDeprecated } from "./deprecation";
import { type AnyCall, type Operation, StatusAnswer } from "./operations";
import type { RateLimit } from "./rate-limit";

export interface Incoming {
  request: Request;
  /** Parameters of the path, decoded by the router. */
  params: Readonly<Record<string, string | undefined>>;
}

/** What all requests of a server share. */
export interface Means {
  /** Aborts when the server is about to stop. */
  stopping: AbortSignal;
  /** Undefined: calls are not limited. */
  rateLimit: RateLimit | undefined;
}

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
  const failed = (error: unknown): Response => {
    const answer = errorAnswer(error, operation.modelErrors);
    if (answer.status >= 500) runtime.core.log.error("request failed", { request_id: requestId, error });
    return answer;
  };
  try {
    const answer = after(principalOf(runtime, operation, incoming, means), (principal) =>
      after(bodyOf(runtime, operation, incoming), (read) => {
        checkParameters(operation, incoming.params);
        const call = new CheckedCall({ runtime, principal, ...read }, operation, incoming, means);
        return after(handled(operation, call, incoming), (value) =>
          answerOf(operation, call, incoming.request, value),
        );
      }),
    );
    return answer instanceof Promise ? answer.catch(failed) : answer;
  } catch (error) {
    return failed(error);
  }
}

function after<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

function handled(operation: Operation, call: AnyCall, { params }: Incoming): Awaitable<unknown> {
  const key = operation.remembersAnswer === true ? call.idempotencyKey : undefined;
  return key === undefined ? operation.handle(call) : handledOnce(operation, call, params, key);
}

function answerOf(operation: Operation, call: AnyCall, request: Request, value: unknown): Response {
  const answer = responseOf(operation, request, value);
  if (operation.tool !== undefined) markDeprecated(answer.headers, call.runtime, operation.tool(call));
  return answer;
}

function responseOf({ success: { status }, etag }: Operation, request: Request, value: unknown): Response {
  if (value instanceof JsonText) return etag === true ? taggedAnswer(request, value) : textAnswer(value);
  if (value instanceof Response) return value;
  if (value instanceof StatusAnswer) return jsonAnswer(value.status, value.body);
  return status === 204 ? new Response(null, { status }) : jsonAnswer(status, value);
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

function principalOf(
  { identity }: Runtime,
  operation: Operation,
  { request, params }: Incoming,
  { rateLimit }: Means,
): Awaitable<Principal> {
  const { credential } = operation;
  if (credential === "public") return NOBODY;
  const { org_id: orgId, project_id: projectId } = params;
  const found = identity.authenticate(request.headers.get("authorization") ?? undefined, projectId);
  return after(found, (principal) => {
    rateLimit?.take(principal);
    requireRole(principal, credential);
    if (orgId === undefined || projectId === undefined) return principal;
    return inProject(identity, principal, operation, params, orgId, projectId);
  });
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

function bodyOf({ core }: Runtime, { body }: Operation, { request }: Incoming): Awaitable<ReadBody> {
  return body === undefined ? NO_BODY : readBody(body, request, bodyLimits(core.settings));
}

async function readBody(
  schema: NonNullable<Operation["body"]>,
  request: Request,
  limits: Parameters<typeof readJsonAndText>[1],
): Promise<ReadBody> {
  if (!hasBody(request)) throw malformedRequest("The request needs a JSON body.");
  const { text, value } = await readJsonAndText(request, limits);
  return { body: checked(schema, value, "request body"), text };
}

// A path value is decoded by the router, which lets broken escapes through as U+FFFD: no id of ours has one.
function checkParameters({ parameters, errors }: Operation, params: Incoming["params"]): void {
  // An operation that declares no 400 says the same of an id that cannot be as of one that is not there.
  const refusal = errors.includes(400) ? invalidParameter : notFound;
  for (const name in params) {
    const value = params[name] ?? "";
    if (value.length > 256 || /[\0\uFFFD]/.test(value)) throw refusal(`${name} is not a valid value.`);
    const schema = parameters?.[name];
    const [error] = schema === undefined ? [] : fieldErrors(schema, value);
    if (error !== undefined) throw refusal(`${name} ${error.message}.`);
  }
}
