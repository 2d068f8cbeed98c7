// `runtime workers import`: what comes of a client's file, in the project and in the file.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { at } from "../../support/api";
import { startSite } from "../../support/site";
import { temporaryFolder } from "../../support/temporary";
import { TEXT, Upstream } from "../../support/mcp-upstream";
import { type FakeIoOptions, jsonOf, newTerminal, type Ran } from "../support/fake-io";

const SECRET = "hunter2-CANARY";
const OTHER = "swordfish-CANARY";

const server = (tool: string): Upstream =>
  new Upstream({
    family: "modern",
    methods: {
      "tools/list": () => ({ tools: [{ name: tool, inputSchema: { type: "object" } }] }),
      "tools/call": () => TEXT("done"),
    },
  });
const notes = server("note");
const tasks = server("task");
afterAll(async () => {
  await notes[Symbol.asyncDispose]();
  await tasks[Symbol.asyncDispose]();
});

const two = (more: object = {}) => ({
  mcpServers: {
    "My Notes": {
      type: "http",
      url: notes.url,
      headers: { Authorization: `Bearer ${SECRET}`, "X-Team": "blue" },
    },
    tasks: { type: "http", url: tasks.url, headers: { "X-Api-Key": OTHER } },
  },
  ...more,
});

const ALICE = { RUNTIME_USER: "alice" };

