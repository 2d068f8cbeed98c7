// The deployment of the matrix: one server over HTTP, the terminal beside it on the same data folder, both platforms.
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { extensions } from "../../../catalogs";
import { main } from "../../../cli/program";
import { startServer } from "../../../server";
import { type Json, silentLog } from "../../../src/base";
import { loadConfig } from "../../support/config";
import type { Role } from "../../../src/identity";
import { createRuntime, type Runtime } from "../../../src/runtime";
import type { Catalog, ToolContext } from "../../../src/tools";
import { announceServer } from "../../../src/serving";
import { openSqlite } from "../../../src/store";
import { fakeIo } from "../../cli/support/fake-io";
import { api } from "../../support/api";
import { Browser } from "../../support/browser";
import { clientOf, type Owner, OWNERS, PROJECTS, PROVIDERS } from "./owners";
import { type Platforms, startPlatforms } from "./platforms";

const CLI = join(import.meta.dir, "..", "..", "..", "cli", "main.ts");

export interface Ran {
  readonly code: number;
  readonly body: Json;
  readonly stderr: string;
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
  expireStored(owner: Owner): void;
  /** Lets a minute pass for the tools that the server runs, so that no call budget is shared with earlier calls. */
  passMinute(): void;
  /** The owners whose grant is stored and alive, from the database itself. */
  granted(): Set<string>;
}

export async function startWorld(): Promise<World> {
  const platforms = startPlatforms();
  const home = mkdtempSync(join(tmpdir(), "runtime-matrix-"));
  const environment = {
    HOME: home,
    RUNTIME_PORT: "0",
    RUNTIME_EGRESS_ALLOW: "loopback",
    RUNTIME_CHAT_API_URL: `${platforms.url}/api/`,
    RUNTIME_SHEETS_API_URL: platforms.url,
  };
  let passedMs = 0;
  const shifted = extensions.catalogs.map((catalog) => shiftedBy(() => passedMs, catalog));
  const runtime = await createRuntime(
    loadConfig({ environment }),
    { ...extensions, catalogs: shifted },
    {
      log: silentLog,
      // Nothing here pulls the plug: without waiting for the disk there is time for more interleavings.
      openStore: (options) => openSqlite({ ...options, durability: "normal" }),
    },
  );
  const server = await startServer(runtime);
  const withdraw = await announceServer(runtime.core, server.address);
  const clients = await prepare(runtime, server.address, platforms);
  const database = new Database(join(home, ".local", "share", "runtime", "runtime.db"));
  database.run("PRAGMA busy_timeout=5000");
  const expiring = database.prepare(
    "UPDATE connections SET expires_at = 1, refresh_at = 1 WHERE project_id = ? AND user_id = ? AND provider_id = ?",
  );
  const living = database.prepare(
    "SELECT project_id || '-' || user_id || '-' || provider_id AS name FROM connections WHERE status = 'active'",
  );
  const browsers = new Map(OWNERS.map(({ name }) => [name, new Browser()]));
  return {
    platforms,
    client: (project, role) => clients.get(`${project} ${role ?? "run"}`) ?? api(server.address, undefined),
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
    expireStored: ({ project, user, provider }) => void expiring.run(project, user, provider),
    passMinute: () => void (passedMs += 60_000),
    granted: () => new Set(living.all().map((row) => String(Object(row).name))),
    [Symbol.asyncDispose]: async () => {
      expiring.finalize();
      living.finalize();
      database.close();
      await withdraw();
      await server.stop();
      await runtime.close();
      await platforms[Symbol.asyncDispose]();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

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
  address: string,
  { url }: Platforms,
): Promise<Map<string, Client>> {
  await identity.createProject(await identity.operator("default"), "second", "second");
  const clients = new Map<string, Client>();
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
      clients.set(`${project} ${role}`, api(address, key));
    }
  }
  return clients;
}
