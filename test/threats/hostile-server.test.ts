// A server that is not what the user of the command line believes: its texts, addresses and bodies harm neither the terminal,
// nor other programs, nor the memory, and keys are not sent to it.
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { BodyTooLarge, BodyTooSlow, limited } from "../../cli/client/body";
import { serverAt } from "../../cli/client/http";
import { openBrowser } from "../../cli/browser";
import { shown } from "../../server/pages/html";
import { isObject } from "../../src/base";
import { newTerminal } from "../cli/support/fake-io";
import { runProcess, startAtTerminal } from "../cli/support/processes";
import { loadConfig } from "../support/config";
import { type Site, startSite } from "../support/site";
import { temporaryFolder } from "../support/temporary";
import { printFigure } from "./figure";

/** Each would control a terminal, change the direction of writing, or not be seen. */
const EVIL =
  "\u001b]0;owned\u0007\u001b[2J\u009b31m\r\u202etxt\u2066\u200b\u061c\u2028\u2029\ufeff\u00ad\u{e0041}\u3164";
const HIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{DI}\p{Bidi_C}]/u;

/** What a terminal shows, without our own colours and line ends. */
function withoutColours(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/\u001b\[(1|2|22|31|32|39)m|\r?\n|\t/g, "");
}

/** A listener that speaks for a server; it is closed after the test. */
function listener(answer: (request: Request) => Response | Promise<Response>): string {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer, idleTimeout: 0 });
  onTestFinished(() => server.stop(true));
  return `http://127.0.0.1:${server.port}`;
}

/** Adds EVIL to every text in a JSON value, names of fields excepted. */
function poisoned(value: unknown): unknown {
  if (typeof value === "string") return value + EVIL;
  if (Array.isArray(value)) return value.map(poisoned);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, poisoned(each)]));
}

describe("texts of a server", () => {
  let site: Site;
  let key: string;
  beforeAll(async () => {
    site = await startSite();
    key = await site.key("admin");
    await site.addChatProvider();
    const operator = await site.runtime.identity.operator("default");
    await site.runtime.secrets.upsert(operator, "A", { value: "x", description: "d" });
    await site.runtime.gateways.create(operator, {
      slug: "agents",
      name: "agents",
      auth_type: "arcade_header",
    });
  });
  afterAll(() => site[Symbol.asyncDispose]());

  /** Passes requests on to the real server and poisons its answers. */
  function poisoning(): string {
    return listener(async (request) => {
      const { pathname, search } = new URL(request.url);
      const body = request.method === "GET" ? undefined : await request.text();
      const response = await fetch(site.url + pathname + search, {
        method: request.method,
        headers: request.headers,
        ...(body === undefined ? {} : { body }),
      });
      const text = await response.text();
      return Response.json(poisoned(text === "" ? {} : JSON.parse(text)), { status: response.status });
    });
  }

  const COMMANDS = [
    "tools list",
    "tools show Chat.SendMessage",
    "tools exec Chat.WhoAmI --user alice",
    "tools show Chat.Nothing",
    "providers list",
    "providers show slack",
    "secrets list",
    "keys list",
    "gateways list",
    "connections list",
    "executions list",
    "audit list",
    "models list",
    "plugins list",
    "hooks list",
    "scheduled list",
    "settings show",
    "status",
    "export",
    "chat Hello --no-tools",
    "api GET /v1/tools",
    "api GET /v1/nothing -i",
    "gateways show agents",
    "auth start slack --user alice --scopes a",
  ];
  const FORMATS = ["table", "json", "yaml", "ndjson", "name"];

  test.each(COMMANDS)("are harmless in %s", async (command) => {
    const address = poisoning();
    for (const format of FORMATS) {
      const { run } = newTerminal({ ...site.environment, RUNTIME_API_KEY: key });
      const { stdout, stderr } = await run([...command.split(" "), "--server", address, "-o", format], {
        columns: 100,
      });
      expect([format, HIDDEN.exec(withoutColours(stdout + stderr))?.[0]]).toEqual([format, undefined]);
    }
  });

  test("are harmless at a real terminal, in errors too", async () => {
    const address = poisoning();
    const env = { ...site.environment, RUNTIME_API_KEY: key };
    for (const command of ["secrets list", "tools show Chat.Nothing", "providers show slack"]) {
      const terminal = startAtTerminal([...command.split(" "), "--server", address], env);
      await terminal.exited;
      expect(terminal.screen()).toContain("\\x1b]0;owned");
      expect(HIDDEN.exec(withoutColours(terminal.screen()))?.[0]).toBeUndefined();
    }
    printFigure(
      "hostile server, texts",
      `${COMMANDS.length} commands × ${FORMATS.length} formats: 0 hidden characters`,
    );
  });

  test("YAML and JSON stay equivalent", async () => {
    const address = poisoning();
    const results = await Promise.all(
      ["json", "yaml"].map((format) => {
        const { run } = newTerminal({ ...site.environment, RUNTIME_API_KEY: key });
        return run(["secrets", "list", "--server", address, "-o", format]);
      }),
    );
    const [json, yaml] = results.map(({ stdout }) => stdout);
    expect(Bun.YAML.parse(yaml ?? "")).toEqual(JSON.parse(json ?? ""));
    expect(json).toContain("\\u202e");
  });

  test("completions contain nothing that a shell would run, expand or take for an option", async () => {
    const names = [
      "good-name",
      "$(touch x)",
      "a;b",
      "`id`",
      "--server=http://x",
      "*",
      "a b",
      "x\u001b[2J",
      "~root",
    ];
    const items = names.map((key, id) => ({
      id: String(id),
      key,
      description: "",
      created_at: "",
      updated_at: "",
    }));
    const address = listener(() =>
      Response.json({ items, total_count: items.length, limit: 100, offset: 0 }),
    );
    const { run } = newTerminal({ RUNTIME_API_KEY: key, RUNTIME_SERVER: address });
    const { stdout } = await run(["__complete", "secrets", "delete", ""]);
    expect(stdout).toBe("good-name\n");
  });
});

