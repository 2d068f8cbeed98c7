// Authentication at a gateway, according to the gateway's type.
import type { Refusals } from "../audit";
import { type Gateway, KEY_AND_USER, OWN_SOURCE, USER_HEADERS } from "../gateways";
import { headerText, callerIdFault } from "../base";
import { forbidden, invalidAuthorization, RuntimeError } from "../errors";
import type { PeopleWithGroups } from "../people";
import { actFor, hasToken, type Identity, type Principal, requireRole } from "../identity";
import type { IsAllowed } from "./list-changes";
import { metadataAddress, resourceAddress, resourceAudiences } from "../resource-address";

/** The authenticated caller of a gateway, and the user it acts for. */
export interface GatewayUser {
  gateway: Gateway;
  principal: Principal;
  userId: string;
}

/** How the audit trail names a call of a gateway. */
const OPERATION = "mcp";

/** The only scope of a gateway (RFC 6749, section 3.3): permission to call it. */
export const SCOPE = "mcp";

/** Protected resource metadata (RFC 9728) of a gateway. */
export interface ResourceMetadata {
  resource: string;
  authorization_servers: string[];
  bearer_methods_supported: string[];
  scopes_supported: string[];
  resource_name: string;
}

/** How people sign in to a project, and their groups. */
export type OfPeople = Pick<PeopleWithGroups, "methodOf" | "groupsOf">;

export class Access {
  readonly #identity: Identity;
  readonly #publicUrl: () => string;
  readonly #refusals: Refusals;
  readonly #people: OfPeople;

  constructor(identity: Identity, publicUrl: () => string, refusals: Refusals, people: OfPeople) {
    this.#identity = identity;
    this.#people = people;
    this.#refusals = refusals;
    this.#publicUrl = publicUrl;
  }

