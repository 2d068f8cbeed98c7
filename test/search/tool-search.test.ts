import { describe, expect, test } from "bun:test";
import { Type } from "typebox";
import { type Catalog, type ToolDefinition } from "../../src/tools";
import { Registry } from "../../src/tools/registry";
import { ToolSearch } from "../../src/tools/search";

const NOTHING = new Registry([]);

function tool(name: string, description: string, more: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    name,
    description,
    input: Type.Object({}),
    output: Type.Unknown(),
    metadata: {
      behavior: { operations: [], read_only: true, destructive: false, idempotent: true, open_world: true },
    },
    foreign: true,
    run: () => Promise.reject(new Error("not run")),
    ...more,
  };
}

function registryOf(...tools: ToolDefinition[]): Registry {
  const catalog: Catalog = {
    toolkit: { name: "Office", description: "", version: "1.0.0" },
    worker: { id: "office", type: "mcp" },
    bases: {},
    tools,
  };
  return NOTHING.with([catalog]);
}

async function found(registry: Registry, text: string): Promise<string[]> {
  const search = new ToolSearch(NOTHING);
  return (await search.ranked("p", registry, registry.tools, text)).map(({ definition }) => definition.name);
}

describe("a search finds a tool", () => {
  const office = registryOf(
    tool("OrderLunch", "Orders a meal.", {
      input: Type.Object({ allergies: Type.String({ description: "What the guest must not eat." }) }),
    }),
    tool("BookRoom", "Reserves a meeting room."),
    tool("list_visitors", "Guests of the day."),
    tool("翻訳する", "テキストを日本語から英語に翻訳します。"),
  );

  test.each([
    ["by its name", "book room", "BookRoom"],
    ["by its name in snake case", "visitors list", "list_visitors"],
    ["by its description", "reserve", "BookRoom"],
    ["by a parameter", "allergies", "OrderLunch"],
    ["by the description of a parameter", "eat", "OrderLunch"],
    ["by another form of a word", "ordering meals", "OrderLunch"],
    ["by the start of a word", "visit", "list_visitors"],
    ["by a mistyped word", "lumch", "OrderLunch"],
    ["in a script without spaces", "翻訳", "翻訳する"],
  ])("%s", async (_how, text, name) => {
    expect((await found(office, text))[0]).toBe(name);
  });

  test.each(["xyzzy", "???", " "])("not for %p", async (text) => {
    expect(await found(office, text)).toEqual([]);
  });
});

describe("of tools that match alike", () => {
  test("a deprecated one is the last", async () => {
    const registry = registryOf(
      tool("SendA", "Sends a fax.", { deprecation: "Use SendB." }),
      tool("SendB", "Sends a fax."),
    );

    expect(await found(registry, "send a fax")).toEqual(["SendB", "SendA"]);
  });

  test("one that deletes is the last, unless that is asked for", async () => {
    const registry = registryOf(tool("delete_fax", "A fax."), tool("read_fax", "A fax."));

    expect((await found(registry, "fax"))[0]).toBe("read_fax");
    expect((await found(registry, "get rid of the fax"))[0]).toBe("delete_fax");
  });
});

describe("the index", () => {
  test("is made again when a tool has changed, and only then", async () => {
    let reads = 0;
    const counted = tool("Read", "");
    Object.defineProperty(counted, "input", {
      get: () => {
        reads += 1;
        return Type.Object({});
      },
    });
    const search = new ToolSearch(NOTHING);

    await search.ranked("p", registryOf(counted), [], "read");
    await search.ranked("p", registryOf(counted), [], "read");
    expect(reads).toBe(1);
    const changed = registryOf(counted, tool("Fax", ""));
    expect(await search.ranked("p", changed, changed.tools, "fax")).toHaveLength(1);
    expect(reads).toBe(2);
  });

  test("keeps a tool whose definition cannot be read", async () => {
    const broken = tool("ReadFax", "");
    Object.defineProperty(broken, "description", {
      get: () => {
        throw new Error("damaged");
      },
    });

    expect(await found(registryOf(broken, tool("Other", "")), "fax")).toEqual(["ReadFax"]);
  });

  test("reads only the first 500 characters of a search", async () => {
    const registry = registryOf(tool("Fax", ""));

    expect(await found(registry, `${"x".repeat(490)} fax`)).toEqual(["Fax"]);
    expect(await found(registry, `${"x".repeat(500)} fax`)).toEqual([]);
  });
});
