// MCP servers of others that run as workers: how each is started, and with which inputs its tools, prompts and resources are
// tried.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testWith } from "../../support/require";

const FOLDER = join(import.meta.dir, "peers");
const INSTALL_MS = 120_000;
const START_MS = 20_000;

type Inputs = Record<string, unknown>;

export interface Peer {
  name: string;
  /** The inputs of each tool. A tool without any is called with none. */
  calls: (folder: string) => Readonly<Record<string, Inputs[]>>;
  /** Inputs whose outcome only exists in the older revisions. */
  older?: Readonly<Record<string, Inputs[]>>;
  /** Inputs that break the schema of a tool. */
  invalid?: Readonly<Record<string, Inputs[]>>;
  prompts?: Readonly<Record<string, Inputs>>;
  /** Addresses besides those of the list. */
  reads?: readonly string[];
  /** Addresses that a call links to. */
  linked?: readonly { tool: string; input: Inputs; uri: string }[];
  completions?: readonly { ref: Inputs; argument: { name: string; value: string } }[];
  /** Puts everything that calls change back. */
  reset?: (folder: string) => void;
  /** Serves HTTP. */
  start?: ((folder: string) => Promise<Started>) | undefined;
  /** Speaks on standard input and output. */
  program?: (folder: string) => Program;
}

/** A command line, which runs in the folder of the peer. */
export interface Program {
  command: string;
  args: string[];
  env: Record<string, string>;
}

export interface Started extends AsyncDisposable {
  readonly url: string;
}

/** `test` if the servers and Node.js are there; otherwise a skipped test with the reason. */
export function testWithWorkerPeers() {
  const runs = Bun.which("node") !== null && installed();
  return testWith("Node.js or the folder of MCP servers (bun install needs the network)", runs);
}

function installed(): boolean {
  const install = [process.execPath, "install", "--frozen-lockfile"];
  return Bun.spawnSync(install, { cwd: FOLDER, timeout: INSTALL_MS }).exitCode === 0;
}

/** A file of an installed server. */
export const file = (...path: string[]): string => join(FOLDER, "node_modules", ...path);

/** A new folder for what a server reads and writes. */
export function peerFolder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "runtime-peer-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Without what the servers need of the environment of this process. */
function environment(folder: string, more: Record<string, string> = {}): Record<string, string> {
  // Nothing opens a browser here.
  return { PATH: join(FOLDER, "programs"), HOME: folder, ...more };
}

function node(...args: string[]): [string, ...string[]] {
  return [Bun.which("node") ?? "node", ...args];
}

/** What the programs read besides the folder of the peer. */
export const PEER_FOLDER = FOLDER;

function program(
  script: string,
  args: (folder: string) => string[] = () => [],
  env: (folder: string) => Record<string, string> = () => ({}),
) {
  return (folder: string): Program => ({
    command: "/bin/sh",
    args: ["-c", 'cd "$0" && exec "$@"', folder, ...node(script, ...args(folder))],
    env: environment(folder, env(folder)),
  });
}

/** A program that serves HTTP at the port that it is given. */
function serving(script: string, ...args: string[]) {
  return async (folder: string): Promise<Started> => {
    const port = freePort();
    const child = Bun.spawn(node(script, ...args), {
      cwd: folder,
      env: environment(folder, { PORT: String(port), SECRET_FREE: "yes" }),
      stdout: "ignore",
      stderr: "ignore",
    });
    const url = `http://127.0.0.1:${port}/mcp`;
    await reachable(url);
    return {
      url,
      [Symbol.asyncDispose]: async () => {
        child.kill();
        await child.exited;
      },
    };
  };
}

function freePort(): number {
  const probe = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = probe;
  void probe.stop(true);
  return port ?? 0;
}

async function reachable(url: string): Promise<void> {
  const until = Date.now() + START_MS;
  for (;;) {
    try {
      await (await fetch(url, { method: "GET" })).body?.cancel();
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
      await Bun.sleep(50);
    }
  }
}

