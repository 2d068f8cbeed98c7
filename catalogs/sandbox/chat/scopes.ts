// The scopes of each method, and the report of a missing one.
import { PlatformError } from "./platform-error";

export type ConversationKind = "public_channel" | "private_channel" | "mpim" | "im";
export type Access = "read" | "history";

const PREFIX: Readonly<Record<ConversationKind, string>> = {
  public_channel: "channels",
  private_channel: "groups",
  mpim: "mpim",
  im: "im",
};

const OPEN_FAMILY = ["channels:write", "groups:write", "mpim:write", "im:write"];

const OTHER_SCOPES = `chat:write users:read users:read.email users:write users.profile:read users.profile:write
  channels:join channels:manage reactions:read reactions:write files:read files:write pins:read pins:write
  bookmarks:read bookmarks:write team:read search:read emoji:read links:read links:write usergroups:read dnd:read`;

/** Scopes that may be requested on the consent page; others are treated as typos. */
export const KNOWN_SCOPES: ReadonlySet<string> = new Set([
  ...["read", "history", "write"].flatMap((access) =>
    Object.values(PREFIX).map((kind) => `${kind}:${access}`),
  ),
  ...OTHER_SCOPES.split(/\s+/),
]);

/** A caller's token with its scopes. */
export interface Holder {
  readonly scopes: readonly string[];
}

/** The four scopes of one access, in the order in which the platform lists them. */
export function family(access: Access): string[] {
  return Object.values(PREFIX).map((prefix) => `${prefix}:${access}`);
}

/** Throws `missing_scope` when any of these is missing. */
export function requireScopes(holder: Holder, scopes: readonly string[]): void {
  const missing = scopes.filter((scope) => !holder.scopes.includes(scope));
  if (missing.length > 0) throw missingScope(holder, missing);
}

/** A token with no scope of the family is refused before any lookup, with the whole family as missing. */
export function requireOneOfFamily(holder: Holder, access: Access): void {
  const all = family(access);
  if (!all.some((scope) => holder.scopes.includes(scope))) throw missingScope(holder, all);
}

/** Throws `missing_scope` unless the token may use conversations of all these kinds. */
export function requireConversationScopes(
  holder: Holder,
  kinds: readonly ConversationKind[],
  access: Access,
): void {
  requireOneOfFamily(holder, access);
  requireScopes(
    holder,
    kinds.map((kind) => `${PREFIX[kind]}:${access}`),
  );
}

/** `conversations.open` always names all four write scopes as missing. */
export function requireOpenScope(holder: Holder, scope: "im:write" | "mpim:write"): void {
  if (!holder.scopes.includes(scope)) throw missingScope(holder, OPEN_FAMILY);
}

function missingScope(holder: Holder, needed: readonly string[]): PlatformError {
  return new PlatformError("missing_scope", { needed: needed.join(","), provided: holder.scopes.join(",") });
}
