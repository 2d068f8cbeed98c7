// Programs that know nothing but the address of a gateway: the inspector, `mcp-remote`, and a client in Python.
import { afterAll, beforeAll, expect } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { at } from "../../support/api";
import { freePort } from "../../support/free-port";
import { testWith } from "../../support/require";
import { peer, program, testWithPeers, testWithPrograms } from "../mcp/peers";
import { Chromium, type Person } from "./chromium";
import { type SignInSite, signInWays } from "./methods";

const TEST_MS = 120_000;
const COMMAND_MS = 60_000;
const PYTHON = "/usr/bin/python3";
const hasAuthlib = Bun.spawnSync([PYTHON, "-c", "import authlib, requests"]).exitCode === 0;

let chromium: Chromium;
let made: SignInSite;
let alice: Person;
const homes: string[] = [];

beforeAll(async () => {
  chromium = await Chromium.start();
  const passkeys = signInWays.find(({ name }) => name === "passkey");
  if (passkeys === undefined) throw new Error("no way with passkeys");
  made = await passkeys.start();
  alice = await made.person(chromium, "alice");
}, 60_000);
afterAll(async () => {
  await chromium[Symbol.asyncDispose]();
  await made[Symbol.asyncDispose]();
  homes.forEach((home) => rmSync(home, { recursive: true, force: true }));
});

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), "sign-in-program-"));
  homes.push(home);
  return home;
}

testWithPeers()(
  "the inspector",
  async () => {
    const home = newHome();
    const callback = `http://127.0.0.1:${freePort()}/oauth/callback`;
    const script = peer("@modelcontextprotocol", "inspector", "clients", "mcpdo", "build", "mcp-bin.js");
    const run = async (...args: string[]): Promise<unknown> => {
      const child = Bun.spawn([process.execPath, script, ...args, "--format", "json"], {
        env: {
          PATH: process.env["PATH"] ?? "",
          HOME: home,
          MCP_INSPECTOR_SECRET_STORE: "file",
          MCP_OAUTH_CALLBACK_URL: callback,
        },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
        timeout: COMMAND_MS,
      });
      const [printed, complaints] = await Promise.all([child.stdout.text(), child.stderr.text()]);
      if (printed.trim() === "") throw new Error(`${args.join(" ")}: ${complaints}`);
      return JSON.parse(printed);
    };
    try {
      const pending = await run("connect", made.address, "--transport", "http", "--era", "legacy");
      await alice.allow(String(at(pending, "authUrl")), callback);
      await alice.page.waitForLoadState();
      const called = await run("tools/call", "test_simple_text", "--connection", String(at(pending, "name")));
      expect(JSON.stringify(called)).toContain("This is a simple text response for testing.");
    } finally {
      await run("daemon", "stop");
    }
  },
  TEST_MS,
);

testWithPrograms()(
  "mcp-remote",
  async () => {
    const home = newHome();
    const bin = join(home, "bin");
    mkdirSync(bin);
    // No browser of the machine is opened.
    writeFileSync(join(bin, "xdg-open"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    const child = Bun.spawn(
      [
        Bun.which("node") ?? process.execPath,
        program("mcp-remote", "dist", "client.js"),
        made.address,
        "--allow-http",
      ],
      {
        cwd: home,
        env: { PATH: `${bin}:${process.env["PATH"] ?? ""}`, HOME: home },
        stdin: "pipe",
        stdout: "pipe",
        stderr: "pipe",
        timeout: COMMAND_MS,
      },
    );
    let printed = "";
    let opened: Promise<unknown> | undefined;
    const read = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
      const decoder = new TextDecoder();
      for await (const bytes of stream) {
        printed += decoder.decode(bytes, { stream: true });
        const [url] = /http:\/\/localhost:\d+\/oauth\/authorize\?[^\s"']+/.exec(printed) ?? [];
        const redirect = new URL(url ?? "http://x").searchParams.get("redirect_uri");
        if (url !== undefined && redirect !== null) opened ??= alice.allow(url, redirect);
        if (/"name": "\w+"/.test(printed)) child.kill();
      }
    };
    await Promise.all([read(child.stdout), read(child.stderr), child.exited]);
    await opened;
    expect(printed).toContain('"name": "test_simple_text"');
  },
  TEST_MS,
);

testWith("python3-authlib", hasAuthlib)(
  "Authlib",
  async () => {
    const child = Bun.spawn([PYTHON, join(import.meta.dir, "authlib_client.py"), made.address], {
      env: { PATH: "/usr/bin", AUTHLIB_INSECURE_TRANSPORT: "1" },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
      timeout: COMMAND_MS,
    });
    const lines = linesOf(child.stdout);
    const address = (await lines.next()).value ?? "";
    if (address === "") throw new Error(await child.stderr.text());
    const back = await alice.allow(address, "http://127.0.0.1:9/authlib");
    child.stdin.write(`${back}\n`);
    child.stdin.end();
    const ended = (await lines.next()).value ?? (await child.stderr.text());
    expect(JSON.parse(ended)).toMatchObject({
      token_type: "Bearer",
      answer: { result: { protocolVersion: "2025-06-18" } },
    });
  },
  TEST_MS,
);

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of stream) {
    text += decoder.decode(bytes, { stream: true });
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
      yield text.slice(0, end);
      text = text.slice(end + 1);
    }
  }
  return undefined;
}
