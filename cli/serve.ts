// The server from the terminal: `runtime serve`, and the short-lived one that a consent needs when no other runs.
import { type Server, startServer } from "../server";
import { isLoopback } from "../src/base";
import { configurationError } from "../src/errors";
import type { Runtime } from "../src/runtime";
import { announceServer } from "../src/serving";
import type { Common } from "./command";
import type { Io } from "./io";
import { withSession } from "./session";

/** Signals that come this close together are one. */
const SAME_REQUEST_MS = 500;

export interface ServeOptions {
  host: string | undefined;
  port: string | undefined;
  "tls.cert": string | undefined;
  "tls.key": string | undefined;
}

/** Serves until the process is told to stop, then lets requests in flight finish. */
export async function serve(io: Io, common: Common, flags: ServeOptions): Promise<void> {
  const log = heldLog(io);
  const stopped = Promise.withResolvers<void>();
  try {
    await withSession(
      io,
      common,
      async ({ config, runtime }) => {
        const { project } = config.settings;
        const server = await startServer(runtime);
        const withdraw = await announceServer(runtime.core, server.address);
        // Before anybody knows that it runs: who then stops it at once finds it listening to that too.
        io.onStop(() => stopOrLeave(io, stopped));
        // The first line is the address and nothing else: scripts wait for it.
        io.note(server.address);
        log.release();
        const endHealth = runtime.pluginHealth.start();
        const hangUp = runtime.core.tls === undefined ? undefined : renewOnHangUp(io, server);
        if (!(await runtime.identity.hasKeys(project))) {
          io.note(`There is no API key in project ${project} yet. Make one: runtime keys create NAME`);
        }
        await stopped.promise;
        if (hangUp !== undefined) process.off("SIGHUP", hangUp);
        await withdraw();
        await server.stop();
        await endHealth();
      },
      { flags, logTo: { write: log.write, quiet: false } },
    );
  } finally {
    log.release();
  }
}

// The second signal does not wait. Programs that pass a signal on (timeout, npm, a terminal to its whole group) deliver
// it twice: that is one request, and nobody asks a second time so soon.
function stopOrLeave(io: Io, stopped: PromiseWithResolvers<void>): void {
  io.note("Stopping: waiting for requests in flight and scheduled runs. Once more ends at once.");
  const asked = performance.now();
  io.onStop(() => {
    if (performance.now() - asked >= SAME_REQUEST_MS) process.exit(130);
  });
  stopped.resolve();
}

// Who renews certificates says so by SIGHUP, as to other servers. Without TLS it keeps its usual meaning: the terminal
// is gone.
function renewOnHangUp(io: Io, server: Server): () => void {
  const renew = (): void => {
    server.renewTls().then(
      () => io.note("Certificate and key were read again."),
      (error: unknown) =>
        io.note(`error: ${error instanceof Error ? error.message : "unknown reason"} The old ones stay.`),
    );
  };
  process.on("SIGHUP", renew);
  return renew;
}

// Log lines of the start wait until the address is out.
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

/**
 * Listens where the browser of a consent will come back to, and nowhere else. Throws `configuration` when that address
 * cannot be had.
 */
export async function listenForConsent(
  runtime: Runtime,
): Promise<{ address: string; stop(): Promise<void> }> {
  const place = placeOf(runtime);
  if (place.port === 0) {
    throw configurationError(
      "A consent needs a fixed port, which the provider knows as part of the redirect address. Set port (RUNTIME_PORT).",
    );
  }
  const settings = { ...runtime.core.settings, ...place };
  try {
    return await startServer({ ...runtime, core: { ...runtime.core, settings } }, { runsScheduled: false });
  } catch (error) {
    const reason = error instanceof Error ? error.message : "";
    throw configurationError(
      `No server of this data folder is running, and nothing can be received in its place: ${reason}`,
      { cause: error },
    );
  }
}

// A public address of this machine's own says where; any other leads to the configured place through somebody's proxy.
function placeOf({ core }: Runtime): { host: string; port: number } {
  const { host, port } = core.settings;
  const { protocol, hostname, port: publicPort } = new URL(core.publicUrl());
  if (protocol !== "http:" || !isLoopback(hostname)) return { host, port };
  const name = hostname === "[::1]" ? "::1" : hostname.startsWith("127.") ? hostname : "127.0.0.1";
  return { host: name, port: publicPort === "" ? 80 : Number(publicPort) };
}
