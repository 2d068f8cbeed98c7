// The HTTP front: starts and stops a server over a runtime.
import { isLoopback } from "../src/base";
import { configurationError, type RuntimeError } from "../src/errors";
import { ambiguousSources } from "../src/identity";
import { addressOf } from "../src/open-core";
import type { Runtime } from "../src/runtime";
import { createApp } from "./app";
import { readTls, type Tls } from "./tls";

export interface Server {
  /** Where it listens, for example `http://127.0.0.1:9099`. */
  readonly address: string;
  /**
   * Reads certificate and key again and serves new connections with them; those that are open go on. Throws
   * `configuration` when they cannot serve: then the old ones stay.
   */
  renewTls(): Promise<void>;
  /** Stops accepting, ends long polls, waits for requests in flight and scheduled runs. The runtime stays open. */
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** Whether it also runs what is scheduled; false for one that is there for a moment. Default: true. */
  runsScheduled?: boolean;
}

/** Another program that takes the port in the moment in which it is free may give it back. */
const TRIES = 50;
const BETWEEN_TRIES_MS = 100;

/**
 * Serves a runtime. Throws `configuration` with one line when the address cannot be had: in use, not of this host, not
 * permitted, or open to others without TLS.
 */
export async function startServer(runtime: Runtime, options: ServerOptions = {}): Promise<Server> {
  const { settings, tls: files } = runtime.core;
  const { host, port } = settings;
  const tls = files === undefined ? undefined : readTls(files);
  if (tls === undefined && !settings.behind_proxy && !isLoopback(hostnameOf(host))) throw unprotected(host);
  warnOfEnd(runtime, tls);
  warnOfAddress(runtime);
  warnOfUsers(runtime);
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
  let inUse = tls;
  const earlier = new Set<Promise<void>>();
  const worker = options.runsScheduled === false ? undefined : runtime.tools.startWorker();
  const revocations =
    options.runsScheduled === false ? undefined : runtime.consent.revokeUnusedGrants(stopping.signal);
  const renew = async (): Promise<void> => {
    if (files === undefined) return;
    const renewed = readTls(files);
    warnOfEnd(runtime, renewed);
    // Bun takes no other certificate for a socket that listens: the next one listens in its place.
    const drained = app.stop();
    earlier.add(drained);
    void drained.finally(() => earlier.delete(drained));
    await listenAgain((secrets) => listen(bound, secrets), renewed, inUse);
    inUse = renewed;
  };
  let last: Promise<void> = Promise.resolve();
  return {
    address,
    // One after the other: two at a time would take the port from each other.
    renewTls: () => (last = last.catch(() => undefined).then(renew)),
    stop: async () => {
      stopping.abort();
      await Promise.all([app.stop(), worker?.stop(), revocations, ...earlier]);
    },
  };
}

// What was checked a moment ago serves, or the certificate before it: a server that was running goes on.
async function listenAgain(
  listen: (tls: Tls | undefined) => unknown,
  renewed: Tls,
  before: Tls | undefined,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      listen(tries < TRIES ? renewed : before);
      return;
    } catch (error) {
      if (tries > TRIES) throw error;
      await Bun.sleep(BETWEEN_TRIES_MS);
    }
  }
}

function warnOfEnd({ core }: Runtime, tls: Tls | undefined): void {
  if (tls === undefined || tls.endsAt > core.clock.now()) return;
  core.log.warn("the certificate of the server has expired", {
    ended_at: new Date(tls.endsAt).toISOString(),
  });
}

// The server runs, and everybody else's browser is sent to its own machine.
function warnOfAddress({ core }: Runtime): void {
  const { host, public_url } = core.settings;
  if (public_url !== undefined || isLoopback(hostnameOf(host))) return;
  core.log.warn("public_url is not set: consent addresses lead to this machine only", { host });
}

// One person's token would be another's: said, and not refused, since they may be the same people.
function warnOfUsers({ core }: Runtime): void {
  const sources = ambiguousSources(core.settings);
  if (sources.length === 0) return;
  core.log.warn("users of these user_sources cannot be told from others: set user_prefix", {
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
  if (["EACCES", "EPERM"].includes(code)) return "cannot be listened on: no permission";
  return "is no address of this machine, or cannot be listened on";
}

/** As a URL writes it: IPv6 in brackets. */
function hostnameOf(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}

function unprotected(host: string): Error {
  return configurationError(
    `${host} can be reached from other machines, and credentials would cross the network in the clear. ` +
      "Give --tls-cert and --tls-key, or set behind_proxy: true (RUNTIME_BEHIND_PROXY=true) when a proxy in front of it ends TLS.",
  );
}
