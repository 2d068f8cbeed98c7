// The real thing as a process: the command line, and servers over a data folder.
import { SQL } from "bun";
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChatSandbox } from "../sandbox/chat";
import { chatProvider } from "../sandbox/chat";

const SOURCES = [process.execPath, join(import.meta.dir, "..", "..", "cli", "main.ts")];

export interface Finished {
  code: number;
  stdout: string;
  stderr: string;
}

export interface RunningServer extends AsyncDisposable {
  address: string;
  pid: number;
  /** Its exit code. */
  exited: Promise<number>;
  /** All that it printed so far. */
  output(): string;
  kill(): Promise<void>;
}

/** One installation: its folders, environment and command. */
export class Installation implements AsyncDisposable {
  readonly home = mkdtempSync(join(tmpdir(), "runtime-home-"));
  readonly environment: Record<string, string>;
  readonly command: readonly string[];
  readonly #database: string | undefined;
  readonly #servers = new Set<RunningServer>();

  /** `command`: the executable; absent: the sources. `database`: the URL of a PostgreSQL database; absent: SQLite. */
  constructor(chat: ChatSandbox | undefined, command: readonly string[] = SOURCES, database?: string) {
    this.command = command;
    this.#database = database;
    this.environment = {
      HOME: this.home,
      PATH: process.env["PATH"] ?? "",
      RUNTIME_EGRESS_ALLOW: "loopback",
      ...(chat === undefined ? {} : { RUNTIME_CHAT_API_URL: chat.apiUrl }),
      ...(database === undefined ? {} : { RUNTIME_DATABASE_URL: database }),
    };
  }

  /** Runs a command to its end; standard input is closed, or the text. */
  async run(args: readonly string[], input?: string): Promise<Finished> {
    const child = Bun.spawn([...this.command, ...args], {
      env: this.environment,
      cwd: this.home,
      stdin: input === undefined ? "ignore" : new TextEncoder().encode(input),
      stdout: "pipe",
      stderr: "pipe",
      timeout: 60_000,
    });
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    return { code: await child.exited, stdout, stderr };
  }

  /** The same; its standard output as JSON. */
  async json(args: readonly string[], input?: string): Promise<unknown> {
    const { stdout, stderr, code } = await this.run([...args, "-o", "json"], input);
    if (code !== 0) throw new Error(`runtime ${args.join(" ")} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout);
  }

  /** `runtime serve` on a free port, ready. */
  async serve(...args: string[]): Promise<RunningServer> {
    const child = Bun.spawn([...this.command, "serve", "--port", "0", ...args], {
      env: this.environment,
      cwd: this.home,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });
    let printed = "";
    const first = Promise.withResolvers<string>();
    void (async () => {
      const decoder = new TextDecoder();
      for await (const bytes of child.stderr) {
        printed += decoder.decode(bytes, { stream: true });
        if (printed.includes("\n")) first.resolve(printed.slice(0, printed.indexOf("\n")));
      }
      first.reject(new Error(`the server ended: ${printed}`));
    })();
    const server: RunningServer = {
      address: await first.promise,
      pid: child.pid,
      exited: child.exited,
      output: () => printed,
      kill: async () => {
        child.kill("SIGKILL");
        await child.exited;
        this.#servers.delete(server);
      },
      [Symbol.asyncDispose]: async () => {
        child.kill("SIGTERM");
        await child.exited;
        this.#servers.delete(server);
      },
    };
    this.#servers.add(server);
    return server;
  }

  /** A new API key. */
  async key(role: "admin" | "run" | "read"): Promise<string> {
    const record = await this.json(["keys", "create", `test ${role}`, "--role", role]);
    return Object(record).key;
  }

  /** The provider `slack` that leads to the stand-in. */
  async addChatProvider(chat: ChatSandbox): Promise<void> {
    await this.json(["providers", "create", "slack", "--file", "-"], JSON.stringify(chatProvider(chat)));
  }

  /** Makes every stored token one that has expired. */
  async expireTokens(): Promise<void> {
    const expire = "SET expires_at = 1, refresh_at = 1";
    if (this.#database !== undefined) {
      await using sql = new SQL({ url: this.#database, max: 1 });
      await sql.unsafe(`UPDATE runtime.connections ${expire}`);
      return;
    }
    using database = new Database(join(this.home, ".local", "share", "runtime", "runtime.db"));
    database.run("PRAGMA busy_timeout=5000");
    database.run(`UPDATE connections ${expire}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) await server.kill();
    rmSync(this.home, { recursive: true, force: true });
  }
}
