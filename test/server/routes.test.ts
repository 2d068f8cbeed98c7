// The routes of the one application: the operation table under all its paths, MCP, the pages, and the answer to the rest.
import { expect, test } from "bun:test";
import { extensions } from "../../catalogs";
import { createApp } from "../../server/app";
import { operations } from "../../server/operations";
import { startSite } from "../support/site";

const SCOPE = "/v1/orgs/:org_id/projects/:project_id";

const MCP = [
  "POST /mcp/:slug",
  "GET /mcp/:slug",
  "GET /.well-known/oauth-protected-resource/mcp/:slug",
  "GET /mcp/:slug/.well-known/oauth-protected-resource",
];

const PAGES = [
  "GET /",
  "GET /favicon.ico",
  "GET /me",
  "POST /me",
  "GET /me/:project",
  "POST /me/:project",
  "GET /authorize/:token",
  "POST /authorize/:token",
  "GET /api/v1/oauth/:external_id/callback",
  "GET /api/v1/auth/callback",
  "GET /sign-in",
  "GET /sign-in/callback",
  "GET /.well-known/oauth-authorization-server",
  "GET /device",
  "POST /device",
  "GET /oauth/authorize",
  "GET /oauth/authorize/:uid",
  "GET /oauth/interaction/:uid",
  "POST /oauth/interaction/:uid",
  "GET /oauth/jwks",
  "POST /oauth/device",
  "POST /oauth/par",
  "POST /oauth/register",
  "POST /oauth/revoke",
  "POST /oauth/token",
  "GET /sign-in/link/:token",
  "POST /sign-in/link/:token",
  "POST /sign-in/link/:token/options",
  "POST /sign-in/link/:token/passkey",
  "GET /sign-in/passkey",
  "GET /sign-in/passkey.js",
  "GET /sign-in/passkey/new",
  "POST /sign-in/passkey/new",
  "POST /sign-in/passkey/new/options",
  "POST /sign-in/passkey/options",
  "POST /sign-in/passkey/verify",
  "POST /sign-out",
  // `GET /v1/swagger` is an operation.
  "GET /openapi.json",
  "GET /v1/swagger/ui",
  "GET /v1/swagger/ui/:file",
  "GET /docs",
  "GET /docs/:page",
  "GET /.well-known/api-catalog",
  "GET /.well-known/jwks.json",
  "GET /.well-known/oauth-client/:project",
  "GET /llms.txt",
  "GET /v1",
];

test("the application has a route for each operation, MCP address and page, and no other", async () => {
  await using site = await startSite();
  const ofOperations = operations.flatMap(({ method, alias = method, path, alsoAt = [], credential }) => {
    const own = path.replaceAll(/\{(\w+)\}/g, ":$1");
    const scoped = SCOPE + own.replace(/^\/v1(\/admin)?/, "");
    const isOfProject = own.startsWith("/v1/") && !own.startsWith(SCOPE);
    const paths = credential === "public" || !isOfProject ? [own] : [own, scoped, ...alsoAt];
    return [...new Set([method, alias])].flatMap((verb) => paths.map((each) => `${verb} ${each}`));
  });
  const ofCatalogs = extensions.catalogs
    .flatMap(({ pages = [] }) => pages)
    .map(({ method, path }) => `${method} ${path}`);

  const { routes } = createApp(site.runtime, AbortSignal.abort());

  expect(ofCatalogs).not.toBeEmpty();
  expect(routes.toSorted()).toEqual([...ofOperations, ...MCP, ...PAGES, ...ofCatalogs, "ALL /*"].toSorted());
});

test("only the API description has no handler of its own: the plugin serves it", () => {
  expect(operations.filter(({ handle }) => handle === undefined).map(({ id }) => id)).toEqual(["swagger"]);
});
