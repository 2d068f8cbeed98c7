// What a gateway says about itself in answers of revision 2026-07-28.
import { version as productVersion } from "../../package.json";
import type { JsonObject } from "../base";
import type { GatewayUser } from "./access";
import { SERVER_KEY, SUPPORTED } from "./versions";

/** The members of the answer to `server/discover`. `more`: capabilities besides tools. */
export function discovered({ gateway: { instructions } }: GatewayUser, more: JsonObject): string {
  const fields = {
    supportedVersions: SUPPORTED,
    // `subscriptions/listen`, which needs no session.
    capabilities: { tools: { listChanged: true }, ...more },
    ...(instructions === undefined ? {} : { instructions }),
  };
  return JSON.stringify(fields).slice(1, -1);
}

/** `_meta` of a result: the server's name, and members of the result. */
export function metaText({ gateway }: GatewayUser, more?: JsonObject): string {
  const { slug: name, name: title } = gateway;
  return JSON.stringify({ [SERVER_KEY]: { name, title, version: productVersion }, ...more });
}
