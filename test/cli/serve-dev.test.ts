// `runtime serve --dev` as a process.
import { Database } from "bun:sqlite";
import { describe, expect, onTestFinished, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { api, at } from "../support/api";
import { temporaryFolder } from "../support/temporary";
import { MAIN, runProcess } from "./support/processes";

// Several processes in each test.
setDefaultTimeout(30_000);

interface DevServer {
  key: string;
  record: Record<string, unknown>;
  address: string;
  /** All of standard output and standard error so far. */
  out(): string;
  notes(): string;
  end(signal: NodeJS.Signals): Promise<number>;
}

async function serveDev(env: Record<string, string>, ...flags: string[]): Promise<DevServer> {
  const argv = [process.execPath, MAIN, "serve", "--dev", "--port", "0", ...flags];
  const child = Bun.spawn(argv, { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  onTestFinished(() => child.kill("SIGKILL"));
  const texts = { out: "", notes: "" };
  const read = async (stream: ReadableStream<Uint8Array>, to: keyof typeof texts): Promise<void> => {
    for await (const bytes of stream) texts[to] += new TextDecoder().decode(bytes);
  };
  const reading = [read(child.stdout, "out"), read(child.stderr, "notes")];
  while (!(texts.notes.includes('"serving"') && texts.out.includes("\n"))) await Bun.sleep(5);
  const record = JSON.parse(texts.out);
  return {
    record,
    key: String(record.key),
    address: texts.notes.split("\n", 1)[0] ?? "",
    out: () => texts.out,
    notes: () => texts.notes,
    end: async (signal) => {
      child.kill(signal);
      await Promise.all(reading);
      return child.exited;
    },
  };
}

const environment = () => ({ HOME: temporaryFolder(), PATH: process.env["PATH"] ?? "" });

async function statusWith(server: DevServer, key: string): Promise<number> {
  return (await api(server.address, key).get("/v1/admin/status")).status;
}

async function keysOf(env: Record<string, string>): Promise<unknown> {
  return JSON.parse((await runProcess(["keys", "list", "-o", "json"], { env })).stdout);
}

test("prints an admin key once, on standard output, and logs requests", async () => {
  const env = environment();
  const server = await serveDev(env, "-o", "ndjson");

  expect(server.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(server.record).toMatchObject({ address: server.address, role: "admin", project_id: "default" });
  expect(await statusWith(server, server.key)).toBe(200);
  expect(await keysOf(env)).toMatchObject([{ name: "runtime serve --dev", role: "admin" }]);
  expect(await server.end("SIGTERM")).toBe(0);
  expect(server.notes()).toContain('"route":"/v1/admin/status"');
  expect(server.notes()).not.toContain(server.key);
  expect(server.out().split(server.key)).toHaveLength(2);
});

test("for people, the key is on a line of its own", async () => {
  const argv = [process.execPath, MAIN, "serve", "--dev", "--port", "0"];
  const child = Bun.spawn(argv, { env: environment(), stdin: "ignore", stdout: "pipe", stderr: "ignore" });
  onTestFinished(() => child.kill("SIGKILL"));
  let shown = "";
  for await (const bytes of child.stdout) {
    shown += new TextDecoder().decode(bytes);
    if (shown.includes("project")) break;
  }

  expect(shown).toMatch(/^key +rt_\S+$/m);
  expect(shown).toMatch(/^role +admin, until this server stops$/m);
});

test("the key ends with its server", async () => {
  const env = environment();
  const server = await serveDev(env, "-o", "json");
  await server.end("SIGINT");

  expect(await keysOf(env)).toEqual([]);
  const again = await serveDev(env, "-o", "json");
  expect(again.key).not.toBe(server.key);
  expect(await statusWith(again, server.key)).toBe(401);
});

test("the key of a killed server ends when a server starts again, and that of a running one does not", async () => {
  const env = environment();
  const killed = await serveDev(env, "-o", "json");
  await killed.end("SIGKILL");
  expect(await keysOf(env)).toHaveLength(1);

  const first = await serveDev(env, "-o", "json");
  const second = await serveDev(env, "-o", "json");

  expect(await statusWith(second, killed.key)).toBe(401);
  expect(await statusWith(second, first.key)).toBe(200);
  expect(await statusWith(first, second.key)).toBe(200);
  await first.end("SIGTERM");
  expect(await statusWith(second, first.key)).toBe(401);
  expect(await statusWith(second, second.key)).toBe(200);
});

test("a start without --dev ends the key of a killed server, also if somebody has deleted it", async () => {
  const env = environment();
  const killed = await serveDev(env, "-o", "json");
  await killed.end("SIGKILL");
  await runProcess(["keys", "delete", String(killed.record["id"]), "--force"], { env });
  const other = await serveDev(env, "-o", "json");
  await other.end("SIGKILL");

  const child = Bun.spawn([process.execPath, MAIN, "serve", "--port", "0"], { env, stderr: "pipe" });
  onTestFinished(() => child.kill("SIGKILL"));
  const { value } = await child.stderr.getReader().read();
  const address = new TextDecoder().decode(value).split("\n", 1)[0] ?? "";

  expect((await api(address, other.key).get("/v1/admin/status")).status).toBe(401);
  using database = new Database(join(env.HOME, ".local/share/runtime/runtime.db"), { readonly: true });
  expect(database.query("SELECT name FROM facts WHERE name LIKE 'dev_key:%'").all()).toEqual([]);
});

test("a key with the same name that somebody has created stays", async () => {
  const env = environment();
  const made = await runProcess(["keys", "create", "runtime serve --dev", "-o", "json"], { env });
  const server = await serveDev(env, "-o", "json");
  await server.end("SIGTERM");

  expect(await keysOf(env)).toMatchObject([{ id: at(JSON.parse(made.stdout), "id") }]);
});

describe("refuses", () => {
  test.each<[string, Record<string, string>, string[], RegExp]>([
    ["a host of all machines", {}, ["--host", "0.0.0.0"], /host is 0\.0\.0\.0 \(flag --host\)/],
    [
      "such a host with TLS",
      {},
      ["--host", "::", "--tls-cert", "c", "--tls-key", "k"],
      /host is :: \(flag --host\)/,
    ],
    [
      "such a host behind a proxy",
      { RUNTIME_HOST: "10.0.0.1", RUNTIME_BEHIND_PROXY: "true" },
      [],
      /host is 10\.0\.0\.1 \(environment RUNTIME_HOST\)/,
    ],
    [
      "a public address without TLS",
      { RUNTIME_PUBLIC_URL: "http://runtime.example/x" },
      [],
      /public_url is http:\/\/runtime\.example \(environment RUNTIME_PUBLIC_URL\)/,
    ],
  ])("%s", async (_what, more, flags, message) => {
    const env = { ...environment(), ...more };
    const { code, stdout, stderr } = await runProcess(["serve", "--dev", "--port", "0", ...flags], { env });

    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: runtime serve --dev [^\n]*\n$/);
    expect(stderr).toMatch(message);
    expect(stdout).toBe("");
  });

  test.each([
    ["localhost", {}],
    ["::1", {}],
    ["127.0.0.1", { RUNTIME_PUBLIC_URL: "https://tunnel.example" }],
  ])("not %s with %j", async (host, more) => {
    const server = await serveDev({ ...environment(), ...more }, "--host", host, "-o", "json");
    expect(await server.end("SIGTERM")).toBe(0);
  });
});
