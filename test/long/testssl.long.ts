// The TLS of a server, judged by testssl.sh: nothing above "info" but what the certificate of a test cannot have.
import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { makeCertificate } from "../support/certificates";
import { testWith } from "../support/require";
import { Installation } from "../support/runtime-process";
import { temporaryFolder } from "../support/temporary";

interface Finding {
  id: string;
  severity: string;
  finding: string;
}

/** A self-signed certificate for two days, and a machine without DNS and GOST. */
const OF_THE_TEST =
  /^(cert_trust|cert_chain_of_trust|cert_expirationStatus|cert_notAfter|cert_revocation|cert_validityPeriod|DNS_CAArecord|engine_problem|scanTime|HTTP_status_code|clientAuth)/;
const ABOVE_INFO = ["WARN", "LOW", "MEDIUM", "HIGH", "CRITICAL", "FATAL"];

testWith("testssl", Bun.which("testssl") !== null)(
  "testssl.sh finds nothing above info",
  async () => {
    const folder = temporaryFolder();
    const { cert, key } = makeCertificate(folder, "localhost", "rsa");
    await using installation = new Installation(undefined);
    installation.environment["RUNTIME_TLS_CERT"] = cert;
    installation.environment["RUNTIME_TLS_KEY"] = key;
    const server = await installation.serve();
    const file = join(folder, "found.json");
    const address = new URL(server.address).host.replace("localhost", "127.0.0.1");

    const child = Bun.spawn(["testssl", "--quiet", "--warnings", "off", "--jsonfile", file, address], {
      cwd: folder,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    });
    await child.exited;
    const findings: Finding[] = JSON.parse(readFileSync(file, "utf8"));
    const serious = findings.filter(
      ({ id, severity }) => ABOVE_INFO.includes(severity) && !OF_THE_TEST.test(id),
    );

    expect(findings.length).toBeGreaterThan(50);
    expect(serious).toEqual([]);
    console.log(`testssl.sh: ${findings.length} findings, none above info`);
  },
  900_000,
);
