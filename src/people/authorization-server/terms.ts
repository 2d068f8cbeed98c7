// Words of the authorization server that tokens, tables and requests contain.

/** Permission to call a gateway. */
export const GATEWAY_SCOPE = "mcp";
/** Permission to use the API of a project as its user: the command line. */
export const API_SCOPE = "runtime";
/** Ask for a refresh token (OpenID Connect Core 1.0, section 11). Clients with the grant type get one without it. */
export const OFFLINE_SCOPE = "offline_access";

/** The `resource` of a grant for the API of a project, in `client_grants`. */
export const API_RESOURCE = "";

/** The id of a person inside the authorization server. Ids of projects have no colon. */
export function accountId(projectId: string, userId: string): string {
  return `${projectId}:${userId}`;
}

export function accountOf(id: string): { projectId: string; userId: string } {
  const at = id.indexOf(":");
  return { projectId: id.slice(0, at), userId: id.slice(at + 1) };
}

/**
 * The id of a grant of one sign-in: that of the row in `client_grants`, which all sign-ins of a client for a person at a gateway
 * share, and a random part, so that a stolen refresh token ends its own chain of tokens only.
 */
export function chainId(grant: string, random: string): string {
  return `${grant}.${random}`;
}

export function grantOfChain(chain: string): string {
  return chain.split(".", 1)[0] ?? "";
}
