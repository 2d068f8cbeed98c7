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
import { errorAnswer, jsonAnswer, taggedAnswer } from "./answer";
import { bodyLimits, hasBody, readJsonAndText } from "./body";
import { markDeprecated } from "./deprecation";
import { type AnyCall, type Operation, StatusAnswer } from "./operations";
import { readQuery } from "./query";
import type { RateLimit } from "./rate-limit";
import { requestUrl } from "./request-url";

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

/** Runs one operation. Never rejects: what is thrown becomes an answer, and its cause goes to the log. */
export async function dispatch(
  runtime: Runtime,
  operation: Operation,
  incoming: Incoming,
  { stopping, rateLimit }: Means,
  requestId: string,
): Promise<Response> {
  const { request, params } = incoming;
  try {
    const principal = await principalOf(runtime, operation, incoming, rateLimit);
    const { settings } = runtime.core;
    const { body, text } =
      operation.body === undefined
        ? { body: undefined, text: "" }
        : await readBody(operation.body, request, bodyLimits(settings));
    checkParameters(operation, params);
    const call: AnyCall = {
      runtime,
      principal,
      path: (name) => params[name] ?? "",
      query:
        operation.query === undefined ? {} : readQuery(operation.query, requestUrl(request).searchParams),
      body,
      text,
      idempotencyKey: request.headers.get("idempotency-key") ?? undefined,
      wantsPage: () => request.headers.get("accept")?.includes("text/html") === true,
      // Bun makes the signal when it is first asked for, and most operations never ask.
      get signal() {
        return operation.waits ? AbortSignal.any([request.signal, stopping]) : request.signal;
      },
    };
    const value = await (operation.remembersAnswer === true && call.idempotencyKey !== undefined
      ? handledOnce(operation, call, params, call.idempotencyKey)
      : operation.handle(call));
    const answer = answerOf(operation, request, value);
    if (operation.tool !== undefined) markDeprecated(answer.headers, runtime, operation.tool(call));
    return answer;
  } catch (error) {
    const answer = errorAnswer(error, operation.modelErrors);
    if (answer.status >= 500) runtime.core.log.error("request failed", { request_id: requestId, error });
    return answer;
  }
}

function answerOf({ success: { status } }: Operation, request: Request, value: unknown): Response {
  if (value instanceof JsonText) return taggedAnswer(request, value);
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

async function principalOf(
  { identity }: Runtime,
  operation: Operation,
  { request, params }: Incoming,
  rateLimit: RateLimit | undefined,
): Promise<Principal> {
  if (operation.credential === "public") return NOBODY;
  const { org_id: orgId, project_id: projectId } = params;
  const credential = request.headers.get("authorization") ?? undefined;
  const principal = await identity.authenticate(credential, projectId);
  rateLimit?.take(principal);
  requireRole(principal, operation.credential);
  if (orgId !== undefined && projectId !== undefined) {
    const named = operation.path.includes("{project_id}");
    if (named) checkParameters(operation, params);
    await identity.checkProject(principal, orgId, projectId).catch((error: unknown) => {
      // Where 404 is not declared, a project of somebody else is one that the credential does not open.
      throw named && !operation.errors.includes(404)
        ? invalidAuthorization("This credential is not one of this project.")
        : error;
    });
  }
  return principal;
}

async function readBody(
  schema: NonNullable<Operation["body"]>,
  request: Request,
  limits: Parameters<typeof readJsonAndText>[1],
): Promise<{ body: unknown; text: string }> {
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
