// The public keys with which workers check who calls them.
import { JsonText } from "../../src/base";
import type { Runtime } from "../../src/runtime";
import { matchesTag } from "../answer";

/** Shorter than a key is published before it signs. */
const MAX_AGE_S = 300;

/** GET /.well-known/jwks.json (RFC 7517, section 5). */
export async function identityKeys({ workers }: Runtime, { headers }: Request): Promise<Response> {
  const { body, etag } = new JsonText(JSON.stringify(await workers.identityKeys.published()));
  const noneMatch = headers.get("if-none-match");
  const isFresh = noneMatch !== null && matchesTag(noneMatch, etag, true);
  return new Response(isFresh ? null : body, {
    status: isFresh ? 304 : 200,
    headers: {
      ...(isFresh ? {} : { "content-type": "application/jwk-set+json" }),
      "cache-control": `public, max-age=${MAX_AGE_S}`,
      etag,
    },
  });
}
