// Tools by any of the names that people and models use for them.
import { describe, expect, test } from "bun:test";
import { Type } from "typebox";
import { RuntimeError } from "../../src/errors";
import { type Catalog, defineTool } from "../../src/tools";
import { Registry } from "../../src/tools/registry";

function catalog(name: string, version: string, tools: string[]): Catalog {
  return {
    toolkit: { name, description: name, version },
    bases: {},
    tools: tools.map((tool) =>
      defineTool({
        name: tool,
        description: tool,
        input: Type.Object({}),
        output: Type.Unknown(),
        metadata: {
          behavior: {
            operations: ["read"],
            read_only: true,
            destructive: false,
            idempotent: true,
            open_world: false,
          },
        },
        run: async () => null,
      }),
    ),
  };
}

const registry = new Registry([
  catalog("Sheets", "2.0.0", ["Who_Am_I", "Get"]),
  catalog("Chat", "1.0.0", ["SendMessage", "ListUsers"]),
  catalog("My_Kit", "0.1.0", ["Do_It"]),
]);

function refused(name: string, version?: string): RuntimeError {
  try {
    registry.find(name, version);
  } catch (error) {
    if (error instanceof RuntimeError) return error;
  }
  throw new Error("it was found");
}

test("tools are sorted by their full names", () => {
  expect(registry.tools.map(({ fullyQualifiedName }) => fullyQualifiedName)).toEqual([
    "Chat.ListUsers@1.0.0",
    "Chat.SendMessage@1.0.0",
    "My_Kit.Do_It@0.1.0",
    "Sheets.Get@2.0.0",
    "Sheets.Who_Am_I@2.0.0",
  ]);
});

describe("a tool is found by", () => {
  test.each<[string, string | undefined, string]>([
    ["Chat.SendMessage", undefined, "Chat.SendMessage"],
    ["Chat_SendMessage", undefined, "Chat.SendMessage"],
    ["chat.sendmessage", undefined, "Chat.SendMessage"],
    ["CHAT_SENDMESSAGE", undefined, "Chat.SendMessage"],
    ["Chat.SendMessage@1.0.0", undefined, "Chat.SendMessage"],
    ["Chat_SendMessage@1.0.0", undefined, "Chat.SendMessage"],
    ["Chat.SendMessage", "1.0.0", "Chat.SendMessage"],
    ["Chat.SendMessage@1.0.0", "1.0.0", "Chat.SendMessage"],
    ["Sheets_Who_Am_I", undefined, "Sheets.Who_Am_I"],
    ["My_Kit_Do_It", undefined, "My_Kit.Do_It"],
    ["My_Kit.Do_It", undefined, "My_Kit.Do_It"],
  ])("%s (version %p)", (name, version, qualifiedName) => {
    expect(registry.find(name, version).qualifiedName).toBe(qualifiedName);
  });
});

describe("no tool is found by", () => {
  test.each<[string, string | undefined, string, string]>([
    ["SendMessage", undefined, "malformed_request", 'failed to parse tool name "SendMessage"'],
    ["SendMessage@1.0.0", undefined, "malformed_request", 'failed to parse tool name "SendMessage@1.0.0"'],
    ["", undefined, "malformed_request", "failed to parse tool name"],
    ["Chat.SendMesage", undefined, "tool_not_found", "did you mean Chat.SendMessage?"],
    ["Chat_SendMesage", undefined, "tool_not_found", "did you mean Chat.SendMessage?"],
    ["Nothing.LikeIt", undefined, "tool_not_found", 'There is no tool "Nothing.LikeIt".'],
    ["Chat.Send.Message", undefined, "tool_not_found", "There is no tool"],
    ["Chat.", undefined, "tool_not_found", "There is no tool"],
    [".SendMessage", undefined, "tool_not_found", "There is no tool"],
    ["_SendMessage", undefined, "tool_not_found", "There is no tool"],
    ["Chat.SendMessage@2.0.0", undefined, "tool_not_found", 'has no version "2.0.0"; this server has 1.0.0'],
    ["Chat.SendMessage", "9", "tool_not_found", 'has no version "9"'],
    ["Chat.SendMessage@1.0.0@1.0.0", undefined, "tool_not_found", "There is no tool"],
    ["Chat.SendMessage@", undefined, "tool_not_found", 'has no version ""'],
    ["Chat.<script>", undefined, "tool_not_found", "There is no tool with this name"],
    ["constructor.name", undefined, "tool_not_found", "There is no tool"],
  ])("%p (version %p)", (name, version, error, message) => {
    const { name: kind, status, message: text } = refused(name, version);

    expect([kind, status]).toEqual([error as never, 400]);
    expect(text).toContain(message);
  });
});

describe("the start is stopped by", () => {
  const kit = (name: string, version: string, ...tools: string[]) => catalog(name, version, tools);
  test.each<[string, Catalog[]]>([
    [
      "two toolkits of one name and version with the same tool",
      [kit("Chat", "1", "A"), kit("Chat", "1", "A")],
    ],
    ["the same tool twice in one toolkit", [kit("Chat", "1", "A", "A")]],
    ["names that differ by case alone", [kit("Chat", "1", "A"), kit("chat", "1", "a")]],
    ["the same in two versions", [kit("Chat", "1", "A"), kit("chat", "2", "a")]],
  ])("%s", (_what, catalogs) => {
    expect(() => new Registry(catalogs)).toThrow("two tools");
  });

  test("nothing when a toolkit's tools come in two parts, or in two versions", () => {
    const parts = new Registry([kit("Chat", "1", "A"), kit("Chat", "1", "B"), kit("Chat", "2", "A")]);
    expect(parts.tools.map(({ fullyQualifiedName }) => fullyQualifiedName)).toEqual(["Chat.A@2", "Chat.B@1"]);
    expect(parts.versions).toHaveLength(3);
  });
});
