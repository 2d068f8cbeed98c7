// The deployment of the matrix: servers over HTTP, the terminal beside it on the same data folder, both platforms.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { extensions } from "../../../catalogs";
import { main } from "../../../cli/program";
import { type Server, startServer } from "../../../server";
import { type Json, silentLog } from "../../../src/base";
import { loadConfig } from "../../support/config";
import type { Role } from "../../../src/identity";
import { createRuntime, type Runtime } from "../../../src/runtime";
import type { Catalog, ToolContext } from "../../../src/tools";
import { announceServer } from "../../../src/serving";
import { openSqlite, type SqliteOptions, type Store } from "../../../src/store";
import { fakeIo } from "../../cli/support/fake-io";
import { api } from "../../support/api";
import { Browser } from "../../support/browser";
import { clientOf, type Owner, OWNERS, PROJECTS, PROVIDERS } from "./owners";
import { type Platforms, startPlatforms } from "./platforms";
import { storedInFile, storedOnPostgres } from "./stored";

const CLI = join(import.meta.dir, "..", "..", "..", "cli", "main.ts");

export interface Ran {
  readonly code: number;
  readonly body: Json;
  readonly stderr: string;
}

export interface WorldOptions {
  database?: string | undefined;
  servers?: number | undefined;
}

export interface World extends AsyncDisposable {
  readonly platforms: Platforms;
  /** An agent's client of a project; `admin`: an administrator's. */
  client(project: string, role?: "admin"): Client;
  /** A command in this process, with a runtime of its own, as another process would have. */
  terminal(project: string, ...args: string[]): Promise<Ran>;
  /** The same as a process of its own. */
  process(project: string, ...args: string[]): Promise<Ran>;
  /** The browser of the person who is this owner. */
  browser(owner: Owner): Browser;
  /** Makes the stored token one that has expired. */
  expireStored(owner: Owner): Promise<void>;
  /** Lets a minute pass for the tools that the server runs, so that no call budget is shared with earlier calls. */
  passMinute(): void;
  /** The owners whose grant is stored and alive, from the database itself. */
  granted(): Promise<Set<string>>;
}

/** `database`: the URL of an empty PostgreSQL database; absent: SQLite. The requests go to the servers in turn. */
export async function startWorld({ database, servers = 1 }: WorldOptions = {}): Promise<World> {
  const platforms = startPlatforms();
  const home = mkdtempSync(join(tmpdir(), "runtime-matrix-"));
  const environment = {
    HOME: home,
    RUNTIME_PORT: "0",
    RUNTIME_EGRESS_ALLOW: "loopback",
    RUNTIME_CHAT_API_URL: `${platforms.url}/api/`,
    RUNTIME_SHEETS_API_URL: platforms.url,
    ...(database === undefined ? {} : { RUNTIME_DATABASE_URL: database }),
  };
  let passedMs = 0;
  const shifted = extensions.catalogs.map((catalog) => shiftedBy(() => passedMs, catalog));
  const opened: { runtime: Runtime; server: Server }[] = [];
  for (let index = 0; index < servers; index++) {
    // All have the address of the first for browsers, as behind a proxy.
    const first = opened[0]?.server.address;
    const runtime = await createRuntime(
      loadConfig({ environment: { ...environment, ...(first && { RUNTIME_PUBLIC_URL: first }) } }),
      { ...extensions, catalogs: shifted },
      {
        log: silentLog,
        // Nothing here pulls the plug: without waiting for the disk there is time for more interleavings.
        ...(database === undefined ? { openStore: openQuickly } : {}),
      },
    );
    opened.push({ runtime, server: await startServer(runtime) });
  }
  const [first] = opened;
  if (first === undefined) throw new Error("there is no server");
  const withdraw = await announceServer(first.runtime.core, first.server.address);
  const addresses = opened.map(({ server }) => server.address);
  const clients = await prepare(first.runtime, addresses, platforms);
  let turns = 0;
  const stored =
    database === undefined
      ? storedInFile(join(home, ".local", "share", "runtime", "runtime.db"))
      : storedOnPostgres(database);
  const browsers = new Map(OWNERS.map(({ name }) => [name, new Browser()]));
  return {
    platforms,
    client: (project, role) => {
      const [one = api(first.server.address, undefined), ...others] =
        clients.get(`${project} ${role ?? "run"}`) ?? [];
      return [one, ...others][turns++ % (1 + others.length)] ?? one;
    },
    terminal: async (project, ...args) => {
      const io = fakeIo({ env: environment });
      const code = await main([...args, "--project", project, "-o", "json"], io);
      return { code, body: io.stdout === "" ? null : JSON.parse(io.stdout), stderr: io.stderr };
    },
    process: async (project, ...args) => {
      const child = Bun.spawn([process.execPath, CLI, ...args, "--project", project, "-o", "json"], {
        env: environment,
        cwd: home,
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
        timeout: 30_000,
      });
      const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
      return { code: await child.exited, body: stdout === "" ? null : JSON.parse(stdout), stderr };
    },
    browser: ({ name }) => browsers.get(name) ?? new Browser(),
    expireStored: (owner) => stored.expire(owner),
    passMinute: () => void (passedMs += 60_000),
    granted: () => stored.living(),
    [Symbol.asyncDispose]: async () => {
      await stored[Symbol.asyncDispose]();
      await withdraw();
      for (const { server } of opened) await server.stop();
      for (const { runtime } of opened) await runtime.close();
      await platforms[Symbol.asyncDispose]();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

const openQuickly = (options: SqliteOptions): Store => openSqlite({ ...options, durability: "normal" });

/**
 * The catalog with a later clock for its tools only. The runtime keeps the system's clock, which it shares with the
 * terminal through the database.
 */
function shiftedBy(offset: () => number, catalog: Catalog): Catalog {
  const shift = (context: ToolContext): ToolContext => {
    const ms = offset();
    const times: Partial<ToolContext> = { now: () => context.now() + ms, deadline: context.deadline + ms };
    return new Proxy(context, {
      get: (target, name) => Reflect.get(Object.hasOwn(times, name) ? times : target, name),
    });
  };
  const tools = catalog.tools.map((tool) => ({
    ...tool,
    run: (...[input, context]: Parameters<typeof tool.run>) => tool.run(input, shift(context)),
  }));
  return { ...catalog, tools };
}

type Client = ReturnType<typeof api>;

async function prepare(
  { identity, providers }: Runtime,
  addresses: readonly string[],
  { url }: Platforms,
): Promise<Map<string, Client[]>> {
  await identity.createProject(await identity.operator("default"), "second", "second");
  const clients = new Map<string, Client[]>();
  for (const project of PROJECTS) {
    for (const provider of PROVIDERS) {
      const endpoint = `${url}/token/${provider}`;
      await providers.create(await identity.operator(project), {
        id: provider,
        provider_id: provider,
        oauth2: {
          client_id: clientOf({ project, provider }),
          client_secret: "secret",
          authorize_request: { endpoint: `${url}/authorize` },
          token_request: { endpoint },
          refresh_request: { endpoint },
        },
      });
    }
    const roles: Role[] = ["run", "admin"];
    for (const role of roles) {
      const { key } = await identity.createKey(await identity.operator(project), { name: role, role });
      clients.set(
        `${project} ${role}`,
        addresses.map((address) => api(address, key)),
      );
    }
  }
  return clients;
}
