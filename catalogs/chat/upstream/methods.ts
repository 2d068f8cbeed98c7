// The Web API methods that the tools call: the scopes of each, and whether it may be retried.
import { OPEN_ONE, OPEN_SEVERAL, POST, READ_PEOPLE, scopeOfType } from "../scopes";

/** Arguments of a method. `undefined` and empty strings are not sent. */
export type Params = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

interface Method {
  /** The scopes that this call needs. The platform's own `needed` may list alternatives instead. */
  scopes: (params: Params) => readonly string[];
  /** Every call creates something: it is never sent again if it may have succeeded. */
  creates?: true;
  /** What the platform counts separately, besides the method. */
  countedBy?: (params: Params) => Params[string];
}

export type MethodName = keyof typeof METHODS;

const METHODS = {
  "auth.test": { scopes: () => [] },
  "users.info": { scopes: () => [READ_PEOPLE] },
  "users.list": { scopes: () => [READ_PEOPLE] },
  "users.lookupByEmail": { scopes: () => ["users:read.email"] },
  "conversations.list": { scopes: (params) => scopesOfTypes(params["types"]) },
  "conversations.info": { scopes: ({ channel }) => (isDirect(channel) ? ["im:read"] : []) },
  "conversations.members": { scopes: ({ channel }) => (isDirect(channel) ? ["im:read"] : []) },
  "conversations.history": { scopes: ({ channel }) => (isDirect(channel) ? ["im:history"] : []) },
  "conversations.open": { scopes: (params) => [isSeveral(params["users"]) ? OPEN_SEVERAL : OPEN_ONE] },
  // About one message a second in each conversation.
  "chat.postMessage": { scopes: () => [POST], creates: true, countedBy: ({ channel }) => channel },
  "users.conversations": { scopes: (params) => scopesOfTypes(params["types"]) },
  "auth.teams.list": { scopes: () => [] },
} satisfies Record<string, Method>;

export function methodNamed(name: MethodName): Method {
  return METHODS[name];
}

/** The name of the rate limit that a call counts against. */
export function limitOf(method: MethodName, params: Params): string {
  const counted = methodNamed(method).countedBy?.(params);
  return counted === undefined ? method : `${method} ${String(counted)}`;
}

function scopesOfTypes(types: Params[string]): string[] {
  const listed = Array.isArray(types) ? types : [];
  return listed.flatMap((type: string) => scopeOfType(type) ?? []);
}

/** The ids of other types do not reveal their type; the platform's answer is used for those. */
function isDirect(channel: Params[string]): boolean {
  return typeof channel === "string" && channel.startsWith("D");
}

function isSeveral(users: Params[string]): boolean {
  return Array.isArray(users) && users.length > 1;
}
