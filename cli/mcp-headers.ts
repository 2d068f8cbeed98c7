// The headers of a message of a session, until revision 2025-11-25.
import { isObject, type Json, type JsonObject } from "../src/base";
import { namedVersion } from "../src/mcp";

export interface LegacyState {
  session?: string;
  version?: string;
}

/** The protocol version of a message; undefined for one of a session. */
export function versionOf(value: Json): string | undefined {
  return isObject(value) && isObject(value["params"])
    ? namedVersion(value["params"] as JsonObject)
    : undefined;
}

export function sessionHeaders({ session, version }: LegacyState): Record<string, string> {
  return {
    ...(session === undefined ? {} : { "mcp-session-id": session }),
    ...(version === undefined ? {} : { "mcp-protocol-version": version }),
  };
}
