// How the commands of pages are run: what a page needs besides an empty home folder, and which pages have a test of their own.

export interface Page {
  /** The test that runs the blocks of the page instead, and how many blocks it runs: a new block must be added there. */
  by?: string;
  blocks?: number;
  /**
   * A running sandbox, with its address and run key in the environment, or an empty PostgreSQL at 127.0.0.1:5432 whose
   * administrator `psql` connects as.
   */
  stage?: "sandbox" | "postgres";
  /** Programs that the page names, besides those of every system. */
  programs?: readonly string[];
  /** Modules of Debian's Python that the page installs. */
  python?: readonly string[];
  /** Files that the page takes for granted, by name in the working folder. */
  files?: Readonly<Record<string, string>>;
  environment?: Readonly<Record<string, string>>;
  /** Shell lines that are run first: what the reader has already. */
  before?: readonly string[];
  /** Programs that are replaced, by name: a line of shell. */
  fakes?: Readonly<Record<string, string>>;
  /** Ports in the page that become free ones. */
  ports?: readonly string[];
  /** Addresses of servers of others, for which there is a stand-in: an MCP server and webhooks. */
  peers?: readonly string[];
  /** After a line with this text, the address must answer: a server was started in the background. */
  waits?: Readonly<Record<string, string>>;
  /** Replaced in the blocks, because the test has no such address. */
  replace?: Readonly<Record<string, string>>;
}

/** Pages that are not here need nothing. */
export const SPECIAL: Readonly<Record<string, Page>> = {
  "README.md": { by: "test/readme.test.ts", blocks: 9 },
  "SKILL.md": { stage: "sandbox" },
  "docs/addresses.md": {
    files: { key: "a key\n" },
    before: [
      "runtime models create local --type openai --base-url https://old.example/v1 --model m --api-key-stdin < key",
    ],
  },
  "docs/audit.md": { by: "test/docs/audit.test.ts", blocks: 1 },
  "docs/backups.md": { programs: ["age-keygen"] },
  "docs/hooks.md": {
    files: { token: "word\n" },
    peers: ["https://policy.example.com"],
    environment: { RUNTIME_EGRESS_ALLOW: "loopback" },
  },
  "docs/http-quick-start.md": {
    programs: ["curl", "jq"],
    replace: { "runtime sandbox -o json": "runtime sandbox --port 0 -o json" },
  },
  "docs/import.md": { by: "test/interop/import/import.test.ts", blocks: 1 },
  "docs/install.md": { by: "test/release/debian.ts", blocks: 5 },
  "docs/operating.md": { by: "test/processes/operating.test.ts", blocks: 26 },
  "docs/scaling.md": {
    stage: "postgres",
    programs: ["psql", "pg_dump", "nginx", "curl", "openssl"],
    ports: ["8080", "9101", "9102"],
  },
  "docs/sign-in.md": {
    environment: { RUNTIME_AUTH_URL: "https://login.example.com", RUNTIME_AUTH_CLIENT_ID: "runtime" },
  },
  "docs/stdio-workers.md": { by: "test/docs/stdio-workers.test.ts", blocks: 2 },
  "docs/user-keys.md": { by: "test/docs/user-keys.test.ts", blocks: 2 },
  "docs/worker-identity.md": { by: "test/docs/worker-identity.test.ts", blocks: 3 },
  "docs/users.md": { before: ["runtime keys create application --user alice"] },
  "docs/workers.md": {
    peers: ["127.0.0.1:3001"],
    replace: { "/run/secrets/own": "own" },
    files: { own: "word\n" },
  },
  "examples/hooks/README.md": {
    ports: ["4020"],
    environment: { RUNTIME_EGRESS_ALLOW: "loopback", PORT: "4020" },
    waits: { "deny-by-channel.ts &": "127.0.0.1:4020/health" },
  },
  "examples/http-worker/README.md": {
    fakes: { apt: "true" },
    ports: ["8002"],
    waits: { "worker.py 8002 &": "127.0.0.1:8002" },
    programs: ["python3"],
    python: ["fastapi", "uvicorn", "jwt"],
  },
  "examples/mcp-worker/README.md": { by: "test/acceptance/first-worker.test.ts", blocks: 3 },
};
