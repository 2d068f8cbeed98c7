// Checks of the network: the port, the addresses for browsers and providers, and the servers of providers.
import { isLoopback } from "../base";
import { metricsPlace, type Settings } from "../config";
import type { Core } from "../core";
import { EgressError } from "../egress";
import { type Finding, ok, problem, warning } from "./finding";

export const TIMEOUT_MS = 8000;
const MAX_SKEW_MS = 60_000;

/** Checks that the server can listen. `running`: the address of a running server. */
export async function checkPort(
  { host, port }: { host: string; port: number },
  running: string | undefined,
): Promise<Finding> {
  if (running !== undefined) return ok("port", `A server of this data folder is running at ${running}.`);
  const code = await listening(host, port);
  const place = `${host}:${port}`;
  if (code === undefined) return ok("port", `${place} is free; no server is running.`);
  if (code === "EADDRINUSE") {
    const fix = "Stop the other program, or choose another port: port (RUNTIME_PORT).";
    return problem("port", `${place} is in use by another program.`, fix);
  }
  if (code === "EACCES" || code === "EPERM") {
    const fix = "Choose a port above 1023: port (RUNTIME_PORT). Put a proxy in front if necessary.";
    return problem("port", `This user may not listen on ${place}.`, fix);
  }
  const fix = "Set host (RUNTIME_HOST) to 127.0.0.1, 0.0.0.0 or an address of this machine.";
  return problem("port", `${host} is not an address of this machine.`, fix);
}

/** Checks that a running server could listen at `metrics.listen`. Empty without it, or while a server is running. */
export async function checkMetricsPort(
  { port: served, "metrics.listen": place }: Pick<Settings, "port" | "metrics.listen">,
  running: string | undefined,
): Promise<Finding[]> {
  if (place === undefined || running !== undefined) return [];
  const { host, port } = metricsPlace(place);
  // Ports that no server starts with.
  if (port === served || port > 65_535) return [];
  const code = await listening(host.replace(/^\[(.*)\]$/, "$1"), port);
  if (code === undefined) return [ok("metrics port", `${place} is free.`)];
  const reason = code === "EADDRINUSE" ? "is in use by another program" : "is not available on this machine";
  return [
    problem(
      "metrics port",
      `${place} ${reason}.`,
      "Set metrics.listen to another address or port, or unset it.",
    ),
  ];
}

function listening(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    // Loaded only here: it takes as long as opening the database.
    const server = process.getBuiltinModule("node:net").createServer();
    server.once("error", (error) => resolve("code" in error ? String(error.code) : "unknown"));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** Checks the redirect address. */
export function checkAddresses(core: Core): Finding[] {
  const url = new URL(core.publicUrl());
  return [redirectFinding(core, url, isLoopback(url.hostname))];
}

function redirectFinding({ settings }: Core, { origin, protocol }: URL, local: boolean): Finding {
  const check = "redirect address";
  if (settings.public_url === undefined && settings.port === 0) {
    const fix = "Set port (RUNTIME_PORT) to a fixed one, or public_url (RUNTIME_PUBLIC_URL).";
    return problem(check, "With port 0 the redirect address changes with each start.", fix);
  }
  if (protocol === "http:" && !local) {
    const fix = "Put a proxy with TLS in front and set public_url (RUNTIME_PUBLIC_URL) to its https address.";
    const message = `${origin} is plain http: providers refuse it, and browsers send cookies unencrypted.`;
    return problem(check, message, fix);
  }
  if (local && !isLoopback(settings.host) && settings.public_url === undefined) {
    const fix = "Set public_url (RUNTIME_PUBLIC_URL) to the address at which browsers reach this server.";
    return warning(check, `The server listens on ${settings.host}, but sends browsers to ${origin}.`, fix);
  }
  return ok(check, `${origin}/api/v1/oauth/…/callback`);
}

export interface EndpointOptions {
  /** The project whose calls depend on it, for the address policy. */
  project: string;
  /** The address is that of a page which browsers open, so it must exist; this machine may be unable to call it. */
  isPage?: true;
}

/** Checks that a server answers, and compares its clock with that of this machine. */
export async function checkEndpoint(
  core: Core,
  check: string,
  address: string,
  { project, isPage }: EndpointOptions,
): Promise<Finding[]> {
  const { origin } = new URL(address);
  try {
    const response = await core.egress.fetch(address, {
      group: "check",
      method: "GET",
      project,
      timeoutMs: TIMEOUT_MS,
      maxBytes: 1_000_000,
    });
    await response.body?.cancel();
    const { status } = response;
    const answered =
      isPage && isBroken(status) ? brokenPage(check, origin, status) : ok(check, `${origin} answers.`);
    return [answered, ...skew(core, origin, response.headers.get("date"))];
  } catch (error) {
    // A redirect is an answer, too.
    if (error instanceof EgressError && error.reason === "redirect_refused")
      return [ok(check, `${origin} answers.`)];
    if (isPage && error instanceof EgressError && error.reason === "address_refused")
      return [ok(check, `${origin} was not called, because of egress.allow. Browsers open it.`)];
    return [unreachable(check, new URL(address), error)];
  }
}

/** Other statuses may be the page's own: it is called without a user and without its parameters. */
function isBroken(status: number): boolean {
  return status === 404 || status === 410 || status >= 500;
}

function brokenPage(check: string, origin: string, status: number): Finding {
  return problem(
    check,
    `${origin} answers with the status ${status}.`,
    "Correct the address, or start its server.",
  );
}

export function unreachable(
  check: string,
  { origin, protocol, hostname, port }: URL,
  error: unknown,
): Finding {
  const reason = error instanceof EgressError ? error.reason : "";
  const detail = error instanceof Error ? error.message.replace(/\.$/, "") : "no answer";
  const proxy = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const fixes: { [reason: string]: string } = {
    address_refused: `If this is intended, add ${hostname}:${port || (protocol === "https:" ? 443 : 80)} to egress.allow (RUNTIME_EGRESS_ALLOW).`,
    tls: "Trust its certificate authority: egress.ca_file (RUNTIME_EGRESS_CA_FILE).",
  };
  const fix = fixes[reason] ?? `Check the name, the firewall, and ${proxy} and NO_PROXY if there is a proxy.`;
  return problem(check, `${origin} cannot be reached: ${detail}.`, fix);
}

export function skew(core: Core, origin: string, date: string | null): Finding[] {
  const theirs = Date.parse(date ?? "");
  const off = core.clock.now() - theirs;
  if (Number.isNaN(theirs) || Math.abs(off) < MAX_SKEW_MS) return [];
  const seconds = Math.round(Math.abs(off) / 1000);
  const message = `This machine's clock is ${seconds} s ${off < 0 ? "behind" : "ahead of"} ${origin}.`;
  return [problem("clock", message, "Synchronize the clock with a time server (timedatectl set-ntp true).")];
}