test("the consent page shows hidden characters of user ids", () => {
  expect(shown(`ali${EVIL}ce`)).not.toMatch(HIDDEN);
  expect(shown("a\u202e<b> 👩‍👧 日本")).toBe("a\\u202e&lt;b&gt; 👩‍👧 日本");
});

describe("addresses of a server", () => {
  let folder: string;
  let env: Record<string, string>;
  beforeEach(() => {
    folder = temporaryFolder();
    const program = join(folder, "xdg-open");
    writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" > "${folder}/opened"\nenv > "${folder}/env"\n`);
    chmodSync(program, 0o755);
    env = { DISPLAY: ":0", PATH: `${folder}:${process.env["PATH"] ?? ""}` };
  });

  const REFUSED = [
    "file:///etc/passwd",
    "vscode://file/etc/passwd",
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    " file:///etc/passwd",
    "data:text/html,x",
    "--help",
    "-h",
    "/etc/passwd",
    "smb://host/share",
    "http:",
    "https://good.example@evil.example/",
    "",
  ];
  test.each(REFUSED)("do not start a program: %s", (address) => {
    const started: string[][] = [];
    const opened = openBrowser(address, env, (command) => void started.push(command));
    expect([opened, started]).toEqual([false, []]);
  });

  test.each([
    ["https://idp.example/a?b=c#d", "https://idp.example/a?b=c#d"],
    ["HTTPS://IdP.Example", "https://idp.example/"],
    ["\thttp://127.0.0.1:1/a\n", "http://127.0.0.1:1/a"],
    ["http://x.example/\u202e;`id`", "http://x.example/%E2%80%AE;%60id%60"],
  ])("are opened in their normal form: %p", (address, normal) => {
    const started: string[][] = [];
    openBrowser(address, env, (command) => void started.push(command));
    expect(started.map(([, url]) => url)).toEqual([normal]);
  });

  test("a program that opens an address does not get the keys of this one", async () => {
    const secrets = { RUNTIME_API_KEY: "canary-key", NODE_OPTIONS: "x" };
    expect(openBrowser("https://idp.example/", { ...env, ...secrets })).toBe(true);
    while (!existsSync(join(folder, "env")) || readFileSync(join(folder, "env"), "utf8") === "")
      await Bun.sleep(5);
    expect(readFileSync(join(folder, "opened"), "utf8")).toBe("https://idp.example/\n");
    expect(readFileSync(join(folder, "env"), "utf8")).not.toMatch(/canary-key|NODE_OPTIONS/);
    printFigure("hostile server, addresses", `0 of ${REFUSED.length} start a program`);
  });
});

