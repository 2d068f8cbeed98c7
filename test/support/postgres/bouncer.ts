// PgBouncer in transaction mode before a server: sessions of clients share connections to the database.
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testWith } from "../require";
import { asOwner, ENVIRONMENT, giveToOwner, guardedFolder, hasPostgres, PROGRAMS } from "./programs";
import { runAsOwner, stablePort, testOnPostgres } from "./programs";

const PGBOUNCER = Bun.which("pgbouncer") ?? "/usr/sbin/pgbouncer";

export const hasBouncer = existsSync(PGBOUNCER);

/** `test`, or a skipped test where PgBouncer or PostgreSQL is not installed. */
export const testOnBouncer = hasPostgres ? testWith("pgbouncer", hasBouncer) : testOnPostgres;

export interface BouncerOptions {
  /** Passwords of roles, used in both directions (SCRAM). Default: everybody is trusted. */
  passwords?: Readonly<Record<string, string>>;
  /** Rows of `pgbouncer.ini`. */
  settings?: Readonly<Record<string, string | number>>;
}

export interface Bouncer extends AsyncDisposable {
  readonly port: number;
  /** `postgres://user@127.0.0.1:port/database`, with the password if there is one. */
  url(database?: string, user?: string): string;
  /** A command of its console: `SHOW POOLS`. */
  console(command: string): Promise<string>;
  /** Ends all connections at once and starts again. */
  restart(): Promise<void>;
  /** Fulfilled when running transactions have ended; new ones wait until `resume`. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  logTail(): string;
}

/** `target`: a cluster, or a proxy before one. */
export async function startBouncer(target: { port: number }, options: BouncerOptions = {}): Promise<Bouncer> {
  const { passwords, settings } = options;
  const folder = guardedFolder("bouncer");
  const port = stablePort();
  const log = join(folder, "log");
  const users = Object.entries(passwords ?? { postgres: "" });
  const rows = {
    listen_addr: "127.0.0.1",
    listen_port: port,
    unix_socket_dir: folder,
    pool_mode: "transaction",
    auth_type: passwords === undefined ? "trust" : "scram-sha-256",
    auth_file: join(folder, "users"),
    max_client_conn: 300,
    // Otherwise it refuses connections that send it.
    ignore_startup_parameters: "extra_float_digits,options,statement_timeout",
    ...settings,
  };
  const lines = Object.entries(rows).map(([name, value]) => `${name} = ${value}\n`);
  const ini = `[databases]\n* = host=127.0.0.1 port=${target.port}\n[pgbouncer]\n${lines.join("")}`;
  writeFileSync(join(folder, "pgbouncer.ini"), ini);
  writeFileSync(join(folder, "users"), users.map(([name, word]) => `"${name}" "${word}"\n`).join(""));
  giveToOwner(join(folder, "users"), 0o600);

  // The owner of the process is its administrator on the socket, without a password.
  const place = ["-h", folder, "-p", `${port}`, "-U", "pgbouncer", "-d", "pgbouncer"];
  const command = (text: string): Promise<string> =>
    runAsOwner([join(PROGRAMS, "psql"), "-X", "-A", "-t", ...place, "-c", text]);
  const logTail = (): string => (existsSync(log) ? readFileSync(log, "utf8").slice(-4000) : "");

  const start = async (): Promise<Bun.Subprocess> => {
    const output = openSync(log, "a");
    const child = Bun.spawn(asOwner([PGBOUNCER, "pgbouncer.ini"]), {
      cwd: folder,
      env: ENVIRONMENT,
      stdin: "ignore",
      stdout: "ignore",
      stderr: output,
    });
    closeSync(output);
    while (!existsSync(join(folder, `.s.PGSQL.${port}`))) {
      if (child.exitCode !== null) throw new Error(`PgBouncer did not start: ${logTail()}`);
      await Bun.sleep(10);
    }
    await command("SHOW VERSION");
    return child;
  };
  const stop = async (): Promise<void> => {
    process.kill("SIGTERM");
    await process.exited;
  };
  let process = await start();

  return {
    port,
    url: (database = "postgres", user = "postgres") => {
      const word = passwords?.[user];
      const password = word === undefined ? "" : `:${encodeURIComponent(word)}`;
      return `postgres://${user}${password}@127.0.0.1:${port}/${database}`;
    },
    console: command,
    restart: async () => {
      await stop();
      process = await start();
    },
    pause: async () => void (await command("PAUSE")),
    resume: async () => void (await command("RESUME")),
    logTail,
    [Symbol.asyncDispose]: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
