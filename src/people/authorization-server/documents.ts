// Metadata documents of clients (draft-ietf-oauth-client-id-metadata-document-02): the id of a client is the address of its
// document. Fetched within the limits of `egress`; what this server does not use of a document is dropped.
import { isObject, type JsonObject, parseShallowJson, present } from "../../base";
import type { Core } from "../../core";
import { MAX_CLIENT_ID } from "./client-id";
import { applicationType, redirectFault } from "./redirect-uris";

const TIMEOUT_MS = 3000;
const MAX_BYTES = 64 * 1024;
const PLAIN = { headers: { accept: "application/json" }, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };

/** The `fetch` of the library, for metadata documents and for key sets of clients. */
export function fetchOf({ egress, log }: Pick<Core, "egress" | "log">) {
  return async (url: string): Promise<Response> => {
    try {
      if (Buffer.byteLength(url) > MAX_CLIENT_ID)
        throw new Error(`The address has more than ${MAX_CLIENT_ID} bytes.`);
      const response = await egress.fetch(url, PLAIN);
      if (response.status !== 200) return response;
      const value = parseShallowJson(await response.text());
      const kept = isObject(value) && value["client_id"] === url ? documentOf(value as JsonObject) : value;
      return new Response(JSON.stringify(kept), { headers: cachingOf(response) });
    } catch (error) {
      log.info("the metadata document of a client cannot be used", { client_id: url, error });
      throw error;
    }
  };
}

/** Throws for a document that this server cannot use. */
function documentOf(document: JsonObject): JsonObject {
  const fault = redirectFault(document["redirect_uris"]);
  if (fault !== undefined) throw new Error(`${fault}.`);
  const { client_id, client_name, redirect_uris, grant_types, jwks, jwks_uri } = document;
  const uris = (Array.isArray(redirect_uris) ? redirect_uris : []).filter((uri) => typeof uri === "string");
  const grants = Array.isArray(grant_types) ? grant_types : ["authorization_code"];
  return present({
    client_id,
    client_name: typeof client_name === "string" ? client_name.slice(0, 100) : undefined,
    redirect_uris: uris,
    grant_types: ["authorization_code", "refresh_token"].filter((one) => grants.includes(one)),
    response_types: ["code"],
    response_modes: ["query"],
    // The library refuses secrets here, and needs to see them.
    client_secret: document["client_secret"],
    client_secret_expires_at: document["client_secret_expires_at"],
    token_endpoint_auth_method: document["token_endpoint_auth_method"] ?? "none",
    token_endpoint_auth_signing_alg: document["token_endpoint_auth_signing_alg"],
    jwks,
    jwks_uri,
    application_type: applicationType(uris),
  }) as JsonObject;
}

function cachingOf({ headers }: Response): Record<string, string> {
  const kept: Record<string, string> = { "content-type": "application/json" };
  for (const name of ["cache-control", "expires"]) {
    const value = headers.get(name);
    if (value !== null) kept[name] = value;
  }
  return kept;
}
