// The person whom a reverse proxy names in a header (`sign_in: proxy`). Only the peer of the connection may be that proxy: anyone
// else could write the same header.
import { headerText, callerIdFault } from "../../src/base";
import { invalidAuthorization } from "../../src/errors";
import type { Front, Incoming } from "../front";

export interface ProxiedPerson {
  userId: string;
  /** The value of `http.groups_header`; undefined: there is none. */
  groups: string | undefined;
}

/** What Apache writes for a variable that has no value. */
const NOTHING = "(null)";

/**
 * Undefined if the request names none. Throws `invalid_authorization` for a name that did not come from a trusted proxy, for two
 * names, and for one that is not valid.
 */
export function proxiedPerson(front: Front, incoming: Incoming): ProxiedPerson | undefined {
  const { core } = front.runtime;
  const { "http.user_header": header, "http.groups_header": groupsHeader } = core.settings;
  const value = incoming.request.headers.get(header)?.trim();
  if (value === undefined || value === "" || value === NOTHING) return undefined;
  if (!front.isProxy(incoming.request)) {
    core.log.refused("forged person", { error: "untrusted_proxy", header, address: incoming.address });
    throw invalidAuthorization(
      `The header ${header} names a person, and this request did not come from a proxy of http.trusted_proxies.`,
    );
  }
  // Two headers are joined like this. One of them may be that of the client, which the proxy should have replaced.
  if (value.includes(", "))
    throw invalidAuthorization(
      `The header ${header} has two values. Let the proxy replace what its clients send.`,
    );
  const userId = headerText(value);
  const fault = callerIdFault(userId);
  if (fault !== undefined) throw invalidAuthorization(`The user in the header ${header} ${fault}.`);
  if (groupsHeader === undefined) return { userId, groups: undefined };
  const groups = incoming.request.headers.get(groupsHeader);
  return { userId, groups: groups === null || groups === NOTHING ? "" : headerText(groups) };
}
