// A deployment without HTTP in front: runtimes on one data folder with a clock that can be moved, a token endpoint, the
// test catalog and its platform.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, createLog, type JsonObject, Redacted, systemClock } from "../../src/base";
import { loadConfig } from "../support/config";
import type { TokenGrant } from "../../src/connections";
import type { Principal } from "../../src/identity";
import type { ProviderPreset } from "../../src/providers";
import type { RuntimeParts } from "../../src/open-core";
import { createRuntime, type Runtime } from "../../src/runtime";
import { openSqlite, touch } from "../../src/store";
import type { Catalog } from "../../src/tools";
import { startTokenEndpoint, type TokenEndpoint } from "../support/token-endpoint";
import { known, type TestCatalog, testCatalog } from "./catalog";
import { type Platform, startPlatform } from "./platform";

/** Time that runs on, and can be moved ahead. */
export class MovableClock implements Clock {
  #ahead = 0;
  #wallAhead = 0;

  now = (): number => Date.now() + this.#ahead + this.#wallAhead;
  monotonic = (): number => performance.now() + this.#ahead;
  sleep = (ms: number, signal?: AbortSignal): Promise<void> => systemClock.sleep(ms, signal);

  move(ms: number): void {
    this.#ahead += ms;
  }

  /** Sets the wall clock only, as an administrator or a time server does. */
  jump(ms: number): void {
    this.#wallAhead += ms;
  }
}

/**
 * Lets this much time pass while all processes go on looking at rows. The heartbeats of holders take real seconds, so a run
 * that hangs looks dead to other processes.
 */
export async function pass(clock: MovableClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 4000) {
    await Bun.sleep(300);
    clock.move(4000);
  }
}

export interface DeploymentOptions {
  /** More of `RUNTIME_…`. */
  environment?: Record<string, string>;
  parts?: RuntimeParts;
  /** Beside the test catalog. */
  catalogs?: readonly Catalog[];
  /** Besides the known one. */
  presets?: readonly ProviderPreset[];
}

export interface GrantOptions {
  project?: string;
  provider?: string;
  access?: string;
  /** null: none. */
  refresh?: string | null;
  /** Seconds; null: not told. Default: 3600. */
  expiresIn?: number | null;
  scopes?: string[];
  /** What the provider told besides. */
  facts?: JsonObject;
  /** The answer of the user info request. */
  userInfo?: JsonObject;
}

export interface Deployment extends AsyncDisposable {
  readonly folder: string;
  readonly clock: MovableClock;
  readonly runtime: Runtime;
  readonly idp: TokenEndpoint;
  readonly platform: Platform;
  readonly test: TestCatalog;
  readonly logLines: string[];
  /** Another runtime on the same data folder, as another process would be. */
  another(parts?: RuntimeParts): Promise<Runtime>;
  /** The custom provider `idp` of a project, or another that `record` describes. */
  addProvider(record?: object, project?: string): Promise<void>;
  /** Stores a grant as a consent would; answers the id of the connection. */
  give(userId: string, options?: GrantOptions): Promise<string>;
}

export async function deploy(options: DeploymentOptions = {}): Promise<Deployment> {
  const folder = mkdtempSync(join(tmpdir(), "runtime-deployment-"));
  const clock = new MovableClock();
  const idp = startTokenEndpoint();
  const platform = startPlatform();
  const test = testCatalog();
  const logLines: string[] = [];
  const log = createLog({ level: "debug", clock, write: (line) => logLines.push(line) });
  const environment = {
    HOME: folder,
    RUNTIME_EGRESS_ALLOW: "loopback",
    RUNTIME_CHAT_API_URL: platform.url,
    RUNTIME_RECORDS_SERVER_URLS: platform.url,
    ...options.environment,
  };
  const runtimes: Runtime[] = [];
  const start = async (parts: RuntimeParts = {}): Promise<Runtime> => {
    const runtime = await createRuntime(
      loadConfig({ environment }),
      { catalogs: [test.catalog, ...(options.catalogs ?? [])], presets: [known, ...(options.presets ?? [])] },
      {
        clock,
        log,
        // Nothing here pulls the plug: without waiting for the disk a test takes a third of the time.
        openStore: (store) => openSqlite({ ...store, durability: "normal" }),
        ...options.parts,
        ...parts,
      },
    );
    runtimes.push(runtime);
    return runtime;
  };
  const runtime = await start();
  return {
    folder,
    clock,
    runtime,
    idp,
    platform,
    test,
    logLines,
    another: start,
    addProvider: async (record = {}, project = "default") => {
      await runtime.providers.create(operator(project), { ...idpRecord(idp), ...record });
    },
    give: (userId, grant) => give(runtime, userId, grant),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(runtimes.map((one) => one.close()));
      await Promise.all([idp[Symbol.asyncDispose](), platform[Symbol.asyncDispose]()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The custom provider whose endpoints are the scripted one's. */
export function idpRecord({ url }: { url: string }) {
  return {
    id: "idp",
    oauth2: {
      client_id: "client",
      client_secret: "client-secret",
      authorize_request: { endpoint: `${url}/authorize` },
      token_request: { endpoint: `${url}/token` },
      refresh_request: { endpoint: `${url}/token` },
    },
  };
}

export function operator(projectId = "default"): Principal {
  return { kind: "operator", projectId };
}

/** An API key's principal; `users`: the only ones that it may act for. */
export function agent(users: string[] | null = null, projectId = "default", keyId = "key_agent"): Principal {
  return { kind: "key", keyId, projectId, role: "run", users };
}

export async function give(runtime: Runtime, userId: string, options: GrantOptions = {}): Promise<string> {
  const { project = "default", provider: id = "idp", expiresIn = 3600, scopes = ["a", "b"] } = options;
  const provider = await runtime.providers.find(project, id);
  if (provider === undefined) throw new Error(`no provider ${id}`);
  const refresh = options.refresh === undefined ? `refresh-of-${userId}` : options.refresh;
  const grant: TokenGrant = {
    accessToken: new Redacted(options.access ?? `access-of-${userId}`),
    refreshToken: refresh === null ? undefined : new Redacted(refresh),
    expiresIn: expiresIn ?? undefined,
    scopes,
    facts: options.facts ?? {},
    ...(options.userInfo === undefined ? {} : { userInfo: options.userInfo }),
  };
  let connection = "";
  await runtime.connections.store(project, userId, provider, grant, scopes, function* (connectionId) {
    connection = connectionId;
    yield* touch("connections");
  });
  return connection;
}
