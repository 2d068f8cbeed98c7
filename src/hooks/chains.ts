// Loads the hooks of a project, in their order, with everything that is needed to call them. They are cached until a hook
// or plugin changes, in any process.
import { Redacted, TimedCache } from "../base";
import type { Core } from "../core";
import { hashOf, Unopenable } from "../crypto";
import { CachedByGeneration } from "../store";
import type { Guard, ToolPolicy } from "../tools";
import type { Filter } from "./answers";
import type { Bindings } from "./bindings";
import { ChainGuard } from "./guard";
import { endpointName, timeoutOf } from "./record";
import { originsOfPlugin } from "./origins";
import * as repository from "./repository";
import type { HookRow, PluginRow } from "./repository";
import type { FailureMode, HookPoint, Point } from "./schema";
import { DEFAULT_CACHE_TTL_MS, FAILURE_MODES, HOOK_POINTS, oneOf } from "./terms";
import { signingKey } from "./signature";
import { openCredentials, retryOf, type StoredCredentials, webhookOf } from "./stored";
import { type Target, WebhookFailure } from "./webhook";

const MAX_ANSWERS = 1000;

export interface LoadedHook {
  id: string;
  pluginId: string;
  point: HookPoint;
  failureMode: FailureMode;
  target: Target | WebhookFailure;
  /** Access answers by user and tools; undefined: not cached. Any change of hooks or plugins loads new, empty caches. */
  cache: TimedCache<string, Filter> | undefined;
}

/** The hooks of each point, in the order in which they are called. */
export type Chain = Readonly<Record<Point, readonly LoadedHook[]>>;

export class Chains implements ToolPolicy {
  readonly #core: Core;
  readonly #bindings: Bindings;
  readonly #guards: CachedByGeneration<string, Guard | undefined>;

  constructor(core: Core, bindings: Bindings) {
    this.#core = core;
    this.#bindings = bindings;
    this.#guards = new CachedByGeneration(core.store, "hooks");
  }

  async guardOf(projectId: string): Promise<Guard | undefined> {
    return this.#guards.get(projectId, (id) => this.#load(id));
  }

  async #load(projectId: string): Promise<Guard | undefined> {
    const { store } = this.#core;
    const scope = await this.#bindings.scopeOf(projectId);
    const rows = await repository.activeHooks(store, scope);
    if (rows.length === 0) return undefined;
    const plugins = new Map((await repository.visiblePlugins(store, scope)).map((row) => [row.id, row]));
    const hooks: LoadedHook[] = [];
    const accessRules: unknown[] = [];
    for (const row of inOrder(rows)) {
      const plugin = plugins.get(row.plugin_id);
      if (plugin?.status !== "active") continue;
      hooks.push(await this.#hook(row, plugin));
      if (row.hook_point === "tool.access") accessRules.push(decidingFields(row, plugin));
    }
    if (hooks.length === 0) return undefined;
    const at = (point: HookPoint): LoadedHook[] => hooks.filter((hook) => hook.point === point);
    const chain = { access: at("tool.access"), pre: at("tool.pre"), post: at("tool.post") };
    return new ChainGuard(
      this.#core,
      chain,
      accessRules.length === 0 ? "" : hashOf(JSON.stringify(accessRules)),
    );
  }

  async #hook(row: HookRow, plugin: PluginRow): Promise<LoadedHook> {
    const point = oneOf(HOOK_POINTS, row.hook_point);
    const endpoint = webhookOf(plugin).endpoints[endpointName(point)];
    const ttl = endpoint?.cache_ttl_ms ?? DEFAULT_CACHE_TTL_MS;
    return {
      id: row.id,
      pluginId: plugin.id,
      point,
      failureMode: oneOf(FAILURE_MODES, row.failure_mode),
      target: await targetOf(this.#core, plugin, endpoint?.url ?? "", timeoutOf(row, endpoint)),
      cache:
        endpoint?.cache_enabled === true ? new TimedCache(this.#core.clock, ttl, MAX_ANSWERS) : undefined,
    };
  }
}

/** What a hook decides depends on these, and not on when its plugin was last seen healthy. */
function decidingFields(hook: HookRow, plugin: PluginRow): unknown[] {
  const { id, version, failure_mode, timeout_ms } = hook;
  return [id, version, failure_mode, timeout_ms, plugin.id, plugin.webhook, plugin.sealed_credentials];
}

/**
 * How to call an address of a plugin. If its credentials cannot be opened, the failure of every call: other plugins of the
 * project are not affected.
 */
export async function targetOf(
  core: Core,
  plugin: PluginRow,
  url: string,
  timeoutMs: number,
): Promise<Target | WebhookFailure> {
  try {
    return targetWith(plugin, url, timeoutMs, await openCredentials(core.keyring, plugin));
  } catch (error) {
    if (!(error instanceof Unopenable)) throw error;
    core.log.error("credentials of a plugin cannot be opened", { plugin_id: plugin.id, error });
    return new WebhookFailure("its credentials cannot be opened", "final", error);
  }
}

function targetWith(
  plugin: PluginRow,
  url: string,
  timeoutMs: number,
  { token, client_cert, client_key, signing_secret, former }: StoredCredentials,
): Target {
  const { auth } = webhookOf(plugin);
  const mutual = auth.type === "mtls" ? { cert: redacted(client_cert), key: redacted(client_key) } : {};
  return {
    url,
    timeoutMs,
    retry: retryOf(plugin),
    authorization:
      auth.type === "bearer" && token !== undefined ? new Redacted(`Bearer ${token}`) : undefined,
    tls: { ca: auth.ca_cert, ...mutual },
    signingKeys: [
      { secret: signing_secret, until: Infinity },
      { secret: former?.signing_secret, until: former?.until ?? 0 },
    ].flatMap(({ secret, until }) => {
      const key = secret === undefined ? undefined : signingKey(secret);
      return key === undefined ? [] : [{ key, until }];
    }),
    origins: originsOfPlugin(plugin),
    projectId: plugin.project_id,
  };
}

function redacted(text: string | undefined): Redacted | undefined {
  return text === undefined ? undefined : new Redacted(text);
}

/** Hooks of the organization before the project, of the project, of the organization after it; each group by priority. */
function inOrder(rows: readonly HookRow[]): HookRow[] {
  const group = ({ binding_type, phase }: HookRow): number =>
    binding_type === "project" ? 1 : phase === "after" ? 2 : 0;
  return rows.toSorted((left, right) => group(left) - group(right));
}
