// A catalog of one tool that makes one request to its platform, to measure the execution itself.
import { Type } from "typebox";
import { type Catalog, defineTool } from "../../src/tools";
import { PROVIDER, SCOPES } from "./deployment";

export const TOOL = "Bench.Fetch";
export const NOTHING = "Bench.Nothing";

export function benchCatalog(upstream: string): Catalog {
  return {
    toolkit: { name: "Bench", description: "One request to a platform on this machine.", version: "1.0.0" },
    bases: { upstream: { url: upstream } },
    tools: [fetchTool, nothingTool],
  };
}

const fetchTool = defineTool({
  name: "Fetch",
  description: "Fetch one record.",
  input: Type.Object({ text: Type.String({ description: "Any text." }) }),
  output: Type.Unknown(),
  authorization: { provider: PROVIDER, scopes: SCOPES },
  metadata: {
    behavior: {
      operations: ["read"],
      read_only: true,
      destructive: false,
      idempotent: true,
      open_world: true,
    },
  },
  run: async (_input, context) => (await context.fetch("upstream", "record")).json(),
});

const nothingTool = defineTool({
  name: "Nothing",
  description: "Do nothing.",
  input: Type.Object({ text: Type.Optional(Type.String({ description: "Any text." })) }),
  output: Type.String(),
  metadata: {
    behavior: {
      operations: ["read"],
      read_only: true,
      destructive: false,
      idempotent: true,
      open_world: false,
    },
  },
  run: async () => "done",
});
