// What a link to the picker page says: base64url of JSON `{auth: {client_id, app_id}}`.
import { isObject } from "../../../src/tools";

/** A client id and its project's number, escaped and encoded, stay far below it. */
const MAX_CHARACTERS = 2048;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Number of the project that owns a client: access to files belongs to the project. */
export function projectNumberOf(clientId: string): string | undefined {
  return /^(\d+)-/.exec(clientId)?.[1];
}

/** The value of `config` in a link. */
export function configOf(clientId: string, projectNumber: string): string {
  const config = { auth: { client_id: clientId, app_id: projectNumber } };
  return Buffer.from(JSON.stringify(config), "utf8").toString("base64url");
}

/** The client that a link names; undefined for a link that `configOf` cannot have made. */
export function clientOf(encoded: string): { clientId: string; projectNumber: string } | undefined {
  const config = decoded(encoded);
  const auth = isObject(config) ? config["auth"] : undefined;
  if (!isObject(auth) || typeof auth["client_id"] !== "string") return undefined;
  const projectNumber = projectNumberOf(auth["client_id"]);
  if (projectNumber === undefined || projectNumber !== auth["app_id"]) return undefined;
  return { clientId: auth["client_id"], projectNumber };
}

// The platform's decoder skips characters that are not base64url: encoding again shows whether there were any.
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
