// Checks of workers beyond their schema. Errors never repeat the value of a header or an address.
import { invalidParameter, malformedRequest } from "../errors";
import type { WorkerConfig } from "./config";
import type { CreateWorker, UpdateWorker, WorkerType } from "./schema";
import { namesOf, referredTo, type GivenSecrets } from "./secrets";

/** The most workers of a project. */
export const MOST_WORKERS = 1000;

const MOST_TOOLKIT_CHARACTERS = 40;

/** Headers whose values are secrets. */
const SECRET_HEADER = /^(?:proxy-)?authorization$|^cookie2?$|api[-_]?key|token|secret|passw/i;

/** Headers that the protocol or the connection sets (RFC 9110, section 7.6.1; MCP). */
const RESERVED_HEADER =
  /^(?:accept|connection|content-(?:length|type|encoding)|host|keep-alive|last-event-id|mcp-.*|te|trailer|transfer-encoding|upgrade)$/i;

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

/** Throws `malformed_request` for an address that cannot be one of a worker. */
export function checkAddress(type: string, uri: string): void {
  const url = URL.parse(uri);
  const field = `${type}.uri`;
  const refuse = (message: string): Error =>
    malformedRequest(`failed to validate request body: ${field} ${message}`, {
      fieldErrors: [{ field, rule: "format", message }],
    });
  if (url === null || !/^https?:$/.test(url.protocol)) throw refuse("must be an absolute http(s) address");
  if (url.username !== "" || url.password !== "")
    throw refuse(`must not contain a user or a password; put it into ${SECRET_PLACE[type] ?? "a secret"}`);
  if (url.hash !== "") throw refuse("must not contain a fragment (#)");
  if (type === "http" && url.search !== "") throw refuse("must not contain a query (?)");
}

const SECRET_PLACE: Readonly<Record<string, string>> = { http: "http.secret", mcp: "mcp.secrets" };

/** Throws `invalid_parameter` for a header that would expose a secret, break the protocol or lack its secret. */
export function checkHeaders({ headers = {} }: WorkerConfig, secrets: GivenSecrets): void {
  const known = new Set(namesOf(secrets));
  for (const [name, value] of Object.entries(headers)) {
    if (RESERVED_HEADER.test(name))
      throw invalidParameter(`mcp.headers.${name} is set by the protocol. Leave it out.`);
    const referred = referredTo(value);
    if (SECRET_HEADER.test(name) && referred.length === 0)
      throw invalidParameter(
        `mcp.headers.${name} would store a secret in clear. Put the value into mcp.secrets and refer to it: ` +
          `"\${secret:NAME}".`,
      );
    if (/[\r\n\0]/.test(value)) throw invalidParameter(`mcp.headers.${name} must not contain line breaks.`);
    const missing = referred.find((secret) => !known.has(`secrets.${secret}`));
    if (missing !== undefined)
      throw invalidParameter(
        `mcp.headers.${name} refers to a secret that is not in mcp.secrets${shownName(missing)}. Add it there.`,
      );
  }
}

function shownName(name: string): string {
  return /^[A-Za-z0-9_]{1,100}$/.test(name) ? `: ${name}` : "";
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
