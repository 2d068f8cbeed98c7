// A catalog for tests: tools that do what the test says, against a platform on loopback.
import { Type } from "typebox";
import {
  type Catalog,
  defineTool,
  GrantDead,
  ScopesLost,
  type ToolContext,
  type ToolDefinition,
  type ToolMetadata,
} from "../../src/tools";
import type { ProviderPreset } from "../../src/providers";

export type Act = (input: Record<string, unknown>, context: ToolContext) => Promise<unknown>;

export interface TestCatalog {
  readonly catalog: Catalog;
  /** What `Test.Act`, `Test.ActFor` and `Test.Look` do. */
  act: Act;
  /** How often one of them ran. */
  runs: number;
}

const reads: ToolMetadata = {
  behavior: { operations: ["read"], read_only: true, destructive: false, idempotent: true, open_world: true },
};
const writes: ToolMetadata = {
  behavior: {
    operations: ["create"],
    read_only: false,
    destructive: false,
    idempotent: false,
    open_world: true,
  },
};

const grant = { provider: "idp", scopes: ["a", "b"] };
const text = Type.Optional(Type.String({ description: "Anything." }));
const path = Type.Optional(Type.String({ default: "me", description: "Below the platform's address." }));

/** Calls the platform and reports a refused token as a catalog does. */
export async function callPlatform(context: ToolContext, base: string, at: string): Promise<unknown> {
  const response = await context.fetch(base, at);
  if (response.status === 401) throw new GrantDead("HTTP 401");
  if (response.status === 403) throw new ScopesLost("missing_scope", ["b"], ["a"]);
  return { status: response.status, body: await response.text() };
}

/** Sends one request to the platform. */
export const sendOnce: Act = async (_input, context) => {
  const { status } = await context.fetch("api", "me", { anonymous: true });
  return { status };
};

export const known: ProviderPreset = {
  id: "known",
  description: "A provider that names the account",
  oauth2: {
    scope_delimiter: ",",
    pkce: { enabled: false },
    authorize_request: {
      endpoint: "https://known.invalid/authorize",
      params: {
        client_id: "{{client_id}}",
        user_scope: "{{scopes}}",
        redirect_uri: "{{redirect_uri}}",
      },
    },
    token_request: { endpoint: "https://known.invalid/token", auth_method: "client_secret_basic" },
    refresh_request: { endpoint: "https://known.invalid/token", auth_method: "client_secret_basic" },
  },
  facts: { account_id: "$.account.id" },
  account: ["account_id"],
  scopeAliases: { email: "https://p.example/auth/userinfo.email" },
};

const plainTools: ToolDefinition[] = [
  defineTool({
    name: "Echo",
    description: "Answers its input.",
    input: Type.Object({ text }),
    output: Type.Unknown(),
    metadata: reads,
    run: async (input) => input,
  }),
  defineTool({
    name: "Old",
    description: "Answers its input, as it always has.",
    input: Type.Object({ text }),
    output: Type.Unknown(),
    metadata: reads,
    replacement: "Test.Echo",
    run: async (input) => input,
  }),
  defineTool({
    name: "Call",
    description: "Calls the platform for the user.",
    input: Type.Object({ path }),
    output: Type.Unknown(),
    authorization: grant,
    metadata: reads,
    run: (input, context) => callPlatform(context, "api", input.path ?? ""),
  }),
  defineTool({
    name: "Narrow",
    description: "Needs less of the user than Call.",
    input: Type.Object({ path }),
    output: Type.Unknown(),
    authorization: { provider: "idp", scopes: ["a"] },
    metadata: reads,
    run: (input, context) => callPlatform(context, "api", input.path ?? ""),
  }),
  defineTool({
    name: "Other",
    description: "Calls the platform with a grant of another provider.",
    input: Type.Object({ path }),
    output: Type.Unknown(),
    authorization: { provider: "other", scopes: ["a", "b"] },
    metadata: reads,
    run: (input, context) => callPlatform(context, "api", input.path ?? ""),
  }),
  defineTool({
    name: "Client",
    description: "Needs the provider, nobody's grant.",
    input: Type.Object({}),
    output: Type.Unknown(),
    authorization: { provider: "idp", scopes: [] },
    metadata: reads,
    run: async (_input, { provider, grant: given }) => ({ provider, grant: given ?? null }),
  }),
  defineTool({
    name: "Elsewhere",
    description: "Calls the address that an administrator has stored.",
    input: Type.Object({ path }),
    output: Type.Unknown(),
    authorization: grant,
    secrets: ["TEST_ADDRESS", "TEST_WORD"],
    metadata: reads,
    run: async (input, context) => ({
      word: context.secrets["TEST_WORD"],
      names: Object.keys(context.secrets),
      answer: await callPlatform(context, "secret", input.path ?? ""),
    }),
  }),
  defineTool({
    name: "Mode",
    description: "Explains itself without any requirement.",
    input: Type.Object({ mode: Type.String({ description: "explain or do." }) }),
    output: Type.Unknown(),
    authorization: grant,
    secrets: ["TEST_WORD"],
    metadata: writes,
    waivesRequirements: (input) => input["mode"] === "explain",
    run: async (_input, { grant: given }) => ({ grant: given ?? null }),
  }),
];

function actingTools(test: TestCatalog): ToolDefinition[] {
  return (["Act", "ActFor", "Look"] as const).map((name) =>
    defineTool({
      name,
      description: "Does what the test says.",
      input: Type.Object({ text }),
      output: Type.Unknown(),
      ...(name === "ActFor" ? { authorization: grant } : {}),
      metadata: name === "Look" ? reads : writes,
      run: (input, context) => {
        test.runs++;
        return test.act(input, context);
      },
    }),
  );
}

const ADDRESS_SECRET = {
  name: "TEST_ADDRESS",
  origins: ["https://known.invalid"],
  setting: "records.server_urls",
};

export function testCatalog(): TestCatalog {
  const tools = [...plainTools];
  const test: TestCatalog = {
    runs: 0,
    act: async () => ({ done: true }),
    catalog: {
      toolkit: { name: "Test", description: "Tools of the tests.", version: "1.2.3" },
      bases: {
        api: { url: "https://platform.invalid/", setting: "chat.api_url" },
        secret: { url: "https://platform.invalid/", setting: "chat.api_url", secret: ADDRESS_SECRET },
        unset: { setting: "drive.api_url" },
      },
      accountOf: ({ account }) => (typeof account === "string" ? account : undefined),
      tools,
    },
  };
  tools.push(...actingTools(test));
  return test;
}
