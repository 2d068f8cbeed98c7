// All catalogs with their platforms behind a server, a person who has consented to all of them, and a kit of tools whose
// schemas are what users of such systems stumbled over.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TObject, Type } from "typebox";
import { extensions } from "../../../catalogs";
import { type Catalog, defineTool } from "../../../src/tools";
import { type Platforms, startPlatforms } from "../../sandbox/platforms";
import { startOwn } from "../../server/own";
import { api, type ApiAnswer, at } from "../../support/api";
import { Browser } from "../../support/browser";

function echo(name: string, input: TObject) {
  const behavior = { read_only: true, destructive: false, idempotent: true, open_world: false };
  return defineTool({
    name,
    description: "Answers its input.",
    input,
    output: Type.Unknown(),
    metadata: { behavior: { operations: ["read"], ...behavior } },
    run: async (given) => given,
  });
}

const node = {
  type: "object",
  properties: {
    name: { type: "string" },
    children: { type: "array", items: { $ref: "#/$defs/Node" } },
  },
  required: ["name"],
  additionalProperties: false,
};
const point = { type: "object", properties: { x: { type: "number" } }, required: ["x"] };

export const fieldKit: Catalog = {
  toolkit: { name: "Field", description: "Schemas that were stumbled over.", version: "1.0.0" },
  bases: {},
  tools: [
    echo(
      "Tree",
      Type.Object(
        { at: Type.Ref("#/$defs/Point"), tree: Type.Optional(Type.Ref("#/$defs/Node")) },
        { $defs: { Point: point, Node: node } },
      ),
    ),
    echo(
      "Open",
      Type.Object({
        filter: Type.Object({}, { description: "Anything.", additionalProperties: true }),
        position: Type.Optional(Type.Integer({ default: 1, description: "Where." })),
      }),
    ),
    echo(
      "Nested",
      Type.Object({
        plan: Type.Unsafe<object>({
          $schema: "https://json-schema.org/draft/2020-12/schema",
          type: "object",
          properties: {
            kind: { const: "plan" },
            note: { type: ["string", "null"] },
            steps: {
              type: "array",
              items: {
                type: "object",
                properties: {
                  weight: { type: "integer", exclusiveMinimum: 0 },
                  labels: { type: "object", propertyNames: { pattern: "^[a-z]+$" } },
                },
                required: ["weight"],
                additionalProperties: false,
              },
            },
          },
          required: ["kind"],
          additionalProperties: false,
        }),
      }),
    ),
    echo("Nothing", Type.Object({})),
  ],
};

export interface FieldStage extends AsyncDisposable {
  platforms: Platforms;
  client: ReturnType<typeof api>;
  /** The document of a tool in a format, as a list and by itself the same. */
  formatted(name: string, format: string): Promise<unknown>;
  execute(tool: string, input: unknown): Promise<ApiAnswer>;
  /** Alice consents to what the tool needs. */
  consent(tool: string): Promise<void>;
}

export async function startFieldStage(): Promise<FieldStage> {
  const platforms = await startPlatforms();
  const folder = mkdtempSync(join(tmpdir(), "runtime-field-"));
  const own = await startOwn([...extensions.catalogs, fieldKit], { ...platforms.environment, HOME: folder });
  const operator = await own.runtime.identity.operator("default");
  for (const provider of platforms.providers) await own.runtime.providers.create(operator, provider);
  for (const [key, value] of Object.entries(platforms.secrets))
    await own.runtime.secrets.upsert(operator, key, { value });
  const client = api(own.url, await own.key("run"));
  return {
    platforms,
    client,
    formatted: async (name, format) =>
      (await client.get(`/v1/formatted_tools/${name}?format=${format}`)).body,
    execute: (tool_name, input) => client.post("/v1/tools/execute", { tool_name, user_id: "alice", input }),
    consent: async (tool_name) => {
      const started = await client.post("/v1/tools/authorize", { tool_name, user_id: "alice" });
      const url = at(started.body, "url");
      if (typeof url === "string") await new Browser().consent(url, "alice");
    },
    [Symbol.asyncDispose]: async () => {
      await own[Symbol.asyncDispose]();
      await platforms[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