const everything: Peer = {
  name: "everything",
  start: serving(file("@modelcontextprotocol", "server-everything", "dist", "index.js"), "streamableHttp"),
  calls: () => ({
    echo: [{ message: "hello" }, { message: 'ünïcode \u{1F600} \\ " \n' }],
    "get-annotated-message": ["error", "success", "debug"].flatMap((messageType) => [
      { messageType, includeImage: true },
      { messageType },
    ]),
    "get-resource-links": [{ count: 3 }, {}],
    "get-resource-reference": [
      { resourceType: "Text", resourceId: 1 },
      { resourceType: "Blob", resourceId: 2 },
      { resourceType: "Text", resourceId: -1 },
    ],
    "get-structured-content": ["New York", "Chicago", "Los Angeles"].map((location) => ({ location })),
    "get-sum": [
      { a: 1.5, b: 2 },
      { a: 12345678, b: -1e-7 },
    ],
    "gzip-file-as-resource": [
      { name: "a.gz", data: "data:text/plain,hello", outputType: "resource" },
      { name: "a.gz", data: "data:text/plain,hello", outputType: "resourceLink" },
    ],
    "trigger-long-running-operation": [{ duration: 0.2, steps: 2 }],
    "simulate-research-query": [{ topic: "tea" }],
    "trigger-url-elicitation": [{ url: "https://example.com/a", message: "Open it", elicitationId: "e1" }],
  }),
  older: {
    "trigger-url-elicitation": [
      { url: "https://example.com/a", message: "Open it", elicitationId: "e2", errorPath: true },
    ],
  },
  invalid: {
    echo: [{}, { message: 7 }],
    "gzip-file-as-resource": [{ name: "a.gz", data: "not an address" }],
    "get-resource-links": [{ count: 11 }],
  },
  linked: [
    {
      tool: "gzip-file-as-resource",
      input: { name: "b.gz", data: "data:text/plain,hello", outputType: "resourceLink" },
      uri: "demo://resource/session/b.gz",
    },
  ],
  prompts: {
    "simple-prompt": {},
    "args-prompt": { city: "Paris", state: "none" },
    "completable-prompt": { department: "Engineering", name: "Alice" },
    "resource-prompt": { resourceType: "Text", resourceId: "1" },
  },
  reads: [
    "demo://resource/dynamic/text/1",
    "demo://resource/dynamic/blob/2",
    "demo://resource/dynamic/text/none",
    "demo://nothing",
  ],
  completions: [
    { ref: { type: "ref/prompt", name: "completable-prompt" }, argument: { name: "department", value: "E" } },
    {
      ref: { type: "ref/resource", uri: "demo://resource/dynamic/text/{resourceId}" },
      argument: { name: "resourceId", value: "1" },
    },
  ],
};

/** The same server on standard input and output. */
const everythingProgram: Peer = {
  ...everything,
  name: "everything-program",
  start: undefined,
  calls: (folder) => ({
    ...everything.calls(folder),
    // Its environment is what the record lists, without what a client on a desk adds.
    "get-env": [],
    // It lists what it has made in this process. Lists of gateways come from the stored catalog.
    "gzip-file-as-resource": [],
  }),
  program: program(file("@modelcontextprotocol", "server-everything", "dist", "index.js"), () => ["stdio"]),
};

const filesystem: Peer = {
  name: "filesystem",
  program: program(file("@modelcontextprotocol", "server-filesystem", "dist", "index.js"), (folder) => [
    join(folder, "files"),
  ]),
  reset: (folder) => {
    const files = join(folder, "files");
    rmSync(files, { recursive: true, force: true });
    mkdirSync(join(files, "inner"), { recursive: true });
    writeFileSync(join(files, "a.txt"), "one\ntwo\nthree\n");
    writeFileSync(join(files, "inner", "b.png"), Buffer.from("iVBORw0KGgo=", "base64"));
  },
  calls: (folder) => {
    const at = (...path: string[]): string => join(folder, "files", ...path);
    const both = [{ path: at("a.txt"), head: 1 }, { path: at("none.txt") }, { path: "/etc/passwd" }];
    return {
      read_file: both,
      read_text_file: [...both, { path: at("a.txt"), tail: 1 }],
      read_media_file: [{ path: at("inner", "b.png") }, { path: at("a.txt") }],
      read_multiple_files: [{ paths: [at("a.txt"), at("none.txt")] }],
      write_file: [{ path: at("new.txt"), content: "x" }],
      edit_file: [{ path: at("a.txt"), edits: [{ oldText: "two", newText: "2" }], dryRun: true }],
      create_directory: [{ path: at("made") }],
      list_directory: [{ path: at() }],
      list_directory_with_sizes: [{ path: at() }],
      directory_tree: [{ path: at() }],
      move_file: [{ source: at("a.txt"), destination: at("c.txt") }],
      search_files: [{ path: at(), pattern: "*.txt" }],
      get_file_info: [{ path: at("none.txt") }],
    };
  },
};

