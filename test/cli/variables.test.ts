// An unknown variable: a server does not start, commands warn once.
import { describe, expect, test } from "bun:test";
import { newTerminal } from "./support/fake-io";
import { runProcess } from "./support/processes";

const WARNING = "warning: environment: unknown variable RUNTIME_PROT; did you mean RUNTIME_PORT?\n";
const env = { RUNTIME_PROT: "1" };

describe("a command", () => {
  test.each([
    ["keys list", ["keys", "list", "-o", "json"]],
    ["config show", ["config", "show", "-o", "json"]],
    ["the next step", []],
    ["a project that does not exist", ["projects", "show", "default", "-o", "json"]],
  ])("warns once: %s", async (_what, argv) => {
    const plain = await newTerminal().run(argv);
    const warned = await newTerminal().run(argv, { env });

    expect([warned.code, warned.stderr]).toEqual([plain.code, WARNING + plain.stderr]);
    expect(warned.stderr.split("RUNTIME_PROT")).toHaveLength(2);
  });

  test("does not warn in a completion", async () => {
    expect((await newTerminal().run(["__complete", "keys", "show", ""], { env })).stderr).toBe("");
  });
});

test("an MCP client that starts `runtime mcp` gets its replies", async () => {
  const terminal = newTerminal();
  await terminal.run(["gateways", "create", "Support", "--slug", "support"]);
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params };

  const ran = await runProcess(["mcp", "--gateway", "support", "--user", "alice"], {
    env: { ...terminal.env, ...env, RUNTIME_PORT: "0" },
    stdin: `${JSON.stringify(initialize)}\n`,
  });

  expect(ran.stdout).toContain('"protocolVersion":"2025-11-25"');
  expect(ran.stderr).toContain(WARNING);
});

test("a server does not start and names the nearest variable", async () => {
  const { code, stdout, stderr } = await newTerminal().run(["serve", "--port", "0"], { env });

  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toBe("error: environment: unknown variable RUNTIME_PROT; did you mean RUNTIME_PORT?\n");
});
