// The ports of the sandbox: that of the server, and those of the stand-ins next to it.
import { configurationError } from "../../src/errors";
import { plainFetch } from "../plain-fetch";

export const HOST = "127.0.0.1";
export const DEFAULT_PORT = 9099;
const TRIED = 200;
const REACHED_MS = 10_000;
const HIGHEST = 65_535;

/** Throws `configuration` if the server cannot listen on the port. */
export function requireFreePort(port: number): void {
  const fault = port === 0 ? undefined : faultOf(port);
  if (fault === undefined) return;
  const other = port === DEFAULT_PORT ? 9200 : DEFAULT_PORT;
  throw configurationError(`Port ${port} ${fault}. Choose another one: runtime sandbox --port ${other}`);
}

/** Throws `configuration` if one of the stand-ins cannot listen where it did at the last start. */
export function requireFreePorts(ports: readonly number[]): void {
  for (const port of ports) {
    const fault = faultOf(port);
    if (fault === undefined) continue;
    throw configurationError(
      `Port ${port}, which a platform of the sandbox has used since its first start, ${fault}. Stop the program that uses it, ` +
        "or add --reset to start without the data of earlier starts.",
    );
  }
}

/**
 * Free ports after that of the server: the system does not give those to outgoing connections, so that they are free at the
 * next start, too. With port 0, any.
 */
export function freePorts(after: number, count: number): number[] {
  const ports: number[] = [];
  const last = Math.min(HIGHEST, after + TRIED);
  for (let port = after + 1; after !== 0 && port <= last && ports.length < count; port++) {
    if (faultOf(port) === undefined) ports.push(port);
  }
  return ports.length === count ? ports : Array.from({ length: count }, () => 0);
}

/** Throws `configuration` if this machine cannot reach itself, as in a new network namespace. */
export async function requireLoopback(address: string): Promise<void> {
  try {
    await plainFetch(address, { signal: AbortSignal.timeout(REACHED_MS), bypassProxy: true });
  } catch (error) {
    throw configurationError(
      `This machine cannot reach itself at ${HOST}. Turn on its loopback interface (ip link set lo up), and start again.`,
      { cause: error },
    );
  }
}

function faultOf(port: number): string | undefined {
  try {
    Bun.listen({ hostname: HOST, port, socket: { data: () => undefined } }).stop(true);
    return undefined;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    return ["EACCES", "EPERM"].includes(code) ? "needs the rights of an administrator" : "is taken";
  }
}
