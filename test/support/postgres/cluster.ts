// A private PostgreSQL server on loopback, that a test can stop, kill and start again.
import { closeSync, copyFileSync, existsSync, openSync, readdirSync, readFileSync } from "node:fs";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asOwner, ENVIRONMENT, giveToOwner, guardedFolder, MEMORY, PROGRAMS } from "./programs";
import { runAsOwner, stablePort } from "./programs";

export type Settings = Readonly<Record<string, string | number | boolean>>;

export interface ClusterOptions {
  /** Whether commits wait for the disk; default false, with the data in memory. A killed server loses nothing either way. */
  fsync?: boolean;
  /** Files of the server's certificate, its key, and the authority whose client certificates it accepts. */
  tls?: { cert: string; key: string; ca: string };
  /** Rows of `postgresql.conf`. */
  settings?: Settings;
  /** The rows of `pg_hba.conf` for TCP; default: everybody is trusted. The socket trusts everybody. */
  hba?: readonly string[];
  /** The folder with `initdb`, `postgres` and `psql`; default Debian's. */
  programs?: string;
  /** An empty folder for the data; default a new one. */
  folder?: string;
}

export interface Cluster extends AsyncDisposable {
  readonly port: number;
  readonly socketFolder: string;
  readonly dataFolder: string;
  readonly running: boolean;
  /** Fulfilled when the server that runs now has ended, for example because its disk is full. */
  readonly ended: Promise<void>;
  /** `postgres://user@127.0.0.1:port/database`; both are `postgres` by default. */
  url(database?: string, user?: string): string;
  /** Runs the statements with `psql`, each in a transaction of its own; rows are lines, columns separated by `|`. */
  psql(sql: string, database?: string): Promise<string>;
  start(): Promise<void>;
  /** `fast` ends all sessions and writes a checkpoint; `immediate` is a crash with an orderly end of the processes. */
  stop(mode?: "fast" | "immediate"): Promise<void>;
  restart(): Promise<void>;
  /** kill -9 of the server; fulfilled when the processes of its sessions are gone, too. */
  kill(): Promise<void>;
  /** The last 4,000 characters of its log. */
  logTail(): string;
  /** Changes rows of `postgresql.conf`; in force after the next start, or `SELECT pg_reload_conf()`. */
  configure(settings: Settings): void;
}

const COMMON: Settings = {
  listen_addresses: "127.0.0.1",
  max_connections: 300,
  shared_buffers: "32MB",
  // In the data folder, where it goes with it; the default leaves files in /dev/shm after a kill.
  dynamic_shared_memory_type: "mmap",
  timezone: "UTC",
};

/** A new, empty cluster that accepts connections. */
export async function startCluster(options: ClusterOptions = {}): Promise<Postmaster> {
  const cluster = await createCluster(options);
  const template = await templateOf(cluster.programs);
  await runAsOwner(["cp", "-a", "--reflink=auto", `${template}/.`, cluster.dataFolder]);
  await cluster.start();
  return cluster;
}

/** A cluster that is not started; its data folder does not exist. */
export function createCluster(options: ClusterOptions): Postmaster {
  return new Postmaster(options);
}

const templates = new Map<string, Promise<string>>();

function templateOf(programs: string): Promise<string> {
  const template = templates.get(programs) ?? initialize(programs);
  templates.set(programs, template);
  return template;
}

