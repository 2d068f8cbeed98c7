// The addresses of the protocol. A worker's record has the address without the prefix; one with it is accepted.
import { withoutTrailingSlashes } from "../../base";

const PREFIX = "/worker";

export const HEALTH = "health";
export const TOOLS = "tools";
export const INVOKE = "tools/invoke";

/** Below which the routes are; ends in a slash. Query and fragment have no meaning here. */
export function baseAddress(uri: string): string {
  const url = URL.parse(uri);
  // Records hold checked addresses.
  if (url === null) return uri;
  const path = withoutTrailingSlashes(url.pathname);
  return `${url.origin}${path.endsWith(PREFIX) ? path : path + PREFIX}/`;
}
