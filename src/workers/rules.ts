// Checks of workers beyond their schema. Errors never repeat the value of a header or an address.
import { Redacted, reveal } from "../base";
import { invalidParameter, malformedRequest } from "../errors";
import type { WorkerConfig } from "./config";
import type { CreateWorker, UpdateWorker, WorkerType } from "./schema";
import type { GivenSecrets } from "./secrets";
import { STDIO_SCHEME } from "./stdio/schema";
import { type FillValues, filledAddress, filledTexts, referredTo, userKeysIn } from "./user-values";

/** The most workers of a project. */
export const MOST_WORKERS = 1000;

const MOST_TOOLKIT_CHARACTERS = 40;

/** Headers whose values are secrets. */
const SECRET_HEADER = /^(?:proxy-)?authorization$|^cookie2?$|api[-_]?key|token|secret|passw/i;

/** Headers that the protocol or the connection sets (RFC 9110, section 7.6.1; MCP). */
const RESERVED_HEADER =
  /^(?:accept|connection|content-(?:length|type|encoding)|host|keep-alive|last-event-id|mcp-.*|te|trailer|transfer-encoding|upgrade)$/i;

/** Headers in which others than the worker look for something. */
const OF_OTHERS = /^(?:proxy-.*|cookie2?|via|forwarded|x-forwarded-.*|traceparent|tracestate|user-agent)$/i;

/** Fields without effect on workers of a type. */
const FOREIGN_FIELDS = {
  http: ["mcp", "toolkit", "trust_annotations", "strict_results"],
  mcp: ["http", "send_tokens"],
} as const satisfies Record<WorkerType, readonly (keyof UpdateWorker)[]>;

/** Throws `invalid_parameter` for a field that would be without effect. */
export function checkFieldsOfType(type: WorkerType, request: CreateWorker | UpdateWorker): void {
  const field = FOREIGN_FIELDS[type].find((name) => request[name] !== undefined);
  if (field === undefined) return;
  throw invalidParameter(`${field} has no effect on a worker of the type ${type}. Leave it out.`);
}

function refusal(field: string, message: string): Error {
  return malformedRequest(`failed to validate request body: ${field} ${message}`, {
    fieldErrors: [{ field, rule: "format", message }],
  });
}

const NOT_ABSOLUTE = "must be an absolute http(s) address";

/** Throws `malformed_request` for an address that cannot be one of a worker. */
export function checkAddress(type: string, uri: string, isProgram = false): void {
  if (isProgram && uri.startsWith(STDIO_SCHEME)) return;
  const url = URL.parse(uri);
  const refuse = (message: string): Error => refusal(`${type}.uri`, message);
  if (url === null || !/^https?:$/.test(url.protocol)) throw refuse(NOT_ABSOLUTE);
  if (url.username !== "" || url.password !== "")
    throw refuse(`must not contain a user or a password; put it into ${SECRET_PLACE[type] ?? "a secret"}`);
  if (url.hash !== "") throw refuse("must not contain a fragment (#)");
  if (type === "http" && url.search !== "") throw refuse("must not contain a query (?)");
}

/**
 * Throws `malformed_request` for an address with secrets that is not one with them, or that lacks one. Only its path and its
 * query can refer to secrets: with the colon of a reference, a host is not valid.
 */
export function checkSecretAddress(type: string, uri: string, { secrets = {} }: GivenSecrets): void {
  const names = referredTo(uri);
  if (names.length === 0) return;
  const refuse = (message: string): Error => refusal(`${type}.uri`, message);
  if (type === "http") throw refuse("must not refer to a secret");
  const missing = names.find((name) => !Object.hasOwn(secrets, name));
  if (missing !== undefined)
    throw refuse(`refers to a secret that is not in mcp.secrets${shownName(missing)}. Add it there`);
  const url = URL.parse(reveal(filledAddress(uri, secrets)));
  if (url?.origin !== URL.parse(uri)?.origin || url?.hash !== "")
    throw refuse("is not an address with the values of its secrets. Percent-encode them");
}

const SECRET_PLACE: Readonly<Record<string, string>> = { http: "http.secret", mcp: "mcp.secrets" };