/** A home folder with a client's file, and the command on it. */
function withFile(name: string, content: object | string, environment: Record<string, string> = ALICE) {
  const terminal = newTerminal({ RUNTIME_EGRESS_ALLOW: "loopback", ...environment });
  const file = join(terminal.home, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`);
  return {
    ...terminal,
    file,
    text: () => readFileSync(file, "utf8"),
    json: () => JSON.parse(readFileSync(file, "utf8")) as unknown,
    import: (flags: readonly string[] = [], options: FakeIoOptions = {}): Promise<Ran> =>
      terminal.run(["workers", "import", file, ...flags], options),
    workers: async () => jsonOf(await terminal.run(["workers", "list", "-o", "json"])),
  };
}

const results = (ran: Ran): string[] => {
  const list: unknown = jsonOf(ran);
  return Array.isArray(list)
    ? list.map((each: unknown) => `${String(at(each, "server"))}: ${String(at(each, "result"))}`)
    : [];
};

describe("without --yes and without a terminal", () => {
  test("shows what would come, and changes nothing", async () => {
    const place = withFile(".mcp.json", two());
    const before = place.text();

    const shown = await place.import(["-o", "json"]);

    expect([shown.code, results(shown)]).toEqual([0, ["My Notes: new", "tasks: new"]]);
    expect(jsonOf(shown)).toMatchObject([
      { worker: "my-notes", toolkit: "MyNotes", secrets: ["AUTHORIZATION"] },
      { worker: "tasks", toolkit: "Tasks", secrets: ["X_API_KEY"] },
    ]);
    expect(shown.stderr).toContain("--yes");
    expect(shown.stdout + shown.stderr).not.toContain("CANARY");
    expect(await place.workers()).toEqual([]);
    expect(place.text()).toBe(before);
  });
});

describe("with --yes", () => {
  test("makes workers whose secrets are sealed and sent", async () => {
    const place = withFile(".mcp.json", two());

    const done = await place.import(["--yes", "-o", "json"]);

    expect([done.code, results(done)]).toEqual([0, ["My Notes: imported", "tasks: imported"]]);
    expect(await place.workers()).toMatchObject([
      {
        id: "my-notes",
        toolkit: "MyNotes",
        mcp: {
          uri: notes.url,
          headers: { Authorization: "Bearer ${secret:AUTHORIZATION}", "X-Team": "blue" },
          secrets: { AUTHORIZATION: { exists: true } },
        },
        catalog: { tools: 1 },
      },
      { id: "tasks", mcp: { headers: { "X-Api-Key": "${secret:X_API_KEY}" } } },
    ]);
    expect(notes.requests.at(-1)?.headers.get("authorization")).toBe(`Bearer ${SECRET}`);
    expect(tasks.requests.at(-1)?.headers.get("x-api-key")).toBe(OTHER);
    expect(JSON.stringify(await place.workers()) + done.stdout + done.stderr).not.toContain("CANARY");
  });

  test("seals what is secret in an address", async () => {
    const place = withFile("mcp.json", {
      mcpServers: {
        query: { url: `${tasks.url}?api_key=${SECRET}&page=2` },
        user: { url: tasks.url.replace("://", `://bob:${OTHER}@`) },
      },
    });

    const done = await place.import(["--yes", "-o", "json"]);

    expect(results(done)).toEqual(["query: imported", "user: imported"]);
    const basic = Buffer.from(`bob:${OTHER}`).toString("base64");
    expect(tasks.requests.at(-1)?.headers.get("authorization")).toBe(`Basic ${basic}`);
    expect(await place.workers()).toMatchObject([
      { mcp: { uri: `${tasks.url}?api_key=\${secret:API_KEY}&page=2` } },
      { mcp: { uri: tasks.url } },
    ]);
    expect(JSON.stringify(await place.workers()) + done.stdout + done.stderr).not.toContain("CANARY");
  });

  test("a second time changes nothing, and new values of secrets are taken", async () => {
    const place = withFile(".mcp.json", two());
    await place.import(["--yes"]);
    const before = await place.workers();

    const again = await place.import(["--yes", "-o", "json"]);

    expect([again.code, results(again)]).toEqual([0, ["My Notes: unchanged", "tasks: unchanged"]]);
    expect(await place.workers()).toEqual(before);
    writeFileSync(place.file, place.text().replace(OTHER, "rotated-CANARY"));
    expect(results(await place.import(["--yes", "-o", "json"]))).toEqual([
      "My Notes: unchanged",
      "tasks: updated",
    ]);
    expect(tasks.requests.at(-1)?.headers.get("x-api-key")).toBe("rotated-CANARY");
  });

  test("finds free ids and toolkits", async () => {
    const place = withFile(".mcp.json", {
      mcpServers: {
        chat: { url: notes.url },
        "my server": { url: tasks.url },
        "My-Server": { url: `${tasks.url}?v=2` },
      },
    });
    await place.run(["workers", "create", notes.url, "--id", "my-server", "--yes"]);

    const done = await place.import(["--yes", "-o", "json"]);

    expect(jsonOf(done)).toMatchObject([
      { worker: "chat", toolkit: "ChatMcp" },
      { worker: "my-server-2", toolkit: "MyServer2" },
      { worker: "my-server-3", toolkit: "MyServer3" },
    ]);
    expect(results(await place.import(["--yes", "-o", "json"]))).toEqual([
      "chat: unchanged",
      "my server: unchanged",
      "My-Server: unchanged",
    ]);
  });

  test("leaves nothing of a server that does not answer, and says why", async () => {
    const place = withFile(".mcp.json", {
      mcpServers: {
        tasks: { url: tasks.url },
        gone: { url: "http://127.0.0.1:9/mcp" },
        old: { type: "sse", url: "https://h.example/sse" },
      },
    });

    const done = await place.import(["--yes", "-o", "json"]);

    expect([done.code, results(done)]).toEqual([
      1,
      ["tasks: imported", "gone: not imported", "old: not imported"],
    ]);
    expect(done.stderr).toMatch(/^old: It uses the transport sse/m);
    expect(done.stderr).toMatch(/^gone: /m);
    expect(await place.workers()).toMatchObject([{ id: "tasks" }]);
  });

  test("tells a server that wants a consent from one that refuses the credentials of the file", async () => {
    await using guarded = new Upstream({
      before: () => new Response(null, { status: 401, headers: { "www-authenticate": "Bearer" } }),
    });
    const place = withFile("mcp.json", {
      mcpServers: {
        consent: { url: guarded.url },
        expired: { url: guarded.url, headers: { Authorization: `Bearer ${SECRET}` } },
      },
    });

    const done = await place.import(["--yes", "-o", "json"]);

    expect([done.code, results(done)]).toEqual([1, ["consent: imported", "expired: not imported"]]);
    expect(done.stderr).toContain("expired: It refuses the credentials in the file.");
    expect(done.stderr).toMatch(/^consent: /m);
    expect(await place.workers()).toMatchObject([{ id: "consent" }]);
  });

  test("names the address that the policy refuses", async () => {
    const place = withFile(".mcp.json", two(), { RUNTIME_EGRESS_ALLOW: "" });
    const done = await place.import(["--yes", "-o", "json"]);
    expect([done.code, done.stderr]).toEqual([
      1,
      expect.stringContaining(`RUNTIME_EGRESS_ALLOW=127.0.0.1:${notes.port}`),
    ]);
  });
});

