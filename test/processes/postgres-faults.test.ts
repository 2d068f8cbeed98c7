// Servers on one database whose database goes away: callers are told 503 with Retry-After, health says it, and everything
// answers again within five seconds.
import { expect } from "bun:test";
import { startCluster } from "../support/postgres/cluster";
import { testOnPostgres } from "../support/postgres/programs";
import { startProxy } from "../support/postgres/proxy";
import { Installation, type RunningServer } from "../support/runtime-process";

const RECOVERY_MS = 5000;
const HEALTH_MS = 2000;

interface Answer {
  status: number;
  retryAfter: string | null;
  tookMs: number;
}

class Caller {
  readonly stored = new Map<string, string>();
  readonly wrong: Answer[] = [];
  readonly #server: RunningServer;
  readonly #key: string;
  #number = 0;

  constructor(server: RunningServer, key: string) {
    this.#server = server;
    this.#key = key;
  }

  async ask(path: string, init: RequestInit = {}): Promise<Answer> {
    const started = performance.now();
    const headers = { authorization: `Bearer ${this.#key}`, "content-type": "application/json" };
    const response = await fetch(new URL(path, this.#server.address), { ...init, headers });
    await response.text();
    return {
      status: response.status,
      retryAfter: response.headers.get("retry-after"),
      tookMs: performance.now() - started,
    };
  }

  /** Writes a secret and lists; whether both succeeded. */
  async work(): Promise<boolean> {
    const name = `S${process.pid}_${this.#server.pid}_${this.#number++}`;
    const body = JSON.stringify({ value: name });
    const answers = [
      await this.ask(`/v1/admin/secrets/${name}`, { method: "POST", body }),
      await this.ask("/v1/admin/secrets"),
    ];
    if (answers[0]?.status === 200) this.stored.set(name, name);
    for (const answer of answers) {
      const isRefused = answer.status === 503 && Number(answer.retryAfter) > 0;
      if (answer.status !== 200 && !isRefused) this.wrong.push(answer);
    }
    return answers.every(({ status }) => status === 200);
  }

  async recovers(): Promise<void> {
    const ended = performance.now();
    for (;;) {
      const started = performance.now();
      if (await this.work()) break;
      expect(started - ended).toBeLessThan(RECOVERY_MS);
      await Bun.sleep(50);
    }
    expect(performance.now() - ended).toBeLessThan(RECOVERY_MS);
    expect((await this.ask("/v1/health")).status).toBe(200);
  }
}

/** Works until told to stop. */
async function working(caller: Caller, isOver: () => boolean): Promise<void> {
  while (!isOver()) await caller.work();
}

testOnPostgres(
  "servers answer 503 while their database is away, and recover",
  async () => {
    await using cluster = await startCluster();
    await using proxy = startProxy({ port: cluster.port });
    await using installation = new Installation(undefined);
    installation.environment["RUNTIME_DATABASE_URL"] = proxy.url(cluster.url());
    const key = await installation.key("admin");
    const servers = [await installation.serve(), await installation.serve()];
    const callers = servers.map((server) => new Caller(server, key));
    const faults: [() => Promise<void>, () => Promise<void>][] = [
      [() => cluster.kill(), () => cluster.start()],
      [() => cluster.stop("fast"), () => cluster.start()],
      [async () => proxy.cut(), async () => proxy.heal()],
    ];
    for (const [begin, end] of faults) {
      let isOver = false;
      const work = callers.map((caller) => working(caller, () => isOver));
      await begin();
      for (const caller of callers) {
        const health = await caller.ask("/v1/health");
        expect(health.status).toBe(503);
        expect(health.tookMs).toBeLessThan(HEALTH_MS + 500);
      }
      await end();
      await Promise.all(callers.map((caller) => caller.recovers()));
      isOver = true;
      await Promise.all(work);
    }

    for (const caller of callers) {
      expect(caller.wrong).toEqual([]);
      expect(caller.stored.size).toBeGreaterThan(faults.length);
    }
    const listed = JSON.stringify(await installation.json(["secrets", "list"]));
    const lost = callers.flatMap(({ stored }) => [...stored.keys()]).filter((name) => !listed.includes(name));
    expect(lost).toEqual([]);
  },
  120_000,
);
