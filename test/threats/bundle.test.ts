// Canaries wherever a user or an administrator can put text, and a bundle of the doctor that must contain none of them.
import { Database } from "bun:sqlite";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { api } from "../support/api";
import { type Canaries, found } from "../support/canaries";
import { Upstream } from "../support/mcp-upstream";
import { Installation } from "../support/runtime-process";
import { printFigure } from "./figure";

// Some forty processes.
setDefaultTimeout(180_000);

const folder = mkdtempSync(join(tmpdir(), "runtime-bundle-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const CANARIES = {
  root_key: Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64"),
  root_key_argument: "canary-of-an-argument-of-the-key-command",
  client_secret: "canary+of/the:client%secret=",
  variable: "canary of an unrelated variable",
  token_variable: "canary-of-a-token-variable",
  proxy_password: "canary-of-a-proxy-password",
  operator: "canary-operator@example.com",
  data_folder: "canary-of-the-data-folder",
  backup_folder: "canary-of-the-backup-folder",
  public_path: "canary-of-the-public-path",
  secret: "canary of a stored secret +/=&%",
  provider_secret: "canary of a provider's secret",
  provider_path: "canary-of-a-token-endpoint",
  model_key: "canary-of-a-model-key-0123456789",
  model_path: "canary-of-a-model-path",
  plugin_token: "canary-of-a-plugin-token-0123456789",
  webhook_path: "canary-of-a-webhook-path",
  worker_header: "canary-of-a-header-of-a-worker",
  worker_path: "canary-of-a-worker-path",
  user: "canary-user@example.com",
  user_key: "canary-key-of-a-user",
  argument: "canary of an argument",
  result: "canary of a result",
  upstream_error: "canary of an error of a worker",
  wrong_key: "rt_canary-of-a-wrong-api-key",
  request_path: "canary-of-a-request-path",
  query: "canary-of-a-query",
  cookie: "canary-of-a-cookie",
  foreign_line: "canary of a line of another program",
  debug_line: "canary of a line at debug",
  address_in_line: "canary-password-in-an-address",
  bearer_in_line: "canary-bearer-in-a-line",
} as const;

const KEY_RULES = { location: "header", addresses: ["https://api.tracker.example"] };

const upstream = new Upstream({
  capabilities: { tools: {} },
  methods: {
    "tools/list": () => ({
      tools: [{ name: "say", inputSchema: { type: "object", properties: { text: { type: "string" } } } }],
    }),
    "tools/call": ({ params }) => ({
      content: [{ type: "text", text: `${CANARIES.result} ${CANARIES.upstream_error}` }],
      isError: JSON.stringify(params).includes("fail"),
    }),
  },
});
afterAll(() => upstream[Symbol.asyncDispose]());

async function prepared(): Promise<Installation> {
  const installation = new Installation(undefined);
  const { environment, home } = installation;
  const keyFile = join(home, "outside.key");
  writeFileSync(keyFile, CANARIES.root_key, { mode: 0o600 });
  Object.assign(environment, {
    RUNTIME_ROOT_KEY_COMMAND: JSON.stringify(["sh", "-c", `cat ${keyFile}`, CANARIES.root_key_argument]),
    RUNTIME_AUTH_CLIENT_SECRET: CANARIES.client_secret,
    RUNTIME_USER: CANARIES.operator,
    RUNTIME_DATA_DIR: join(home, CANARIES.data_folder),
    RUNTIME_BACKUP_FOLDER: join(home, CANARIES.backup_folder),
    RUNTIME_BACKUP_HOURS: "24",
    RUNTIME_PUBLIC_URL: `http://127.0.0.1:9099/${CANARIES.public_path}`,
    RUNTIME_LOG_LEVEL: "debug",
    RUNTIME_LOG_ACCESS: "true",
    UNRELATED: CANARIES.variable,
    SOME_TOKEN: CANARIES.token_variable,
  });
  mkdirSync(join(home, CANARIES.backup_folder));
  const run = async (args: string[], input?: string): Promise<void> => {
    const { code, stderr } = await installation.run(args, input);
    expect(code, `${args.join(" ")}: ${stderr}`).toBe(0);
  };
  await run(["secrets", "set", "A", "-"], CANARIES.secret);
  const own = {
    id: "own",
    type: "oauth2",
    oauth2: {
      client_id: "c",
      client_secret: CANARIES.provider_secret,
      authorize_request: { endpoint: `http://127.0.0.1:9/${CANARIES.provider_path}` },
      token_request: { endpoint: `http://127.0.0.1:9/${CANARIES.provider_path}?key=${CANARIES.query}` },
    },
  };
  await run(["providers", "create", "own", "--file", "-"], JSON.stringify(own));
  const model = ["models", "create", "local", "--type", "openai", "--model", "m", "--api-key-stdin"];
  await run([...model, "--base-url", `http://127.0.0.1:9/${CANARIES.model_path}`], CANARIES.model_key);
  const webhook = `http://127.0.0.1:9/${CANARIES.webhook_path}?token=${CANARIES.query}`;
  const plugin = ["plugins", "create", "p", "--pre", webhook, "--failure-mode", "fail_open"];
  await run(plugin.concat("--status", "active", "--token-file", "-"), CANARIES.plugin_token);
  const tracker = { id: "tracker", type: "api_key", description: "Tracker", api_key: KEY_RULES };
  await run(["providers", "create", "--file", "-"], JSON.stringify(tracker));
  const users = ["connections", "add", "tracker", "--user", CANARIES.user];
  await run([...users, "-"], CANARIES.user_key);
  // What names the rows that are damaged names users.
  using database = new Database(join(home, CANARIES.data_folder, "runtime.db"));
  expect(database.run("UPDATE connections SET sealed_tokens = sealed_tokens || 'x'").changes).toBe(1);
  await run(["workers", "create", "--id", "wiki", "--yes", upstream.url]);
  return installation;
}

/** Calls that succeed and fail, with everything that a caller can put into them. */
async function use(installation: Installation, address: string): Promise<void> {
  const key = await installation.key("admin");
  const admin = api(address, key);
  const mcp = {
    uri: `http://127.0.0.1:9/${CANARIES.worker_path}`,
    timeout: 2,
    retry: 0,
    headers: { Authorization: "Bearer ${secret:KEY}" },
    secrets: { KEY: CANARIES.worker_header },
  };
  await admin.post("/v1/workers", { id: "down", enabled: true, mcp });
  for (const text of ["work", "fail"])
    await admin.post("/v1/tools/execute", {
      tool_name: "Wiki.say",
      user_id: CANARIES.user,
      input: { text: `${text} ${CANARIES.argument}` },
    });
  await admin.post("/v1/chat/completions", {
    model: "local/m",
    user: CANARIES.user,
    messages: [{ role: "user", content: CANARIES.argument }],
  });
  const consent = {
    auth_requirement: { provider_id: "own", oauth2: { scopes: ["x"] } },
    user_id: CANARIES.user,
  };
  const started = await admin.post("/v1/auth/authorize", consent);
  expect(started.status).toBe(200);
  await fetch(`${address}/authorize/${CANARIES.request_path}?code=${CANARIES.query}`, {
    headers: { cookie: `session=${CANARIES.cookie}` },
  });
  await api(address, CANARIES.wrong_key).get(`/v1/tools/${CANARIES.request_path}?x=${CANARIES.query}`);
}

async function bundled(installation: Installation, name: string, ...more: string[]): Promise<string> {
  const file = join(folder, name);
  const { code, stdout, stderr } = await installation.run(["doctor", "--bundle", file, ...more]);
  expect(code, stderr).toBe(0);
  const unpacked = join(folder, `${name}.d`);
  mkdirSync(unpacked);
  expect(Bun.spawnSync(["tar", "-xzf", file, "-C", unpacked]).exitCode).toBe(0);
  const all = Bun.spawnSync(["sh", "-c", 'find "$1" -type f -exec cat {} +', "sh", unpacked]);
  return stdout.replace(file, "") + stderr.replace(file, "") + all.stdout.toString();
}

test("a bundle contains nothing secret, and no user", async () => {
  await using installation = await prepared();
  const server = await installation.serve();
  await use(installation, server.address);
  const lines = join(folder, "server.log");
  writeFileSync(
    lines,
    [
      `${CANARIES.foreign_line}`,
      JSON.stringify({ time: "2026-01-01T00:00:00.000Z", level: "debug", message: CANARIES.debug_line }),
      JSON.stringify({
        time: "2026-01-01T00:00:00.000Z",
        level: "warn",
        message: `at https://me:${CANARIES.address_in_line}@host.example/x`,
      }),
      `Jan 01 host runtime[1]: 2026-01-01T00:00:00.000Z warn  sent Bearer ${CANARIES.bearer_in_line}`,
      `2026-01-01T00:00:00.000Z debug ${CANARIES.debug_line}`,
    ].join("\n"),
  );
  installation.environment["HTTPS_PROXY"] = `http://me:${CANARIES.proxy_password}@127.0.0.1:9`;

  const live = await bundled(installation, "live.tar.gz");
  await server.kill();
  const ended = await bundled(installation, "ended.tar.gz", "--log", lines);

  // What it is for is there.
  const wanted = [
    '"message":"request"',
    '"uptime_seconds"',
    "runtime_event_loop_delay_seconds",
    '"down"',
    '"api_keys"',
    '"HTTPS_PROXY"',
    "cannot be opened: tokens in connections.",
  ];
  expect(wanted.filter((text) => !live.includes(text))).toEqual([]);
  expect(ended.includes("host.example")).toBe(true);
  expect(ended.includes("3 lines are left out")).toBe(true);
  const canaries: Canaries = CANARIES;
  expect(found(canaries, live)).toEqual([]);
  expect(found(canaries, ended)).toEqual([]);
  printFigure("bundle", `${Object.keys(CANARIES).length} kinds of canaries, 2 bundles: 0 found`);
});