describe("programs", () => {
  const SERVER = join(import.meta.dir, "../../workers/stdio/server.ts");
  const program = (more: object) => ({ command: process.execPath, args: [SERVER], ...more });
  const shown = async (server: object, environment: Record<string, string> = {}) => {
    // A disabled worker is not started.
    const content = { mcpServers: { it: { ...server, disabled: true } } };
    const place = withFile(".mcp.json", content, environment);
    const done = await place.import(["--yes", "-o", "json"]);
    expect([done.stderr, done.code]).toEqual([expect.any(String), 0]);
    expect(done.stdout + done.stderr).not.toContain("CANARY");
    return { done, home: place.home, worker: at(await place.workers(), "0") };
  };

  test("that do not exist are not imported", async () => {
    const place = withFile(".mcp.json", { mcpServers: { none: { command: "no-such-program" } } });
    const done = await place.import(["--yes", "-o", "json"]);
    expect([done.code, results(done)]).toEqual([1, ["none: not imported"]]);
    expect(done.stderr).toContain("none: Its program no-such-program does not exist on this machine.");
    expect(await place.workers()).toEqual([]);
  });

  test("that are disabled become disabled workers", async () => {
    const { worker } = await shown(program({}));
    expect(worker).toMatchObject({ enabled: false, mcp: { stdio: { command: process.execPath } } });
  });

  test("take a secret as an argument where they take it only so, and that is told", async () => {
    const { worker, done } = await shown(program({ args: [SERVER, "--api-key", SECRET] }));
    expect(at(worker, "mcp.stdio.arguments")).toEqual([SERVER, "--api-key", "${secret:API_KEY}"]);
    expect(done.stderr).toContain("which users of this machine can see while it runs");
  });

  test("in a container get variables from the environment of the command", async () => {
    const { worker } = await shown(
      { command: "docker", args: ["run", "-i", "-e", `GITHUB_TOKEN=${SECRET}`, "--env", "A=b", "image"] },
      { PATH: join(import.meta.dir, "programs") },
    );
    expect(at(worker, "mcp.stdio.arguments")).toEqual([
      "run",
      "-i",
      "-e",
      "GITHUB_TOKEN",
      "--env",
      "A",
      "image",
    ]);
    expect(at(worker, "mcp.stdio.environment")).toMatchObject({
      GITHUB_TOKEN: "${secret:GITHUB_TOKEN}",
      A: "b",
    });
  });

  test("start in the folder of the client's file, and have no home of the user", async () => {
    const { worker, home } = await shown(
      program({ args: ["s.ts"], cwd: "/usr/share", env: { HOME: "/root" } }),
    );
    expect(at(worker, "mcp.stdio")).toMatchObject({
      command: "env",
      arguments: ["-C", "/usr/share", process.execPath, "s.ts"],
    });
    expect(at(worker, "mcp.stdio.environment.HOME")).toBeUndefined();
    expect(JSON.stringify(at(worker, "mcp.stdio.read"))).not.toContain(home);
  });

  test("may be one line, and get a file of variables", async () => {
    const variables = join(temporaryFolder(), "a.env");
    writeFileSync(variables, `A_TOKEN="${SECRET}"\n# comment\nLEVEL=2\n`);
    const { worker } = await shown({
      command: `${process.execPath} ${SERVER} "two words"`,
      envFile: variables,
    });
    expect(at(worker, "mcp.stdio")).toMatchObject({
      command: process.execPath,
      arguments: [SERVER, "two words"],
      environment: { A_TOKEN: "${secret:A_TOKEN}", LEVEL: "2" },
    });
  });

  test("are refused by a server over HTTP, servers at addresses are not", async () => {
    await using site = await startSite();
    const place = withFile(
      ".mcp.json",
      { mcpServers: { notes: program({}), tasks: { url: tasks.url, headers: { "X-Api-Key": SECRET } } } },
      { RUNTIME_SERVER: site.url, RUNTIME_API_KEY: await site.key("admin"), ...ALICE },
    );

    const done = await place.import(["--yes", "--rewrite", "-o", "json"]);

    expect([done.code, results(done)]).toEqual([1, ["notes: not imported", "tasks: imported"]]);
    expect(done.stderr).toContain("notes: It is a program, which is never set over the API.");
    expect(Object.keys(Object(at(place.json(), "mcpServers")))).toEqual(["notes", "imported"]);
    expect(at(place.json(), "mcpServers.imported.url")).toBe(`${site.url}/mcp/imported`);
    expect(results(await place.import(["--yes", "-o", "json"]))).toEqual([
      "notes: not imported",
      "imported: skipped",
    ]);
  });
});