  /**
   * Authenticates a request from a client's address. Throws `invalid_authorization` or `forbidden`, with the challenge that tells the client
   * where to get a token (RFC 6750, RFC 9728).
   */
  async admit(gateway: Gateway, headers: Headers, address?: string): Promise<GatewayUser> {
    if (gateway.authType !== KEY_AND_USER) return this.#withToken(gateway, headers, address);
    const credential = headers.get("authorization") ?? undefined;
    const principal = { ...(await this.#identity.authenticate(credential, gateway.projectId)), address };
    try {
      const user = withKey(gateway, principal, headers);
      await this.#identity.suspensions.requireActive(principal, user.userId);
      return user;
    } catch (error) {
      this.refused(principal, error);
      throw error;
    }
  }

  /** A user for whom the operator calls, without a request. Throws what `Suspensions.actFor` throws. */
  async admitOwn(gateway: Gateway, principal: Principal, userId: string): Promise<GatewayUser> {
    return { gateway, principal, userId: await this.#identity.suspensions.actFor(principal, userId) };
  }

  /** Records the refusal of a call in the audit trail. */
  refused(principal: Principal, error: unknown): void {
    this.#refusals.count(principal, OPERATION, error);
  }

  async #withToken(
    gateway: Gateway,
    headers: Headers,
    clientAddress: string | undefined,
  ): Promise<GatewayUser> {
    const credential = headers.get("authorization") ?? undefined;
    const host = headers.get("host") ?? undefined;
    const source = sourceOf(gateway);
    const { projectId, slug } = gateway;
    const addresses = resourceAudiences(this.#publicUrl(), slug, host);
    try {
      const { principal, scopes } = await this.#identity.authenticateAt(credential, {
        projectId,
        id: gateway.id,
        addresses,
        source,
      });
      // Tokens of a customer's own identity provider may have other scopes.
      if (source === undefined && scopes !== undefined && !scopes.includes(SCOPE)) {
        const refusal = forbidden(`The user token lacks the scope ${SCOPE}.`, {
          challenge: this.#challenge(gateway, host, "insufficient_scope"),
        });
        this.refused({ ...principal, address: clientAddress }, refusal);
        throw refusal;
      }
      const caller = { ...principal, address: clientAddress };
      await this.#requireGroup(gateway, caller);
      return { gateway, principal: caller, userId: principal.userId };
    } catch (error) {
      if (!(error instanceof RuntimeError) || error.status !== 401) throw error;
      throw invalidAuthorization(error.message, {
        cause: error.cause,
        challenge: this.#challenge(gateway, host, hasToken(credential) ? "invalid_token" : undefined),
      });
    }
  }

  /** Whether the user is in one of the groups of the gateway. Users whose groups cannot be read are in none. */
  readonly isAllowed: IsAllowed = async ({ allowedGroups: allowed }, { projectId, userId }) => {
    if (allowed === undefined) return true;
    return (await this.#people.groupsOf(projectId, userId)).some((group) => allowed.includes(group));
  };

  /** Throws `forbidden` for a user whom `isAllowed` does not admit. */
  async #requireGroup(gateway: Gateway, user: Extract<Principal, { kind: "user" }>): Promise<void> {
    if (await this.isAllowed(gateway, user)) return;
    const refusal = forbidden(
      "Only members of certain groups may use this gateway, and you are in none of them. If that has changed, sign in again.",
    );
    this.refused(user, refusal);
    throw refusal;
  }

  /**
   * The metadata for a request with this `Host`. Undefined for a gateway that takes API keys or has no authorization server.
   * Throws `unavailable` as long as the issuer is unknown.
   */
  async metadata(gateway: Gateway, host: string | undefined): Promise<ResourceMetadata | undefined> {
    if (gateway.authType === KEY_AND_USER) return undefined;
    const issuer = await this.#issuerOf(gateway);
    if (issuer === undefined) return undefined;
    return {
      resource: resourceAddress(this.#publicUrl(), gateway.slug, host),
      authorization_servers: [issuer],
      bearer_methods_supported: ["header"],
      scopes_supported: [SCOPE],
      resource_name: gateway.name,
    };
  }

  /** Where people sign in here, clients get their tokens here, although those of the provider at `auth.url` are taken too. */
  async #issuerOf(gateway: Gateway): Promise<string | undefined> {
    const source = sourceOf(gateway);
    const signsIn = source === undefined && (await this.#people.methodOf(gateway.projectId)) !== "none";
    return signsIn ? this.#publicUrl() : this.#identity.issuerOf(source);
  }

  #challenge({ slug }: Gateway, host: string | undefined, error: string | undefined): string {
    const metadata = metadataAddress(resourceAddress(this.#publicUrl(), slug, host));
    const reason = error === undefined ? "" : `, error="${error}"`;
    return `Bearer resource_metadata="${metadata}", scope="${SCOPE}"${reason}`;
  }
}

/** With an API key, the headers name the user. A person at the terminal is the user. */
function withKey(gateway: Gateway, principal: Principal, headers: Headers): GatewayUser {
  const isOwn = principal.projectId === gateway.projectId;
  // Of a token that this server has issued for the API of the project.
  if (isOwn && principal.kind === "user" && principal.grant !== undefined)
    return { gateway, principal, userId: actFor(principal, namedUser(headers)) };
  if (principal.kind !== "key" || !isOwn) {
    throw invalidAuthorization("This gateway only accepts API keys of its own project.");
  }
  requireRole(principal, ["admin", "run"]);
  return { gateway, principal, userId: actFor(principal, namedUser(headers) ?? onlyUserOf(principal)) };
}

/** The user of a key that is pinned to exactly one: many clients can send no header but the key. */
function onlyUserOf({ users }: Extract<Principal, { kind: "key" }>): string {
  const [user, ...more] = users ?? [];
  if (user !== undefined && more.length === 0) return user;
  throw invalidAuthorization(
    `The request names no user. Send the user's id in the header ${USER_HEADERS[0]}, or use a key that is pinned to one user.`,
  );
}

/** The user in the headers, if they name one. Throws `invalid_authorization` if there are two, or if the id is not valid. */
function namedUser(headers: Headers): string | undefined {
  const [header] = USER_HEADERS;
  let user: string | undefined;
  for (const name of USER_HEADERS) {
    const value = headers.get(name);
    if (value === null || value === "") continue;
    // A proxy may have added one of them, and a guess could pick the wrong user.
    if (user !== undefined && user !== value)
      throw invalidAuthorization(`The headers name two different users. Send ${header} only.`);
    user = value;
  }
  if (user === undefined) return undefined;
  const userId = headerText(user);
  const fault = callerIdFault(userId);
  if (fault === undefined) return userId;
  throw invalidAuthorization(`The user in the header ${header} ${fault}.`);
}

/** The gateway's own identity provider; undefined: that of the deployment. */
function sourceOf({ authType, userSourceId }: Gateway): string | undefined {
  // The empty text matches no configured provider.
  return authType === OWN_SOURCE ? (userSourceId ?? "") : undefined;
}
