// Finds out which revision a server speaks: the newest family first, then `initialize`.
import { isObject, type Json, type JsonObject, Redacted } from "../../base";
import { version as productVersion } from "../../../package.json";
import { UNSUPPORTED_VERSION } from "../json-rpc";
import { CAPABILITIES_KEY, LEGACY, legacyVersion, metaKey, MODERN, VERSION_KEY } from "../versions";
import { ProtocolError, ServerError, StatusError } from "./failure";
import type { ServerFacts, ServerSession } from "./sessions";

/** What this client says about itself. */
export const CLIENT_INFO: JsonObject = { name: "runtime", title: "runtime", version: productVersion };

/** `_meta` of each request of revision 2026-07-28. */
export function modernMeta(capabilities: JsonObject): JsonObject {
  return { [VERSION_KEY]: MODERN, [metaKey("clientInfo")]: CLIENT_INFO, [CAPABILITIES_KEY]: capabilities };
}

/** Statuses that say nothing about the revision. */
const OTHER_TROUBLES = [401, 403, 408, 429, 502, 503, 504];

export type Ask = (method: string, params: JsonObject) => Promise<JsonObject>;

/**
 * Asks a server whether it speaks revision 2026-07-28. Undefined: it does not, and is to be asked with `initialize`. Throws
 * what the request throws for any other trouble.
 */
export async function discover(ask: Ask): Promise<ServerFacts | undefined> {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      return factsOf(await ask("server/discover", {}));
    } catch (thrown) {
      // A server may refuse the version and name it all the same: it is asked once more.
      if (!isOtherFamily(thrown)) throw thrown;
      if (!(thrown instanceof ServerError) || !namesModern(thrown)) return undefined;
    }
  }
  return undefined;
}

/** Whether a failure of a request says that the server speaks the other family. It has then not been performed. */
export function isOtherFamily(thrown: unknown): boolean {
  if (thrown instanceof ServerError) return !OTHER_TROUBLES.includes(thrown.status);
  if (thrown instanceof StatusError) return !OTHER_TROUBLES.includes(thrown.status);
  return thrown instanceof ProtocolError;
}

function namesModern({ code, data }: ServerError): boolean {
  return (
    code === UNSUPPORTED_VERSION && textsIn(isObject(data) ? data["supported"] : undefined).includes(MODERN)
  );
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

function factsOf(result: JsonObject): ServerFacts | undefined {
  if (!textsIn(result["supportedVersions"]).includes(MODERN)) return undefined;
  const meta = isObject(result["_meta"]) ? result["_meta"] : {};
  // Until the final text of the revision it was a member of the result.
  return { modern: true, ...facts(MODERN, result, meta[metaKey("serverInfo")] ?? result["serverInfo"]) };
}

function facts(version: string, result: JsonObject, info: unknown): Omit<ServerFacts, "modern"> {
  const { capabilities, instructions } = result;
  return {
    version,
    capabilities: isObject(capabilities) ? (capabilities as JsonObject) : {},
    info: isObject(info) ? (info as JsonObject) : {},
    ...(typeof instructions === "string" ? { instructions } : {}),
  };
}

export interface Initialize {
  /** Like `Ask`, with the headers of the response. */
  ask(params: JsonObject): Promise<{ result: JsonObject; headers: Headers }>;
  /** Sends the notification that ends the handshake. */
  initialized(session: ServerSession): Promise<void>;
  capabilities: JsonObject;
}

/** Visible ASCII (revision 2025-11-25, "Session Management"). */
const SESSION_ID = /^[\x21-\x7E]{1,2000}$/;

/** Starts a session. Throws what the request throws, and `ProtocolError` for a version that is not known. */
export async function initialize({ ask, initialized, capabilities }: Initialize): Promise<ServerSession> {
  const { result, headers } = await ask({
    protocolVersion: LEGACY[0],
    capabilities,
    clientInfo: CLIENT_INFO,
  });
  const version = legacyVersion(shown(result["protocolVersion"]));
  if (version === undefined) {
    throw new ProtocolError(
      `The server speaks protocol version ${JSON.stringify(shown(result["protocolVersion"]))}, which is not supported.`,
    );
  }
  const id = headers.get("mcp-session-id");
  if (id !== null && !SESSION_ID.test(id)) throw new ProtocolError("The server's session id is not valid.");
  const session = {
    facts: { modern: false, ...facts(version, result, result["serverInfo"]) },
    id: id === null ? undefined : new Redacted(id),
  };
  await initialized(session);
  return session;
}

function shown(value: Json | undefined): string {
  return typeof value === "string" ? value.slice(0, 40) : "";
}