describe("at a terminal", () => {
  test("asks before it imports, and about values that only look like secrets", async () => {
    const place = withFile(".mcp.json", {
      mcpServers: { tasks: { url: tasks.url, headers: { "X-Workspace": "q7Zt1LpX0vB8nKw3Rj5D" } } },
    });
    const refused = await place.import([], { answers: [false, false] });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("Nothing was imported")]);
    expect(refused.io.prompted).toEqual([
      "Is this a secret: the header X-Workspace (q7Z…, 20 characters)?",
      "Import 1 servers?",
    ]);
    expect((await place.import([], { answers: [true, true] })).code).toBe(0);
    expect(await place.workers()).toMatchObject([
      { mcp: { headers: { "X-Workspace": "${secret:X_WORKSPACE}" } } },
    ]);
  });
});

describe("references", () => {
  test("get their values from the environment of the command, and a missing one is named", async () => {
    const place = withFile(
      ".cursor/mcp.json",
      {
        mcpServers: {
          tasks: { url: "${env:TASKS_URL}", headers: { Authorization: "Bearer ${env:TASKS_TOKEN}" } },
          other: { url: tasks.url, headers: { "X-Key": "${env:NOT_SET}" } },
        },
      },
      { TASKS_URL: tasks.url, TASKS_TOKEN: SECRET },
    );
    const done = await place.import(["--yes", "-o", "json"]);
    expect(results(done)).toEqual(["tasks: imported", "other: not imported"]);
    expect(done.stderr).toContain("other: It refers to the variable NOT_SET, which is not set.");
    expect(tasks.requests.at(-1)?.headers.get("authorization")).toBe(`Bearer ${SECRET}`);
  });

  test("to inputs are asked for once", async () => {
    const header = { "X-Api-Key": "${input:tasks-key}" };
    const place = withFile(".vscode/mcp.json", {
      inputs: [{ id: "tasks-key", type: "promptString", description: "Key of the tasks", password: true }],
      servers: {
        tasks: { type: "http", url: tasks.url, headers: header },
        notes: { type: "http", url: notes.url, headers: header },
      },
    });
    expect((await place.import(["--yes"])).stderr).toContain(
      "It asks its user for tasks-key. Set the variable TASKS_KEY",
    );
    const done = await place.import([], { answers: [SECRET, true] });
    expect(done.code).toBe(0);
    expect(done.io.prompted[0]).toBe("Key of the tasks (tasks-key)");
    expect(notes.requests.at(-1)?.headers.get("x-api-key")).toBe(SECRET);
  });
});

