// What a server checks before it opens its port, and `doctor` before a server is started: one list for both.
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { isLoopback } from "../src/base";
import type { Config, Settings, TlsFiles } from "../src/config";
import { type Finding, ok, problem, refused, warning } from "../src/checkup";
import { configurationError } from "../src/errors";
import { clientAddressesOf } from "./client-address";
import { checkMetricsPlace } from "./metrics-listener";
import { readTls } from "./tls";

export interface StartSettings {
  settings: Settings;
  tls: TlsFiles | undefined;
}

interface StartCheck {
  /** The subject, for people. */
  name: string;
  /** A temporary server, for a consent, does not do what it is about. */
  onlyOfServers?: true;
  /** Throws `configuration`. */
  run(start: StartSettings): void | Promise<void>;
}

const CHECKS: readonly StartCheck[] = [
  { name: "certificate", run: ({ tls }) => void (tls && readTls(tls)) },
  { name: "host", run: checkHost },
  { name: "trusted proxies", run: ({ settings }) => void clientAddressesOf(settings) },
  {
    name: "metrics listener",
    onlyOfServers: true,
    run: ({ settings }) => void checkMetricsPlace(settings, settings.port),
  },
  { name: "backup recipients", onlyOfServers: true, run: checkRecipients },
];

/** When a certificate should be renewed; the alert of docs/metrics.md has the same limit. */
const RENEW_BEFORE_MS = 14 * 86_400_000;

/** Throws `configuration` with the first reason for which a server with these settings cannot start. */
export async function requireStartable(
  start: StartSettings,
  { isTemporary }: { isTemporary: boolean },
): Promise<void> {
  for (const { onlyOfServers = false, run } of CHECKS) if (!onlyOfServers || !isTemporary) await run(start);
}

/** All reasons for which a server with this configuration cannot start, and whether its certificate ends soon. */
export async function startFindings(config: Config, now: number): Promise<Finding[]> {
  const start = { settings: config.settings, tls: config.tlsFiles() };
  const found: Finding[] = [];
  for (const { name, run } of CHECKS) {
    try {
      await run(start);
    } catch (error) {
      found.push(refused(name, error));
    }
  }
  if (start.tls === undefined || found.some(({ check }) => check === "certificate")) return found;
  return [...found, certificateFinding(start.tls, now)];
}

function certificateFinding(files: TlsFiles, now: number): Finding {
  const { endsAt } = readTls(files);
  const end = new Date(endsAt).toISOString().replace(".000", "");
  const fix = `Copy a renewed one over ${files.cert} and its key, and send SIGHUP to a running server.`;
  if (endsAt <= now)
    return problem("certificate", `${files.cert} expired at ${end}, so clients refuse it.`, fix);
  if (endsAt - now < RENEW_BEFORE_MS) return warning("certificate", `${files.cert} expires at ${end}.`, fix);
  return ok("certificate", `${files.cert} expires at ${end}.`);
}

async function checkHost({ settings: { host, behind_proxy }, tls }: StartSettings): Promise<void> {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  if (isLoopback(hostnameOf(host))) return;
  if (isIP(bare) === 0) await requireName(host);
  if (tls === undefined && !behind_proxy) throw unprotected(host);
}

async function requireName(host: string): Promise<void> {
  try {
    await lookup(host);
  } catch (error) {
    throw configurationError(
      `host: the name ${host} cannot be resolved. Use an address of this machine, such as 127.0.0.1, or a name that it knows.`,
      { cause: error },
    );
  }
}

async function checkRecipients({ settings }: StartSettings): Promise<void> {
  const recipients = settings["backup.recipients"];
  if (recipients.length === 0) return;
  const { Encrypter } = await import("age-encryption");
  const encrypter = new Encrypter();
  for (const [index, recipient] of recipients.entries()) {
    try {
      encrypter.addRecipient(recipient);
    } catch (error) {
      throw configurationError(
        `backup.recipients: entry ${index + 1} is not a public key of age. Copy it again, or make a pair of keys with: age-keygen`,
        { cause: error },
      );
    }
  }
}

/** As in a URL: IPv6 in brackets. */
export function hostnameOf(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}

function unprotected(host: string): Error {
  return configurationError(
    `${host} can be reached from other machines, and credentials would cross the network in the clear. ` +
      "Give --tls-cert and --tls-key, or set behind_proxy: true (RUNTIME_BEHIND_PROXY=true) when a proxy in front of it ends TLS.",
  );
}
