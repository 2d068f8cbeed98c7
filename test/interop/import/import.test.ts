// From a client's file with six servers of others, programs and addresses, to six toolkits in a client: the commands of
// docs/import.md, as they are printed there, in a home folder of its own.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cageSupport } from "../../../src/processes";
import { at } from "../../support/api";
import { freePort } from "../../support/free-port";
import { testIfAllowed } from "../../support/require";
import { file as peerFile, peers, testWithWorkerPeers } from "../workers/peers";

const ROOT = join(import.meta.dir, "../../..");
const PAGE = readFileSync(join(ROOT, "docs/import.md"), "utf8");
const [SHOW = "", IMPORT = ""] = [...PAGE.matchAll(/^(runtime .+)$/gm)].map(([, line = ""]) => line);
const TEST_MS = 180_000;

/** In the form of real ones; they belong to nobody. */
const SECRETS = {
  github: `ghp_${"Zx9".repeat(12)}`,
  password: "correct-horse-CANARY",
  bearer: "bearer-CANARY-of-everything",
  query: "query-CANARY-of-official",
  argument: "argument-CANARY",
};

testWithWorkerPeers();
const test = testIfAllowed("the cage for programs (Landlock)", cageSupport().supported);

function homeFolder(stack: DisposableStack): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "runtime-import-")));
  stack.defer(() => rmSync(home, { recursive: true, force: true }));
  for (const folder of ["bin", "project", "documents"]) mkdirSync(join(home, folder));
  const program = `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, "cli/main.ts")}' "$@"\n`;
  writeFileSync(join(home, "bin/runtime"), program, { mode: 0o755 });
  writeFileSync(join(home, "documents/a.txt"), "from the documents");
  return home;
}

const clientFile = (home: string, everything: string, official: string): string => `{
  // Servers of the team
  "mcpServers": {
    "filesystem": {
      "command": "node",
      "args": ["${peerFile("@modelcontextprotocol", "server-filesystem", "dist", "index.js")}", "${home}/documents"],
      "env": { "GITHUB_TOKEN": "${SECRETS.github}" }
    },
    "memory": {
      "command": "node",
      "args": ["${peerFile("@modelcontextprotocol", "server-memory", "dist", "index.js")}"],
      "env": { "DATABASE_URL": "postgresql://bob:${SECRETS.password}@db/app", "LOG_LEVEL": "debug", "MEMORY_FILE_PATH": "${home}/documents/memory.jsonl" }
    },
    "Sequential Thinking": {
      "command": "node",
      "args": ["${peerFile("@modelcontextprotocol", "server-sequential-thinking", "dist", "index.js")}"]
    },
    "thinking-tools": {
      "command": "node",
      "args": ["${peerFile("mcp-sequentialthinking-tools", "dist", "index.js")}", "--api-key", "${SECRETS.argument}"]
    },
    "everything": {
      "type": "http",
      "url": "${everything}",
      "headers": { "Authorization": "Bearer ${SECRETS.bearer}" }
    },
    "official": { "type": "http", "url": "${official}?api_key=${SECRETS.query}" }
  },
  "other": true // stays
}
`;

test(
  "two commands lead from six servers to six toolkits, and leave no secret in the file",
  async () => {
    expect([SHOW, IMPORT]).toEqual([
      "runtime workers import .mcp.json",
      "runtime workers import .mcp.json --rewrite --yes --stdio --user alice",
    ]);
    await using stack = new AsyncDisposableStack();
    const home = homeFolder(stack.use(new DisposableStack()));
    const started = async (name: string) => {
      const start = peers.find((peer) => peer.name === name)?.start;
      if (start === undefined) throw new Error(`${name} is not a server over HTTP`);
      return stack.use(await start(home)).url;
    };
    const text = clientFile(home, await started("everything"), await started("official"));
    const file = join(home, "project/.mcp.json");
    writeFileSync(file, text);
    const environment = {
      HOME: home,
      PATH: `${home}/bin:${process.env["PATH"] ?? ""}`,
      RUNTIME_EGRESS_ALLOW: "loopback",
      RUNTIME_PORT: String(freePort()),
    };
    const typed = async (line: string) => {
      const options = {
        cwd: join(home, "project"),
        env: environment,
        stdin: "ignore",
        timeout: TEST_MS,
      } as const;
      const child = Bun.spawn(["sh", "-c", line], { ...options, stdout: "pipe", stderr: "pipe" });
      const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
      return { code: await child.exited, printed: stdout + stderr };
    };

    const shown = await typed(SHOW);
    expect([shown.code, readFileSync(file, "utf8")]).toEqual([0, text]);
    const imported = await typed(IMPORT);

    expect(imported).toMatchObject({ code: 0 });
    for (const secret of Object.values(SECRETS)) {
      expect(readFileSync(file, "utf8")).not.toContain(secret);
      expect(shown.printed + imported.printed).not.toContain(secret);
    }
    expect(statSync(`${file}.before-import`).mode & 0o777).toBe(0o600);
    expect(readFileSync(`${file}.before-import`, "utf8")).toBe(text);
    expect(readFileSync(file, "utf8")).toContain('"other": true // stays');

    const { command, args } = entryIn(readFileSync(file, "utf8"));
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StdioClientTransport({ command, args, env: environment, stderr: "ignore" }));
    const { tools } = await client.listTools();
    const toolkits = new Set(tools.map(({ name }) => name.split("_")[0] ?? ""));
    expect([...toolkits].toSorted()).toEqual([
      "Everything",
      "Filesystem",
      "Memory",
      "Official",
      "SequentialThinking",
      "ThinkingTools",
    ]);
    const call = async (name: string, input: Record<string, unknown>) =>
      JSON.stringify(await client.callTool({ name, arguments: input }));
    expect(await call("Filesystem_read_text_file", { path: `${home}/documents/a.txt` })).toContain(
      "from the documents",
    );
    expect(
      await call("Filesystem_write_file", { path: `${home}/documents/b.txt`, content: "b" }),
    ).not.toContain("isError");
    expect(
      await call("Memory_create_entities", {
        entities: [{ name: "tea", entityType: "drink", observations: [] }],
      }),
    ).toContain("tea");
    expect(await call("Everything_echo", { message: "hi" })).toContain("Echo: hi");
    expect(await call("Official_add", { a: 1, b: 2 })).toContain("3");
    await client.close();

    const again = await typed(IMPORT);
    expect(again.code).toBe(0);
    expect(again.printed).toContain("is a gateway of this server");
  },
  TEST_MS,
);

function entryIn(text: string): { command: string; args: string[] } {
  const entry = at(JSON.parse(text.replaceAll(/ *\/\/.*$/gm, "")), "mcpServers.imported");
  return { command: String(at(entry, "command")), args: (at(entry, "args") as unknown[]).map(String) };
}
