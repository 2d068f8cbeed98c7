// MCP servers of others, each as its authors publish it, at an address on loopback.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { linesOf } from "../../support/child";
import { startBridge } from "./bridge";

export interface Upstream extends AsyncDisposable {
  readonly url: string;
  /** What the server may read and write. */
  readonly folder: string;
}

export type Call = readonly [tool: string, input: Record<string, unknown>];

export interface Peer {
  name: string;
  start(): Promise<Upstream>;
  /** Calls in this order, after one of each tool without input. */
  calls(folder: string): Call[];
  /** Tools that end the peer, or ask the network. */
  skips?: string[];
}

const FOLDER = join(import.meta.dir, "upstreams");
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function packaged(...path: string[]): string {
  return join(FOLDER, "node_modules", ...path);
}

/** A folder with some files, and one environment for everything that runs in it. */
function workplace(): { folder: string; env: Record<string, string> } {
  const folder = mkdtempSync(join(tmpdir(), "mcp-upstream-"));
  mkdirSync(join(folder, "src"));
  writeFileSync(join(folder, "src", "a.js"), "var unused = 1;\n");
  writeFileSync(join(folder, "package.json"), '{"name":"place","version":"1.0.0","type":"module"}\n');
  writeFileSync(
    join(folder, "eslint.config.js"),
    'export default [{ rules: { "no-unused-vars": "error" } }];\n',
  );
  writeFileSync(join(folder, "pixel.png"), Buffer.from(PICTURE, "base64"));
  const memory = join(folder, "memory.jsonl");
  const git = {
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z",
    GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z",
  };
  const identity = {
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@example.com",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@example.com",
  };
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    MEMORY_FILE_PATH: memory,
    TZ: "UTC",
    ...git,
    ...identity,
  };
  return { folder, env };
}

/** A program on standard input and output, behind a bridge. */
function bridged(script: string, ...args: ("FOLDER" | (string & {}))[]): Peer["start"] {
  return async () => {
    const { folder, env } = workplace();
    const words = args.map((word) => (word === "FOLDER" ? folder : word));
    const bridge = startBridge({ command: [process.execPath, script, ...words], cwd: folder, env });
    return {
      url: bridge.url,
      folder,
      [Symbol.asyncDispose]: () => ended(folder, async () => bridge[Symbol.asyncDispose]()),
    };
  };
}

/** A program that listens by itself, and says so in its first line. */
function listening(
  commandFor: (port: number) => string[],
  more: (port: number) => Record<string, string> = () => ({}),
): Peer["start"] {
  return async () => {
    const { folder, env } = workplace();
    const free = await freePort();
    const command = [process.execPath, ...commandFor(free)];
    const child = Bun.spawn(command, {
      cwd: FOLDER,
      env: { ...env, ...more(free) },
      stdout: "pipe",
      stderr: "ignore",
    });
    const { value: line = "" } = await linesOf(child.stdout).next();
    const port = /^\d+$/.test(line) ? Number(line) : free;
    await reachable(port);
    return {
      url: `http://127.0.0.1:${port}/mcp`,
      folder,
      [Symbol.asyncDispose]: () =>
        ended(folder, async () => {
          child.kill("SIGKILL");
          await child.exited;
        }),
    };
  };
}

async function ended(folder: string, end: () => Promise<void>): Promise<void> {
  await end();
  rmSync(folder, { recursive: true, force: true });
}

async function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address();
    server.close(() => resolve(typeof address === "object" ? (address?.port ?? 0) : 0));
  });
  return promise;
}

async function reachable(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const found = await fetch(`http://127.0.0.1:${port}/mcp`, { method: "DELETE" }).then(
      () => true,
      () => false,
    );
    if (found) return;
    await Bun.sleep(50);
  }
  throw new Error(`nothing listens on port ${port}`);
}

