// What a tool needs from the runtime: an authorization, secrets, and facts about the call.
import { isObject } from "../../base";
import type { WorkerTool } from "../tool";
import { type Note, texts } from "./value-schema";

/** The facts that tools can ask for, and that this server knows. */
export const METADATA = ["client_id", "coordinator_url"] as const;

type Requirements = Pick<WorkerTool, "authorization" | "secrets" | "sendsMetadata">;

/**
 * Returns the reason why the tool cannot be offered, as a text. `note` gets what is left out.
 */
export function requirementsFrom(given: unknown, note: Note): Requirements | string {
  const { authorization, secrets, metadata } = isObject(given) ? given : {};
  const needed = authorizationFrom(authorization);
  if (typeof needed === "string") return needed;
  const keys = keysOf(secrets);
  const badKey = keys.find((key) => !/^[A-Za-z0-9_]{1,100}$/.test(key));
  if (badKey !== undefined)
    return "it needs a secret whose name is not made of letters, digits and underscores";
  return {
    ...(needed === undefined ? {} : { authorization: needed }),
    ...(keys.length === 0 ? {} : { secrets: keys }),
    ...metadataKeys(keysOf(metadata), needed !== undefined, note),
  };
}

/** The record of the provider decides which of them it is. */
const TYPES: ReadonlySet<string> = new Set(["oauth2", "api_key"]);

function authorizationFrom(given: unknown): WorkerTool["authorization"] | string {
  if (!isObject(given)) return undefined;
  const { provider_id, provider_type, id, oauth2 } = given;
  if (typeof provider_type === "string" && !TYPES.has(provider_type.toLowerCase()))
    return "it needs an authorization of another type than oauth2 and api_key";
  const provider = nameOf(provider_id);
  const record = nameOf(id);
  if (provider === undefined && record === undefined)
    return "it needs an authorization, but names neither provider_id nor id";
  return {
    ...(provider === undefined ? {} : { provider }),
    ...(record === undefined ? {} : { id: record }),
    scopes: texts(isObject(oauth2) ? oauth2["scopes"] : undefined),
  };
}

function nameOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

function metadataKeys(
  keys: readonly string[],
  isAuthorized: boolean,
  note: Note,
): Pick<Requirements, "sendsMetadata"> {
  const sent = METADATA.filter((known) => keys.some((key) => key.trim().toLowerCase() === known)).filter(
    (known) => known !== "client_id" || isAuthorized,
  );
  if (keys.length > sent.length)
    note(`it asks for metadata that this server does not have; it sends only ${METADATA.join(" and ")}`);
  return sent.length === 0 ? {} : { sendsMetadata: [...sent] };
}

/** Workers compare keys without case. */
function keysOf(given: unknown): string[] {
  if (!Array.isArray(given)) return [];
  const keys = new Map<string, string>();
  for (const entry of given as unknown[]) {
    const key = isObject(entry) ? entry["key"] : undefined;
    if (typeof key === "string" && !keys.has(key.toLowerCase())) keys.set(key.toLowerCase(), key);
  }
  return [...keys.values()];
}
