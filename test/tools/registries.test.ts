// The tools of a project: those that are compiled in, and those of its workers. What comes from outside breaks nothing.
import { describe, expect, test } from "bun:test";
import { Type } from "typebox";
import type { Catalog, ToolDefinition } from "../../src/tools";
import { Registries } from "../../src/tools/registries";
import { Registry } from "../../src/tools/registry";
import { touch } from "../../src/store";
import { deploy } from "./deployment";

function definition(name: string): ToolDefinition {
  const behavior = {
    operations: ["read" as const],
    read_only: true,
    destructive: false,
    idempotent: true,
    open_world: false,
  };
  const schemas = { input: Type.Object({}), output: Type.Unknown() };
  return { name, description: name, ...schemas, metadata: { behavior }, run: async () => null };
}

function kit(name: string, tools: string[], worker?: string, version = "1.0.0"): Catalog {
  return {
    toolkit: { name, description: name, version },
    bases: {},
    tools: tools.map(definition),
    ...(worker === undefined ? {} : { worker: { id: worker, type: "mcp" } }),
  };
}

const builtIn = new Registry([kit("Chat", ["Send", "List"])]);
const names = ({ tools }: Registry) => tools.map(({ qualifiedName }) => qualifiedName);

describe("tools of workers", () => {
  test("are found by any of their names, next to those that are compiled in", () => {
    const registry = builtIn.with([kit("Files", ["read_file"], "files")]);

    expect(names(registry)).toEqual(["Chat.List", "Chat.Send", "Files.read_file"]);
    expect(registry.find("files.READ_FILE").modelName).toBe("Files_read_file");
    expect(registry.find("Files_read_file").catalog.worker?.id).toBe("files");
    expect(registry.find("Chat.Send")).toBe(builtIn.find("Chat.Send"));
    expect(names(builtIn)).toEqual(["Chat.List", "Chat.Send"]);
  });

  test.each<[string, Catalog[], string[]]>([
    ["a toolkit that is compiled in", [kit("chat", ["Other"], "a")], ["chat.Other"]],
    ["the same tool of another worker", [kit("Kit", ["Do"], "a"), kit("Kit", ["Do"], "b")], ["Kit.Do"]],
    [
      "another version from another worker",
      [kit("Kit", ["Do"], "a"), kit("Kit", ["Do"], "b", "2")],
      ["Kit.Do"],
    ],
    ["a name that differs only in case", [kit("Kit", ["Do", "dO"], "a")], ["Kit.dO"]],
  ])("with %s are skipped, and the others stay", (_what, catalogs, skipped) => {
    const registry = builtIn.with([...catalogs, kit("Fine", ["Do"], "c")]);

    expect(registry.skipped.map(({ name }) => name)).toEqual(skipped);
    expect(registry.skipped.every(({ reason }) => reason.length > 20)).toBe(true);
    expect(names(registry)).toContain("Fine.Do");
    expect(names(registry)).toContain("Chat.Send");
  });

  test("have names for models of their own, whatever they are called", () => {
    const long = "x".repeat(120);
    const registry = builtIn.with([kit("Chat_Send", ["It"], "a"), kit("Kit", [long, `${long}y`], "b")]);
    const models = registry.tools.map(({ modelName }) => modelName.toLowerCase());

    expect(new Set(models).size).toBe(models.length);
    expect(models.every((name) => name.length <= 64)).toBe(true);
    for (const tool of registry.tools) expect(registry.find(tool.modelName)).toBe(tool);
  });

  test("may have several versions of one worker, of which the newest counts", () => {
    const registry = builtIn.with([kit("Kit", ["Do"], "a", "1.0.0"), kit("Kit", ["Do"], "a", "2.0.0")]);

    expect(registry.find("Kit.Do").fullyQualifiedName).toBe("Kit.Do@2.0.0");
    expect(registry.find("Kit.Do@1.0.0").newest).toBe(false);
  });
});

describe("the registry of a project", () => {
  test("has the tools of its own workers only, and is read again when one changes", async () => {
    await using deployment = await deploy();
    const { store } = deployment.runtime.core;
    const tools = new Map([
      ["one", ["First"]],
      ["two", ["Second"]],
    ]);
    let reads = 0;
    const registries = new Registries(store, [], {
      catalogsOf: async (projectId) => {
        reads++;
        return [kit("Kit", tools.get(projectId) ?? [], "a")];
      },
    });

    expect(names(await registries.of("one"))).toEqual(["Kit.First"]);
    expect(names(await registries.of("two"))).toEqual(["Kit.Second"]);
    expect(await registries.of("one")).toBe(await registries.of("one"));
    expect(reads).toBe(2);
    tools.set("one", ["First", "Third"]);
    await store.write(() => touch("workers"));
    expect(names(await registries.of("one"))).toEqual(["Kit.First", "Kit.Third"]);
  });
});
