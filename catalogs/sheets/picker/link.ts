// The parameter of a link to the picker page: base64url of JSON `{auth: {client_id, app_id}}`.
import { isObject } from "../../../src/tools";

/** Far more than an escaped and encoded client id and project number need. */
const MAX_CHARACTERS = 2048;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Number of the project that owns a client. Access to files belongs to the project. */
export function projectNumberOf(clientId: string): string | undefined {
  return /^(\d+)-/.exec(clientId)?.[1];
}

/** The value of `config` in a link. */
export function configOf(clientId: string, projectNumber: string): string {
  const config = { auth: { client_id: clientId, app_id: projectNumber } };
  return Buffer.from(JSON.stringify(config), "utf8").toString("base64url");
}

/** The client in a link; undefined for a link that `configOf` cannot have created. */
export function clientOf(encoded: string): { clientId: string; projectNumber: string } | undefined {
  const config = decoded(encoded);
  const auth = isObject(config) ? config["auth"] : undefined;
  if (!isObject(auth) || typeof auth["client_id"] !== "string") return undefined;
  const projectNumber = projectNumberOf(auth["client_id"]);
  if (projectNumber === undefined || projectNumber !== auth["app_id"]) return undefined;
  return { clientId: auth["client_id"], projectNumber };
}

// The decoder skips characters that are not base64url; encoding again reveals them.
function decoded(encoded: string): unknown {
  if (encoded.length > MAX_CHARACTERS) return undefined;
  const bytes = Buffer.from(encoded, "base64url");
  const bare = bytes.toString("base64url");
  const padded = bare.padEnd(Math.ceil(bare.length / 4) * 4, "=");
  if (encoded !== bare && encoded !== padded) return undefined;
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return undefined;
  }
}