/** Throws `malformed_request` for an authorization server or an issuer that is not an address, or has a password in it. */
export function checkAuthorizationServer({ oauth2 = {} }: WorkerConfig): void {
  for (const name of ["authorization_url", "issuer"] as const) {
    const text = oauth2[name];
    if (text === undefined) continue;
    const url = URL.parse(text);
    const field = `mcp.oauth2.${name}`;
    if (url === null || !/^https?:\/\//i.test(text)) throw refusal(field, NOT_ABSOLUTE);
    if (url.username !== "" || url.password !== "")
      throw refusal(field, "must not contain a user or a password; they would be shown");
  }
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const SECRET_NAME = /^[A-Za-z0-9_]{1,100}$/;
/** Control characters, and what one byte cannot hold (RFC 9110, section 5.5). */
const NOT_IN_HEADERS = /[^\t\x20-\x7e\x80-\xff]/;

/**
 * Throws `invalid_parameter` for a header that would expose a secret, break the protocol or lack its secret, and for a secret
 * that no header can refer to.
 */
export function checkHeaders({ headers = {} }: WorkerConfig, secrets: GivenSecrets): void {
  if (Object.keys(secrets.secrets ?? {}).some((name) => !SECRET_NAME.test(name)))
    throw invalidParameter("Names in mcp.secrets have letters, digits and _ only.");
  const names = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name)) throw invalidParameter("mcp.headers has a name that is not valid in HTTP.");
    if (names.has(name.toLowerCase()))
      throw invalidParameter(`mcp.headers has ${name} twice. Leave one of them out.`);
    names.add(name.toLowerCase());
    checkHeader(name, value, secrets);
  }
}

function checkHeader(name: string, value: string, secrets: GivenSecrets): void {
  if (RESERVED_HEADER.test(name))
    throw invalidParameter(`mcp.headers.${name} is set by the protocol. Leave it out.`);
  const referred = referredTo(value);
  if (SECRET_HEADER.test(name) && referred.length === 0 && userKeysIn(value).length === 0)
    throw invalidParameter(
      `mcp.headers.${name} would store a secret in clear. Put the value into mcp.secrets and refer to it: ` +
        `"\${secret:NAME}".`,
    );
  const missing = referred.find((secret) => !Object.hasOwn(secrets.secrets ?? {}, secret));
  if (missing !== undefined)
    throw invalidParameter(
      `mcp.headers.${name} refers to a secret that is not in mcp.secrets${shownName(missing)}. Add it there.`,
    );
  const filled = Object.values(filledTexts({ [name]: value }, sampleOf(value, secrets))).map(reveal);
  if (filled.some((text) => NOT_IN_HEADERS.test(text)))
    throw invalidParameter(
      `mcp.headers.${name} has characters that are not valid in a header, such as line breaks, itself or in its secrets.`,
    );
}

/** Throws `invalid_parameter` for a header that something else uses. */
export function checkIdentity(type: WorkerType, config: WorkerConfig): void {
  const { identity_header: header, headers = {}, oauth2, authorization, stdio } = config;
  if (header === undefined) return;
  if (stdio !== undefined)
    throw invalidParameter(
      'identity is for workers at an address. A program gets its user in its environment: "${user_id}".',
    );
  const refuse = (why: string): Error =>
    invalidParameter(`identity_header cannot be ${header}: ${why}. Choose another header.`);
  const name = header.toLowerCase();
  if (RESERVED_HEADER.test(name)) throw refuse("the protocol sets it");
  if (OF_OTHERS.test(name)) throw refuse("others than the worker read it");
  if (Object.keys(headers).some((other) => other.toLowerCase() === name))
    throw refuse("mcp.headers contains it");
  if (name !== "authorization") return;
  if (type === "http") throw refuse("it carries the token that signs calls");
  if (oauth2 !== undefined || authorization !== undefined) throw refuse("it carries the users' tokens");
}

/** With keys of a user that are valid in every header. */
function sampleOf(value: string, { secrets = {} }: GivenSecrets): FillValues {
  const keys = userKeysIn(value).map((id) => [id, new Redacted("key")] as const);
  return { secrets, user: { id: "user", keys: Object.fromEntries(keys) } };
}

function shownName(name: string): string {
  return SECRET_NAME.test(name) ? `: ${name}` : "";
}

/** The toolkit of a worker whose record names none: its id in PascalCase. */
export function toolkitOf(id: string): string {
  const words = id.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  if (name !== "" && name.length <= MOST_TOOLKIT_CHARACTERS) return name;
  throw invalidParameter(
    `The id makes no name for a toolkit, which has 1 to ${MOST_TOOLKIT_CHARACTERS} letters and digits. Give toolkit.`,
  );
}