async function initialize(programs: string): Promise<string> {
  const folder = join(guardedFolder("template", MEMORY), "data");
  // A default collation that differs from "C": a query that forgets COLLATE "C" then fails its test.
  const collation = ["--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US"];
  const options = ["-D", folder, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"];
  await runAsOwner([join(programs, "initdb"), ...options, ...collation]);
  return folder;
}

export class Postmaster implements Cluster {
  readonly port = stablePort();
  readonly programs: string;
  readonly socketFolder: string;
  readonly dataFolder: string;
  readonly #folder: string;
  readonly #log: string;
  readonly #hba: readonly string[];
  #settings: Settings;
  #process: Bun.Subprocess | undefined;

  constructor(options: ClusterOptions) {
    this.programs = options.programs ?? PROGRAMS;
    this.#folder = guardedFolder("cluster", options.fsync === true ? undefined : MEMORY);
    this.socketFolder = this.#folder;
    this.dataFolder = options.folder ?? join(this.#folder, "data");
    this.#log = join(this.#folder, "log");
    this.#hba = options.hba ?? ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"];
    this.#settings = {
      ...COMMON,
      port: this.port,
      unix_socket_directories: this.socketFolder,
      fsync: options.fsync ?? false,
      ...(options.tls === undefined ? {} : this.#tls(options.tls)),
      ...options.settings,
    };
  }

  get running(): boolean {
    return (
      this.#process !== undefined && this.#process.exitCode === null && this.#process.signalCode === null
    );
  }

  get ended(): Promise<void> {
    return Promise.resolve(this.#process?.exited).then(() => {});
  }

  url(database = "postgres", user = "postgres"): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`;
  }

  configure(settings: Settings): void {
    this.#settings = { ...this.#settings, ...settings };
    if (existsSync(this.dataFolder)) this.#writeSettings();
  }

  psql(sql: string, database = "postgres"): Promise<string> {
    const own = join(this.programs, "psql");
    const psql = existsSync(own) ? own : join(PROGRAMS, "psql");
    const place = ["-h", this.socketFolder, "-p", `${this.port}`, "-U", "postgres", "-d", database];
    const options = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-f", "-"];
    return runAsOwner([psql, ...place, ...options], sql).then((printed) => printed.replace(/\n$/, ""));
  }

  async start(): Promise<void> {
    if (this.running) return;
    this.#writeSettings();
    const log = openSync(this.#log, "a");
    const child = Bun.spawn(asOwner([join(this.programs, "postgres"), "-D", this.dataFolder]), {
      cwd: this.#folder,
      env: ENVIRONMENT,
      stdin: "ignore",
      stdout: "ignore",
      stderr: log,
    });
    closeSync(log);
    this.#process = child;
    // Line 8 of this file is the server's state.
    const ready = (): boolean => {
      const lines = this.#pidFile();
      return lines[0] === `${child.pid}` && /^(?:ready|standby) *$/.test(lines[7] ?? "");
    };
    while (!ready()) {
      if (!this.running) throw new Error(`PostgreSQL did not start: ${this.logTail()}`);
      await Bun.sleep(10);
    }
  }

  async stop(mode: "fast" | "immediate" = "fast"): Promise<void> {
    this.#process?.kill(mode === "fast" ? "SIGINT" : "SIGQUIT");
    await this.#process?.exited;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async kill(): Promise<void> {
    if (this.#process === undefined || !this.running) return;
    const { pid } = this.#process;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
    this.#process.kill("SIGKILL");
    await this.#process.exited;
    // They notice the end of the server when they next wait for something.
    while (children.some(isAlive)) await Bun.sleep(5);
  }

  logTail(): string {
    return existsSync(this.#log) ? readFileSync(this.#log, "utf8").slice(-4000) : "";
  }

  /** Ends it and deletes its data; its port and settings stay. */
  async clear(): Promise<void> {
    await this.stop("immediate");
    // A killed server leaves a segment of shared memory; its number is at the end of line 7.
    const segment = this.#pidFile()[6]?.split(" ").at(-1);
    if (segment !== undefined) Bun.spawnSync(["ipcrm", "-m", segment]);
    for (const name of existsSync(this.dataFolder) ? readdirSync(this.dataFolder) : [])
      rmSync(join(this.dataFolder, name), { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.clear();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #pidFile(): string[] {
    const path = join(this.dataFolder, "postmaster.pid");
    return existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
  }

  #writeSettings(): void {
    const rows = Object.entries(this.#settings).map(
      ([name, value]) => `${name} = '${String(value).replaceAll("'", "''")}'\n`,
    );
    writeFileSync(join(this.dataFolder, "postgresql.conf"), rows.join(""));
    const hba = ["local all all trust", "local replication all trust", ...this.#hba];
    writeFileSync(join(this.dataFolder, "pg_hba.conf"), `${hba.join("\n")}\n`);
  }

  // The server refuses a key that others may read.
  #tls(files: { cert: string; key: string; ca: string }): Settings {
    const copies = Object.entries(files).map(([name, file]): [string, string] => {
      const copy = join(this.#folder, `server-${name}.pem`);
      copyFileSync(file, copy);
      giveToOwner(copy, 0o600);
      return [name, copy];
    });
    const { cert = "", key = "", ca = "" } = Object.fromEntries(copies);
    return { ssl: true, ssl_cert_file: cert, ssl_key_file: key, ssl_ca_file: ca };
  }
}

// Processes whose parent was killed are zombies until process 1 removes them.
function isAlive(pid: string): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
