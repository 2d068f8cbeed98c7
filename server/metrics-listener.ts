// The listener of `metrics.listen`: serves the page of metrics without a key, and nothing else.
import { isLoopback } from "../src/base";
import { metricsPlace, type Settings } from "../src/config";
import { configurationError } from "../src/errors";
import type { Runtime } from "../src/runtime";
import { metricsPage } from "./metrics-page";

export interface MetricsListener {
  /** For example `http://127.0.0.1:9464/metrics`. */
  readonly address: string;
  stop(): Promise<void>;
}

/** A scraper that reads slower than this, in seconds, is cut off. */
const IDLE_S = 30;

/**
 * Listens if the setting says where; `servedPort` is that of the server. Throws `configuration` with one line for an address that
 * is not available, and for the port of the server.
 */
export function listenForMetrics(runtime: Runtime, servedPort: number): MetricsListener | undefined {
  const { settings, log } = runtime.core;
  const place = settings["metrics.listen"];
  const checked = checkMetricsPlace(settings, servedPort);
  if (place === undefined || checked === undefined) return undefined;
  const { host, port } = checked;
  const isLocal = isLoopback(host);
  const server = listening(place, {
    hostname: host.replace(/^\[(.*)\]$/, "$1"),
    port,
    idleTimeout: IDLE_S,
    reusePort: false,
    development: false,
    routes: {
      "/metrics": {
        GET: (request) =>
          // A page of a browser can give its own name our address, but not our name.
          isLocal && !isLoopback(new URL(request.url).hostname)
            ? new Response("Use the address 127.0.0.1.\n", { status: 421 })
            : metricsPage(runtime, request.headers.get("accept") ?? undefined, undefined),
      },
    },
    fetch: () => new Response("Only GET /metrics is served here.\n", { status: 404 }),
  });
  if (!isLocal)
    log.warn("anybody who can reach metrics.listen can read the metrics, because it needs no key", {
      address: place,
    });
  const address = `http://${host}:${server.port}/metrics`;
  log.info("serving metrics", { address });
  return {
    address,
    stop: () => server.stop(true),
  };
}

/** Where the setting says to listen; undefined without it. Throws `configuration` for what cannot work next to the server. */
export function checkMetricsPlace(
  settings: Settings,
  servedPort: number,
): { host: string; port: number } | undefined {
  const place = settings["metrics.listen"];
  if (place === undefined) return undefined;
  if (!settings["metrics.enabled"])
    throw configurationError("metrics.listen is set, but metrics.enabled is false. Unset one of them.");
  const found = placeOf(place);
  if (found.port === servedPort && servedPort !== 0) throw samePort(place);
  return found;
}

function placeOf(text: string): { host: string; port: number } {
  const found = metricsPlace(text);
  if (found.port > 65_535)
    throw configurationError(`metrics.listen: ${text} does not have a port. Use 0 to 65535.`);
  return found;
}

function listening(place: string, options: Parameters<typeof Bun.serve>[0]): Bun.Server<undefined> {
  try {
    return Bun.serve(options) as Bun.Server<undefined>;
  } catch (error) {
    const reason = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
    throw configurationError(
      `metrics.listen: ${place} ${reason ? "is in use by another program" : "is not available on this machine"}. Choose another address or port.`,
      { cause: error },
    );
  }
}

function samePort(place: string): Error {
  return configurationError(
    `metrics.listen: ${place} has the port of the server. Choose another one, or unset it and read GET /metrics with a key.`,
  );
}
