// Starts the server for `runtime serve`, and a temporary one for a consent if no other is running.
import { localApp, type Server, startServer } from "../server";
import { BackupKeeper } from "../src/backup";
import { isLoopback, type Log, type LogFields } from "../src/base";
import { configurationError } from "../src/errors";
import type { Runtime } from "../src/runtime";
import { announceServer } from "../src/serving";
import type { Common } from "./command";
import type { Io } from "./io";
import { backupMaker } from "./own-backups";
import { loadCommonConfig, type Session, withSession } from "./session";

/** A second stop signal within this time is a duplicate. */
const DUPLICATE_MS = 500;

export interface ServeOptions {
  host: string | undefined;
  port: string | undefined;
  "tls.cert": string | undefined;
  "tls.key": string | undefined;
  "log.level": string | undefined;
  "log.format": string | undefined;
  "log.access": string | undefined;
}

/** What a command that also serves does at the start. */
export interface ServeHooks {
  /** When requests are answered, before the address is printed. */
  listening?(session: Session, address: string): Promise<void>;
  /** When the address is printed. */
  ready?(address: string): void;
  /** The data is not worth a copy of the root key. */
  isDisposable?: boolean;
}

/** Serves until a stop signal, then waits for requests in flight. */
export async function serve(
  io: Io,
  common: Common,
  flags: ServeOptions,
  hooks: ServeHooks = {},
): Promise<void> {
  const log = heldLog(io);
  const stopped = Promise.withResolvers<void>();
  const loaded = await loadCommonConfig(io, common, { flags, strict: true });
  try {
    await withSession(
      io,
      common,
      async (session) => {
        const { config, runtime, newKey } = session;
        const { project } = config.settings;
        const { core } = runtime;
        const server = await startServer(runtime);
        const withdraw = await announceServer(core, server.address);
        await hooks.listening?.(session, server.address);
        // Before the address is printed, so that an immediate stop signal is handled.
        io.onStop(() => stopOrLeave(io, core.log, stopped));
        // The first line is the address and nothing else: scripts wait for it. With `log.format`, all lines are log lines.
        if (config.settings["log.format"] === undefined) io.note(server.address);
        hooks.ready?.(server.address);
        log.release();
        core.log.info("serving", servedAt(server.address, core.publicUrl()));
        if (newKey !== undefined && hooks.isDisposable !== true) core.log.warn(newKey);
        const endHealth = runtime.pluginHealth.start();
        const endKeeper = runtime.auditKeeper.start();
        const endBackups = new BackupKeeper(core, config.backupFolder(), backupMaker(config, io.env)).start();
        const hangUp = core.tls === undefined ? undefined : renewOnHangUp(core.log, server);
        if (!(await runtime.identity.hasKeys(project)))
          core.log.warn(
            `There is no API key in project ${project} yet. Create one: runtime keys create NAME`,
          );
        await stopped.promise;
        if (hangUp !== undefined) process.off("SIGHUP", hangUp);
        await withdraw();
        await server.stop();
        await endHealth();
        await endKeeper();
        await endBackups();
      },
      { config: loaded, serves: log.write },
    );
  } finally {
    log.release();
  }
}

function servedAt(address: string, publicUrl: string): LogFields {
  return { address, page: `${publicUrl}/`, api_description: `${publicUrl}/v1/swagger/ui` };
}

// A second signal exits at once. Programs that forward signals (timeout, npm, a terminal to its process group) may deliver
// one signal twice, so a duplicate within a short time is ignored.
function stopOrLeave(io: Io, log: Log, stopped: PromiseWithResolvers<void>): void {
  log.info("Stopping: waiting for requests in flight and scheduled runs. Repeat the signal to exit at once.");
  const requested = performance.now();
  io.onStop(() => {
    if (performance.now() - requested >= DUPLICATE_MS) process.exit(130);
  });
  stopped.resolve();
}

// SIGHUP reloads the certificate, as in other servers. Without TLS it ends the process, as usual.
function renewOnHangUp(log: Log, server: Server): () => void {
  const renew = (): void => {
    server.renewTls().then(
      () => log.info("Certificate and key were reloaded."),
      (error: unknown) =>
        log.error("Certificate and key could not be reloaded. The old ones remain in use.", {
          reason: error instanceof Error ? error.message : "unknown reason",
        }),
    );
  };
  process.on("SIGHUP", renew);
  return renew;
}

// Log lines are held back until the address is printed.
function heldLog(io: Io): { write(line: string): void; release(): void } {
  let held: string[] | undefined = [];
  return {
    write: (line) => (held === undefined ? io.note(line) : void held.push(line)),
    release: () => {
      for (const line of held ?? []) io.note(line);
      held = undefined;
    },
  };
}

/** Answers a request to the interface as the operator, without a server and without a key. */
export async function answerLocally(
  { runtime, principal, server }: Session,
  request: Request,
): Promise<Response> {
  // Addresses in answers are those of a running server.
  await server();
  return localApp(runtime, principal).fetch(request);
}

/** Listens only on the redirect address of a consent. Throws `configuration` if that address is not available. */
export async function listenForConsent(
  runtime: Runtime,
): Promise<{ address: string; stop(): Promise<void> }> {
  const place = listenAddress(runtime);
  if (place.port === 0) {
    throw configurationError(
      "A consent needs a fixed port, because the port is part of the redirect address at the provider. Set port (RUNTIME_PORT).",
    );
  }
  const settings = { ...runtime.core.settings, ...place };
  try {
    return await startServer({ ...runtime, core: { ...runtime.core, settings } }, { runsScheduled: false });
  } catch (error) {
    const reason = error instanceof Error ? error.message : "";
    throw configurationError(
      `No server is running on this data folder, and a temporary listener could not start: ${reason}`,
      { cause: error },
    );
  }
}

// A loopback public address is the address to listen on; any other leads to the configured one through a proxy.
function listenAddress({ core }: Runtime): { host: string; port: number } {
  const { host, port } = core.settings;
  const { protocol, hostname, port: publicPort } = new URL(core.publicUrl());
  if (protocol !== "http:" || !isLoopback(hostname)) return { host, port };
  const name = hostname === "[::1]" ? "::1" : hostname.startsWith("127.") ? hostname : "127.0.0.1";
  return { host: name, port: publicPort === "" ? 80 : Number(publicPort) };
}
