// `runtime gateways`: records by slug, and the configuration of MCP clients.
import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { at } from "../../support/api";
import { jsonOf, newTerminal } from "../support/fake-io";

const EXIT_USAGE = 2;
const EXIT_NOT_FOUND = 3;
const EXIT_CONFLICT = 5;

/** A terminal with the gateway `support`. */
async function withGateway(...flags: string[]) {
  const terminal = newTerminal();
  const created = await terminal.run([
    "gateways",
    "create",
    "Support",
    "--slug",
    "support",
    ...flags,
    "-o",
    "json",
  ]);
  expect([created.code, created.stderr]).toEqual([
    0,
    expect.stringContaining("runtime gateways connect support"),
  ]);
  return { ...terminal, record: jsonOf(created) };
}

describe("gateways", () => {
  test("are created with whole toolkits, without deprecated tools", async () => {
    const { record } = await withGateway("--toolkit", "chat", "--no-deprecated");
    const tools = at(record, "tool_filter.allowed_tools") as string[];
    expect(tools).toContain("Chat.SendMessage");
    expect(tools.every((name) => name.startsWith("Chat."))).toBe(true);
    const { record: all } = await withGateway("--toolkit", "Chat");
    const every = at(all, "tool_filter.allowed_tools") as string[];
    expect(every.length).toBeGreaterThan(tools.length);
    expect(every).toContain("Chat.SendDmToUser");
  });

  test("offer all tools by default, and match single ones in any case", async () => {
    expect(at((await withGateway()).record, "tool_filter")).toBeUndefined();
    const { record } = await withGateway("--tool", "chat.whoami", "--tool", "Chat.ListUsers");
    expect(at(record, "tool_filter.allowed_tools")).toEqual(["Chat.WhoAmI", "Chat.ListUsers"]);
  });

  test.each([
    [["--tool", "Chat.Nothing"], 3, "runtime tools list"],
    [["--toolkit", "Nothing"], 3, "runtime toolkits list"],
    [["--auth", "none"], EXIT_USAGE, "--auth must be one of"],
  ])("with %j are rejected before anything is created", async (flags, code, message) => {
    const terminal = newTerminal();
    const made = await terminal.run(["gateways", "create", "x", ...flags]);
    expect([made.code, made.stderr]).toEqual([code, expect.stringContaining(message)]);
    expect((await terminal.run(["gateways", "list", "-o", "name"])).stdout).toBe("");
  });

  test("are found by slug or id, changed and deleted", async () => {
    const { run, record } = await withGateway();
    const id = String(at(record, "id"));
    expect((await run(["gateways", "show", id, "-o", "name"])).stdout).toBe("support\n");
    const updated = await run([
      "gateways",
      "update",
      "support",
      "--name",
      "New",
      "--status",
      "inactive",
      "-o",
      "json",
    ]);
    expect(jsonOf(updated)).toMatchObject({ id, name: "New", status: "inactive", slug: "support" });
    expect((await run(["gateways", "update", "support"])).code).toBe(EXIT_USAGE);
    await run(["gateways", "update", "support", "--tool", "Chat.WhoAmI", "--description", "Kept"]);
    const all = jsonOf(await run(["gateways", "update", "support", "--all-tools", "-o", "json"]));
    expect(all).toMatchObject({ id, name: "New", status: "inactive", description: "Kept", tool_filter: {} });
    expect(at(all, "tool_filter.allowed_tools")).toBeUndefined();
    expect((await run(["gateways", "delete", "support"])).code).toBe(EXIT_USAGE);
    expect((await run(["gateways", "delete", "support", "--yes"])).code).toBe(0);
    expect((await run(["gateways", "show", "support"])).code).toBe(EXIT_NOT_FOUND);
  });

  test("with a taken slug are a conflict, as the check reports", async () => {
    const { run } = await withGateway();
    expect((await run(["gateways", "create", "x", "--slug", "support"])).code).toBe(EXIT_CONFLICT);
    expect((await run(["gateways", "slug", "support"])).code).toBe(EXIT_CONFLICT);
    expect(await run(["gateways", "slug", "other"])).toMatchObject({ code: 0, stdout: "free\n" });
  });

  test("show their address for people", async () => {
    const { run } = await withGateway();
    const { stdout } = await run(["gateways", "show", "support"]);
    expect(stdout).toContain("http://127.0.0.1:9099/mcp/support");
    expect(stdout).toContain("API key + user");
    expect(stdout).not.toContain("arcade");
  });
});

/** What starts this program in the tests. */
const PROGRAM = process.execPath;
const SOURCE = join(import.meta.dir, "../../../cli/main.ts");

