// The context of a running tool: access to the platform's addresses with the user's token, and nothing else.
import { Redacted } from "../base";
import type { LiveGrant } from "../connections";
import type { Core } from "../core";
import type { Provider } from "../providers";
import type { Caller } from "./caller";
import type { Base, CallFacts, ConnectionCache, PlatformRequest, ToolContext } from "./definition";
import { type MemoryOwner, NO_MEMORY, toolMemory } from "./memory";
import type { Tool } from "./registry";
import type { ExecutionOutput } from "./schema";
import { knownAddress } from "./secret-address";
import type { TimeLimit } from "./time-limit";
import { fatal } from "./tool-error";

/** A difference that is not a change of the clock. */
const JUMP_MS = 1000;

export interface Run {
  projectId: string;
  call: CallFacts;
  tool: Tool;
  provider: Provider | undefined;
  /** Replaced when it is renewed. */
  grant: LiveGrant | undefined;
  /** A newer grant after the platform has refused the token; undefined if there is none. */
  renew: () => Promise<LiveGrant | undefined>;
  progress: Progress;
  secrets: Readonly<Record<string, string>>;
  userKeys: Readonly<Record<string, Redacted>>;
  /** Aborts when the run must end. */
  limit: Pick<TimeLimit, "signal" | "stop" | "left">;
  deadline: number;
  /** Called at most once, and only if the tool uses a cache. */
  cache: () => ConnectionCache;
  logs: NonNullable<ExecutionOutput["logs"]>;
  caller?: Caller | undefined;
  /** Rejects if no request may be sent any more. */
  fence?: (() => Promise<void>) | undefined;
}

/** What a run has done so far, over all attempts. */
export interface Progress {
  /** Requests that were sent. */
  requests: number;
  /** The run may have changed something at the platform. */
  hasEffect: boolean;
}

export function toolContext(core: Core, run: Run): ToolContext {
  const { grant, provider } = run;
  core.telemetry.withhold(() => secretsOf(run));
  let cache: ConnectionCache | undefined;
  const renewed = async (): Promise<boolean> => {
    const newer = await run.renew();
    run.grant = newer ?? run.grant;
    return newer !== undefined;
  };
  return {
    call: run.call,
    fetch: (base, path, request = {}) => platformFetch(core, run, base, path, request),
    fence: run.fence,
    renew: renewed,
    reportEffect: () => {
      run.progress.hasEffect = true;
    },
    grant:
      grant === undefined
        ? undefined
        : { connectionId: grant.connectionId, scopes: grant.scopes, facts: grant.facts },
    provider: provider === undefined ? undefined : { id: provider.id, clientId: provider.oauth2.clientId },
    get publicUrl() {
      return core.publicUrl();
    },
    secrets: run.secrets,
    userKeys: run.userKeys,
    ...(run.caller === undefined ? {} : { caller: run.caller }),
    get signal() {
      return run.limit.signal;
    },
    get deadline() {
      return deadlineOf(core, run);
    },
    log: (level, message, subtype) => {
      run.logs.push({ level, message, ...(subtype === undefined ? {} : { subtype }) });
    },
    get cache() {
      return (cache ??= run.cache());
    },
    memory: grant === undefined ? NO_MEMORY : toolMemory(core, () => memoryOwner(run, run.grant ?? grant)),
    now: () => core.clock.now(),
    sleep: (ms) => core.clock.sleep(ms, run.limit.signal),
  };
}

function secretsOf({ secrets, userKeys, grant }: Run): string[] {
  const keys = Object.values(userKeys).map((key) => key.reveal());
  return [...Object.values(secrets), ...keys, ...(grant === undefined ? [] : [grant.token.reveal()])];
}

/** The clock may be set while the tool runs. */
function deadlineOf({ clock }: Core, { deadline, limit }: Run): number {
  const now = clock.now() + limit.left;
  return Math.abs(now - deadline) < JUMP_MS ? deadline : now;
}

/** Whose memory a run may use. */
export function memoryOwner(
  { projectId, provider, tool }: Pick<Run, "projectId" | "provider" | "tool">,
  { connectionId, version, facts }: LiveGrant,
): MemoryOwner {
  const { toolkit, accountOf } = tool.catalog;
  const account = accountOf?.(facts);
  const clientId = provider?.oauth2.clientId;
  return {
    projectId,
    connectionId,
    version,
    toolkit: toolkit.name,
    account: account === undefined || clientId === undefined ? undefined : [clientId, account],
  };
}

async function platformFetch(
  core: Core,
  run: Run,
  baseName: string,
  path: string,
  request: PlatformRequest,
): Promise<Response> {
  const url = platformUrl(core, run, baseName, path);
  const { anonymous, headers, bodyWithToken, ...rest } = request;
  const base = run.tool.catalog.bases[baseName];
  const scheme = run.tool.catalog.tokenScheme ?? "Bearer";
  const token = anonymous ? undefined : run.grant?.token;
  const signs = token !== undefined && base?.credential !== "none";
  const signed = signs ? { authorization: new Redacted(`${scheme} ${token.reveal()}`) } : {};
  if (bodyWithToken !== undefined && base?.receivesToken !== true)
    throw fatal("The token of a user would be sent to a platform that must not receive it.");
  const body = bodyWithToken === undefined ? {} : { body: bodyWithToken(token) };
  run.progress.requests++;
  return core.egress.fetch(url, {
    signal: run.limit.stop,
    fence: run.fence,
    ...rest,
    ...body,
    timeoutMs: timeOf(core, run, request),
    project: run.projectId,
    group: {
      toolkit: run.tool.catalog.toolkit.name,
      isWorker: run.tool.catalog.worker !== undefined,
    },
    headers: { ...headers, ...signed },
    secretsFor: [url.origin],
  });
}

/**
 * The time of one request: as long as the setting allows, the tool asks for, and the run has left. For a worker, its record
 * takes the place of the setting.
 */
function timeOf(core: Core, run: Run, { timeoutMs }: PlatformRequest): number {
  const most = core.settings["egress.timeout"] * 1000;
  const asked =
    run.tool.catalog.worker === undefined ? Math.min(timeoutMs ?? Infinity, most) : (timeoutMs ?? most);
  return Math.max(1, Math.min(asked, run.limit.left));
}

/**
 * The address of a path below a base; without a path, the base's own address. A path that leads out of its base throws,
 * so the token is never sent elsewhere.
 */
function platformUrl(core: Core, run: Run, baseName: string, path: string): URL {
  const base = run.tool.catalog.bases[baseName];
  const address = base === undefined ? undefined : addressOf(core, run, base);
  if (address === undefined) throw fatal(`The address of the platform ("${baseName}") is not configured.`);
  if (path === "") return address;
  const root = new URL(address.href.endsWith("/") ? address.href : `${address.href}/`);
  const url = URL.parse(path.replace(/^\/+/, ""), root.href);
  if (url === null || url.origin !== root.origin || !url.pathname.startsWith(root.pathname)) {
    throw fatal("A request of this tool would go to an address outside its platform.");
  }
  return url;
}

function addressOf(core: Core, run: Run, base: Base): URL | undefined {
  const settings: Readonly<Record<string, unknown>> = core.settings;
  const set = base.setting === undefined ? undefined : settings[base.setting];
  const given = base.secret === undefined ? undefined : run.secrets[base.secret.name];
  const text = given ?? (typeof set === "string" ? set : base.url);
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    throw fatal(
      `${base.secret?.name ?? base.setting ?? "The platform's address"} is not an http(s) address.`,
    );
  }
  return given === undefined || base.secret === undefined ? url : knownAddress(settings, base.secret, url);
}
