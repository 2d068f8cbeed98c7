// The executable itself, alone in an empty folder: the main job, a restart, and every operation once. Minification
// changes what Elysia sees of our callbacks, so what works from the sources is not yet known to work here.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { documentOf } from "../../server/openapi/document";
import { contractOperations as operations } from "../../server/operations";
import { PICKER_SCRIPT } from "../../catalogs/sheets/picker/script";
import { silentLog } from "../../src/base";
import { cageSupport, ProcessHost } from "../../src/processes";
import { type ChatSandbox, startChatSandbox } from "../sandbox/chat";
import { say, startModelServer } from "../sandbox/models/chat-server";
import { api, at, call } from "../support/api";
import { Browser } from "../support/browser";
import { makeCertificate } from "../support/certificates";
import { chatProvider } from "../sandbox/chat";
import { Installation } from "../support/runtime-process";

const folder = mkdtempSync(join(tmpdir(), "runtime-executable-"));
const executable = join(folder, "runtime");
let chat: ChatSandbox;
let installation: Installation;

beforeAll(async () => {
  const root = join(import.meta.dir, "..", "..");
  const built = join(folder, "build", "runtime");
  const build = Bun.spawnSync([process.execPath, "build.ts", "--outfile", built], { cwd: root });
  if (!build.success) throw new Error(build.stderr.toString());
  cpSync(built, executable);
  chat = await startChatSandbox();
  installation = new Installation(chat, [executable]);
}, 120_000);

