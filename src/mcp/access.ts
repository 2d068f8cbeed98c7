// Who is at a gateway: the credential of a request, by the gateway's type.
import { type Gateway, type Gateways, KEY_AND_USER, OWN_SOURCE, USER_HEADERS } from "../gateways";
import { forbidden, invalidAuthorization, RuntimeError } from "../errors";
import { actFor, type Identity, type Principal, requireRole } from "../identity";

/** Whom a gateway serves, and as whom. */
export interface GatewayUser {
  gateway: Gateway;
  principal: Principal;
  userId: string;
}

/** As everywhere: nobody could confirm a consent of a longer one. */
const LONGEST_USER = 256;
const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/** The one scope of a gateway (RFC 6749, section 3.3): being called at all. */
export const SCOPE = "mcp";

/** Protected resource metadata (RFC 9728) of a gateway that takes tokens; undefined for one that takes API keys. */
export interface ResourceMetadata {
  resource: string;
  authorization_servers: string[];
  bearer_methods_supported: string[];
  scopes_supported: string[];
  resource_name: string;
}

export class Access {
  readonly #identity: Identity;
  readonly #gateways: Gateways;

  constructor(identity: Identity, gateways: Gateways) {
    this.#identity = identity;
    this.#gateways = gateways;
  }

  /**
   * The user whom the headers name. Throws `invalid_authorization` and `forbidden` with the challenge that tells a
   * client where to get a token (RFC 6750, RFC 9728).
   */
  async admit(gateway: Gateway, headers: Headers): Promise<GatewayUser> {
    const credential = headers.get("authorization") ?? undefined;
    if (gateway.authType !== KEY_AND_USER) return this.#withToken(gateway, credential);
    return withKey(gateway, await this.#identity.authenticate(credential), headers);
  }

  async #withToken(gateway: Gateway, credential: string | undefined): Promise<GatewayUser> {
    const address = this.#gateways.addressOf(gateway);
    const source = sourceOf(gateway);
    const { projectId } = gateway;
    try {
      const { principal, scopes } = await this.#identity.authenticateAt(credential, {
        projectId,
        address,
        source,
      });
      // What a customer's own provider calls its scopes is the customer's affair.
      if (source === undefined && scopes !== undefined && !scopes.includes(SCOPE)) {
        throw forbidden(`The user token lacks the scope ${SCOPE}.`, {
          challenge: this.#challenge(gateway, "insufficient_scope"),
        });
      }
      return { gateway, principal, userId: principal.userId };
    } catch (error) {
      if (!(error instanceof RuntimeError) || error.status !== 401) throw error;
      throw invalidAuthorization(error.message, {
        cause: error.cause,
        challenge: this.#challenge(gateway, "invalid_token"),
      });
    }
  }

  /** Undefined for a gateway that no authorization server speaks for. */
  metadata(gateway: Gateway): ResourceMetadata | undefined {
    if (gateway.authType === KEY_AND_USER) return undefined;
    const issuer = this.#identity.issuerOf(sourceOf(gateway));
    if (issuer === undefined) return undefined;
    return {
      resource: this.#gateways.addressOf(gateway),
      authorization_servers: [issuer],
      bearer_methods_supported: ["header"],
      scopes_supported: [SCOPE],
      resource_name: gateway.name,
    };
  }

  #challenge(gateway: Gateway, error: string): string {
    const metadata = this.#gateways.metadataAddressOf(gateway);
    return `Bearer resource_metadata="${metadata}", scope="${SCOPE}", error="${error}"`;
  }
}

/** A user token names its own user; here the key's holder vouches for whom it names. */
function withKey(gateway: Gateway, principal: Principal, headers: Headers): GatewayUser {
  if (principal.kind !== "key" || principal.projectId !== gateway.projectId) {
    throw invalidAuthorization("This gateway takes API keys of its own project.");
  }
  requireRole(principal, ["admin", "run"]);
  return { gateway, principal, userId: actFor(principal, namedUser(headers)) };
}

/** The user whom a request names beside its key. Throws `invalid_authorization` for none, for two, or for a text that is too long. */
function namedUser(headers: Headers): string {
  const [header] = USER_HEADERS;
  let user: string | undefined;
  for (const name of USER_HEADERS) {
    const value = headers.get(name);
    if (value === null || value === "") continue;
    // What stands in between may have added one; guessing which counts could mean the wrong person.
    if (user !== undefined && user !== value)
      throw invalidAuthorization(`The headers name two users. Send ${header} alone.`);
    user = value;
  }
  if (user === undefined)
    throw invalidAuthorization(`Name the user whom this call is for in the header ${header}.`);
  const userId = fromUtf8(user);
  if (userId.length <= LONGEST_USER) return userId;
  throw invalidAuthorization(`The user in the header ${header} is longer than ${LONGEST_USER} characters.`);
}

// Headers arrive byte by byte; what is UTF-8 is meant as that, so that a user is the same here as in a body.
function fromUtf8(value: string): string {
  if (!/[\x80-\xFF]/.test(value)) return value;
  try {
    return UTF_8.decode(Buffer.from(value, "latin1"));
  } catch {
    return value;
  }
}

/** The identity provider of a gateway that has its own; undefined: the deployment's. */
function sourceOf({ authType, userSourceId }: Gateway): string | undefined {
  // A record without an id names no provider, which is none that is configured.
  return authType === OWN_SOURCE ? (userSourceId ?? "") : undefined;
}