describe("the files of clients", () => {
  test.each<[string, () => string]>([
    [
      ".claude.json",
      () =>
        JSON.stringify({
          projects: {
            "/work": { mcpServers: { tasks: { url: tasks.url, headers: { "X-Api-Key": SECRET } } } },
          },
        }),
    ],
    [
      ".codex/config.toml",
      () => `[mcp_servers.tasks]\nurl = "${tasks.url}"\nhttp_headers = { "X-Api-Key" = "${SECRET}" }\n`,
    ],
    [
      ".codex/config.toml",
      () => `[mcp_servers.tasks]\nurl = "${tasks.url}"\nenv_http_headers = { "X-Api-Key" = "A_KEY" }\n`,
    ],
    [
      ".gemini/settings.json",
      () =>
        JSON.stringify({ mcpServers: { tasks: { httpUrl: tasks.url, headers: { "X-Api-Key": "$A_KEY" } } } }),
    ],
    [
      "opencode.json",
      () =>
        `{ // mine\n"mcp": { "tasks": { "type": "remote", "url": "${tasks.url}", "headers": { "X-Api-Key": "{env:A_KEY}" } } } }`,
    ],
    [
      ".codeium/windsurf/mcp_config.json",
      () =>
        JSON.stringify({ mcpServers: { tasks: { serverUrl: tasks.url, headers: { "X-Api-Key": SECRET } } } }),
    ],
    [
      ".config/Code/User/settings.json",
      () =>
        JSON.stringify({ mcp: { servers: { tasks: { url: tasks.url, headers: { "X-Api-Key": SECRET } } } } }),
    ],
    [
      ".mcp.json",
      () =>
        JSON.stringify({
          mcpServers: {
            tasks: {
              command: "npx",
              args: ["-y", "mcp-remote", tasks.url, "--header", "X-Api-Key:${K}", "--allow-http"],
              env: { K: SECRET },
            },
          },
        }),
    ],
  ])("%s is read", async (name, text) => {
    const place = withFile(name, text(), { A_KEY: SECRET });
    const done = await place.import(["--yes", "-o", "json"]);
    expect([done.stderr, results(done)]).toEqual([expect.any(String), ["tasks: imported"]]);
    expect(tasks.requests.at(-1)?.headers.get("x-api-key")).toBe(SECRET);
  });

  test.each([
    ["{ not json", "is not valid JSON (line 1)"],
    ["[]", "does not contain one JSON object"],
    ["{}", "has no MCP servers"],
    ['{ "mcpServers": {} }', "has no MCP servers"],
  ])("%s is refused", async (text, message) => {
    const done = await withFile("mcp.json", text).import(["--yes"]);
    expect([done.code, done.stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("with --rewrite", () => {
  test("leaves the client one gateway with the tools, and a copy that only the owner reads", async () => {
    const place = withFile(".mcp.json", two({ theme: "dark" }));
    const before = place.text();

    const done = await place.import(["--yes", "--rewrite"]);

    expect(done.code).toBe(0);
    expect(place.json()).toEqual({
      theme: "dark",
      mcpServers: {
        imported: {
          type: "http",
          url: expect.stringMatching(/\/mcp\/imported$/),
          headers: { Authorization: "Bearer ${RUNTIME_API_KEY}", "X-User-ID": "alice" },
        },
      },
    });
    const copy = `${place.file}.before-import`;
    expect(readFileSync(copy, "utf8")).toBe(before);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(done.stderr).toContain(`The earlier file is ${copy}. It still contains the secrets`);
    const gateway = jsonOf(await place.run(["gateways", "show", "imported", "-o", "json"]));
    expect(at(gateway, "tool_filter.allowed_tools")).toEqual(["MyNotes.note", "Tasks.task"]);
    expect(done.stdout + done.stderr).not.toContain("CANARY");
  });

  test("a second time changes nothing, and a server that was added later comes behind the same gateway", async () => {
    const place = withFile(".mcp.json", { mcpServers: { tasks: { url: tasks.url } } });
    await place.import(["--yes", "--rewrite"]);
    const once = place.text();

    const again = await place.import(["--yes", "--rewrite"]);

    expect([again.code, place.text()]).toEqual([0, once]);
    const added = once.replace('"mcpServers": {', `"mcpServers": {\n    "notes": { "url": "${notes.url}" },`);
    writeFileSync(place.file, added);
    expect((await place.import(["--yes", "--rewrite"])).code).toBe(0);
    expect(place.text()).toBe(once);
    const gateway = jsonOf(await place.run(["gateways", "show", "imported", "-o", "json"]));
    expect(at(gateway, "tool_filter.allowed_tools")).toEqual(["Tasks.task", "Notes.note"]);
    expect(readdirSync(place.home).filter((name) => name.includes("before-import"))).toHaveLength(2);
  });

  test("keeps comments, other servers that cannot be imported, and the indentation", async () => {
    const place = withFile(
      ".mcp.json",
      [
        "{",
        "    // mine",
        '    "mcpServers": {',
        '        "old": { "type": "sse", "url": "https://h.example/sse" }, // theirs',
        `        "tasks": { "url": "${tasks.url}", "headers": { "X-Api-Key": "${SECRET}" } }`,
        "    },",
        '    "theme": "dark", // not light',
        "}",
      ].join("\n"),
    );

    const done = await place.import(["--yes", "--rewrite"]);

    expect([done.code, done.stderr]).toEqual([
      1,
      expect.stringMatching(/^Still in .+, with any secrets: old\.$/m),
    ]);
    const text = place.text();
    expect(text).not.toContain("CANARY");
    for (const kept of ["    // mine", '"type": "sse"', "// theirs", '    "theme": "dark", // not light'])
      expect(text).toContain(kept);
    expect(text).toContain('        "imported": {');
  });

  test("changes TOML, and nothing but its own tables", async () => {
    const place = withFile(
      ".codex/config.toml",
      [
        'model = "gpt" # mine',
        "",
        "[mcp_servers.tasks]",
        `url = "${tasks.url}"`,
        "",
        "[mcp_servers.tasks.http_headers]",
        `"X-Api-Key" = "${SECRET}"`,
        "",
        "# theirs",
        "[profiles.fast]",
        'model = "mini"',
        "",
      ].join("\n"),
    );

    expect((await place.import(["--yes", "--rewrite"])).code).toBe(0);

    expect(place.text()).toBe(
      [
        'model = "gpt" # mine',
        "",
        "# theirs",
        "[profiles.fast]",
        'model = "mini"',
        "",
        '[mcp_servers."imported"]',
        expect.anything(),
      ]
        .slice(0, 7)
        .join("\n") +
        `\nurl = "${at(Bun.TOML.parse(place.text()), "mcp_servers.imported.url") as string}"\n` +
        'bearer_token_env_var = "RUNTIME_API_KEY"\nhttp_headers = { "X-User-ID" = "alice" }\n',
    );
  });

  test("tells lines that still have a secret", async () => {
    const place = withFile(
      ".mcp.json",
      `{\n  // "X-Api-Key": "${SECRET}"\n  "mcpServers": { "tasks": { "url": "${tasks.url}", "headers": { "X-Api-Key": "${SECRET}" } } }\n}\n`,
    );
    const done = await place.import(["--yes", "--rewrite"]);
    expect(done.stderr).toContain(`warning: line 2 of ${place.file} still contains a secret`);
  });

  test("keeps the gateway of another name, and asks for a free one", async () => {
    const place = withFile(".mcp.json", {
      mcpServers: { tasks: { url: tasks.url }, imported: { type: "sse", url: "https://h.example/sse" } },
    });
    const before = place.text();
    const refused = await place.import(["--yes", "--rewrite"]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("--gateway SLUG")]);
    expect([await place.workers(), place.text()]).toEqual([[], before]);
    expect((await place.import(["--yes", "--rewrite", "--gateway", "mine"])).code).toBe(1);
    expect(Object.keys(Object(at(place.json(), "mcpServers")))).toEqual(["imported", "mine"]);
  });

  test("needs a user before it changes anything", async () => {
    const place = withFile(".mcp.json", two(), {});
    const refused = await place.import(["--yes", "--rewrite"]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("--user")]);
    expect(await place.workers()).toEqual([]);
  });

  test("the form of a client's file that cannot be changed stops it before anything is imported", async () => {
    const place = withFile(".codex/config.toml", `mcp_servers = { tasks = { url = "${tasks.url}" } }\n`);
    const refused = await place.import(["--yes", "--rewrite"]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("Import without --rewrite")]);
    expect(await place.workers()).toEqual([]);
  });
});
