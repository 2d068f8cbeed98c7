// A server at which people sign in, as far as the command line needs one: a certified authorization server (`oidc-provider`), its
// metadata where RFC 8414 says, and the operation that tells who a token belongs to.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Provider } from "oidc-provider";
import { Browser } from "../../support/browser";
import { newSigningKey, partsOf } from "../../interop/oidc/keys";

/** What its types leave out. */
interface WithTokens {
  RefreshToken: { find(token: string): Promise<{ grantId: string; destroy(): Promise<void> } | undefined> };
}

export interface SignInSite extends AsyncDisposable {
  readonly url: string;
  /** `METHOD /path` of the requests, in the order of arrival. */
  readonly requests: string[];
  /** Access tokens in the order of use. */
  readonly tokens: string[];
  /** Answered before anything else. */
  before: ((path: string, response: ServerResponse) => boolean) | undefined;
  /** Changes the metadata. */
  metadata: (metadata: Record<string, unknown>) => object | undefined;
  /** Ends the grant of a refresh token. */
  end(refreshToken: string): Promise<void>;
  /** A person with a browser at the address of a sign-in; answers what the terminal's page says. */
  visit(address: string, person: string): Promise<string>;
  /** A person who enters a code. */
  enter(code: string, person: string): Promise<void>;
}

export interface SignInSiteOptions {
  /** Of access tokens, seconds. Default: 600. */
  lifetime?: number;
}

export async function startSignInSite({ lifetime = 600 }: SignInSiteOptions = {}): Promise<SignInSite> {
  const requests: string[] = [];
  const tokens: string[] = [];
  const ended = new Set<unknown>();
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  const server = createServer((request, response) => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    requests.push(`${request.method} ${path}`);
    if (site.before?.(path, response) === true) return;
    if (path.startsWith("/v1/")) return tell(request, response, tokens, ended);
    if (path === "/.well-known/oauth-authorization-server") void tellMetadata(site, response);
    else handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  const provider = quietly(() => new Provider(url, configuration(lifetime)));
  handle = provider.callback();
  const site: SignInSite = {
    url,
    requests,
    tokens,
    before: undefined,
    metadata: (metadata) => metadata,
    end: async (refreshToken) => {
      const found = await (provider as unknown as WithTokens).RefreshToken.find(refreshToken);
      ended.add(found?.grantId);
      await found?.destroy();
    },
    visit: async (start, person) => {
      const browser = new Browser();
      return (await walk(url, await browser.open(start), person, browser)).text();
    },
    enter: async (code, person) => {
      const browser = new Browser();
      const page = await browser.open(`${url}/device`);
      await walk(url, page, person, browser, { user_code: code });
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return site;
}

/** Fills in the forms of the pages until the browser is sent elsewhere, or there is no form; the last page. */
async function walk(
  origin: string,
  first: Response,
  person: string,
  browser: Browser,
  typed: Record<string, string> = {},
): Promise<Response> {
  let response = first;
  for (let page = 0; page < 15; page++) {
    const location = response.headers.get("location");
    if (location !== null) {
      const next = new URL(location, origin);
      if (next.origin !== origin) return fetch(next);
      response = await browser.open(next.href);
      continue;
    }
    const html = await response.clone().text();
    const action = /<form[^>]* action="([^"]+)"/.exec(html)?.[1];
    if (action === undefined) return response;
    const fields = Object.fromEntries(
      [...html.matchAll(/<input[^>]* name="(\w+)"(?:[^>]* value="([^"]*)")?/g)].map((found) => [
        found[1] ?? "",
        found[2] ?? "",
      ]),
    );
    const login = fields["prompt"] === "login" ? { login: person, password: "any" } : {};
    response = await browser.open(new URL(action.replaceAll("&amp;", "&"), origin).href, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ ...fields, ...typed, ...login }).toString(),
    });
  }
  throw new Error("the pages do not end");
}

// `/v1/caller`, and anything else for its status.
function tell(
  { headers, url }: IncomingMessage,
  response: ServerResponse,
  tokens: string[],
  ended: ReadonlySet<unknown>,
): void {
  const token = (headers.authorization ?? "").replace("Bearer ", "");
  tokens.push(token);
  const claims = token.split(".").length === 3 ? partsOf(token).claims : { exp: 0 };
  const isOver = Number(claims["exp"]) * 1000 <= Date.now() || ended.has(claims["gid"]);
  response.setHeader("content-type", "application/json");
  if (isOver) {
    response.statusCode = 401;
    response.end(JSON.stringify({ name: "invalid_authorization", message: "The token has ended." }));
    return;
  }
  if (url?.startsWith("/v1/admin/") === true) {
    response.statusCode = 403;
    response.end(JSON.stringify({ name: "forbidden", message: "Your role member does not allow this." }));
    return;
  }
  if (url === "/v1/health") return void response.end(JSON.stringify({ healthy: true }));
  const { pathname } = new URL(String(claims["aud"]));
  response.end(
    JSON.stringify({
      kind: "user",
      role: "run",
      org_id: "default",
      project_id: pathname === "/" ? "default" : pathname.split("/").at(-1),
      user_id: claims["sub"],
      path: url,
    }),
  );
}

async function tellMetadata(site: SignInSite, response: ServerResponse): Promise<void> {
  const found = await fetch(`${site.url}/.well-known/openid-configuration`);
  const metadata = site.metadata((await found.json()) as Record<string, unknown>);
  response.statusCode = metadata === undefined ? 404 : 200;
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(metadata ?? {}));
}

function configuration(lifetime: number): object {
  return {
    clients: [
      {
        client_id: "runtime-cli",
        redirect_uris: ["http://127.0.0.1/callback"],
        grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
        response_types: ["code"],
        application_type: "native",
        token_endpoint_auth_method: "none",
      },
    ],
    clientAuthMethods: ["none"],
    clientDefaults: { id_token_signed_response_alg: "ES256" },
    jwks: { keys: [newSigningKey().privateJwk] },
    cookies: { keys: ["for tests only"] },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    scopes: ["offline_access", "runtime"],
    ttl: {
      AccessToken: lifetime,
      AuthorizationCode: 60,
      DeviceCode: 600,
      Grant: 3600,
      Interaction: 600,
      RefreshToken: 3600,
      Session: 3600,
    },
    findAccount: (_context: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub }) }),
    extraTokenClaims: (_context: unknown, token: { grantId: string }) => ({ gid: token.grantId }),
    features: {
      devInteractions: { enabled: true },
      deviceFlow: { enabled: true },
      revocation: {
        enabled: true,
        allowedPolicy: (_context: unknown, client: { clientId: string }, token: { clientId: string }) =>
          token.clientId === client.clientId,
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context: unknown, audience: string) => ({
          scope: "runtime",
          audience,
          accessTokenTTL: lifetime,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "ES256" } },
        }),
      },
    },
  };
}

// Suppresses its console warning about development pages.
function quietly<T>(make: () => T): T {
  const { info, warn } = console;
  console.info = console.warn = () => undefined;
  try {
    return make();
  } finally {
    Object.assign(console, { info, warn });
  }
}
