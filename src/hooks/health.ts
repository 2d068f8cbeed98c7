// Polls the health of webhook servers every minute while the server runs. The result is informative and does not affect
// calls. Of several servers on one database, one polls in each minute.
import { inTurn, isObject, parseJson, Places } from "../base";
import type { Core } from "../core";
import { EgressError } from "../egress";
import { originOf } from "../origins";
import { targetOf } from "./chains";
import { activePlugins, type PluginRow, setHealth } from "./repository";
import { healthAddress } from "./rules";
import type { Health } from "./schema";
import { HEALTH } from "./terms";
import { webhookOf } from "./stored";
import { fact, setFact, type Transaction } from "../store";
import { WebhookFailure } from "./webhook";

const INTERVAL_MS = 60_000;
/** A round takes time, and sleeps end late: what is almost a minute counts as one. */
const ALMOST_MS = 55_000;
/** The fact that says when a server has begun the latest round. */
const ROUND = "plugin_health";
const TIMEOUT_MS = 5000;
const MAX_BYTES = 64 * 1024;
/** Per round. */
const MAX_PLUGINS = 1000;
/** Polls at the same time: an address that hangs takes its place until the time limit. */
const PLACES = { total: 40, share: 5 };

export class PluginHealth {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Polls every minute, if no other server does, until the returned function is called. */
  start(): () => Promise<void> {
    const stop = new AbortController();
    const running = this.#run(stop.signal);
    return async () => {
      stop.abort();
      await running;
    };
  }

  /** Polls every active plugin with a `health_check_path` and stores the result. */
  async poll(signal?: AbortSignal): Promise<void> {
    await this.#pollAll(await this.#polled(), signal);
  }

  /** The same, unless a server has begun to in the last minute. */
  async pollInTurn(signal?: AbortSignal): Promise<void> {
    const rows = await this.#polled();
    if (rows.length === 0) return;
    const { store, clock } = this.#core;
    if (await store.write(() => beginRound(clock.now()))) await this.#pollAll(rows, signal);
  }

  async #polled(): Promise<PluginRow[]> {
    const rows = await activePlugins(this.#core.store, MAX_PLUGINS);
    return rows.filter((row) => webhookOf(row).health_check_path !== undefined);
  }

  async #pollAll(waiting: readonly PluginRow[], signal: AbortSignal | undefined): Promise<void> {
    const queue = inTurn([...Map.groupBy(waiting, ({ project_id }) => project_id).values()]);
    const places = new Places(PLACES);
    const running = new Set<Promise<void>>();
    let failure: unknown;
    while (queue.length > 0 && !signal?.aborted) {
      const at = queue.findIndex(({ project_id }) => places.take(project_id));
      const [row] = at < 0 ? [] : queue.splice(at, 1);
      if (row === undefined) {
        await Promise.race(running);
        continue;
      }
      const work = this.#update(row, signal)
        .catch((error: unknown) => (failure ??= error))
        .then(() => {
          places.release(row.project_id);
          running.delete(work);
        });
      running.add(work);
    }
    await Promise.all(running);
    if (failure !== undefined) throw failure;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#core;
    while (!signal.aborted) {
      await this.pollInTurn(signal).catch((error: unknown) =>
        log.warn("plugin health not polled", { error }),
      );
      await clock.sleep(INTERVAL_MS, signal).catch(() => undefined);
    }
  }

  async #update(row: PluginRow, signal: AbortSignal | undefined): Promise<void> {
    const { store, log } = this.#core;
    const [health, reason] = await this.#poll(row, signal);
    if (health === row.health_status || signal?.aborted) return;
    await store.write(() => setHealth(row, health));
    const level = health === "healthy" ? "info" : "warn";
    log[level]("plugin health", { plugin_id: row.id, health, before: row.health_status, reason });
  }

  async #poll(row: PluginRow, signal: AbortSignal | undefined): Promise<[Health, string?]> {
    const webhook = webhookOf(row);
    const address = healthAddress(webhook) ?? "";
    const target = await targetOf(this.#core, row, address, TIMEOUT_MS);
    if (target instanceof WebhookFailure) return ["unhealthy", target.reason];
    const { authorization, tls, origins, projectId } = target;
    // The health check may be on another server, which gets no credentials.
    const own = origins.includes(originOf(address) ?? "");
    try {
      const response = await this.#core.egress.fetch(address, {
        group: "hook",
        headers: {
          accept: "application/json",
          ...(own && authorization !== undefined ? { authorization } : {}),
        },
        tls: own ? tls : { ca: tls?.ca },
        project: projectId,
        ...(own ? { secretsFor: origins } : {}),
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_BYTES,
        signal,
      });
      return healthOf(response.status, await response.text());
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      return ["unhealthy", error.reason];
    }
  }
}

/**
 * False if the latest round is younger than a minute. One a little in the future began while this server waited for its turn; one
 * more than a minute ahead was begun by a clock that runs ahead.
 */
function* beginRound(now: number): Transaction<boolean> {
  const age = now - Number((yield* fact(ROUND)) ?? NaN);
  if (Math.abs(age) < ALMOST_MS) return false;
  yield* setFact(ROUND, String(now));
  return true;
}

/** 200 or 503 with a status in the body; anything else is unhealthy. */
function healthOf(status: number, text: string): [Health, string?] {
  if (status !== 200 && status !== 503) return ["unhealthy", `status ${status}`];
  const reported = statusIn(text);
  const health = HEALTH.find((known) => known !== "unknown" && known === reported);
  if (health === undefined) return ["unhealthy", `status ${status} without a status in the body`];
  return status === 503 && health === "healthy" ? ["unhealthy", "status 503"] : [health];
}

function statusIn(text: string): unknown {
  try {
    const value = parseJson(text);
    return isObject(value) ? value["status"] : undefined;
  } catch {
    return undefined;
  }
}
