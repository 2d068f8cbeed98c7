// A worker that wants tokens, and its authorization server: two servers on loopback whose documents a test may change.

export type Document =
  Readonly<Record<string, unknown>> | ((request: Request) => Response | Promise<Response>);

export interface StandIn extends Disposable {
  /** Address of the worker: `http://127.0.0.1:PORT/mcp`. */
  readonly uri: string;
  readonly origin: string;
  readonly issuer: string;
  /** Path → document; `undefined`: 404. */
  readonly worker: Map<string, Document>;
  readonly server: Map<string, Document>;
  /** Paths in the order in which they were asked, `worker` or `server` first. */
  readonly asked: string[];
}

export const RESOURCE = "/.well-known/oauth-protected-resource";
export const METADATA = "/.well-known/oauth-authorization-server";
export const OPENID = "/.well-known/openid-configuration";

/** Both publish what they should. `issuerPath`: of the issuer. */
export function standIn(issuerPath = ""): StandIn {
  const asked: string[] = [];
  const documents = (name: string, of: Map<string, Document>): ReturnType<typeof Bun.serve> =>
    Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      development: false,
      fetch: async (request) => {
        const { pathname } = new URL(request.url);
        asked.push(`${name} ${pathname}`);
        const found = of.get(pathname);
        if (found === undefined) return new Response("not found", { status: 404 });
        return typeof found === "function" ? await found(request) : Response.json(found);
      },
    });
  const worker = new Map<string, Document>();
  const server = new Map<string, Document>();
  const [resourceServer, authorizationServer] = [documents("worker", worker), documents("server", server)];
  const origin = `http://127.0.0.1:${resourceServer.port}`;
  const base = `http://127.0.0.1:${authorizationServer.port}`;
  const issuer = base + issuerPath;
  const uri = `${origin}/mcp`;
  worker.set(`${RESOURCE}/mcp`, { resource: uri, authorization_servers: [issuer] });
  server.set(METADATA + issuerPath, metadataOf(issuer));
  return {
    uri,
    origin,
    issuer,
    worker,
    server,
    asked,
    [Symbol.dispose]: () => {
      void resourceServer.stop(true);
      void authorizationServer.stop(true);
    },
  };
}

export function metadataOf(issuer: string, more: object = {}): Record<string, unknown> {
  const { origin } = new URL(issuer);
  return {
    issuer,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    ...more,
  };
}

/** A worker's answer without a token. */
export function challengeOf(parameters: Record<string, string>): string {
  return `Bearer ${Object.entries(parameters)
    .map(([name, value]) => `${name}="${value}"`)
    .join(", ")}`;
}
