// An MCP worker and an HTTP worker with the same tools, for tests that ask whether a rule holds for tools of both.
import { createHmac } from "node:crypto";
import { reply, Upstream } from "../support/mcp-upstream";
import { answered, definition } from "./http/stand-in";

/** Bears the words that only the worker knows. */
export const ORIGINAL = "alice@original.example";
export const NESTED = "NESTED-IN-THE-RESULT-CANARY";

export interface StandInOptions {
  /** Definitions of further tools, in the form of the protocol. Of the MCP worker, those that are added later are listed too. */
  more?: object[];
  /** Is part of the descriptions of its tools. */
  mark?: string;
  /** No request may be made with this one. */
  foreignSecret?: string;
}

export interface Called {
  tool: string;
  input: Record<string, unknown>;
  /** All that arrived with the call. */
  text: string;
}

export interface StandInWorker extends AsyncDisposable {
  readonly uri: string;
  readonly calls: Called[];
  /** Requests of any kind. */
  requests: number;
  /** Requests with `foreignSecret`. */
  foreign: number;
  /** The number of further calls that are not answered properly. */
  failures: number;
}

const HINTS: Readonly<Record<string, object>> = {
  Send: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  WhoAmI: { readOnlyHint: true },
};

const MESSAGE = {
  type: "object",
  properties: { message: { type: "string", description: "The text." }, channel: { type: "string" } },
  required: ["message"],
};
const NOTHING = { type: "object", properties: {} };

const outputOf = (tool: string, input: Record<string, unknown>): Record<string, unknown> =>
  tool === "WhoAmI" ? { email: ORIGINAL, nested: { note: NESTED } } : { sent: input["message"] ?? null };

/** The secret arrives in the header `x-key`. */
export function mcpStandIn({ more = [], mark = "", foreignSecret }: StandInOptions = {}): StandInWorker {
  const tools = [
    {
      name: "Send",
      description: `Sends a message. ${mark}`,
      inputSchema: MESSAGE,
      annotations: HINTS["Send"],
    },
    { name: "WhoAmI", description: "Says who you are.", inputSchema: NOTHING, annotations: HINTS["WhoAmI"] },
  ];
  const upstream = new Upstream({
    before: ({ headers }) => {
      worker.requests++;
      if (foreignSecret !== undefined && headers.get("x-key") === foreignSecret) worker.foreign++;
      return undefined;
    },
    methods: {
      "tools/list": () => ({ tools: [...tools, ...more] }),
      "tools/call": ({ id, params }) => {
        const tool = String(params["name"]);
        const input: Record<string, unknown> = Object(params["arguments"]);
        worker.calls.push({ tool, input, text: JSON.stringify(params) });
        if (broken(worker)) return badGateway();
        const structuredContent = outputOf(tool, input);
        return reply(id, {
          content: [{ type: "text", text: JSON.stringify(structuredContent), _meta: { note: NESTED } }],
          structuredContent,
          _meta: { "example.com/note": NESTED },
        });
      },
    },
  });
  const worker: StandInWorker = {
    uri: upstream.url,
    calls: [],
    requests: 0,
    foreign: 0,
    failures: 0,
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  };
  return worker;
}

/** The secret signs the requests. */
export function httpStandIn({ more = [], mark = "", foreignSecret }: StandInOptions = {}): StandInWorker {
  const toolkit = { name: "Web", description: null, version: "1.0.0" };
  const parameter = (name: string, required: boolean) => ({
    name,
    required,
    description: "The text.",
    inferrable: true,
    value_schema: { val_type: "string" },
  });
  const behaviour = (read_only: boolean) => ({
    behavior: { operations: [], read_only, destructive: !read_only, idempotent: read_only, open_world: true },
  });
  const one = (name: string, fields: object) =>
    definition({ name, fully_qualified_name: `Web.${name}`, toolkit, ...fields });
  const tools = [
    one("Send", {
      description: `Sends a message. ${mark}`,
      input: { parameters: [parameter("message", true), parameter("channel", false)] },
      metadata: behaviour(false),
    }),
    one("WhoAmI", { metadata: behaviour(true) }),
    ...more.map((fields) => one("More", fields)),
  ];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    fetch: async (request) => {
      worker.requests++;
      const { pathname } = new URL(request.url);
      if (foreignSecret !== undefined && isSignedWith(foreignSecret, request)) worker.foreign++;
      if (pathname === "/worker/health") return Response.json({ status: "ok", tool_count: "2" });
      if (pathname === "/worker/tools") return Response.json(tools);
      const body = await request.text();
      const call: unknown = JSON.parse(body);
      const { tool, inputs = {} } = Object(call);
      worker.calls.push({ tool: String(tool?.name), input: inputs, text: body });
      if (broken(worker)) return badGateway();
      const arrived = { path: pathname, authorization: null, body };
      return answered(arrived, { value: outputOf(String(tool?.name), inputs) });
    },
  });
  const worker: StandInWorker = {
    uri: `http://127.0.0.1:${server.port}`,
    calls: [],
    requests: 0,
    foreign: 0,
    failures: 0,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
  return worker;
}

function isSignedWith(secret: string, { headers }: Request): boolean {
  const [head, claims, signature] = (headers.get("authorization") ?? "").replace("Bearer ", "").split(".");
  return createHmac("sha256", secret).update(`${head}.${claims}`).digest("base64url") === signature;
}

function broken(worker: StandInWorker): boolean {
  if (worker.failures === 0) return false;
  worker.failures--;
  return true;
}

/** Of a proxy in front of the worker: the call may have run. */
const badGateway = (): Response => new Response("Bad Gateway", { status: 502 });
