// The HTTP front: starts and stops a server over a runtime.
import { isLoopback } from "../src/base";
import { configurationError, type RuntimeError } from "../src/errors";
import { ambiguousSources } from "../src/identity";
import { addressOf } from "../src/open-core";
import type { Runtime } from "../src/runtime";
import { type App, createApp } from "./app";
import { listenForMetrics, type MetricsListener } from "./metrics-listener";
import { requireSignIn } from "./sign-in-start";
import { hostnameOf, requireStartable } from "./start-checks";
import { readTls, type Tls } from "./tls";

export { localApp } from "./app";
export { tellChecks } from "./sign-in-start";
export { startFindings } from "./start-checks";

export interface Server {
  /** For example `http://127.0.0.1:9099`. */
  readonly address: string;
  /** Of the listener for metrics; undefined: none. */
  readonly metricsAddress: string | undefined;
  /**
   * Reads certificate and key again and serves new connections with them; open connections stay open. Throws
   * `configuration` when they are not usable, and keeps the old ones.
   */
  renewTls(): Promise<void>;
  /** Stops accepting, ends long polls, waits for requests in flight and scheduled runs. The runtime stays open. */
  stop(): Promise<void>;
  /** Closes all connections. Requests that are still in flight are aborted, so that `stop` soon resolves. */
  cut(): void;
}

export interface ServerOptions {
  /** Whether it also executes scheduled runs. Default: true. */
  runsScheduled?: boolean;
}

/** Another program may take the port in the moment in which it is free. */
const ATTEMPTS = 50;
const ATTEMPT_INTERVAL_MS = 100;
const DROP_KEYS_EVERY_MS = 10 * 60_000;

/**
 * Serves a runtime. Throws `configuration` with one line when the address is not available: in use, not of this machine,
 * not permitted, or reachable from other machines without TLS.
 */
export async function startServer(runtime: Runtime, options: ServerOptions = {}): Promise<Server> {
  const { settings, tls: files } = runtime.core;
  const { host, port } = settings;
  await requireStartable(runtime.core, { isTemporary: options.runsScheduled === false });
  const tls = files === undefined ? undefined : readTls(files);
  requireSignIn(runtime);
  // A temporary server, for a consent, may have other settings than the real one.
  if (options.runsScheduled !== false) await runtime.people.endFormerSignIns();
  warnOfExpiry(runtime, tls);
  warnOfAddress(runtime);
  warnOfAmbiguousUsers(runtime);
  const stopping = new AbortController();
  const app = createApp(runtime, stopping.signal);
  const listen = (at: number, secrets: Tls | undefined): number => {
    try {
      return app.listen({ hostname: host, port: at, tls: secrets });
    } catch (error) {
      throw bindError(host, at, error);
    }
  };
  const bound = listen(port, tls);
  const address = addressOf(host, bound, tls !== undefined);
  runtime.listensOn(address);
  runtime.ownState.begin();
  // A temporary server leaves the address to the real one.
  const scraped = options.runsScheduled === false ? undefined : await metricsOf(runtime, bound, app);
  const endWatch = runtime.metrics.watch();
  runtime.metrics.certificateEndsAt = tls?.endsAt;
  // Warns of a provider that spells its issuer in another way than the settings.
  void runtime.identity.readIssuers();
  let current = tls;
  const draining = new Set<Promise<void>>();
  const worker = options.runsScheduled === false ? undefined : runtime.tools.startWorker();
  const revocations =
    options.runsScheduled === false ? undefined : runtime.consent.revokeUnusedGrants(stopping.signal);
  const dropping = setInterval(() => dropRetiredKeys(runtime), DROP_KEYS_EVERY_MS).unref();
  const renew = async (): Promise<void> => {
    if (files === undefined) return;
    const renewed = readTls(files);
    warnOfExpiry(runtime, renewed);
    runtime.metrics.certificateEndsAt = renewed.endsAt;
    // Bun cannot change the certificate of a listener, so another listener replaces it.
    const drained = app.stop();
    draining.add(drained);
    void drained.finally(() => draining.delete(drained));
    await listenAgain((secrets) => listen(bound, secrets), renewed, current);
    current = renewed;
  };
  let last: Promise<void> = Promise.resolve();
  return {
    address,
    metricsAddress: scraped?.address,
    // One after the other, because two at a time would compete for the port.
    renewTls: () => (last = last.catch(() => undefined).then(renew)),
    stop: async () => {
      runtime.readiness.stopping();
      stopping.abort();
      endWatch();
      clearInterval(dropping);
      await Promise.all([app.stop(), scraped?.stop(), worker?.stop(), revocations, ...draining]);
    },
    cut: app.cut,
  };
}

/** Closes the port of the server again if the metrics cannot be served. */
async function metricsOf(runtime: Runtime, port: number, app: App): Promise<MetricsListener | undefined> {
  try {
    return listenForMetrics(runtime, port);
  } catch (error) {
    await app.stop();
    throw error;
  }
}

function dropRetiredKeys({ rotation, core }: Runtime): void {
  rotation.dropRetiredKeys().catch((error: unknown) => {
    core.log.warn("retired data keys could not be deleted and will be tried again", { error });
  });
}

// Falls back to the previous certificate, so that a running server goes on.
async function listenAgain(
  listen: (tls: Tls | undefined) => unknown,
  renewed: Tls,
  before: Tls | undefined,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      listen(attempt < ATTEMPTS ? renewed : before);
      return;
    } catch (error) {
      if (attempt > ATTEMPTS) throw error;
      await Bun.sleep(ATTEMPT_INTERVAL_MS);
    }
  }
}

function warnOfExpiry({ core }: Runtime, tls: Tls | undefined): void {
  if (tls === undefined || tls.endsAt > core.clock.now()) return;
  core.log.warn("the certificate of the server has expired", {
    ended_at: new Date(tls.endsAt).toISOString(),
  });
}

// The server works, but the browsers of other machines would be sent to themselves.
function warnOfAddress({ core }: Runtime): void {
  const { host, public_url } = core.settings;
  const own = URL.parse(public_url ?? "");
  if (own?.protocol === "http:" && !isLoopback(own.hostname))
    core.log.warn(
      "public_url is plain http: credentials and cookies of users cross the network in the clear. Use https, with --tls-cert and --tls-key or a proxy that ends TLS",
      { public_url: own.origin },
    );
  if (public_url !== undefined || isLoopback(hostnameOf(host))) return;
  core.log.warn("public_url is not set: consent addresses lead to this machine only", { host });
}

// The token of one user would be that of another. A warning only, because they may be the same people.
function warnOfAmbiguousUsers({ core }: Runtime): void {
  const sources = ambiguousSources(core.settings);
  if (sources.length === 0) return;
  core.log.warn("users of these user_sources cannot be distinguished from others: set user_prefix", {
    sources,
  });
}

/** Why the server cannot listen at an address, from the system's code in `error`. */
export function bindError(host: string, port: number, error: unknown): RuntimeError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const hint = "Choose another with --port (RUNTIME_PORT) or --host (RUNTIME_HOST).";
  return configurationError(`${host}:${port} ${reasonOf(code)}. ${hint}`, { cause: error });
}

function reasonOf(code: string): string {
  if (code === "EADDRINUSE") return "is in use by another program";
  if (["EACCES", "EPERM"].includes(code)) return "is not available: no permission";
  return "is not an address of this machine, or is not available";
}
