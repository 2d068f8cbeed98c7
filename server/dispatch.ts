// The dispatcher of operations: credential, content type, JSON, schema, service, answer. In this order, so that
// unauthenticated callers learn nothing about validation rules.
import type { Basis } from "../src/audit";
import { checked, fieldErrors, isObject, JsonText } from "../src/base";
import {
  internalError,
  invalidAuthorization,
  invalidParameter,
  notFound,
  RuntimeError,
  toRuntimeError,
} from "../src/errors";
import { actorOf, type Principal, requireRole } from "../src/identity";
import type { Runtime } from "../src/runtime";
import { jsonAnswer, taggedAnswer } from "./answer";
import { bodyLimits, bodyMissing, promisedBytes, readJsonBody } from "./body";
import { CheckedCall, type ReadBody } from "./call";
import type { Front, Incoming, Route } from "./front";
import { Revocation } from "./revocation";
import { operations, type ServedOperation, StatusAnswer } from "./operations";
import type { AnyCall } from "./operations/operation";
import { hasPrecondition, recordAddress, taggedText, underPreconditions } from "./preconditions";
import { requestUrl } from "./request-url";
import { holdCall, holdLongPoll } from "./running";

const ADMIN = "/v1/admin";
const SCOPE = "/v1/orgs/:org_id/projects/:project_id";

/** The routes of the operation table. */
export function operationRoutes(front: Front): Route[] {
  return operations
    .filter((operation): operation is ServedOperation => operation.handle !== undefined)
    .flatMap((operation) => routesOf(front, operation));
}

/** Where an operation is served: the path of its row, and the aliases that older clients use. */
function routesOf(front: Front, operation: ServedOperation): Route[] {
  const { method, alias, path, alsoAt = [], credential } = operation;
  const own = path.replaceAll("{", ":").replaceAll("}", "");
  const scoped = SCOPE + own.slice((own.startsWith(ADMIN) ? ADMIN : "/v1").length);
  const isOfProject = own.startsWith("/v1/") && !path.includes("{project_id}");
  const alone = credential === "public" || !isOfProject;
  const paths = alone ? [own] : [own, scoped, ...alsoAt];
  const methods = alias === undefined ? [method] : [method, alias];
  const answer = (incoming: Incoming): Promise<Response> => dispatch(front, operation, incoming);
  return paths.flatMap((each) => methods.map((verb): Route => ({ method: verb, path: each, answer })));
}

/** Runs one operation. */
async function dispatch(front: Front, operation: ServedOperation, incoming: Incoming): Promise<Response> {
  const { runtime, keepOpen } = front;
  const { request, params } = incoming;
  // Long polls and tool runs have limits of their own.
  if (operation.slow === true) keepOpen(request);
  if (operation.credential === "public") return handled(front, operation, incoming, NO_PRINCIPAL);
  const header = request.headers.get("authorization") ?? undefined;
  const known =
    (header === undefined ? front.caller : undefined) ??
    (await runtime.identity.authenticate(header, pathValue(params, "project_id")));
  const needsAddress = operation.method !== "GET" || operation.audited === true;
  const principal = needsAddress ? { ...known, address: incoming.address } : known;
  incoming.principal = principal;
  let isAdmitted = false;
  try {
    front.rateLimit?.take(principal);
    requireRole(principal, operation.credential, operation.roleAdvice);
    if (params["project_id"] !== undefined) await checkProject(runtime, operation, principal, params);
    isAdmitted = true;
    return await handled(front, operation, incoming, principal);
  } catch (thrown) {
    const error = isAdmitted ? await reasonOf(runtime, principal, thrown) : thrown;
    const refused = { ...principal, address: incoming.address };
    // Another project is "not found".
    if (isAdmitted) runtime.refusals.count(refused, operation.id, error);
    else runtime.refusals.countAny(refused, operation.id, error);
    throw error;
  }
}

