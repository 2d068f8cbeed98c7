// The addresses of the authorization server.
import { METADATA_PATH, PATHS } from "../../src/people";
import { jsonAnswer } from "../answer";
import type { Pages } from "../cors";
import type { Front, Route } from "../front";
import { requireServed } from "./served";

/** What pages of any origin may call: clients that run in a browser. They have no cookies of ours. */
const OPEN: readonly string[] = [
  PATHS.token,
  PATHS.register,
  PATHS.revoke,
  PATHS.device,
  PATHS.pushed,
  PATHS.keys,
];

/** Which pages may read the answers of a path. */
export function pagesOfOAuth(path: string): Pages | undefined {
  return OPEN.includes(path) || path.includes(METADATA_PATH) ? "any" : undefined;
}

export function oauthRoutes(front: Front): Route[] {
  const { authorizationServer, core } = front.runtime;
  const prefix = URL.parse(core.settings.public_url ?? "")?.pathname.replace(/\/$/, "") ?? "";
  const route = (method: Route["method"], path: string, answer: Route["answer"]): Route => ({
    method,
    path,
    answer,
    pages: pagesOfOAuth(path),
  });
  // Loaded with the first request: many servers have none.
  const endpoints = () => import("./endpoints");
  const interaction = () => import("./interaction");
  const device = () => import("./device");
  // The well-known part is between host and path of the issuer (RFC 8414, section 3.1).
  const metadata = [...new Set([METADATA_PATH, `${METADATA_PATH}${prefix}`])];
  return [
    ...metadata.map((path) =>
      route("GET", path, async () => {
        await requireServed(front);
        return jsonAnswer(200, authorizationServer.metadata());
      }),
    ),
    route("GET", PATHS.keys, async () => {
      await requireServed(front);
      return jsonAnswer(200, await authorizationServer.publishedKeys());
    }),
    route("GET", PATHS.authorize, async (incoming) => (await endpoints()).authorize(front, incoming)),
    route("GET", `${PATHS.authorize}/:uid`, async (incoming) => (await endpoints()).resume(front, incoming)),
    route("GET", `${PATHS.interaction}/:uid`, async (incoming) =>
      (await interaction()).openInteraction(front, incoming),
    ),
    route("POST", `${PATHS.interaction}/:uid`, async (incoming) =>
      (await interaction()).answerInteraction(front, incoming),
    ),
    ...[PATHS.token, PATHS.revoke, PATHS.device, PATHS.pushed].map((path) =>
      route("POST", path, async (incoming) => (await endpoints()).clientEndpoint(front, incoming)),
    ),
    route("POST", PATHS.register, async (incoming) =>
      (await import("./registration")).register(front, incoming),
    ),
    route("GET", PATHS.userCode, async (incoming) => (await device()).openDevice(front, incoming)),
    route("POST", PATHS.userCode, async (incoming) => (await device()).answerDevice(front, incoming)),
  ];
}
