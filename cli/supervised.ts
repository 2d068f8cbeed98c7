// The server as a service: what its service manager is told, and the signal that reloads it.
import type { Log } from "../src/base";
import type { Core } from "../src/core";
import { collectOrphans } from "../src/processes";
import { type Supervision, supervise } from "../src/supervision";
import type { Io } from "./io";

/** What is needed of a server. */
interface Reloadable {
  readonly address: string;
  renewTls(): Promise<void>;
}

/** For a server that answers. SIGHUP reloads, until it stops. */
export async function supervised(io: Io, core: Core, server: Reloadable): Promise<Supervision> {
  // In a container, the server is the first process.
  if (process.pid === 1) collectOrphans();
  const supervision = await supervise(core, io.env);
  // SIGHUP reloads the certificate, as in other servers. A service manager may send it at any time; without one and without
  // TLS it ends the process, as usual.
  if (core.tls === undefined && !supervision.isPresent) return supervision;
  const renew = core.tls === undefined ? () => nothingToReload(core.log) : () => renewTls(core.log, server);
  let stops = false;
  // Ignored while the server stops: a new certificate would make it listen again.
  const hangUp = (): void => void (stops || supervision.reload(renew));
  process.on("SIGHUP", hangUp);
  await supervision.ready(server.address);
  return {
    ...supervision,
    stopping: () => {
      stops = true;
      supervision.stopping();
    },
    end: () => {
      process.off("SIGHUP", hangUp);
      return supervision.end();
    },
  };
}

async function renewTls(log: Log, server: Reloadable): Promise<void> {
  try {
    await server.renewTls();
    log.info("Certificate and key were reloaded.");
  } catch (error) {
    log.error("Certificate and key could not be reloaded. The old ones remain in use.", {
      reason: error instanceof Error ? error.message : "unknown reason",
    });
  }
}

function nothingToReload(log: Log): Promise<void> {
  log.info(
    "SIGHUP reloads the certificate of the server, and this one has none. Settings are read at the start.",
  );
  return Promise.resolve();
}