/** Records of a project that is deleted at this moment are missing: then the credential has ended, and nothing is broken. */
async function reasonOf({ identity }: Runtime, principal: Principal, thrown: unknown): Promise<unknown> {
  if (toRuntimeError(thrown).status !== 500) return thrown;
  return identity.requireCurrent(principal).then(
    () => thrown,
    (ended: unknown) => ended,
  );
}

/** Runs an operation for a caller that may use it. */
async function handled(
  front: Front,
  operation: ServedOperation,
  incoming: Incoming,
  principal: Principal,
): Promise<Response> {
  const { runtime } = front;
  const { request, params } = incoming;
  let read = NO_BODY;
  if (operation.body !== undefined) {
    read = await checkedBody(front, operation.body, request, operation);
    // The body may have been on its way for long.
    if (operation.credential !== "public") await runtime.identity.requireCurrent(principal);
  }
  checkParameters(operation, params);
  using _held = held(front, operation, principal);
  const isWatched = operation.slow === true && operation.credential !== "public";
  const revocation = isWatched ? new Revocation(runtime, principal) : undefined;
  const call = new CheckedCall(front, operation, principal, incoming, read, revocation);
  const key = operation.remembersAnswer === true ? call.idempotencyKey : undefined;
  const handle = (made: AnyCall): unknown =>
    key === undefined ? operation.handle(made) : handledOnce(operation, made, params, key);
  const resting = (basis: Basis | undefined): unknown =>
    handle(new CheckedCall(front, operation, { ...principal, basis }, incoming, read, revocation));
  const isConditional = operation.method !== "GET" && hasPrecondition(request);
  const work = (): unknown =>
    isConditional ? underPreconditions(front, incoming, operation, call, resting) : handle(call);
  const value = await (revocation === undefined ? work() : revocation.during(work));
  const response = responseOf(operation, request, value);
  if (operation.tool !== undefined)
    await markDeprecated(response.headers, runtime, principal, operation.tool(call));
  return response;
}

function held({ runtime }: Front, { slow, waits }: ServedOperation, principal: Principal) {
  if (slow !== true) return undefined;
  return (waits === true ? holdLongPoll : holdCall)(runtime.limits, principal);
}

function responseOf(operation: ServedOperation, request: Request, value: unknown): Response {
  if (value instanceof Response) return value;
  const isText = value instanceof JsonText && value.cacheable;
  if (operation.etag === "record" || (operation.etag === "text" && isText))
    return taggedAnswer(request, taggedText(value));
  if (value instanceof StatusAnswer) return jsonAnswer(value.status, value.body);
  const { status } = operation.success;
  if (status === 204) return new Response(null, { status });
  const response = jsonAnswer(status, value);
  if (status === 201) response.headers.set("location", locationOf(request, value));
  return response;
}

/**
 * Where the created record is (RFC 9110, section 10.2.2): its id below the address of the request. Relative, so that it
 * works below the path prefix of a proxy.
 */
function locationOf(request: Request, value: unknown): string {
  const [parent = ""] = requestUrl(request).pathname.split("/").slice(-1);
  const id = isObject(value) ? String(value["id"]) : "";
  return `${parent}/${encodeURIComponent(id)}`;
}

/** `Deprecation` (RFC 9745) and the successor, on answers about a deprecated tool. */
async function markDeprecated(
  headers: Headers,
  { core, tools }: Runtime,
  principal: Principal,
  { name, version }: { name: string; version?: string | undefined },
): Promise<void> {
  const deprecation = await tools.deprecationOf(principal, name, version);
  if (deprecation === undefined) return;
  // The header needs a date. A tool whose worker names none is deprecated by now.
  const since = deprecation.since?.getTime() ?? core.clock.now();
  headers.set("deprecation", `@${Math.floor(since / 1000)}`);
  if (deprecation.replacement === undefined) return;
  headers.append(
    "link",
    `<${core.publicUrl()}/v1/tools/${deprecation.replacement}>; rel="successor-version"`,
  );
}