/** A client's file with these lines, and a command that writes a gateway into it. */
async function withFile(name: string, lines: readonly string[] | undefined) {
  const { run, home } = await withGateway();
  const file = join(home, name);
  mkdirSync(dirname(file), { recursive: true });
  if (lines !== undefined) writeFileSync(file, lines.join("\n"));
  const connect = (client: string) =>
    run(["gateways", "connect", "support", "--client", client, "--user", "alice", "--write"]);
  return { connect, file };
}

describe("connecting a client", () => {
  const URL = "http://127.0.0.1:9099/mcp/support";
  const headers = (key: string) => ({ Authorization: `Bearer ${key}`, "X-User-ID": "alice" });

  test.each<[string, object]>([
    ["json", { mcpServers: { support: { type: "http", url: URL, headers: headers("${RUNTIME_API_KEY}") } } }],
    [
      "claude",
      { mcpServers: { support: { type: "http", url: URL, headers: headers("${RUNTIME_API_KEY}") } } },
    ],
    ["cursor", { mcpServers: { support: { url: URL, headers: headers("${env:RUNTIME_API_KEY}") } } }],
    ["windsurf", { mcpServers: { support: { serverUrl: URL, headers: headers("${env:RUNTIME_API_KEY}") } } }],
    [
      "opencode",
      {
        mcp: {
          support: { type: "remote", url: URL, headers: headers("{env:RUNTIME_API_KEY}"), oauth: false },
        },
      },
    ],
    ["gemini", { mcpServers: { support: { httpUrl: URL, headers: headers("$RUNTIME_API_KEY") } } }],
    [
      "claude-desktop",
      {
        mcpServers: {
          support: { command: PROGRAM, args: [SOURCE, "mcp", "--gateway", "support", "--user", "alice"] },
        },
      },
    ],
  ])("%s gets its own format, without the key", async (client, config) => {
    const { run } = await withGateway();
    const printed = await run(["gateways", "connect", "support", "--client", client, "--user", "alice"]);
    expect(printed.code).toBe(0);
    expect(jsonOf(printed)).toEqual(config as never);
  });

  test("opencode starts a program in its own format", async () => {
    const { run } = await withGateway();
    const line = ["gateways", "connect", "support", "--client", "opencode", "--user", "alice", "--stdio"];
    expect(jsonOf(await run(line))).toEqual({
      mcp: {
        support: {
          type: "local",
          command: [PROGRAM, SOURCE, "mcp", "--gateway", "support", "--user", "alice"],
        },
      },
    });
  });

  test("that starts programs gets the location flags of this command", async () => {
    const { run, home } = await withGateway();
    const place = ["--data-dir", `${home}/.local/share/runtime`, "--project", "default"];

    const line = ["gateways", "connect", "support", "--client", "claude-desktop", "--user", "alice"];
    const printed = await run([...line, ...place]);

    expect(jsonOf(printed)).toEqual({
      mcpServers: {
        support: {
          command: PROGRAM,
          args: [SOURCE, "mcp", "--gateway", "support", "--user", "alice", ...place],
        },
      },
    });
  });

  test("vscode prompts for the key, codex gets a TOML table", async () => {
    const { run } = await withGateway();
    const connect = (...more: string[]) =>
      run(["gateways", "connect", "support", "--user", "alice", ...more]);
    const vscode = jsonOf(await connect("--client", "vscode"));
    expect(at(vscode, "servers.support.headers.Authorization")).toBe("Bearer ${input:runtime-api-key}");
    expect(at(vscode, "inputs.0")).toMatchObject({
      id: "runtime-api-key",
      type: "promptString",
      password: true,
    });
    const codex: unknown = Bun.TOML.parse((await connect("--client", "codex", "--key-env", "MY_KEY")).stdout);
    expect(codex).toEqual({
      mcp_servers: {
        support: { url: URL, bearer_token_env_var: "MY_KEY", http_headers: { "X-User-ID": "alice" } },
      },
    });
  });

  test("to a gateway for user tokens needs only the address", async () => {
    const terminal = newTerminal({ RUNTIME_AUTH_URL: "https://id.example" });
    await terminal.run(["gateways", "create", "Tokens", "--slug", "tokens", "--auth", "user-token"]);
    const printed = await terminal.run(["gateways", "connect", "tokens", "--client", "cursor"]);
    expect(jsonOf(printed)).toEqual({ mcpServers: { tokens: { url: "http://127.0.0.1:9099/mcp/tokens" } } });
  });

  test("needs a user if the gateway does", async () => {
    const { run } = await withGateway();
    const printed = await run(["gateways", "connect", "support", "--client", "cursor"]);
    expect([printed.code, printed.stderr]).toEqual([EXIT_USAGE, expect.stringContaining("--user")]);
  });

  test("writes into the client's file and keeps its other content", async () => {
    const { run, home } = await withGateway();
    const file = join(home, ".codeium", "windsurf", "mcp_config.json");
    mkdirSync(join(home, ".codeium", "windsurf"), { recursive: true });
    const others = {
      theme: "dark",
      mcpServers: { other: { serverUrl: "https://other.example" }, support: { old: 1 } },
    };
    writeFileSync(file, JSON.stringify(others));
    const write = () =>
      run(["gateways", "connect", "support", "--client", "windsurf", "--user", "alice", "--write"]);
    expect(await write()).toMatchObject({ code: 0, stdout: "" });
    const written: unknown = JSON.parse(readFileSync(file, "utf8"));
    expect(written).toEqual({
      theme: "dark",
      mcpServers: {
        other: { serverUrl: "https://other.example" },
        support: { serverUrl: URL, headers: headers("${env:RUNTIME_API_KEY}") },
      },
    });
  });

  test("keeps comments, trailing commas and indentation", async () => {
    const { connect, file } = await withFile(".codeium/windsurf/mcp_config.json", [
      "{",
      "    // which look",
      '    "theme": "dark", /* not light */',
      '    "mcpServers": {',
      '        "other": { "serverUrl": "https://other.example" }, // theirs',
      "    },",
      "}",
    ]);

    expect(await connect("windsurf")).toMatchObject({ code: 0, stdout: "" });
    expect(readFileSync(file, "utf8")).toBe(
      [
        "{",
        "    // which look",
        '    "theme": "dark", /* not light */',
        '    "mcpServers": {',
        '        "other": {',
        '            "serverUrl": "https://other.example"',
        "        },",
        '        "support": {',
        `            "serverUrl": "${URL}",`,
        '            "headers": {',
        '                "Authorization": "Bearer ${env:RUNTIME_API_KEY}",',
        '                "X-User-ID": "alice"',
        "            }",
        "        }, // theirs",
        "    },",
        "}",
      ].join("\n"),
    );
    const once = readFileSync(file, "utf8");
    await connect("windsurf");
    expect(readFileSync(file, "utf8")).toBe(once);
  });

  test("adds to codex's TOML, and replaces only its own table", async () => {
    const { connect, file } = await withFile(".codex/config.toml", [
      'model = "gpt" # mine',
      "",
      "[mcp_servers.support]",
      "# ours",
      'url = "http://old.example"',
      "",
      "# theirs",
      '[mcp_servers."other.one"]',
      'command = "other"',
    ]);

    expect(await connect("codex")).toMatchObject({ code: 0, stdout: "" });
    const text = readFileSync(file, "utf8");
    expect(text).toBe(
      [
        'model = "gpt" # mine',
        "",
        '[mcp_servers."support"]',
        "# ours",
        `url = "${URL}"`,
        'bearer_token_env_var = "RUNTIME_API_KEY"',
        'http_headers = { "X-User-ID" = "alice" }',
        "",
        "# theirs",
        '[mcp_servers."other.one"]',
        'command = "other"',
      ].join("\n"),
    );
  });

  test("creates codex's TOML", async () => {
    const { connect, file } = await withFile(".codex/config.toml", undefined);

    expect((await connect("codex")).code).toBe(0);
    expect(Bun.TOML.parse(readFileSync(file, "utf8"))).toHaveProperty("mcp_servers.support.url", URL);
  });

  test.each<[string, string, string[]]>([
    ["windsurf", ".codeium/windsurf/mcp_config.json", ["{ not: json", "}"]],
    ["windsurf", ".codeium/windsurf/mcp_config.json", ["[]"]],
    ["windsurf", ".codeium/windsurf/mcp_config.json", ['{ "mcpServers": [{ "name": "theirs" }] }']],
    ["windsurf", ".codeium/windsurf/mcp_config.json", ['{ "mcpServers": {}, "mcpServers": {} }']],
    ["codex", ".codex/config.toml", ["mcp_servers = { other = {} }"]],
    ["codex", ".codex/config.toml", ["[broken"]],
    ["codex", ".codex/config.toml", ['text = """', "[mcp_servers.support]", '"""']],
  ])("prints the entry of %s if %s cannot be changed: %j", async (client, name, lines) => {
    const { connect, file } = await withFile(name, lines);
    const ran = await connect(client);

    const changed = readFileSync(file, "utf8");
    if (ran.code === 0) expect(Bun.TOML.parse(changed)).toMatchObject({ text: "[mcp_servers.support]\n" });
    else {
      expect([ran.code, ran.stdout, changed]).toEqual([1, "", lines.join("\n")]);
      expect(ran.stderr).toContain(`${file} `);
      expect(ran.stderr).toContain("was not changed. Add the printed entry by hand.");
      expect(ran.stderr).toContain(URL);
    }
  });
});
