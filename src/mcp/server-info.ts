// What a gateway says about itself in answers of revision 2026-07-28.
import { version as productVersion } from "../../package.json";
import type { JsonObject } from "../base";
import type { GatewayUser } from "./access";
import type { ListKind } from "./list-changes";
import { SERVER_KEY, SUPPORTED } from "./versions";

/** What a gateway offers, in both families: lists, streams that tell of changes, and completions. */
export function capabilitiesOf(kinds: readonly ListKind[], completes: boolean): JsonObject {
  const lists = kinds.map((kind) => [kind, { listChanged: true }]);
  return { ...Object.fromEntries(lists), ...(completes ? { completions: {} } : {}) };
}

/** The members of the answer to `server/discover`. */
export function discovered({ gateway: { instructions } }: GatewayUser, capabilities: JsonObject): string {
  const fields = {
    supportedVersions: SUPPORTED,
    capabilities,
    ...(instructions === undefined ? {} : { instructions }),
  };
  return JSON.stringify(fields).slice(1, -1);
}

/** `_meta` of a result: the server's name, and members of the result. */
export function metaText({ gateway }: GatewayUser, more?: JsonObject): string {
  const { slug: name, name: title } = gateway;
  return JSON.stringify({ [SERVER_KEY]: { name, title, version: productVersion }, ...more });
}
