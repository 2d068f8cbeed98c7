// `bun run start`: what it keeps between starts, and what --reset wipes.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";

const START = join(import.meta.dir, "start.ts");

let folder: string;
let port: number;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "runtime-sandbox-"));
  const free = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  port = Number(free.port);
  await free.stop(true);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function start(...args: string[]) {
  const child = Bun.spawn([process.execPath, START, ...args], {
    env: { PATH: process.env["PATH"] ?? "", SANDBOX_FOLDER: folder, RUNTIME_PORT: String(port) },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  onTestFinished(() => child.kill("SIGKILL"));
  let printed = "";
  for await (const bytes of child.stdout.values({ preventCancel: true })) {
    printed += new TextDecoder().decode(bytes);
    if (printed.includes("Hello from the sandbox")) break;
  }
  const keyOf = (name: string): string => new RegExp(`${name} key\\s+(\\S+)`).exec(printed)?.[1] ?? "";
  return {
    printed,
    admin: api(`http://127.0.0.1:${port}`, keyOf("admin")),
    keys: [keyOf("admin"), keyOf("run")],
    stop: async () => {
      child.kill("SIGTERM");
      return child.exited;
    },
  };
}

const call = { tool_name: "Chat.WhoAmI", user_id: "alice" };
const GATEWAYS = "/v1/orgs/default/projects/default/gateways";

describe("a second start", () => {
  test("keeps keys, grants and gateways, and --reset wipes them and says so", async () => {
    const first = await start();
    const { body } = await first.admin.post("/v1/tools/authorize", call);
    await new Browser().consent(String(at(body, "url")), "alice");
    const gateway = { name: "Kept", slug: "kept", auth_type: "arcade_header" };
    expect((await first.admin.post(GATEWAYS, gateway)).status).toBe(201);
    expect(at((await first.admin.post("/v1/tools/execute", call)).body, "success")).toBe(true);
    expect(first.printed).toContain(`Open http://127.0.0.1:${port}/ in a browser`);
    expect(await first.stop()).toBe(0);

    const second = await start();
    expect(second.keys).toEqual(first.keys);
    expect((await second.admin.get(GATEWAYS)).text).toContain('"kept"');
    expect((await second.admin.post("/v1/tools/execute", call)).text).toContain('"success":true');
    await second.stop();

    const reset = await start("--reset");
    expect(reset.printed).toStartWith("Reset: the keys, grants, gateways and all other data");
    expect(reset.keys).not.toEqual(first.keys);
    expect((await reset.admin.get(GATEWAYS)).text).not.toContain('"kept"');
    await reset.stop();
  }, 120_000);

  test("refuses an option that does not exist and changes nothing", async () => {
    const before = readFileSync(join(folder, "state.json"), "utf8");
    const child = Bun.spawnSync([process.execPath, START, "--rest"], {
      env: { PATH: process.env["PATH"] ?? "", SANDBOX_FOLDER: folder, RUNTIME_PORT: String(port) },
    });
    expect(child.exitCode).toBe(1);
    expect(child.stderr.toString()).toContain("--reset");
    expect(readFileSync(join(folder, "state.json"), "utf8")).toBe(before);
  });
});
