// What a tool needs from the runtime: an authorization, secrets, and facts about the call. What cannot be read must not make a
// tool need less than its worker says, so such a tool is left out.
import { isObject } from "../../base";
import type { WorkerTool } from "../tool";
import type { Note } from "./value-schema";

/** The facts that tools can ask for, and that this server knows. */
export const METADATA = ["client_id", "coordinator_url"] as const;

type Requirements = Pick<WorkerTool, "authorization" | "secrets" | "sendsMetadata">;
type Fields = { [key: string]: unknown };

/** The state of a user (`met`, `status` and the like) is in the same record of tool listings, and means nothing here. */
const KNOWN = ["authorization", "secrets", "metadata", "met"];
const STATE = ["status", "status_reason", "token_status"];
const KNOWN_OF_AUTHORIZATION = ["provider_id", "provider_type", "id", "oauth2", ...STATE];

/**
 * Returns the reason why the tool cannot be offered, as a text. `note` gets what is left out.
 */
export function requirementsFrom(given: unknown, note: Note): Requirements | string {
  if (isAbsent(given)) return {};
  if (!isObject(given)) return "its requirements are not an object";
  const strange = unknownIn(given, KNOWN);
  if (strange !== undefined) return `it has a requirement that this server does not know${strange}`;
  const { authorization, secrets, metadata } = given;
  const needed = authorizationFrom(authorization);
  if (typeof needed === "string") return needed;
  const keys = secretsFrom(secrets);
  if (typeof keys === "string") return keys;
  return {
    ...(needed === undefined ? {} : { authorization: needed }),
    ...(keys.length === 0 ? {} : { secrets: keys }),
    ...metadataKeys(metadata, needed !== undefined, note),
  };
}

/** The record of the provider decides which of them it is. */
const TYPES: ReadonlySet<string> = new Set(["oauth2", "api_key"]);

function authorizationFrom(given: unknown): WorkerTool["authorization"] | string {
  if (isAbsent(given)) return undefined;
  if (!isObject(given)) return "it needs an authorization that is not an object";
  const strange = unknownIn(given, KNOWN_OF_AUTHORIZATION);
  if (strange !== undefined) return `its authorization has a part that this server does not know${strange}`;
  const { provider_id, provider_type, id, oauth2 } = given;
  const isKnownType = typeof provider_type === "string" && TYPES.has(provider_type.toLowerCase());
  if (!isAbsent(provider_type) && !isKnownType)
    return "it needs an authorization of another type than oauth2 and api_key";
  if ([provider_id, id].some((name) => !isAbsent(name) && typeof name !== "string"))
    return "it needs an authorization whose provider_id or id is not a text";
  const provider = nameOf(provider_id);
  const record = nameOf(id);
  if (provider === undefined && record === undefined)
    return "it needs an authorization, but names neither provider_id nor id";
  const scopes = scopesFrom(oauth2);
  if (typeof scopes === "string") return scopes;
  return {
    ...(provider === undefined ? {} : { provider }),
    ...(record === undefined ? {} : { id: record }),
    scopes,
  };
}

/** An authorization without scopes is met by any grant, so none may get lost. */
function scopesFrom(oauth2: unknown): string[] | string {
  if (isAbsent(oauth2)) return [];
  if (!isObject(oauth2)) return "the oauth2 of its authorization is not an object";
  const strange = unknownIn(oauth2, ["scopes"]);
  if (strange !== undefined)
    return `the oauth2 of its authorization has a part that this server does not know${strange}`;
  const { scopes = null } = oauth2;
  if (scopes === null) return [];
  if (!Array.isArray(scopes) || !scopes.every((scope) => nameOf(scope) !== undefined))
    return "the scopes of its authorization are not a list of texts";
  return [...new Set(scopes as string[])];
}

/** The names of its secrets. Workers compare them without case. */
function secretsFrom(given: unknown): string[] | string {
  if (isAbsent(given)) return [];
  if (!Array.isArray(given)) return "its secrets are not a list";
  const names = (given as unknown[]).map(secretName);
  if (names.includes(undefined)) return "it needs a secret that names neither key nor key_id";
  const keys = distinct(names);
  if (!keys.every((key) => /^[A-Za-z0-9_]{1,100}$/.test(key)))
    return "it needs a secret whose name is not made of letters, digits and underscores";
  return keys;
}

/** Undefined without a name that can be read, or with two. */
function secretName(given: unknown): string | undefined {
  const { key, key_id } = isObject(given) ? given : {};
  const names = [key, key_id].filter((name) => !isAbsent(name));
  const [name] = names;
  return names.every((other) => other === name) ? nameOf(name) : undefined;
}

function metadataKeys(
  given: unknown,
  isAuthorized: boolean,
  note: Note,
): Pick<Requirements, "sendsMetadata"> {
  if (isAbsent(given)) return {};
  const entries: unknown[] = Array.isArray(given) ? given : [undefined];
  const keys = entries.map((entry) => nameOf(isObject(entry) ? entry["key"] : undefined));
  const sent = METADATA.filter((known) => keys.some((key) => key?.trim().toLowerCase() === known)).filter(
    (known) => known !== "client_id" || isAuthorized,
  );
  if (keys.includes(undefined) || distinct(keys).length > sent.length)
    note(`it asks for metadata that this server does not have; it sends only ${METADATA.join(" and ")}`);
  return sent.length === 0 ? {} : { sendsMetadata: [...sent] };
}

/** The first of several texts that differ only in case. */
function distinct(given: readonly (string | undefined)[]): string[] {
  const texts = new Map<string, string>();
  for (const text of given) {
    const key = text?.toLowerCase();
    if (text !== undefined && key !== undefined && !texts.has(key)) texts.set(key, text);
  }
  return [...texts.values()];
}

/** Absent and null are the same. */
function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function nameOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** The first member with a value that is not one of `known`, as the end of a sentence. */
function unknownIn(given: Fields, known: readonly string[]): string | undefined {
  const name = Object.keys(given).find((member) => !known.includes(member) && !isAbsent(given[member]));
  if (name === undefined) return undefined;
  return /^\w{1,40}$/.test(name) ? ` (${name})` : "";
}
