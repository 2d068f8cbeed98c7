// Addresses for browsers, and files for discovery.
import type { Runtime } from "../../src/runtime";
import type { Answer, Route } from "../route";

const get = (path: string, answer: Answer): Route => ({ method: "GET", path, answer });
const post = (path: string, answer: Answer): Route => ({ method: "POST", path, answer });

// Loaded when they are asked for.
const consent = () => import("./consent");
const docs = () => import("./docs");
const catalog = () => import("./docs-catalog");
const catalogPage = () => import("./catalog-page");

const OWN_PAGES: readonly Route[] = [
  get("/authorize/:token", async (runtime, { request, params }) =>
    (await consent()).openConsent(runtime, request, params["token"] ?? ""),
  ),
  post("/authorize/:token", async (runtime, { request, params }) =>
    (await consent()).confirmConsent(runtime, request, params["token"] ?? ""),
  ),
  get("/api/v1/oauth/:external_id/callback", async (runtime, { request, params }) =>
    (await consent()).callback(runtime, request, params["external_id"] ?? ""),
  ),
  get("/api/v1/auth/callback", async (runtime, { request }) =>
    (await consent()).signInCallback(runtime, request),
  ),
  get("/openapi.json", async (runtime, { request }) => (await docs()).openDescription(runtime, request)),
  get("/v1/swagger/ui", async () => (await docs()).openDocs()),
  get("/v1/swagger/ui/:file", async (_runtime, { params }) => (await docs()).docsFile(params["file"] ?? "")),
  get("/.well-known/api-catalog", async (runtime) => (await catalog()).apiCatalog(runtime)),
  get("/llms.txt", async (runtime) => (await catalog()).llmsText(runtime)),
];

/** The pages of the server and of its catalogs. */
export function pagesOf({ extensions }: Pick<Runtime, "extensions">): Route[] {
  const pages = extensions.catalogs.flatMap((catalog) => catalog.pages ?? []);
  return [
    ...OWN_PAGES,
    ...pages.map(({ method, path, handle }): Route => ({
      method,
      path,
      answer: async (runtime, { request }) => handle((await catalogPage()).pageContext(runtime, request)),
    })),
  ];
}
