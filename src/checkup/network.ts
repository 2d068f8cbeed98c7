// What the network has to do with it: the port, the addresses that browsers and providers use, the providers' servers.
import type { Core } from "../core";
import { EgressError } from "../egress";
import { type Finding, ok, problem, warning } from "./finding";

const REACH_MS = 8000;
const MOST_SKEW_MS = 60_000;

/** Whether the server could listen; `running`: the address of one that does. */
export async function checkPort(
  { host, port }: { host: string; port: number },
  running: string | undefined,
): Promise<Finding> {
  if (running !== undefined) return ok("port", `A server of this data folder runs at ${running}.`);
  const code = await listening(host, port);
  const place = `${host}:${port}`;
  if (code === undefined) return ok("port", `${place} is free; no server runs.`);
  if (code === "EADDRINUSE") {
    const fix = "Stop the other program, or choose another port: port (RUNTIME_PORT).";
    return problem("port", `${place} is in use by another program.`, fix);
  }
  if (code === "EACCES" || code === "EPERM") {
    const fix = "Choose a port above 1023: port (RUNTIME_PORT), with a proxy in front if need be.";
    return problem("port", `${place} may not be listened on by this user.`, fix);
  }
  const fix = "Set host (RUNTIME_HOST) to 127.0.0.1, 0.0.0.0 or an address of this machine.";
  return problem("port", `${host} is no address of this machine.`, fix);
}

function listening(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    // Loaded for who asks, which few do: it takes as long as opening the database.
    const server = process.getBuiltinModule("node:net").createServer();
    server.once("error", (error) => resolve("code" in error ? String(error.code) : "unknown"));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** Whether the redirect addresses can work, and whether consents are verified there. */
export function checkAddresses(
  core: Core,
  verifier: boolean,
  isLoopback: (host: string) => boolean,
): Finding[] {
  const { settings } = core;
  const url = new URL(core.publicUrl());
  const local = isLoopback(url.hostname);
  const findings: Finding[] = [];
  if (settings.public_url === undefined && settings.port === 0) {
    const fix = "Set port (RUNTIME_PORT) to a fixed one, or public_url (RUNTIME_PUBLIC_URL).";
    findings.push(
      problem("redirect address", "With port 0 the redirect address changes at each start.", fix),
    );
  } else if (url.protocol === "http:" && !local) {
    const fix = "Put a proxy with TLS in front and set public_url (RUNTIME_PUBLIC_URL) to its https address.";
    findings.push(
      problem(
        "redirect address",
        `${url.origin} is plain http: providers refuse it, and browsers send cookies in clear.`,
        fix,
      ),
    );
  } else if (local && !isLoopback(settings.host) && settings.public_url === undefined) {
    const fix = "Set public_url (RUNTIME_PUBLIC_URL) to the address under which browsers reach this server.";
    findings.push(
      warning(
        "redirect address",
        `The server listens on ${settings.host}, but sends browsers to ${url.origin}.`,
        fix,
      ),
    );
  } else findings.push(ok("redirect address", `${url.origin}/api/v1/oauth/…/callback`));
  const verified = local || verifier || settings["auth.url"] !== undefined;
  if (!verified && settings.session_verification !== "page_only") {
    const fix =
      "Set auth.url, or a verifier (runtime settings update --verifier-url URL), or session_verification: page_only.";
    findings.push(
      problem("verification", `Nobody verifies who consents at ${url.origin}: consents are refused.`, fix),
    );
  }
  return findings;
}

/** Whether the servers of a provider answer at all, and what time they have. */
export async function checkEndpoint(core: Core, name: string, address: string): Promise<Finding[]> {
  const check = `provider ${name}`;
  const { origin, protocol, hostname } = new URL(address);
  try {
    const response = await core.egress.fetch(origin, {
      method: "GET",
      timeoutMs: REACH_MS,
      maxBytes: 1_000_000,
    });
    await response.body?.cancel();
    return [ok(check, `${origin} answers.`), ...skew(core, origin, response.headers.get("date"))];
  } catch (error) {
    // An answer that we do not want, such as a redirect, is an answer.
    if (error instanceof EgressError && error.reason === "redirect_refused")
      return [ok(check, `${origin} answers.`)];
    return [unreached(check, origin, protocol, hostname, error)];
  }
}

function unreached(
  check: string,
  origin: string,
  protocol: string,
  hostname: string,
  error: unknown,
): Finding {
  const reason = error instanceof EgressError ? error.reason : "";
  const told = error instanceof Error ? error.message.replace(/\.$/, "") : "no answer";
  const message = `${origin} cannot be reached: ${told}.`;
  if (reason === "address_refused")
    return problem(
      check,
      message,
      `If it is meant, allow it: egress.allow (RUNTIME_EGRESS_ALLOW) with ${hostname}`,
    );
  if (reason === "tls")
    return problem(
      check,
      message,
      "Trust its certificate authority: egress.ca_file (RUNTIME_EGRESS_CA_FILE).",
    );
  const proxy = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  return problem(
    check,
    message,
    `Check the name, the firewall, and ${proxy} and NO_PROXY if there is a proxy.`,
  );
}

function skew(core: Core, origin: string, date: string | null): Finding[] {
  const theirs = Date.parse(date ?? "");
  const off = core.clock.now() - theirs;
  if (Number.isNaN(theirs) || Math.abs(off) < MOST_SKEW_MS) return [];
  const seconds = Math.round(Math.abs(off) / 1000);
  const message = `This machine's clock is ${seconds} s ${off < 0 ? "behind" : "ahead of"} ${origin}.`;
  return [problem("clock", message, "Set the clock by a time server (timedatectl set-ntp true).")];
}
