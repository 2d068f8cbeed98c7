// Upstreams that know users by their own keys, and say whose key a call had.
import { reply, TEXT, Upstream } from "../support/mcp-upstream";
import { answered, definition } from "./http/stand-in";

/** What an upstream has got. */
export interface Got {
  /** The keys of a call, in the order in which the upstream names them. */
  keys: string[];
  /** The MCP session. */
  session?: string | undefined;
  userId?: string | undefined;
}

export interface KeyedUpstream extends AsyncDisposable {
  readonly uri: string;
  /** Its tool, which answers with the keys that it got, hashed. */
  readonly tool: string;
  readonly calls: Got[];
  /** Requests before the first call, such as for its catalog. */
  readonly listings: Got[];
  /** Keys that are refused with 401; undefined: none. */
  refuses: ((got: Got) => boolean) | undefined;
}

/** What a keyed upstream answers for a key: tests compare it without repeating the key. */
export function markOf(key: string): string {
  return new Bun.CryptoHasher("sha256").update(key).digest("hex").slice(0, 16);
}

export const TOOLS = [{ name: "who", description: "Says whose key it is.", inputSchema: { type: "object" } }];

/** An MCP server. The keys arrive in the headers `x-key` and `x-second`, the user in `x-user`. */
export function keyedMcp({ listsWithoutKey = true }: { listsWithoutKey?: boolean } = {}): KeyedUpstream {
  const gotIn = (headers: Headers, session: string | undefined): Got => ({
    keys: [headers.get("x-key"), headers.get("x-second")].filter((key) => key !== null),
    session,
    userId: headers.get("x-user") ?? undefined,
  });
  const upstream = new Upstream({
    before: ({ headers, method }) => {
      const got = gotIn(headers, undefined);
      const isOpen = got.keys.length === 0 && !listsWithoutKey;
      if (method === "POST" && (isOpen || worker.refuses?.(got) === true))
        return new Response("no", { status: 401 });
      return undefined;
    },
    methods: {
      "tools/list": ({ headers, session }) => {
        worker.listings.push(gotIn(headers, session));
        return { tools: TOOLS };
      },
      "tools/call": ({ id, headers, session }) => {
        const got = gotIn(headers, session);
        worker.calls.push(got);
        return reply(id, TEXT(got.keys.map(markOf).join(" ")));
      },
    },
  });
  const worker: KeyedUpstream = {
    uri: upstream.url,
    tool: "who",
    calls: [],
    listings: [],
    refuses: undefined,
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  };
  return worker;
}

/** An HTTP worker, whose tool names the auth provider of its key. */
export function keyedHttp(provider: string): KeyedUpstream {
  const tool = definition({
    name: "Who",
    fully_qualified_name: "Keyed.Who",
    toolkit: { name: "Keyed", description: null, version: "1.0.0" },
    requirements: {
      authorization: { provider_id: provider, provider_type: "api_key", id: null, oauth2: null },
      secrets: null,
      metadata: null,
    },
  });
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/worker/health") return Response.json({ status: "ok", tool_count: "1" });
      if (pathname === "/worker/tools") return Response.json([tool]);
      const body = await request.text();
      const { context } = JSON.parse(body) as {
        context: { authorization?: { token?: string }; user_id?: string };
      };
      const got = { keys: [context.authorization?.token ?? ""], userId: context.user_id };
      worker.calls.push(got);
      const arrived = { path: pathname, authorization: null, body };
      return worker.refuses?.(got) === true
        ? answered(arrived, {
            error: { message: "no", kind: "UPSTREAM_RUNTIME_AUTH_ERROR", status_code: 401, can_retry: false },
          })
        : answered(arrived, { value: got.keys.map(markOf).join(" ") });
    },
  });
  const worker: KeyedUpstream = {
    uri: `http://127.0.0.1:${server.port}`,
    tool: "Who",
    calls: [],
    listings: [],
    refuses: undefined,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
  return worker;
}
