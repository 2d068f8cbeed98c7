// A private certificate authority: consents, tools and language models trust it if the process does. Otherwise they
// fail with an error that names the certificate.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChatSandbox, startChatSandbox } from "../sandbox/chat";
import { type ModelServer, startModelServer } from "../sandbox/models/chat-server";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { type Certificate, makeCertificate } from "../support/certificates";
import { chatProvider } from "../sandbox/chat";
import { Installation } from "../support/runtime-process";

const folder = mkdtempSync(join(tmpdir(), "runtime-private-ca-"));
let certificate: Certificate;
let chat: ChatSandbox;
let models: ModelServer;
let front: ReturnType<typeof startFront>;

beforeAll(async () => {
  certificate = makeCertificate(folder, "authority");
  chat = await startChatSandbox();
  models = await startModelServer();
  front = startFront();
});
afterAll(async () => {
  await front.stop(true);
  await models[Symbol.asyncDispose]();
  await chat.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Everything upstream, behind one certificate that no public authority signed. */
function startFront() {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: { cert: readFileSync(certificate.cert, "utf8"), key: readFileSync(certificate.key, "utf8") },
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const target = pathname.startsWith("/v1/") ? new URL(models.url).origin : new URL(chat.apiUrl).origin;
      const headers = new Headers(request.headers);
      headers.delete("host");
      const body = request.method === "GET" ? null : await request.bytes();
      return fetch(target + pathname + search, { method: request.method, headers, body, redirect: "manual" });
    },
  });
}

/** An installation whose upstreams are all behind the front. */
async function install(environment: Record<string, string>): Promise<Installation> {
  const installation = new Installation(chat);
  const secure = (address: string) => address.replace(new URL(address).origin, front.url.origin);
  const entry = { id: "local", models: ["m"], openai: { base_url: `${front.url.origin}/v1` } };
  Object.assign(installation.environment, {
    RUNTIME_CHAT_API_URL: secure(chat.apiUrl),
    RUNTIME_MODELS: JSON.stringify([entry]),
    ...environment,
  });
  const provider = chatProvider(chat);
  const { oauth2 } = Object(provider);
  oauth2.token_request = { ...oauth2.token_request, endpoint: secure(chat.tokenUrl) };
  await installation.json(
    ["providers", "create", "slack", "--file", "-"],
    JSON.stringify({ ...provider, oauth2 }),
  );
  return installation;
}

const complete = { model: "m", messages: [{ role: "user", content: "hello" }] };

test("consent, tool and model work with NODE_EXTRA_CA_CERTS and with egress.ca_file [fault: private-authority]", async () => {
  for (const name of ["NODE_EXTRA_CA_CERTS", "RUNTIME_EGRESS_CA_FILE"]) {
    await using installation = await install({ [name]: certificate.cert });
    const agent = api((await installation.serve()).address, await installation.key("run"));
    const started = await agent.post("/v1/tools/authorize", { tool_name: "Chat.WhoAmI", user_id: "alice" });
    await new Browser().consent(String(at(started.body, "url")), "alice");
    const run = await agent.post("/v1/tools/execute", { tool_name: "Chat.WhoAmI", user_id: "alice" });
    const completion = await agent.post("/v1/chat/completions", complete);

    expect([name, at(run.body, "success"), completion.status]).toEqual([name, true, 200]);
  }
});

test("without trust each fails with an error that names the certificate [fault: private-authority]", async () => {
  await using installation = await install({});
  const agent = api((await installation.serve()).address, await installation.key("run"));
  const started = await agent.post("/v1/tools/authorize", { tool_name: "Chat.WhoAmI", user_id: "alice" });
  const browser = new Browser();
  await browser.open(await browser.toCallback(String(at(started.body, "url")), "alice"));
  const status = await agent.get(`/v1/auth/status?id=${String(at(started.body, "id"))}`);
  const completion = await agent.post("/v1/chat/completions", complete);

  expect(at(status.body, "status")).not.toBe("completed");
  expect(completion.status).toBeGreaterThanOrEqual(500);
  expect(JSON.stringify(completion.body)).toMatch(/certificate/i);
});

const unshare = ["unshare", "--map-root-user", "--net"];
// The system may forbid this; there is nothing to install, so the test is then skipped.
const mayUnshare = Bun.which("unshare") !== null && Bun.spawnSync([...unshare, "true"]).success;
if (!mayUnshare) process.stderr.write("skipped: this machine does not allow separate networks\n");

test.skipIf(!mayUnshare)(
  "a server starts without any network, and commands work [fault: private-authority]",
  async () => {
    await using installation = new Installation(chat);
    const main = join(import.meta.dir, "..", "..", "cli", "main.ts");
    const run = async (...args: string[]) => {
      const child = Bun.spawn([...unshare, process.execPath, main, ...args], {
        env: installation.environment,
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      });
      const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
      return { code: await child.exited, stdout, stderr };
    };
    expect((await run("keys", "create", "x")).code).toBe(0);
    expect((await run("tools", "list")).stdout).toContain("Chat.SendMessage");

    const server = Bun.spawn([...unshare, process.execPath, main, "serve", "--port", "0"], {
      env: installation.environment,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });
    const { value } = await server.stderr.getReader().read();
    server.kill("SIGTERM");
    expect(new TextDecoder().decode(value)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n/);
    expect(await server.exited).toBe(0);
  },
);
