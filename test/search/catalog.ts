// The tools in which the questions are asked: those that are compiled in, and some 2,000 of real MCP servers, recorded from what
// the servers listed themselves.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Type } from "typebox";
import { extensions } from "../../catalogs";
import type { Catalog, ToolDefinition } from "../../src/tools";
import { Registry } from "../../src/tools/registry";

/** Each line with an object names a package, its version and its licence; the lines after it are its tools. */
const LINES = readFileSync(join(import.meta.dir, "tools.jsonl"), "utf8")
  .trim()
  .split("\n");

interface Source {
  toolkit: string;
  package: string;
  version: string;
  license: string;
}

/** The recorded tools, as catalogs of MCP workers. */
export function recordedCatalogs(): Catalog[] {
  const found: { source: Source; tools: ToolDefinition[] }[] = [];
  for (const line of LINES) {
    const value: Source | [name: string, description: string, parameters: string] = JSON.parse(line);
    if (Array.isArray(value)) found.at(-1)?.tools.push(definitionOf(value));
    else found.push({ source: value, tools: [] });
  }
  return found.map(({ source, tools }) => ({
    toolkit: { name: source.toolkit, description: source.package, version: source.version },
    worker: { id: source.toolkit.toLowerCase(), type: "mcp" },
    bases: {},
    tools,
  }));
}

/** A registry with all tools. */
export function wholeRegistry(): Registry {
  return new Registry(extensions.catalogs).with(recordedCatalogs());
}

function definitionOf([name, description, parameters]: [string, string, string]): ToolDefinition {
  const names = parameters.split(" ").filter((each) => each !== "");
  return {
    name,
    description,
    input: Type.Object(Object.fromEntries(names.map((each) => [each, Type.Optional(Type.String())]))),
    output: Type.Unknown(),
    metadata: {
      behavior: { operations: [], read_only: false, destructive: true, idempotent: false, open_world: true },
    },
    foreign: true,
    run: () => Promise.reject(new Error("not run")),
  };
}