/** A repeat under the same key gets the answer of the first. */
function handledOnce(
  operation: ServedOperation,
  call: AnyCall,
  params: Incoming["params"],
  key: string,
): Promise<unknown> {
  const { runtime, principal, body, signal } = call;
  const request = JSON.stringify([recordAddress(operation, params), body]);
  const credential = actorOf(principal);
  return runtime.idempotency.once<unknown>(
    {
      projectId: principal.projectId,
      incarnation: principal.incarnation,
      credential,
      operation: operation.id,
      key,
      userId: principal.kind === "user" ? principal.userId : namedUser(operation, body),
      request,
    },
    async () => operation.handle(call),
    () => {
      throw internalError(
        "The first request under this Idempotency-Key was interrupted, and its outcome is unknown. Check whether it was done before you send it under a new key.",
        { shouldRetry: false },
      );
    },
    signal,
  );
}

// The handlers of public operations do not use it.
const NO_PRINCIPAL: Principal = { kind: "key", keyId: "", projectId: "", role: "read", users: [] };

/** A parameter of the path. A value whose percent-encoding is broken becomes U+FFFD, which no id contains. */
function pathValue(params: Incoming["params"], name: string): string | undefined {
  const value = params[name];
  return value === null ? "\uFFFD" : value;
}

async function checkProject(
  { identity }: Runtime,
  operation: ServedOperation,
  principal: Principal,
  params: Incoming["params"],
): Promise<void> {
  const named = operation.path.includes("{project_id}");
  if (named) checkParameters(operation, params);
  const [orgId = "", projectId = ""] = [pathValue(params, "org_id"), pathValue(params, "project_id")];
  await identity.checkProject(principal, orgId, projectId).catch((error: unknown) => {
    // Where 404 is not declared, another project is one that the credential has no access to.
    const isOther = error instanceof RuntimeError && error.status === 404;
    throw isOther && named && !operation.errors.includes(404)
      ? invalidAuthorization("This credential is not one of this project.")
      : error;
  });
}

/** The user for whom a request is: `user_id`, or `user` of requests to models, whose bodies may have any other field. */
function namedUser({ body: schema }: ServedOperation, body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  const properties = schema !== undefined && "properties" in schema ? schema.properties : undefined;
  const user = body[isObject(properties) && Object.hasOwn(properties, "user_id") ? "user_id" : "user"];
  return typeof user === "string" ? user : undefined;
}

const NO_BODY: ReadBody = { body: undefined, text: "" };

async function checkedBody(
  { runtime }: Front,
  schema: NonNullable<ServedOperation["body"]>,
  request: Request,
  { refuses }: ServedOperation,
): Promise<ReadBody> {
  if (promisedBytes(request.headers) === 0) throw bodyMissing();
  const { text, value } = await readJsonBody(request, bodyLimits(runtime.core.settings));
  refuses?.(value);
  return { body: checked(schema, value, "request body"), text };
}

const LONGEST_PARAMETER = 256;

/** The limit of a path parameter: that of its schema, if that is lower. */
function longestOf(schema: object = {}): number {
  const own = "maxLength" in schema ? Number(schema.maxLength) : LONGEST_PARAMETER;
  return Math.min(own, LONGEST_PARAMETER);
}

function checkParameters({ parameters, errors }: ServedOperation, params: Incoming["params"]): void {
  // An operation that declares no 400 answers an invalid id like an unknown one.
  const refusal = errors.includes(400) ? invalidParameter : notFound;
  for (const name in params) {
    const value = pathValue(params, name) ?? "";
    const most = longestOf(parameters?.[name]);
    if (value.length > most) throw refusal(`${name} must not have more than ${most} characters.`);
    if (/[\0\uFFFD]/.test(value)) throw refusal(`${name} contains characters that are not text.`);
    const schema = parameters?.[name];
    if (schema === undefined) continue;
    const [error] = fieldErrors(schema, value);
    if (error !== undefined) throw refusal(`${name} ${error.message}.`);
  }
}
