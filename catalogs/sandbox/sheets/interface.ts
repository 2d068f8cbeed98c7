// One call of the spreadsheet or file interface: routed, checked, handled, and reduced to the selected fields.
import { isRecord, type JsonRecord } from "../chat/json";
import { insufficientScopes, type Library } from "./drive/library";
import { driveMethods } from "./drive/methods";
import { masked, MaskError, parseMask, type Mask } from "./field-mask";
import { batchUpdateMethod } from "./methods/batch-update";
import type { Method } from "./methods/call";
import { spreadsheetMethods } from "./methods/spreadsheets";
import { valueMethods } from "./methods/values";
import type { Caller } from "./oauth/tokens";
import { errorInfo, invalidArgument, invalidParameter, PlatformError } from "./platform-error";
import { withoutEmpty } from "./proto";
import type { Quotas } from "./quotas";
import type { PageFault } from "./types";

const METHODS: readonly Method[] = [
  ...valueMethods,
  batchUpdateMethod,
  ...spreadsheetMethods,
  ...driveMethods,
];

/** Parameters of every method. A token in the address would end up in logs, so it is refused. */
const STANDARD = new Set(["fields", "alt", "prettyPrint", "key", "quotaUser"]);

export interface Found {
  readonly method: Method;
  readonly path: Readonly<Record<string, string>>;
}

export interface InterfaceCall {
  readonly found: Found;
  readonly request: Request;
  /** The body as text. */
  readonly text: string;
  readonly caller: Caller | null;
  readonly hasToken: boolean;
  readonly fault: PageFault | null;
  readonly library: Library;
  readonly quotas: Quotas;
  readonly now: () => number;
  /** Empty fields are sent too. */
  readonly sendEmpty: boolean;
}

/** The method of an address; undefined if it is unknown. */
export function methodAt(verb: string, pathname: string): Found | undefined {
  for (const method of METHODS) {
    const match = method.verb === verb ? method.path.exec(pathname) : null;
    if (match === null) continue;
    const groups = Object.entries(match.groups ?? {});
    return {
      method,
      path: Object.fromEntries(groups.map(([name, part]) => [name, decodeURIComponent(part)])),
    };
  }
  return undefined;
}

/** The body of the answer. Throws `PlatformError`. */
export function answerCall(call: InterfaceCall): JsonRecord {
  const { found, request, library, quotas, fault, now } = call;
  const { method, path } = found;
  const query = new URL(request.url).searchParams;
  checkQuery(method, query);
  if (call.caller === null) throw unauthenticated(call.hasToken);
  const { caller } = call;
  if (!method.scopes.some((scope) => caller.scopes.includes(scope))) throw insufficientScopes(method.id);
  const mask = maskOf(method, query.get("fields"));
  const body = method.verb === "GET" ? {} : bodyOf(request, call.text);
  if (method.quota !== undefined) quotas.spend(caller.person.name, method.quota);
  const hasMask = query.has("fields");
  const answer = method.run({ caller, path, query, body, mask, hasMask, library, fault, now });
  const wanted = masked(answer, mask);
  if (!isRecord(wanted)) throw new Error("An answer is an object.");
  return call.sendEmpty ? wanted : withoutEmpty(wanted);
}

function checkQuery({ id, parameters }: Method, query: URLSearchParams): void {
  for (const name of query.keys()) {
    if (STANDARD.has(name) || parameters.includes(name)) continue;
    throw isFileMethod(id)
      ? invalidParameter(name, `Unknown parameter ${name}`)
      : invalidArgument(
          `Invalid JSON payload received. Unknown name "${name}": Cannot bind query parameter. Field '${name}' could not be found in request message.`,
        );
  }
}

function maskOf({ id, shape }: Method, fields: string | null): Mask {
  if (fields === null) return "all";
  try {
    return parseMask(fields, shape ?? {});
  } catch (error) {
    if (!(error instanceof MaskError)) throw error;
    throw isFileMethod(id)
      ? invalidParameter("fields", `Invalid field selection ${error.path}`, "invalidParameter")
      : invalidArgument(
          `Error expanding 'fields' parameter. Cannot find matching fields for path '${error.path}'.`,
        );
  }
}

function bodyOf(request: Request, text: string): JsonRecord {
  if (!(request.headers.get("content-type") ?? "").startsWith("application/json")) {
    throw invalidArgument("The body of the request must be JSON.");
  }
  try {
    const body: unknown = JSON.parse(text);
    if (isRecord(body)) return body;
  } catch {
    // Refused below.
  }
  throw invalidArgument("Invalid JSON payload received.");
}

function isFileMethod(id: string): boolean {
  return id.startsWith("files.") || id.startsWith("about.");
}

function unauthenticated(hasToken: boolean): PlatformError {
  const message = hasToken
    ? "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential."
    : "Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other valid authentication credential.";
  return new PlatformError(401, message, {
    status: "UNAUTHENTICATED",
    details: [errorInfo(hasToken ? "ACCESS_TOKEN_EXPIRED" : "CREDENTIALS_MISSING")],
    errors: [{ reason: "authError", location: "Authorization", locationType: "header" }],
  });
}
