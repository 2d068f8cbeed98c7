// Entries of clients with formats of their own, for gateways with keys and for gateways that people sign in to.
import { describe, expect, test } from "bun:test";
import { mergedYaml } from "../../cli/yaml-file";
import { type ClientName, type Entry, FORMATS, serverOf } from "../../src/gateways/client-formats";

const URL = "https://runtime.example.com/mcp/support";
const signsIn: Entry = { name: "support", url: URL, key: undefined, command: [] };
const withKey: Entry = { ...signsIn, key: { variable: "RUNTIME_API_KEY", user: "alice" } };
const started: Entry = { ...withKey, command: ["runtime", "mcp", "--gateway", "support"] };

function configOf(client: Exclude<ClientName, "codex">, entry: Entry): unknown {
  return FORMATS[client].config(serverOf(FORMATS[client], entry), entry);
}

describe("a gateway that people sign in to needs only its address in", () => {
  test.each<[Exclude<ClientName, "codex">, object]>([
    ["zed", { context_servers: { support: { url: URL } } }],
    [
      "goose",
      {
        extensions: {
          support: { name: "support", enabled: true, timeout: 300, type: "streamable_http", uri: URL },
        },
      },
    ],
    ["librechat", { mcpServers: { support: { type: "streamable-http", url: URL, requiresOAuth: true } } }],
    ["mcp-remote", { mcpServers: { support: { command: "npx", args: ["-y", "mcp-remote", URL] } } }],
    ["opencode", { mcp: { support: { type: "remote", url: URL } } }],
  ])("%s", (client, config) => {
    expect(configOf(client, signsIn)).toEqual(config);
  });
});

test("with a key, a client without variables starts a program", () => {
  expect(configOf("zed", started)).toEqual({
    context_servers: { support: { command: "runtime", args: ["mcp", "--gateway", "support"] } },
  });
  expect(configOf("goose", started)).toMatchObject({
    extensions: { support: { type: "stdio", cmd: "runtime", args: ["mcp", "--gateway", "support"] } },
  });
});

test("with a key, the variable is in the entry and the key is not", () => {
  expect(configOf("librechat", withKey)).toEqual({
    mcpServers: {
      support: {
        type: "streamable-http",
        url: URL,
        headers: { Authorization: "Bearer ${RUNTIME_API_KEY}", "X-User-ID": "alice" },
      },
    },
  });
  const flags = ["--header", "Authorization: Bearer ${RUNTIME_API_KEY}", "--header", "X-User-ID: alice"];
  expect(configOf("mcp-remote", withKey)).toEqual({
    mcpServers: { support: { command: "npx", args: ["-y", "mcp-remote", URL, ...flags] } },
  });
});

test("mcp-remote may call an address without TLS only if it is told so", () => {
  const plain = { ...signsIn, url: "http://runtime.internal/mcp/support" };
  expect(JSON.stringify(configOf("mcp-remote", plain))).toContain("--allow-http");
  const local = { ...signsIn, url: "http://localhost:9099/mcp/support" };
  expect(JSON.stringify(configOf("mcp-remote", local))).not.toContain("--allow-http");
});

describe("a YAML file", () => {
  const config = { extensions: { support: { type: "streamable_http", uri: URL } } };

  test("keeps comments and other entries", () => {
    const text = "# mine\nGOOSE_MODE: smart_approve # keep\nextensions:\n  developer:\n    enabled: true\n";
    const merged = mergedYaml(text, config);
    expect(merged).toStartWith(text);
    expect(merged).toContain(`  support:\n    type: streamable_http\n    uri: ${URL}\n`);
    expect(mergedYaml(merged, config)).toBe(merged);
  });

  test("may be empty or without the section", () => {
    expect(mergedYaml("", config)).toContain("extensions:\n  support:");
    expect(mergedYaml("extensions:\n", config)).toContain("support:");
  });

  test.each(["- a\n- b\n", "a: [", "extensions: text\n"])("is left as it is: %p", (text) => {
    expect(() => mergedYaml(text, config)).toThrow("by hand");
  });
});
