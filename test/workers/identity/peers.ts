// Workers in this process that keep the tokens which arrive, and read them without checking: for tests of what is in them.
import { onTestFinished } from "bun:test";
import { TEXT, Upstream, type UpstreamOptions } from "../../support/mcp-upstream";
import { answered, definition } from "../http/stand-in";

/** The header of a record that names none. */
export const HEADER = "x-runtime-identity";

export interface Request {
  method: string;
  /** The method of the protocol, or the path. */
  what: string;
  token: string | null;
  headers: Headers;
}

export interface Peer {
  uri: string;
  requests: Request[];
}

/** Until the test is over. Its tool answers with the arguments. */
export function mcpPeer(options: UpstreamOptions = {}, header = HEADER): Peer {
  const requests: Request[] = [];
  const server = new Upstream({
    ...options,
    methods: {
      "tools/list": () => ({ tools: [{ name: "act", inputSchema: { type: "object" } }] }),
      "tools/call": () => TEXT("done"),
      ...options.methods,
    },
    before: async (request, upstream) => {
      const { method, headers } = request;
      const body = method === "POST" ? ((await request.clone().json()) as { method?: string }) : {};
      requests.push({ method, what: body.method ?? "", token: headers.get(header), headers });
      return options.before?.(request, upstream);
    },
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { uri: server.url, requests };
}

/** Until the test is over. */
export function httpPeer(output: (token: string | null) => object = () => ({ value: "done" })): Peer {
  const requests: Request[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const { method, headers } = request;
      const what = new URL(request.url).pathname;
      const token = headers.get(HEADER);
      requests.push({ method, what, token, headers });
      if (what.endsWith("/tools")) return Response.json([definition()]);
      if (what.endsWith("/health")) return Response.json({ status: "ok" });
      const body = await request.text();
      return answered({ path: what, authorization: null, body }, output(token));
    },
  });
  onTestFinished(() => server.stop(true));
  return { uri: `http://127.0.0.1:${server.port}`, requests };
}

export interface Claims {
  iss: string;
  sub?: string;
  aud: string;
  project: string;
  act?: { sub: string };
  iat: number;
  exp: number;
  jti: string;
}

export function claimsIn(token: string | null): Claims {
  return JSON.parse(Buffer.from(token?.split(".")[1] ?? "", "base64url").toString()) as Claims;
}

export function headerOf(token: string | null): { alg: string; typ: string; kid: string } {
  return JSON.parse(Buffer.from(token?.split(".")[0] ?? "", "base64url").toString()) as {
    alg: string;
    typ: string;
    kid: string;
  };
}