const memory: Peer = {
  name: "memory",
  program: program(
    file("@modelcontextprotocol", "server-memory", "dist", "index.js"),
    () => [],
    (folder) => ({ MEMORY_FILE_PATH: join(folder, "memory.jsonl") }),
  ),
  reset: (folder) => {
    const known = [
      { type: "entity", name: "tea", entityType: "drink", observations: ["hot"] },
      { type: "entity", name: "cup", entityType: "thing", observations: [] },
      { type: "relation", from: "tea", to: "cup", relationType: "is in" },
    ];
    writeFileSync(join(folder, "memory.jsonl"), known.map((item) => JSON.stringify(item)).join("\n"));
  },
  calls: () => ({
    create_entities: [{ entities: [{ name: "milk", entityType: "drink", observations: ["cold"] }] }],
    create_relations: [{ relations: [{ from: "cup", to: "tea", relationType: "holds" }] }],
    add_observations: [
      { observations: [{ entityName: "tea", contents: ["green"] }] },
      { observations: [{ entityName: "nothing", contents: ["x"] }] },
    ],
    delete_entities: [{ entityNames: ["tea"] }],
    delete_observations: [{ deletions: [{ entityName: "tea", observations: ["hot"] }] }],
    delete_relations: [{ relations: [{ from: "tea", to: "cup", relationType: "is in" }] }],
    search_nodes: [{ query: "drink" }],
    open_nodes: [{ names: ["tea"] }],
  }),
};

const thought = { thought: "First", nextThoughtNeeded: true, thoughtNumber: 1, totalThoughts: 2 };

const sequentialThinking: Peer = {
  name: "sequential-thinking",
  program: program(file("@modelcontextprotocol", "server-sequential-thinking", "dist", "index.js")),
  calls: () => ({ sequentialthinking: [thought, { ...thought, nextThoughtNeeded: false }] }),
};

const eslint: Peer = {
  name: "eslint",
  program: program(file("@eslint", "mcp", "src", "mcp-cli.js")),
  reset: (folder) => {
    writeFileSync(
      join(folder, "eslint.config.mjs"),
      'export default [{ rules: { "no-debugger": "error" } }];\n',
    );
    writeFileSync(join(folder, "a.js"), "debugger;\n");
  },
  calls: (folder) => ({
    "lint-files": [{ filePaths: [join(folder, "a.js")] }, { filePaths: [join(folder, "none.js")] }],
  }),
};

const drawio: Peer = {
  name: "drawio",
  program: program(file("@drawio", "mcp", "src", "index.js")),
  reset: (folder) => {
    const page =
      '<diagram id="p" name="Page-1"><mxGraphModel><root><mxCell id="0"/></root></mxGraphModel></diagram>';
    writeFileSync(join(folder, "a.drawio"), `<mxfile>${page}</mxfile>`);
  },
  calls: (folder) => ({
    open_drawio_xml: [{ content: "<mxGraphModel><root/></mxGraphModel>" }],
    open_drawio_csv: [{ content: "# label: %name%\nname\na" }],
    open_drawio_mermaid: [{ content: "graph TD; A-->B;" }],
    list_pages: [{ path: join(folder, "a.drawio") }, { path: join(folder, "none.drawio") }],
    get_page: [{ path: join(folder, "a.drawio"), page: "0" }],
    set_page: [
      { path: join(folder, "a.drawio"), page: "0", content: "<mxGraphModel><root/></mxGraphModel>" },
    ],
    search_shapes: [{ query: "cisco router", limit: 2 }],
  }),
};

