// Reads the data folder of the simulation from outside, as no simulated process does: never frozen, never failing.
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { silentLog } from "../../src/base";
import type { ConnectionRow } from "../../src/connections/repository";
import { openTokens } from "../../src/connections/tokens";
import { createRuntime, type Runtime } from "../../src/runtime";
import { openSqlite } from "../../src/store";
import { loadConfig } from "../support/config";
import type { Checked } from "./invariants";
import { extensions, PROVIDER } from "./simulated-catalog";
import type { Life } from "./simulated-process";
import type { Effect, Grant } from "./world";

interface RunState {
  status: string;
  cut_off: number;
}

export class Observer {
  readonly #folder: string;
  #runtime: Runtime | undefined;
  #database: Database | undefined;
  #log: Database | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Creates the data folder with the provider. */
  async open(): Promise<void> {
    const runtime = await createRuntime(loadConfig({ environment: { HOME: this.#folder } }), extensions, {
      log: silentLog,
      openStore: (options) => openSqlite({ ...options, durability: "normal" }),
    });
    this.#runtime = runtime;
    await runtime.providers.create(
      { kind: "operator", projectId: "default" },
      { id: PROVIDER, provider_id: PROVIDER, oauth2: { client_id: "client", client_secret: "secret" } },
    );
    const data = join(this.#folder, ".local", "share", "runtime");
    this.#database = new Database(join(data, "runtime.db"), { readonly: true });
    this.#log = new Database(join(data, "executions.db"), { readonly: true });
  }

  async close(): Promise<void> {
    this.#database?.close();
    this.#log?.close();
    await this.#runtime?.close();
  }

  connections(): ConnectionRow[] {
    return this.#main.query<ConnectionRow, []>("SELECT * FROM connections ORDER BY id").all();
  }

  connection(user: string): ConnectionRow | undefined {
    return this.connections().find(({ user_id }) => user_id === user);
  }

  /** Throws if the sealed tokens cannot be opened. */
  async refreshTokenOf(row: ConnectionRow): Promise<string | undefined> {
    if (this.#runtime === undefined) throw new Error("not open");
    return (await openTokens(this.#runtime.core.keyring, row)).refreshToken?.reveal();
  }

  run(id: string): RunState | undefined {
    const cutOff =
      "EXISTS (SELECT 1 FROM scheduled_attempts a WHERE a.run_id = r.id AND a.system_error LIKE 'The server was stopped%')";
    const row = this.#main
      .query<RunState, [string]>(`SELECT status, ${cutOff} AS cut_off FROM scheduled_runs r WHERE id = ?`)
      .get(id);
    return row ?? undefined;
  }

  /** How many entries of the execution log have this id. */
  entries(id: string): number {
    if (this.#log === undefined) throw new Error("not open");
    const count = this.#log.query<{ count: number }, [string]>(
      "SELECT COUNT(*) AS count FROM executions WHERE id = ?",
    );
    return count.get(id)?.count ?? 0;
  }

  get #main(): Database {
    if (this.#database === undefined) throw new Error("not open");
    return this.#database;
  }

  async refreshes({ world, found }: Checked, grant: Grant, pair: number, life: Life): Promise<void> {
    const row = this.connection(grant.user);
    const token = row === undefined ? undefined : await this.refreshTokenOf(row);
    const stored = token === undefined ? undefined : world.find(token);
    const newestStored = stored?.grant === grant ? stored.pair : -1;
    const newest = Math.max(newestStored, grant.received.get(life) ?? -1);
    if (pair >= newest) return;
    const detail = `refresh token ${grant.name}-${pair} was sent after ${grant.name}-${newest} had been received`;
    found.push({ invariant: "noOldRefreshToken", detail });
  }

  async revokes({ world, found }: Checked, grant: Grant): Promise<void> {
    const row = this.connection(grant.user);
    if (row === undefined || row.status !== "active") return;
    const token = await this.refreshTokenOf(row);
    if (token === undefined || world.find(token)?.grant !== grant) return;
    found.push({
      invariant: "noneRevokedThatIsNeeded",
      detail: `grant ${grant.name} was revoked while the connection of ${grant.user} used it`,
    });
  }

  begins({ runs, found }: Checked, { label, process }: Effect): void {
    const id = runs.get(label);
    const run = id === undefined ? undefined : this.run(id);
    if (run?.status !== "failed" && run?.status !== "completed") return;
    const detail = `${label} began its effect in ${process.name} when it was ${run.status}`;
    found.push({ invariant: "endedRunBeginsNoEffect", detail });
  }
}
