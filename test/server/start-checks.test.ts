// What a server checks before it opens its port, and `doctor` with the same list.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { startFindings } from "../../server";
import type { Environment } from "../../src/config";
import { newTerminal } from "../cli/support/fake-io";
import { makeCertificate } from "../support/certificates";
import { loadConfig } from "../support/config";
import { temporaryFolder } from "../support/temporary";

const DAY_MS = 86_400_000;

describe("a certificate", () => {
  const status = async (before: number) => {
    const { cert, key } = makeCertificate(temporaryFolder(), "site");
    const ends = Date.parse(new X509Certificate(readFileSync(cert)).validTo);
    const config = loadConfig({
      environment: { HOME: temporaryFolder(), RUNTIME_TLS_CERT: cert, RUNTIME_TLS_KEY: key },
    });
    return (await startFindings(config, ends - before)).map((finding) => [finding.check, finding.status]);
  };

  test.each([
    [15 * DAY_MS, "ok"],
    [5 * DAY_MS, "warning"],
    [0, "problem"],
    [-DAY_MS, "problem"],
  ])("%i ms before its end is %s", async (before, expected) => {
    expect(await status(before)).toEqual([["certificate", expected]]);
  });
});

describe("a server does not start, and doctor says the same, with", () => {
  test.each<[string, Environment, string]>([
    [
      "a missing certificate",
      { RUNTIME_TLS_CERT: "/nowhere/c.pem", RUNTIME_TLS_KEY: "/nowhere/k" },
      "tls.cert",
    ],
    ["a host for other machines without TLS", { RUNTIME_HOST: "0.0.0.0" }, "0.0.0.0 can be reached"],
    ["a host name that does not exist", { RUNTIME_HOST: "nosuch.invalid" }, "cannot be resolved"],
    ["a proxy that is not an address", { RUNTIME_HTTP_TRUSTED_PROXIES: "foo" }, 'entry "foo"'],
    [
      "metrics on the port of the server",
      { RUNTIME_PORT: "19099", RUNTIME_METRICS_LISTEN: "127.0.0.1:19099" },
      "port of the server",
    ],
    ["a recipient that is not a key", { RUNTIME_BACKUP_RECIPIENTS: "age1abc" }, "backup.recipients: entry 1"],
  ])("%s", async (_what, environment, reason) => {
    const terminal = newTerminal({ RUNTIME_PORT: "0", ...environment });
    const data = join(terminal.home, "data");
    const served = await terminal.run(["serve", "--data-dir", data]);
    const examined = await terminal.run(["doctor", "--data-dir", data]);

    expect([served.code, examined.code]).toEqual([1, 1]);
    expect(served.stderr).toContain(reason);
    expect(examined.stdout).toContain(reason);
  });
});
