// Addresses for browsers, and files for discovery.
import type { Front, Route } from "../front";
import { pageContext } from "./catalog-page";
import { clientMetadata } from "./client-document";
import { callback, confirmConsent, openConsent } from "./consent";
import { docsFile, openDocs } from "./docs";
import { documentationIndex, documentationPage } from "./documentation";
import { identityKeys } from "./identity-keys";
import { apiCatalog, apiLinks, llmsText } from "./docs-catalog";
import { passkeyRoutes } from "./passkey-routes";
import { noIcon, startPage } from "./start";

/** The page of the API description. */
export const DOCS_PATH = "/v1/swagger/ui";

/** The pages of the server and of its catalogs. */
export function pageRoutes(front: Front): Route[] {
  const { runtime } = front;
  // Pages of people are loaded with the first request for one: many servers have none.
  const signIn = () => import("./sign-in");
  const me = () => import("./me");
  const get = (path: string, answer: Route["answer"]): Route => ({ method: "GET", path, answer });
  return [
    get("/", () => startPage()),
    get("/favicon.ico", () => noIcon()),
    get("/authorize/:token", (incoming) => openConsent(front, incoming)),
    { method: "POST", path: "/authorize/:token", answer: (incoming) => confirmConsent(front, incoming) },
    get("/api/v1/oauth/:external_id/callback", (incoming) => callback(front, incoming)),
    get("/api/v1/auth/callback", async (incoming) => (await signIn()).signInCallback(front, incoming)),
    ...["/me", "/me/:project"].flatMap((path): Route[] => [
      get(path, async (incoming) => (await me()).openMe(front, incoming)),
      { method: "POST", path, answer: async (incoming) => (await me()).actAtMe(front, incoming) },
    ]),
    get("/sign-in", async (incoming) => (await signIn()).openSignIn(front, incoming)),
    get("/sign-in/callback", async (incoming) => (await signIn()).signInCallback(front, incoming)),
    {
      method: "POST",
      path: "/sign-out",
      answer: async (incoming) => (await signIn()).signOut(front, incoming),
    },
    get(DOCS_PATH, () => openDocs()),
    get(`${DOCS_PATH}/:file`, ({ params }) => docsFile(params["file"] ?? "")),
    get("/docs", ({ request }) => documentationIndex(request)),
    get("/docs/:page", ({ request, params }) => documentationPage(request, params["page"] ?? "")),
    get("/.well-known/api-catalog", () => apiCatalog(runtime)),
    get("/.well-known/jwks.json", ({ request }) => identityKeys(runtime, request)),
    get("/.well-known/oauth-client/:project", ({ params }) =>
      clientMetadata(runtime, params["project"] ?? ""),
    ),
    get("/llms.txt", () => llmsText(runtime)),
    get("/v1", () => apiLinks(runtime)),
    ...passkeyRoutes(front),
    ...runtime.extensions.catalogs
      .flatMap(({ pages = [] }) => pages)
      .map(({ method, path, handle }): Route => ({
        method,
        path,
        answer: (incoming) => handle(pageContext(front, incoming)),
      })),
  ];
}
