// A secret of every kind goes through real processes: commands that succeed and that fail, and a server whose log is at
// level debug. None is printed, logged, stored in clear or an argument of a process. What a server answers and stores during
// consents and tool calls: test/scenarios/canaries.test.ts.
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { api } from "../support/api";
import { bytesOf, type Canaries, found } from "../support/canaries";
import { Installation } from "../support/runtime-process";
import { printFigure } from "./figure";

const random = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64");

/** The arguments of all processes of this machine. */
function argumentsOfProcesses(): string {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(join("/proc", pid, "cmdline"), "latin1");
      } catch {
        return "";
      }
    })
    .join("\n");
}

test("no secret of any kind is printed, logged, stored in clear or an argument", async () => {
  await using installation = new Installation(undefined);
  const canaries: Record<string, string> = {
    root_key: random(),
    stored_secret: "canary of a stored secret +/=&%",
    replaced_secret: "canary of a replaced secret +/=&%",
    client_secret: "canary+of/the:client%secret=",
    provider_secret: "canary of a provider's secret",
    model_key: "canary-of-a-model-key-0123456789",
    plugin_token: "canary-of-a-plugin-token-0123456789",
    signing_secret: `whsec_${Buffer.from("canary of a signing secret!!!!!!").toString("base64")}`,
    worker_secret: "canary of the secret of a worker",
    worker_header: "canary-of-a-header-of-a-worker",
    worker_client: "canary of the OAuth client of a worker",
    wrong_key: "canary-of-a-wrong-api-key",
  };
  const { environment, home } = installation;
  // The key of the environment is printed by a command, so that every copy of it is ours.
  const keyFile = join(home, "outside.key");
  writeFileSync(keyFile, canaries["root_key"] ?? "", { mode: 0o600 });
  environment["RUNTIME_ROOT_KEY_COMMAND"] = JSON.stringify(["cat", keyFile]);
  environment["RUNTIME_AUTH_CLIENT_SECRET"] = canaries["client_secret"] ?? "";
  environment["RUNTIME_LOG_LEVEL"] = "debug";
  environment["RUNTIME_LOG_ACCESS"] = "true";
  let printed = "";
  let seen = "";
  const run = async (args: string[], input?: string): Promise<string> => {
    const running = installation.run(args, input);
    seen += argumentsOfProcesses();
    const { stdout, stderr } = await running;
    printed += stderr;
    return stdout;
  };
  // Only this command prints a new API key.
  const admin = String(
    Object(JSON.parse(await run(["keys", "create", "a", "--role", "admin", "-o", "json"]))).key,
  );
  const each = async (args: string[], input?: string): Promise<void> => {
    for (const format of ["table", "json"]) printed += await run([...args, "-o", format], input);
  };
  await using server = await installation.serve();
  await each(["secrets", "set", "A", "-"], canaries["replaced_secret"]);
  await each(["secrets", "set", "A", "-"], canaries["stored_secret"]);
  await each(["secrets", "set", "not a name!", "-"], canaries["stored_secret"]);
  await each(
    ["providers", "create", "slack", "--provider", "slack", "--client-id", "1.2", "--client-secret-stdin"],
    canaries["provider_secret"],
  );
  await each(
    ["models", "create", "local", "--type", "openai", "--model", "m", "--api-key-stdin"],
    canaries["model_key"],
  );
  await each(
    ["models", "create", "bad id!", "--type", "openai", "--model", "m", "--api-key-stdin"],
    canaries["model_key"],
  );
  await each(
    ["plugins", "create", "p", "--pre", "http://127.0.0.1:9/pre", "--token-file", "-"],
    canaries["plugin_token"],
  );
  await each(
    [
      "plugins",
      "create",
      "q",
      "--pre",
      "http://127.0.0.1:9/pre",
      "--priority",
      "5",
      "--signing-secret-file",
      "-",
    ],
    canaries["signing_secret"],
  );
  // Disabled: nothing is asked.
  const settings = { uri: "https://worker.example/mcp", timeout: 10, retry: 0 };
  const mcp = {
    ...settings,
    headers: { Authorization: "Bearer ${secret:KEY}" },
    secrets: { KEY: canaries["worker_header"] },
    oauth2: { client_id: "c", client_secret: canaries["worker_client"] },
  };
  const http = { ...settings, secret: canaries["worker_secret"] };
  for (const worker of [
    { id: "wiki", mcp },
    { id: "own", http },
  ]) {
    const made = await api(server.address, admin).post("/v1/workers", { enabled: false, ...worker });
    printed += made.text;
    await each(["workers", "show", worker.id]);
  }
  await each(["workers", "update", "wiki", "--address", "https://another.example/mcp"]);
  for (const noun of ["secrets", "providers", "models", "workers", "plugins", "hooks", "keys", "audit"])
    await each([noun, "list"]);
  for (const args of [
    ["config", "show"],
    ["doctor", "--all"],
    ["status"],
    ["export"],
    ["keys", "rotate-data"],
  ])
    await each(args);
  await each(["tools", "list", "--server", server.address, "--key-file", "-"], canaries["wrong_key"]);
  await each(["secrets", "list", "--server", server.address, "--key-file", "-"], admin);
  const { text } = await api(server.address, canaries["wrong_key"] ?? "").get("/v1/tools");
  printed += text;
  // A root key command that fails with the key in its complaint.
  const broken = { RUNTIME_ROOT_KEY_COMMAND: JSON.stringify(["sh", "-c", `cat ${keyFile} >&2; exit 1`]) };
  Object.assign(environment, broken);
  await each(["secrets", "list"]);

  // The records that the secrets belong to were made.
  for (const made of [
    '"key": "A"',
    '"id": "slack"',
    '"id": "local"',
    '"id": "wiki"',
    '"id": "own"',
    '"name": "p"',
    '"name": "q"',
  ])
    expect(printed).toContain(made);

  const all: Canaries = { ...canaries, api_key: admin };
  const data = join(home, ".local/share/runtime");
  expect(existsSync(join(home, ".config/runtime/root.key"))).toBe(false);
  expect(printed.length).toBeGreaterThan(10_000);
  expect(found(all, printed)).toEqual([]);
  expect(found(all, server.output())).toEqual([]);
  expect(found(all, bytesOf(data))).toEqual([]);
  expect(found(all, seen)).toEqual([]);
  printFigure(
    "canaries",
    `${Object.keys(all).length} kinds: 0 printed, 0 logged, 0 stored in clear, 0 in arguments`,
  );
}, 120_000);
