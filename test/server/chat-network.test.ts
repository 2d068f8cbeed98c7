// Servers of models behind a private certificate authority and behind a proxy: the same rules as for everything that
// goes out.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "../../src/base";
import { createEgress, type Egress, proxyFromEnvironment } from "../../src/egress";
import { completion } from "../sandbox/models/chat-server";
import { api, at } from "../support/api";
import { type Site, type SiteOptions, startSite } from "../support/site";

const folder = mkdtempSync(join(tmpdir(), "chat-tls-"));
const certificate = join(folder, "certificate.pem");
let port: number;
let server: ReturnType<typeof Bun.serve>;

beforeAll(() => {
  const key = join(folder, "key.pem");
  const made = Bun.spawnSync(
    `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test -keyout ${key}
      -out ${certificate} -addext subjectAltName=DNS:models.internal,IP:127.0.0.1`.split(/\s+/),
  );
  if (!made.success) throw new Error(made.stderr.toString());
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    tls: { key: readFileSync(key), cert: readFileSync(certificate) },
    fetch: () => Response.json(completion({ content: "Hello." })),
  });
  port = server.port ?? 0;
});
afterAll(async () => {
  await server.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

async function asked(host: string, options: SiteOptions): Promise<[status: number, said: string]> {
  const entry = { id: "m", openai: { base_url: `https://${host}:${port}/v1` } };
  await using site: Site = await startSite({
    ...options,
    environment: { RUNTIME_MODELS: JSON.stringify([entry]), ...options.environment },
  });
  const body = { model: "m/any", messages: [{ role: "user", content: "Hi" }] };
  const answer = await api(site.url, await site.key("run")).post("/v1/chat/completions", body);
  return [answer.status, String(at(answer.body, "choices.0.message.content") ?? at(answer.body, "message"))];
}

describe("a server of models behind a private certificate authority [fault: private-authority]", () => {
  test("is asked when the authority is configured", async () => {
    expect(await asked("127.0.0.1", { environment: { RUNTIME_EGRESS_CA_FILE: certificate } })).toEqual([
      200,
      "Hello.",
    ]);
  });

  test("is not trusted otherwise, and the error says what to set", async () => {
    expect(await asked("127.0.0.1", {})).toEqual([
      500,
      expect.stringMatching(/TLS certificate.*egress\.ca_file/),
    ]);
  });
});

describe("a server of models on a machine with a proxy", () => {
  const through = (environment: Record<string, string>): Egress =>
    createEgress({
      allow: ["models.internal", "loopback"],
      timeoutMs: 3_000,
      maxBytes: 1_048_576,
      log: silentLog,
      proxy: proxyFromEnvironment(environment),
      authorities: readFileSync(certificate, "utf8"),
      resolve: () => Promise.resolve(["127.0.0.1"]),
    });

  test("a proxy that is dead is named [fault: private-authority]", async () => {
    const egress = through({ https_proxy: "http://127.0.0.1:1" });
    expect(await asked("models.internal", { parts: { egress } })).toEqual([
      500,
      expect.stringMatching(/No connection to the proxy/),
    ]);
  });

  test("a name of NO_PROXY is asked without it", async () => {
    const egress = through({ HTTPS_PROXY: "http://127.0.0.1:1", NO_PROXY: ".internal,localhost" });
    expect(await asked("models.internal", { parts: { egress } })).toEqual([200, "Hello."]);
  });
});
