// A catalog of one tool that reads and one that writes, and the preset of their provider.
import { Type } from "typebox";
import { type Catalog, defineTool, type Extensions, GrantDead, type ToolContext } from "../../src/tools";

export const PROVIDER = "sim";

const text = Type.Optional(Type.String({ description: "Names the effect." }));
const authorization = { provider: PROVIDER, scopes: ["a", "b"] };

/** The calls that have run, by their signals: a retry within a call has the same signal. */
const calls = new WeakMap<AbortSignal, string>();
let count = 0;

function callOf({ signal }: ToolContext): string {
  const call = calls.get(signal) ?? String(count++);
  calls.set(signal, call);
  return call;
}

async function request(context: ToolContext, path: string, body?: string): Promise<void> {
  const headers = { "x-call": callOf(context) };
  const sent = body === undefined ? { headers } : ({ method: "POST", body, headers } as const);
  const response = await context.fetch("api", path, sent);
  if (response.status !== 401) return;
  if (!(await context.renew())) throw new GrantDead("HTTP 401");
  const repeated = await context.fetch("api", path, sent);
  if (repeated.status === 401) throw new GrantDead("HTTP 401");
}

const catalog: Catalog = {
  toolkit: { name: "Sim", description: "Tools of the simulator.", version: "1.0.0" },
  bases: { api: { url: "https://platform.invalid/", setting: "chat.api_url" } },
  tools: [
    defineTool({
      name: "Read",
      description: "Reads.",
      input: Type.Object({ text }),
      output: Type.Unknown(),
      authorization,
      metadata: {
        behavior: {
          operations: ["read"],
          read_only: true,
          destructive: false,
          idempotent: true,
          open_world: true,
        },
      },
      run: async (_input, context) => {
        await request(context, "me");
        return {};
      },
    }),
    defineTool({
      name: "Write",
      description: "Has one effect, then asks for its state.",
      input: Type.Object({ text }),
      output: Type.Unknown(),
      authorization,
      metadata: {
        behavior: {
          operations: ["create"],
          read_only: false,
          destructive: false,
          idempotent: false,
          open_world: true,
        },
      },
      run: async (input, context) => {
        await request(context, "effects", input.text ?? "");
        context.reportEffect();
        await request(context, "confirm");
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