const step = {
  available_mcp_tools: ["a"],
  thought: "First",
  next_thought_needed: false,
  thought_number: 1,
  total_thoughts: 1,
};

const thinkingTools: Peer = {
  name: "thinking-tools",
  program: program(file("mcp-sequentialthinking-tools", "dist", "index.js")),
  calls: () => ({ sequentialthinking_tools: [step] }),
};

const fastmcp: Peer = {
  name: "fastmcp",
  start: serving(join(FOLDER, "fastmcp-server.mjs")),
  calls: () => ({ add: [{ a: 1, b: 2 }] }),
  prompts: { greet: { who: "alice" } },
  reads: ["note://by/alice", "note://3"],
  completions: [
    { ref: { type: "ref/prompt", name: "greet" }, argument: { name: "who", value: "a" } },
    { ref: { type: "ref/resource", uri: "note://by/{author}" }, argument: { name: "author", value: "b" } },
  ],
};

/** The official SDK of revision 2026-07-28. */
const official: Peer = {
  name: "official",
  start: serving(join(FOLDER, "official-server.mjs")),
  calls: () => ({
    add: [
      { a: 1, b: 2.5 },
      { a: 1e21, b: -0.1 },
    ],
  }),
  invalid: { add: [{ a: "1" }, {}] },
  prompts: { plain: {}, greet: { name: "Ann" } },
  reads: ["test://item/5", "test://none"],
  completions: [
    { ref: { type: "ref/resource", uri: "test://item/{id}" }, argument: { name: "id", value: "4" } },
  ],
};

const knip: Peer = {
  name: "knip",
  program: program(file("@knip", "mcp", "src", "cli.js")),
  reset: (folder) => writeFileSync(join(folder, "package.json"), '{"name":"place","version":"1.0.0"}\n'),
  calls: (folder) => ({
    "knip-run": [{ cwd: folder }],
    "knip-docs": [{ topic: "configuring-project-files" }, { topic: "none" }],
  }),
};

const GIT = {
  PATH: process.env["PATH"] ?? "",
  // The global configuration is that of its home, a folder of the test: git replaces the file when it writes to it.
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.com",
  GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z",
};

const git: Peer = {
  name: "git",
  program: program(
    file("@cyanheads", "git-mcp-server", "dist", "index.js"),
    () => [],
    () => GIT,
  ),
  reset: (folder) => {
    for (const place of [".git", "clone"]) rmSync(join(folder, place), { recursive: true, force: true });
    writeFileSync(join(folder, "a.txt"), "a\n");
    for (const words of ["init -q -b main", "add a.txt", "commit -q -m first", "branch side"])
      Bun.spawnSync(["git", ...words.split(" ")], { cwd: folder, env: { ...GIT, HOME: folder } });
    writeFileSync(join(folder, "a.txt"), "a\nb\n");
  },
  calls: (path) => ({
    git_add: [
      { path, paths: ["a.txt"] },
      { path, paths: ["none.txt"] },
    ],
    git_blame: [{ path, filePath: "a.txt" }],
    git_branch: [{ path, mode: "list" }],
    git_changelog_analyze: [{ path, reviewTypes: ["features"] }],
    git_checkout: [{ path, target: "side" }],
    git_cherry_pick: [{ path, commits: ["none"] }],
    git_clean: [{ path, force: true, dryRun: true }],
    git_clear_working_dir: [{ confirm: "Y" }],
    git_clone: [{ url: path, path: join(path, "clone") }],
    git_commit: [{ path, message: "second" }],
    git_diff: [{ path }],
    git_init: [{ path }],
    git_log: [{ path }],
    git_merge: [{ path, branch: "side" }],
    git_set_working_dir: [{ path }],
    git_show: [{ path, object: "HEAD" }],
    git_status: [{ path }],
    git_wrapup_instructions: [{ acknowledgement: "Y" }],
  }),
};

export const peers: readonly Peer[] = [
  official,
  everything,
  everythingProgram,
  filesystem,
  memory,
  sequentialThinking,
  eslint,
  drawio,
  thinkingTools,
  knip,
  git,
  fastmcp,
];
