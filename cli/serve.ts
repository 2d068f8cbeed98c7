// Starts the server for `runtime serve`, and a temporary one for a consent if no other is running.
import { localApp, type Server, startServer, tellChecks } from "../server";
export { startFindings } from "../server";
import { BackupKeeper, sweepWorkFolders, workPlaces } from "../src/backup";
import { isLoopback, type LogFields } from "../src/base";
import type { Core } from "../src/core";
import { configurationError } from "../src/errors";
import type { Runtime } from "../src/runtime";
import { announceServer } from "../src/serving";
import type { Common } from "./command";
import { drain, untilNoticed } from "./drain";
import { EXIT } from "./errors";
import type { Io } from "./io";
import { backupMaker } from "./own-backups";
import { loadCommonConfig, type Session, withSession } from "./session";
import { supervised } from "./supervised";

/** A second stop signal within this time is a duplicate. */
const DUPLICATE_MS = 500;

/** How long a server that stops waits until it is not announced any more. */
const WITHDRAW_MS = 2000;

export interface ServeOptions {
  host: string | undefined;
  port: string | undefined;
  "tls.cert": string | undefined;
  "tls.key": string | undefined;
  "log.level": string | undefined;
  "log.format": string | undefined;
  "log.access": string | undefined;
}

/** Serves until a stop signal, then waits for what is running. Returns the exit code. */
export async function serve(
  io: Io,
  common: Common,
  { isDev, ...flags }: ServeOptions & { isDev: boolean },
): Promise<number> {
  const log = heldLog(io);
  const loaded = await loadCommonConfig(io, common, { flags, strict: true });
  if (isDev) (await import("./dev-server")).refuseOtherMachines(loaded);
  try {
    return await withSession(
      io,
      common,
      async (session) => {
        const { createDevKey, endDevKeys } = await import("../src/dev-key");
        const { printDevKey } = await import("./dev-server");
        const { runtime } = session;
        const endLeftKeys = () =>
          endDevKeys(runtime, async (id) => (await import("./probe")).isServing(runtime, id));
        await endLeftKeys();
        return serveSession(io, session, {
          ready: async ({ address }) => {
            const key = isDev ? await createDevKey(runtime, session.principal) : undefined;
            // The first line is the address and nothing else: scripts wait for it. With `log.format`, all lines are log lines.
            if (loaded.settings["log.format"] === undefined) io.note(address);
            if (key !== undefined) printDevKey(io, common, address, key);
            log.release();
          },
          ended: async () => void (await endLeftKeys()),
        });
      },
      { config: loaded, serves: log.write },
    );
  } finally {
    log.release();
  }
}

export interface Serving {
  /** Called when requests are answered. */
  ready(server: Server): Promise<void>;
  /** Called when no request is answered any more, also after an error. */
  ended?(): Promise<void>;
}

/** Serves an opened data folder until a stop signal. Returns the exit code. */
export async function serveSession(io: Io, session: Session, { ready, ended }: Serving): Promise<number> {
  const { core } = session.runtime;
  const stopped = Promise.withResolvers<void>();
  const server = await startServer(session.runtime);
  const announced = await announceServer(core, server.address);
  let withdrawn: Promise<void> | undefined;
  const withdraw = (): Promise<unknown> =>
    Promise.race([(withdrawn ??= withdrawing(core, announced)), core.clock.sleep(WITHDRAW_MS)]);
  try {
    // Before the address is printed, so that an immediate stop signal is handled.
    io.onStop(() => stopOrLeave(io, core, stopped));
    await ready(server);
    const upkeep = await keepUp(io, session, server);
    await stopped.promise;
    session.runtime.readiness.stopping();
    upkeep.stopping();
    await untilNoticed(core, upkeep.status);
    await withdraw();
    const cut = await drain(core, server, upkeep.status);
    await upkeep.end();
    return cut === undefined ? EXIT.ok : EXIT.timeout;
  } finally {
    await withdraw();
    await ended?.();
  }
}

/** A database that does not answer must not keep a server from finishing its requests. */
async function withdrawing({ log }: Core, withdraw: () => Promise<void>): Promise<void> {
  try {
    await withdraw();
  } catch (error) {
    // Commands let a server prove itself, so what is left misleads none.
    log.warn("the announcement of this server could not be withdrawn", { error });
  }
}

interface Upkeep {
  /** Shows one line to the service manager. */
  status(text: string): void;
  stopping(): void;
  end(): Promise<void>;
}

/** Starts what runs next to the server. */
async function keepUp(io: Io, { config, runtime, newKey }: Session, server: Server): Promise<Upkeep> {
  const { core, identity } = runtime;
  const { project } = config.settings;
  core.log.info("serving", servedAt(server.address, core.publicUrl()));
  // Behind the address, which programs read from the first line.
  void tellChecks(runtime);
  if (newKey !== undefined) core.log.warn(newKey);
  const endHealth = runtime.pluginHealth.start();
  const endKeeper = runtime.auditKeeper.start();
  sweepWorkFolders(workPlaces(config));
  const endBackups = new BackupKeeper(core, config.backupFolder(), backupMaker(config, io.env)).start();
  const supervision = await supervised(io, core, server);
  if (!(await identity.hasKeys(project)))
    core.log.warn(`There is no API key in project ${project} yet. Create one: runtime keys create NAME`);
  return {
    status: supervision.status,
    stopping: () => supervision.stopping(),
    end: async () => {
      await endHealth();
      await endKeeper();
      await endBackups();
      await supervision.end();
    },
  };
}

function servedAt(address: string, publicUrl: string): LogFields {
  return { address, page: `${publicUrl}/`, api_description: `${publicUrl}/v1/swagger/ui` };
}

// A second signal exits at once. Programs that forward signals (timeout, npm, a terminal to its process group) may deliver
// one signal twice, so a duplicate within a short time is ignored.
function stopOrLeave(io: Io, { log, settings, work }: Core, stopped: PromiseWithResolvers<void>): void {
  log.info("Stopping: waiting for what is still running. Repeat the signal to exit at once.", {
    seconds_left: settings["shutdown.timeout"],
    ...work.counts,
  });
  const requested = performance.now();
  io.onStop(() => {
    if (performance.now() - requested >= DUPLICATE_MS) process.exit(130);
  });
  stopped.resolve();
}

/** Log lines are held back until the address is printed. */
export function heldLog(io: Io): { write(line: string): void; release(): void } {
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
