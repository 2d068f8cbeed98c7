// A catalog of tools that read and write, and the preset of their provider.
import { type TSchema, Type } from "typebox";
import {
  type Catalog,
  defineTool,
  type Extensions,
  GrantDead,
  ScopesLost,
  type ToolContext,
} from "../../src/tools";

export const PROVIDER = "sim";

const input = Type.Object({ text: Type.Optional(Type.String({ description: "Names the effect." })) });
const output: TSchema = Type.Unknown();
const authorization = { provider: PROVIDER, scopes: ["a", "b"] };
const reads = {
  behavior: { operations: ["read"], read_only: true, destructive: false, idempotent: true, open_world: true },
} as const;
const writes = {
  behavior: {
    operations: ["create"],
    read_only: false,
    destructive: false,
    idempotent: false,
    open_world: true,
  },
} as const;

/** The calls that have run, by their signals: a retry within a call has the same signal. */
const calls = new WeakMap<AbortSignal, string>();
let count = 0;

function callOf({ signal }: ToolContext): string {
  const call = calls.get(signal) ?? String(count++);
  calls.set(signal, call);
  return call;
}

async function request(context: ToolContext, path: string, label = "", isPost = false): Promise<void> {
  const headers = { "x-call": callOf(context), "x-label": label };
  const sent = isPost ? ({ method: "POST", body: label, headers } as const) : { headers };
  let response = await context.fetch("api", path, sent);
  if (response.status === 401 && (await context.renew())) response = await context.fetch("api", path, sent);
  if (response.status === 401) throw new GrantDead("HTTP 401");
  if (response.status === 403) throw new ScopesLost("missing_scope", ["b"]);
}

const catalog: Catalog = {
  toolkit: { name: "Sim", description: "Tools of the simulator.", version: "1.0.0" },
  bases: { api: { url: "https://platform.invalid/", setting: "chat.api_url" } },
  tools: [
    defineTool({
      name: "Read",
      description: "Reads.",
      input,
      output,
      authorization,
      metadata: { behavior: { ...reads.behavior, operations: ["read"] } },
      run: async ({ text }, context) => {
        await request(context, "me", text);
        return {};
      },
    }),
    defineTool({
      name: "Write",
      description: "Has one effect, then asks for its state.",
      input,
      output,
      authorization,
      metadata: { behavior: { ...writes.behavior, operations: ["create"] } },
      run: async ({ text }, context) => {
        await request(context, "effects", text, true);
        context.reportEffect();
        await request(context, "confirm", text);
        return {};
      },
    }),
    defineTool({
      name: "Plain",
      description: "Has one effect without a grant.",
      input,
      output,
      metadata: { behavior: { ...writes.behavior, operations: ["create"] } },
      run: async ({ text }, context) => {
        await request(context, "plain", text, true);
        context.reportEffect();
        return {};
      },
    }),
  ],
};

const server = { auth_method: "client_secret_basic" };

export const extensions: Extensions = {
  catalogs: [catalog],
  presets: [
    {
      id: PROVIDER,
      description: "The provider of the simulator",
      oauth2: {
        // A code challenge is computed outside of the event loop, which the simulation would not wait for.
        pkce: { enabled: false },
        authorize_request: { endpoint: "https://provider.invalid/authorize" },
        token_request: { endpoint: "https://provider.invalid/token", ...server },
        refresh_request: { endpoint: "https://provider.invalid/token", ...server },
      },
      revoke: {
        endpoint: "https://provider.invalid/revoke",
        method: "POST",
        params: { token: "{{refresh_token}}" },
      },
      facts: { account_id: "$.account.id" },
      account: ["account_id"],
    },
  ],
};
