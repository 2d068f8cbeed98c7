// Runs the README's commands unchanged, in order, with an empty HOME.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChatSandbox, startChatSandbox } from "./sandbox/chat";
import { Browser } from "./support/browser";
import { makeCertificate } from "./support/certificates";
import { mcpStandIn } from "./workers/two-kinds";

const ROOT = join(import.meta.dir, "..");
const README = readFileSync(join(ROOT, "README.md"), "utf8");
const BLOCKS = [...README.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) =>
  (match[1] ?? "").trim().split("\n"),
);
const [
  START = [],
  SANDBOX = [],
  TEST = [],
  BUILD = [],
  MAIN_JOB = [],
  CURL = [],
  SERVE = [],
  GATEWAY = [],
  WORKER = [],
] = BLOCKS;

const home = mkdtempSync(join(tmpdir(), "runtime-readme-"));
const environment: Record<string, string> = { HOME: home, PATH: `${home}/bin:${process.env["PATH"] ?? ""}` };

// The launcher would download the Bun that already runs this test, so only the words after it are used.
const LAUNCHER = "npx -y --allow-scripts=bun bun@1.4.5";

beforeAll(() => {
  Bun.spawnSync(["mkdir", "-p", join(home, "bin")]);
  writeFileSync(join(home, "bin", "npx"), `#!/bin/sh\nshift 3\nexec '${process.execPath}' "$@"\n`);
  chmodSync(join(home, "bin", "npx"), 0o755);
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

async function sh(command: string, more: Record<string, string> = {}, cwd = ROOT) {
  const child = Bun.spawn(["sh", "-c", command], {
    cwd,
    env: { ...environment, ...more },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: 60_000,
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { code: await child.exited, stdout, stderr };
}

test("the README has the expected command blocks", () => {
  expect(BLOCKS).toHaveLength(9);
  expect(START).toEqual([`${LAUNCHER} run start`]);
  expect(TEST).toEqual([`${LAUNCHER} run test`]);
  expect(BUILD).toEqual([`${LAUNCHER} run build`]);
});

describe("try it", () => {
  test("starts the sandbox, and the three commands work", async () => {
    const port = String(20_000 + (process.pid % 6_000));
    const start = `${START[0]} --port ${port}`;
    const child = Bun.spawn(["sh", "-c", `exec ${start}`], {
      cwd: ROOT,
      env: environment,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "inherit",
    });
    try {
      const printed = await untilPrinted(child.stdout, "For MCP clients");
      expect(printed).toContain(`The sandbox is ready at http://127.0.0.1:${port}`);
      for (const command of SANDBOX)
        expect(printed).toContain(command.replace("runtime ", "").replace("~", home));

      const [send = "", read = "", authorize = ""] = SANDBOX;
      const runtime = `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, "cli", "main.ts")}' "$@"\n`;
      writeFileSync(join(home, "bin", "runtime"), runtime, { mode: 0o755 });
      const sent = await sh(send);
      expect([sent.code, sent.stderr]).toEqual([0, ""]);
      expect((await sh(read)).stdout).toContain("Hello from the sandbox");
      const url = /http:\S+\/authorize\/\S+/.exec((await sh(authorize)).stdout)?.[0] ?? "";
      await new Browser().consent(url, "bob");
      expect((await sh(send.replace("alice", "bob"))).code).toBe(0);

      const again = await sh(start);
      expect(again.code).not.toBe(0);
      expect(again.stderr).toContain("is running");
    } finally {
      child.kill("SIGTERM");
      await child.exited;
    }
  }, 120_000);
});

describe("let others reach it", () => {
  test.each(SERVE)("%s", async (command) => {
    const folder = mkdtempSync(join(tmpdir(), "runtime-readme-serve-"));
    makeCertificate(folder, "server");
    mkdirSync(join(folder, "bin"));
    const script = `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, "cli", "main.ts")}' "$@"\n`;
    writeFileSync(join(folder, "bin", "runtime"), script, { mode: 0o755 });
    const server = Bun.spawn(["sh", "-c", command.replace("runtime serve", "exec runtime serve")], {
      cwd: folder,
      env: { HOME: folder, RUNTIME_PORT: "0", PATH: `${folder}/bin:${environment["PATH"]}` },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });
    try {
      const printed = await untilPrinted(server.stderr, "\n");
      expect(printed).toMatch(/^https?:\/\/localhost:\d+\n/);
      const health = await fetch(`${printed.split("\n")[0]}/v1/health`, {
        tls: { rejectUnauthorized: false },
      });
      expect(health.status).toBe(200);
    } finally {
      server.kill("SIGTERM");
      await server.exited;
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

test("gives tools to an MCP client", async () => {
  const folder = mkdtempSync(join(tmpdir(), "runtime-readme-gateway-"));
  mkdirSync(join(folder, "bin"));
  const script = `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, "cli", "main.ts")}' "$@"\n`;
  writeFileSync(join(folder, "bin", "runtime"), script, { mode: 0o755 });
  try {
    const more = { HOME: folder, PATH: `${folder}/bin:${environment["PATH"]}` };
    for (const command of GATEWAY)
      expect([command, (await sh(command, more, folder)).code]).toEqual([command, 0]);
    const written: unknown = JSON.parse(readFileSync(join(folder, ".cursor", "mcp.json"), "utf8"));
    expect(Object(written).mcpServers.support.url).toBe("http://127.0.0.1:9099/mcp/support");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 30_000);

test("makes an MCP server a toolkit", async () => {
  const folder = mkdtempSync(join(tmpdir(), "runtime-readme-worker-"));
  mkdirSync(join(folder, "bin"));
  const script = `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, "cli", "main.ts")}' "$@"\n`;
  writeFileSync(join(folder, "bin", "runtime"), script, { mode: 0o755 });
  await using worker = mcpStandIn();
  try {
    const more = { HOME: folder, PATH: `${folder}/bin:${environment["PATH"]}` };
    const lines = WORKER.join(" && ").replaceAll("3001", new URL(worker.uri).port);
    expect(WORKER).toHaveLength(4);
    const { code, stderr, stdout } = await sh(lines, more, folder);
    expect([code, stdout.includes("/mcp/notes")]).toEqual([0, true]);
    expect(stderr).not.toContain("warning");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 30_000);

describe("the executable and the main job", () => {
  let chat: ChatSandbox;
  beforeAll(async () => {
    chat = await startChatSandbox();
  });
  afterAll(() => chat.stop());

  test("builds, sets up, serves, consents and runs, at the terminal and with curl", async () => {
    const folder = mkdtempSync(join(tmpdir(), "runtime-readme-job-"));
    const built = await sh(`${BUILD[0] ?? ""} --outfile ${folder}/dist/runtime`);
    expect([built.code, built.stderr.includes("error")]).toEqual([0, false]);
    writeFileSync(join(folder, "chat-secret.txt"), `${chat.clientSecret}\n`);
    const [exports = "", init = "", create = "", ...rest] = MAIN_JOB;
    const waits = rest.findIndex((line) => line.includes("--wait"));
    // The stand-in instead of the real platform, and an address that a browser reaches here.
    // Below the range from which the system takes ports for others.
    const port = String(26_000 + (process.pid % 6_000));
    const address = `http://127.0.0.1:${port}`;
    const more = {
      RUNTIME_CHAT_API_URL: chat.apiUrl,
      RUNTIME_EGRESS_ALLOW: "loopback",
      RUNTIME_PORT: port,
      CHAT_CLIENT_ID: chat.clientId,
    };
    const run = (command: string, extra: Record<string, string> = {}) =>
      sh(
        `${exports.replace("https://runtime.example.com", address)}\n${command}`,
        { ...more, ...extra },
        folder,
      );

    const made = await run(init);
    const runKey = /run key\s+(rt_\w+)/.exec(made.stdout)?.[1] ?? "";
    expect(runKey).not.toBe("");
    const created = await run(create);
    expect(created.stdout + created.stderr).toContain(`${address}/api/v1/oauth/`);
    const endpoints = {
      // The endpoints are at another origin than those of the preset.
      client_secret: chat.clientSecret,
      authorize_request: { endpoint: chat.authorizeUrl },
      token_request: { endpoint: chat.tokenUrl },
      refresh_request: { endpoint: chat.tokenUrl },
    };
    writeFileSync(join(folder, "stand-in.json"), JSON.stringify({ oauth2: endpoints }));
    expect((await run("runtime providers update slack --file stand-in.json")).code).toBe(0);

    // The lines as printed, one after the other, in one shell.
    const shell = startShell(folder, { ...environment, ...more });
    try {
      await shell.line(exports.replace("https://runtime.example.com", address));
      let printed = "";
      for (const line of rest.slice(0, waits)) printed += await shell.line(line);
      expect(printed).toContain("pending");
      await new Browser().consent(/http:\S+\/authorize\/\S+/.exec(printed)?.[0] ?? "", "alice");
      const [status = "", exec = ""] = rest.slice(waits);
      expect(await shell.line(status)).toContain("completed");
      expect(await shell.line(`${exec}; echo "ended with $?"`)).toContain("ended with 0");
      for (const command of CURL) {
        const answer = await run(command, { RUNTIME_PUBLIC_URL: address, RUN_KEY: runKey });
        expect(JSON.parse(answer.stdout)).toHaveProperty("status", "completed");
      }
    } finally {
      await shell.end();
      rmSync(folder, { recursive: true, force: true });
    }
    expect(
      (await chat.messages(chat.channels.general.id)).filter(({ text }) => text === "Hello"),
    ).toHaveLength(2);
  }, 120_000);
});

/** A shell that runs one line after the other, as a person types them. Its end stops what it started in the background. */
function startShell(cwd: string, env: Record<string, string>) {
  const child = Bun.spawn(["sh"], { cwd, env, stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  return {
    /** What the line prints on standard output. */
    line: async (command: string): Promise<string> => {
      child.stdin.write(`${command}\necho "--done--"\n`);
      let printed = "";
      while (!printed.includes("--done--\n")) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`the shell ended after ${command}: ${printed}`);
        printed += decoder.decode(value, { stream: true });
      }
      return printed.replace("--done--\n", "");
    },
    end: async (): Promise<void> => {
      child.stdin.write("kill $!; wait; exit\n");
      await child.stdin.end();
      await child.exited;
    },
  };
}

async function untilPrinted(stream: ReadableStream<Uint8Array>, text: string): Promise<string> {
  let printed = "";
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  while (!printed.includes(text)) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`it ended before it printed "${text}": ${printed}`);
    printed += decoder.decode(value, { stream: true });
  }
  // Keep reading, so that the process never blocks on a full pipe.
  void (async () => {
    while (!(await reader.read()).done);
  })();
  return printed;
}