describe("bodies of a server", () => {
  const config = loadConfig({ environment: { HOME: "/nonexistent" } });
  const client = (address: string) => serverAt({ address, key: "k" }, 20_000, config);

  /** Sends MiBs until the client has enough; how many were sent. */
  function endless(headers: Record<string, string> = {}): { address: string; sent: () => number } {
    let sent = 0;
    const chunk = new Uint8Array(1024 * 1024).fill(32);
    const address = listener(() => {
      const body = new ReadableStream({
        pull(controller) {
          sent++;
          controller.enqueue(chunk);
        },
      });
      return new Response(body, { headers });
    });
    return { address, sent: () => sent };
  }

  test("an endless body ends with an error", async () => {
    const { address, sent } = endless();
    const error = await client(address)
      .get("/v1/tools")
      .catch((reason: unknown) => reason);
    expect(String(error)).toContain("more than 64 MiB");
    expect(sent()).toBeLessThan(200);
    printFigure("hostile server, endless body", `read until 64 MiB; ${sent()} MiB were sent`);
  });

  test("an endless stream of events ends with an error", async () => {
    const { address } = endless({ "content-type": "text/event-stream" });
    const stream = await client(address).stream("/v1/chat/completions", {});
    const error = await new Response(stream).text().catch((reason: unknown) => reason);
    expect(String(error)).toContain("more than 64 MiB");
  });

  test("a small body does not become a huge one", async () => {
    const bomb = Bun.gzipSync(new Uint8Array(100 * 1024 * 1024));
    const address = listener(() => new Response(bomb, { headers: { "content-encoding": "gzip" } }));
    const { text } = await client(address).raw("GET", "/v1/tools");
    expect(text.length).toBeLessThan(1024 * 1024);
  });

  test("a body that stops ends with an error", async () => {
    const silent = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(1)),
    });
    const response = limited(new Response(silent), { mostBytes: 10, idleMs: 20 });
    expect(await response.text().catch((error: unknown) => error)).toBeInstanceOf(BodyTooSlow);
    const large = limited(new Response("x".repeat(11)), { mostBytes: 10, idleMs: 20 });
    expect(await large.text().catch((error: unknown) => error)).toBeInstanceOf(BodyTooLarge);
  });

  test.each([
    ["many headers", "x-a: b\r\n".repeat(8000)],
    ["one long header", `x-long: ${"x".repeat(4_000_000)}`],
  ])("%s end with an error", async (_what, text) => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.write(`HTTP/1.1 200 OK\r\n${text}`);
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = isObject(address) ? Number(address["port"]) : 0;
    const error = await client(`http://127.0.0.1:${port}`)
      .get("/")
      .catch((reason: unknown) => reason);
    expect(String(error)).toContain("cannot be reached");
  });
});

describe("a key", () => {
  test("is not sent to a program that took the port of a killed server", async () => {
    await using site = await startSite();
    const requests: string[] = [];
    const address = listener((request) => {
      requests.push(`${request.headers.get("authorization") ?? "no key"} ${new URL(request.url).pathname}`);
      return Response.json({ healthy: true, proof: "x".repeat(43) });
    });
    const { announceServer } = await import("../../src/serving");
    await announceServer(site.runtime.core, address);
    const { code, stderr } = await runProcess(["api", "GET", "/v1/tools"], {
      env: { ...site.environment, RUNTIME_API_KEY: "canary-key" },
    });
    expect(code).not.toBe(0);
    expect(stderr).toContain("No server is running");
    expect([...new Set(requests)]).toEqual(["no key /v1/proof"]);
    printFigure("hostile server, taken port", "1 request without a key, 0 with one");
  });

  test.each([
    ["http://localhost.evil.example", true],
    ["http://127.evil.example", true],
    ["http://[::1].evil.example", undefined],
    ["http://127.0.0.1:9", false],
    ["http://localhost:9", false],
  ])("is only sent unencrypted to %s with a warning: %p", async (address, warns) => {
    const { isLoopback } = await import("../../src/base");
    const url = URL.parse(address);
    expect(url === null ? undefined : !isLoopback(url.hostname)).toBe(warns);
  });
});

describe("variables of the engine", () => {
  const REFUSED = {
    NODE_TLS_REJECT_UNAUTHORIZED: "0",
    BUN_CONFIG_VERBOSE_FETCH: "curl",
    BUN_INSPECT_NOTIFY: "unix:///nonexistent",
    BUN_OPTIONS: "--smol",
  };
  test.each(Object.entries(REFUSED))(
    "%s is refused by name, for commands and the server",
    async (name, value) => {
      const env = { HOME: temporaryFolder(), [name]: value };
      for (const command of [
        ["tools", "list"],
        ["serve", "--port", "0"],
      ]) {
        const { code, stderr } = await runProcess(command, { env });
        expect(code).toBe(1);
        expect(stderr).toContain(`The variable ${name} `);
      }
      expect(existsSync(join(env.HOME, ".local"))).toBe(false);
    },
  );

  test.each([
    ["NODE_TLS_REJECT_UNAUTHORIZED", "1"],
    ["NODE_EXTRA_CA_CERTS", "/nonexistent"],
    ["NODE_OPTIONS", "--max-old-space-size=100"],
  ])("%s=%s is accepted", async (name, value) => {
    const { stderr } = await runProcess(["tools", "list"], {
      env: { HOME: temporaryFolder(), [name]: value },
    });
    expect(stderr).not.toContain(name);
  });
});
