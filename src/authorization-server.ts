// The metadata of an authorization server: OpenID Connect Discovery 1.0, section 4, and RFC 8414, section 3. Servers publish
// one of two documents, with the path of the issuer before or after the well-known part.
import type * as oauth from "oauth4webapi";
import { jsonObjectIn } from "./base";
import { EgressError } from "./egress";

export interface FoundMetadata {
  metadata: oauth.AuthorizationServer;
  /** The `Date` of the answer. */
  date: string | null;
}

/** Why there is no metadata. */
export class MetadataError extends Error {
  override readonly name = "MetadataError";
  /** The address that was asked first, and its status. */
  readonly address: string;
  readonly status: number;
  /** The issuer of the document that was found, if it is that of another one. */
  readonly issuer: string | undefined;

  constructor(address: string, status: number, issuer?: string) {
    super(
      issuer === undefined
        ? `${address} answers ${status} without metadata`
        : `${address} has the metadata of another issuer: ${issuer}`,
    );
    this.address = address;
    this.status = status;
    this.issuer = issuer;
  }
}

const DOCUMENTS = ["openid-configuration", "oauth-authorization-server"] as const;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i;

/** The addresses of the metadata of an issuer, the most common first. */
export function metadataAddresses(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const [openId, oauth] = DOCUMENTS.map((name) => `/.well-known/${name}`);
  const paths = [`${path}${openId}`, `${oauth}${path}`, `${openId}${path}`, `${path}${oauth}`];
  return [...new Set(paths.map((each) => origin + each))];
}

/** The same in the order of the authorization specification of MCP. */
export function mcpMetadataAddresses(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const [openId, oauth] = DOCUMENTS.map((name) => `/.well-known/${name}`);
  const paths = [`${oauth}${path}`, `${openId}${path}`, `${path}${openId}`];
  return [...new Set(paths.map((each) => origin + each))];
}

/**
 * The first document that `belongs` accepts. Rejects with `MetadataError`, or with the error of `get` if the server cannot
 * be reached.
 */
export async function loadMetadata(
  issuer: string,
  get: (address: string) => Promise<Response>,
  belongs: (metadata: oauth.AuthorizationServer) => boolean,
  addresses: readonly string[] = metadataAddresses(issuer),
): Promise<FoundMetadata> {
  let failure: MetadataError | EgressError | undefined;
  for (const address of addresses) {
    const answer = await responseOf(get(address));
    if (answer instanceof EgressError) {
      failure ??= answer;
      continue;
    }
    const metadata = await documentIn(answer);
    if (metadata !== undefined && belongs(metadata)) return { metadata, date: answer.headers.get("date") };
    // A document of another issuer says more than a missing one.
    const known = failure instanceof MetadataError && failure.issuer !== undefined;
    if (failure === undefined || (metadata !== undefined && !known))
      failure = new MetadataError(address, answer.status, metadata?.issuer);
  }
  throw failure ?? new MetadataError(issuer, 404);
}

/** A redirect is not followed, and the other documents are tried: metadata is at its own address. */
async function responseOf(response: Promise<Response>): Promise<Response | EgressError> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof EgressError && error.reason === "redirect_refused") return error;
    throw error;
  }
}

async function documentIn(response: Response): Promise<oauth.AuthorizationServer | undefined> {
  const isJson = JSON_TYPE.test(response.headers.get("content-type") ?? "");
  if (response.status !== 200 || !isJson) {
    await response.body?.cancel();
    return undefined;
  }
  const value = jsonObjectIn(await response.text().catch(() => ""));
  // The library reads the members that it needs, and checks them.
  return typeof value?.["issuer"] === "string" ? (value as unknown as oauth.AuthorizationServer) : undefined;
}

/** Whether two issuers are the same text except for one slash at the end, which people leave out. */
export function isSameIssuer(left: string, right: string): boolean {
  const [one, other] = [URL.parse(left), URL.parse(right)];
  return one !== null && other !== null && one.href.replace(/\/$/, "") === other.href.replace(/\/$/, "");
}