export const peers: readonly Peer[] = [
  {
    name: "official SDK, revision 2026-07-28",
    start: listening(() => [join(FOLDER, "official.mjs")]),
    calls: () => [
      ["add", { a: 1, b: 2.5 }],
      ["add", { a: "1" }],
    ],
  },
  {
    name: "server-everything",
    start: listening(
      () => [
        "--preload",
        join(FOLDER, "loopback.mjs"),
        packaged("@modelcontextprotocol/server-everything/dist/index.js"),
        "streamableHttp",
      ],
      (port) => ({ PORT: String(port) }),
    ),
    calls: () => [
      ["echo", { message: "hi" }],
      ["get-annotated-message", { messageType: "error", includeImage: true }],
      ["get-annotated-message", { messageType: "success" }],
      ["get-resource-links", { count: 2 }],
      ["get-resource-reference", { resourceType: "Text", resourceId: 1 }],
      ["get-structured-content", { location: "Chicago" }],
      ["get-sum", { a: 1, b: 2 }],
      ["trigger-long-running-operation", { duration: 0.2, steps: 2 }],
      ["gzip-file-as-resource", { name: "a.gz", data: "data:text/plain,hello" }],
    ],
    // Its result is the environment of the process, with the port; these two switch on messages without an end.
    skips: [
      "get-env",
      "toggle-simulated-logging",
      "toggle-subscriber-updates",
      "gzip-file-as-resource",
      "trigger-long-running-operation",
    ],
  },
  {
    name: "server-filesystem",
    start: bridged(packaged("@modelcontextprotocol/server-filesystem/dist/index.js"), "FOLDER"),
    calls: (folder) => [
      ["read_text_file", { path: `${folder}/src/a.js` }],
      ["read_media_file", { path: `${folder}/pixel.png` }],
      ["read_multiple_files", { paths: [`${folder}/src/a.js`, `${folder}/none`] }],
      ["write_file", { path: `${folder}/new.txt`, content: "a\nb" }],
      ["edit_file", { path: `${folder}/new.txt`, edits: [{ oldText: "a", newText: "c" }] }],
      ["list_directory", { path: folder }],
      ["directory_tree", { path: folder }],
      ["move_file", { source: `${folder}/new.txt`, destination: `${folder}/old.txt` }],
      ["search_files", { path: folder, pattern: "*.txt" }],
      ["read_text_file", { path: "/etc/passwd" }],
    ],
  },
  {
    name: "server-memory",
    start: bridged(packaged("@modelcontextprotocol/server-memory/dist/index.js")),
    calls: () => [
      ["create_entities", { entities: [{ name: "a", entityType: "b", observations: ["c"] }] }],
      ["add_observations", { observations: [{ entityName: "a", contents: ["d"] }] }],
      ["add_observations", { observations: [{ entityName: "none", contents: ["d"] }] }],
      ["search_nodes", { query: "a" }],
      ["open_nodes", { names: ["a"] }],
      ["read_graph", {}],
      ["delete_entities", { entityNames: ["a"] }],
    ],
  },
  {
    name: "server-sequential-thinking",
    start: bridged(packaged("@modelcontextprotocol/server-sequential-thinking/dist/index.js")),
    calls: () => [
      ["sequentialthinking", { thought: "a", nextThoughtNeeded: true, thoughtNumber: 1, totalThoughts: 2 }],
    ],
  },
  {
    name: "@eslint/mcp",
    start: bridged(packaged("@eslint/mcp/src/mcp-cli.js")),
    calls: (folder) => [["lint-files", { filePaths: [`${folder}/src/a.js`] }]],
  },
  {
    name: "@knip/mcp",
    start: bridged(packaged("@knip/mcp/src/cli.js")),
    calls: (folder) => [
      ["knip-docs", { topic: "configuring-project-files" }],
      ["knip-run", { cwd: folder }],
    ],
  },
  {
    name: "@drawio/mcp",
    start: bridged(packaged("@drawio/mcp/src/index.js")),
    calls: (folder) => [
      ["list_pages", { path: `${folder}/none.drawio` }],
      ["search_shapes", { query: "cisco router", limit: 2 }],
    ],
    // They open a browser.
    skips: ["open_drawio_xml", "open_drawio_csv", "open_drawio_mermaid"],
  },
  {
    name: "@cyanheads/git-mcp-server",
    start: bridged(packaged("@cyanheads/git-mcp-server/dist/index.js")),
    calls: (folder) => [
      ["git_init", { path: folder }],
      ["git_add", { path: folder, paths: ["src/a.js"] }],
      ["git_status", { path: folder }],
      ["git_commit", { path: folder, message: "first" }],
      ["git_log", { path: folder }],
      ["git_branch", { path: folder, mode: "list" }],
    ],
  },
  {
    name: "fastmcp",
    start: listening((port) => [join(FOLDER, "fastmcp.mjs"), String(port)]),
    calls: () => [
      ["greet", { name: "Ann" }],
      ["greet", { name: 5 }],
    ],
  },
];