afterAll(async () => {
  await installation[Symbol.asyncDispose]();
  await chat.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("its version has the commit that it was built from, and its date", async () => {
  const found = await installation.json(["version"]);

  expect(String(at(found, "commit"))).toMatch(/^[0-9a-f]{7,40}$/);
  expect(String(at(found, "build_date"))).toMatch(/^\d{4}-\d\d-\d\dT/);
});

test("nothing but the executable is left by the build", () => {
  expect(readdirSync(join(folder, "build"))).toEqual(["runtime"]);
});

test("serve, consent, execute, restart, execute", async () => {
  const admin = await installation.key("admin");
  const key = await installation.key("run");
  const execute = {
    tool_name: "Chat.SendMessage",
    user_id: "alice",
    input: { channel_name: "general", message: "built" },
  };
  {
    await using server = await installation.serve();
    const created = await api(server.address, admin).post("/v1/admin/auth_providers", chatProvider(chat));
    expect(created.status).toBe(201);
    const needed = await api(server.address, key).post("/v1/tools/requirements", {
      tool_names: ["Chat.SendMessage"],
      user_id: "alice",
    });
    expect(at(needed.body, "authorization.items.slack.oauth2.scopes")).toContain("chat:write");
    const started = await api(server.address, key).post("/v1/tools/authorize", {
      tool_name: "Chat.SendMessage",
      user_id: "alice",
    });
    await new Browser().consent(String(at(started.body, "url")), "alice");
    const status = await api(server.address, key).get(
      `/v1/auth/status?id=${String(at(started.body, "id"))}&wait=10`,
    );
    expect(at(status.body, "status")).toBe("completed");
    expect(at((await api(server.address, key).post("/v1/tools/execute", execute)).body, "success")).toBe(
      true,
    );
  }
  await using server = await installation.serve();
  expect(at((await api(server.address, key).post("/v1/tools/execute", execute)).body, "success")).toBe(true);
  const texts = (await chat.messages(chat.channels.general.id)).map(({ text }) => text);
  expect(texts.filter((text) => text === "built")).toHaveLength(2);
  const exec = await installation.json(["tools", "exec", "Chat.WhoAmI", "--user", "alice"]);
  expect(at(exec, "output.value.username")).toBe("alice");
}, 60_000);

test("a model's stream passes, the server runs its calls, and the terminal talks to it", async () => {
  await using model = await startModelServer((request, reply) => {
    const last = request.messages.at(-1);
    if (request.tools === undefined) return say(request, reply, { content: "Hello." });
    if (last?.role === "tool") return say(request, reply, { content: `It says ${String(last.content)}` });
    say(request, reply, { calls: [{ name: "Chat_WhoAmI", arguments: "{}" }] });
  });
  const entry = ["local", "--type", "openai", "--base-url", model.url, "--model", "m"];
  expect((await installation.run(["models", "create", ...entry])).code).toBe(0);
  const key = await installation.key("run");
  await using server = await installation.serve();
  const messages = [{ role: "user", content: "Who am I?" }];
  const streamed = await fetch(`${server.address}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages, stream: true }),
  });
  expect(await streamed.text()).toEndWith("data: [DONE]\n\n");
  const request = { model: "m", messages, user: "alice", tools: ["Chat.WhoAmI"], tool_choice: "generate" };
  const generated = await api(server.address, key).post("/v1/chat/completions", request);
  expect(at(generated.body, "choices.0.message.content")).toContain('"username":"alice"');
  const talked = await installation.run(["chat", "Who am I?", "--user", "alice", "--tool", "Chat.WhoAmI"]);
  expect([talked.code, talked.stdout]).toEqual([0, expect.stringContaining('"username":"alice"')]);
}, 60_000);

test("every operation answers as it declares", async () => {
  await using server = await installation.serve();
  const admin = await installation.key("admin");
  for (const operation of operations) {
    const path = operation.path.replaceAll(/\{\w+\}/g, "unknown");
    const body = operation.body === undefined ? undefined : {};
    const answer = await call(server.address, { method: operation.method, path, key: admin, body });
    const declared = [operation.success.status, ...operation.errors];
    expect([operation.id, declared.includes(answer.status), answer.status < 500]).toEqual([
      operation.id,
      true,
      true,
    ]);
  }
  expect((await call(server.address, { method: "GET", path: "/v1/unknown" })).status).toBe(404);
  expect((await fetch(`${server.address}/authorize/unknown`)).status).toBe(404);
  expect((await fetch(`${server.address}/api/v1/oauth/unknown/callback`)).status).toBe(400);
  expect((await fetch(`${server.address}/google/drive_picker?config=unknown`)).status).toBe(400);
  const script = await fetch(`${server.address}/google/drive_picker.js`);
  expect(await script.text()).toBe(PICKER_SCRIPT);
}, 60_000);

test("the API description and its page are inside", async () => {
  await using server = await installation.serve();
  const read = (path: string) => fetch(server.address + path);

  const document = documentOf(operations, server.address);
  for (const path of ["/openapi.json", "/v1/swagger"])
    expect(await (await read(path)).json()).toEqual(document);
  expect(await (await read("/v1/swagger/ui")).text()).toContain("swagger-ui-bundle.js");
  for (const name of ["swagger-ui-bundle.js", "swagger-ui.css"]) {
    const original = await Bun.file(Bun.resolveSync(`swagger-ui-dist/${name}`, import.meta.dir)).text();
    expect((await (await read(`/v1/swagger/ui/${name}`)).text()) === original).toBe(true);
  }
  expect(await (await read("/llms.txt")).text()).toContain("Chat.SendMessage");
  expect((await read("/.well-known/api-catalog")).status).toBe(200);
});

test("TLS, a renewed certificate, a preflight and OPTIONS", async () => {
  const { cert, key } = makeCertificate(folder, "first");
  installation.environment["RUNTIME_CORS_ALLOW"] = "https://app.test";
  await using server = await installation.serve("--tls-cert", cert, "--tls-key", key);
  delete installation.environment["RUNTIME_CORS_ALLOW"];
  const insecure = { keepalive: false, tls: { rejectUnauthorized: false } };
  const ask = (headers: Record<string, string>) =>
    fetch(`${server.address}/v1/tools/execute`, { method: "OPTIONS", headers, ...insecure });
  const question = { origin: "https://app.test", "access-control-request-method": "POST" };

  expect(server.address).toStartWith("https:");
  expect((await ask(question)).status).toBe(204);
  const wrong = await ask({});
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS, POST"]);
  const renewed = makeCertificate(folder, "second");
  cpSync(renewed.cert, cert);
  cpSync(renewed.key, key);
  process.kill(server.pid, "SIGHUP");
  while (!server.output().includes("were reloaded")) await Bun.sleep(10);
  expect((await fetch(`${server.address}/v1/health`, insecure)).status).toBe(200);
}, 20_000);

test("the environment of the folder that it is started in is not its own", async () => {
  await Bun.write(join(installation.home, ".env"), "RUNTIME_LOG_LEVEL=nonsense\n");
  await Bun.write(join(installation.home, "bunfig.toml"), 'preload = ["./evil.ts"]\n');
  await Bun.write(join(installation.home, "evil.ts"), 'console.log("preloaded")\n');

  const { code, stdout } = await installation.run(["tools", "list", "-o", "json"]);

  expect(code).toBe(0);
  expect(stdout).not.toContain("preloaded");
});

test("a program starts under the supervisor of the executable", async () => {
  const host = new ProcessHost({ executable: [executable], hidden: [], log: silentLog });
  const sandbox = cageSupport().supported ? "cage" : "none";
  const home = join(folder, "program");
  const words = ["-c", "echo $HOME"];
  try {
    const spec = {
      command: "sh",
      arguments: words,
      environment: {},
      home,
      sandbox,
      read: [],
      write: [],
    } as const;
    const running = await host.start(spec);

    expect(await new Response(running.output).text()).toBe(`${home}\n`);
    expect(await running.ended).toEqual({ code: 0, signal: null });
  } finally {
    await host.close();
  }
});
