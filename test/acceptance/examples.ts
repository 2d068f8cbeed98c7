// Every example of every command's help, run unchanged by a shell, on an installation that has what it names.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nouns } from "../../cli/nouns";
import { Browser } from "../support/browser";
import { makeCertificate } from "../support/certificates";
import { mcpAnswer, modelAnswer, type Ran } from "./stage";
import { type ChatSandbox, startChatSandbox } from "../sandbox/chat";
import { chatProvider } from "../sandbox/chat";
import { Installation } from "../support/runtime-process";

const EXAMPLES = (
  await Promise.all(
    nouns.map(async ({ name, load }) =>
      (await load()).verbs.flatMap(({ examples }) =>
        examples.map((example): [string, string] => [name, example]),
      ),
    ),
  )
).flat();

/** Examples that cannot end with 0 here, each with its code and the reason. */
export const OTHERWISE: Readonly<Record<string, [code: number, reason: string]>> = {
  "runtime init": [2, "asks questions at a terminal"],
  "runtime chat": [2, "is a conversation at a terminal"],
  "runtime secrets set VENDOR_TOKEN": [2, "asks for the value at a terminal"],
  "runtime connections add tracker --user alice": [2, "asks for the key at a terminal"],
  "runtime users invite alice": [1, "needs a deployment where people sign in"],
  "runtime users invite bob --role auditor --name 'Bob Miller'": [
    1,
    "needs a deployment where people sign in",
  ],
  "runtime users update alice --role approver": [3, "needs a person who was invited"],
  "runtime users remove alice": [3, "needs a person who was invited"],
  "runtime clients show runtime-cli": [3, "needs a person who has allowed a client something"],
  "runtime clients revoke runtime-cli": [3, "needs a person who has allowed a client something"],
  "runtime keys rotate-root": [2, "asks for confirmation at a terminal"],
  "runtime login https://runtime.example.com": [2, "asks for the key at a terminal"],
  "runtime login https://runtime.example.com --device": [1, "names a server that is not there"],
  "runtime login https://runtime.example.com --key-file - < key": [1, "names a server that is not there"],
  "runtime logout https://runtime.example.com": [3, "names a server that is not there"],
  "runtime workers create https://mcp.example.com/mcp": [2, "asks questions at a terminal"],
  "runtime workers add https://mcp.example.com/mcp": [2, "asks questions at a terminal"],
  "runtime workers create http://127.0.0.1:3001/mcp --id everything --yes": [
    1,
    "names a server that is not there",
  ],
  "runtime workers add http://127.0.0.1:3001/mcp --id everything --yes": [
    1,
    "names a server that is not there",
  ],
  "runtime workers create http://127.0.0.1:8002 --type http --secret-env WORKER_SECRET --yes": [
    1,
    "names a server that is not there",
  ],
  "runtime workers add http://127.0.0.1:8002 --type http --secret-env WORKER_SECRET --yes": [
    1,
    "names a server that is not there",
  ],
  "runtime workers test https://mcp.example.com/mcp": [1, "names a server that is not there"],
  "runtime workers accept files Files.read_file": [1, "nothing has changed"],
  'runtime backup create runtime.backup.age --recipient "$(age-keygen -y age.key)"': [
    1,
    "age.key is not there",
  ],
  "runtime backup verify runtime.backup.age --identity age.key -o json": [3, "age.key is not there"],
  "runtime backup list": [1, "backup.folder is not set"],
  "runtime database copy --to postgres://runtime@db1.example.com/runtime": [
    5,
    "a server uses the data folder",
  ],
  "runtime database check --to postgres://runtime@db1.example.com/runtime": [
    1,
    "names a server that is not there",
  ],
  "runtime auth confirm-user FLOW_ID --user alice": [3, "FLOW_ID is what a verifier receives"],
};
const PLUGIN =
  "plugins create channels --pre http://127.0.0.1:PORT/pre --post http://127.0.0.1:PORT/post --status active";
const WORKLOAD =
  "--issuer https://ci.example.com --audience https://runtime.example.com --subject repo:acme/app";
/** What is there before an example, by a pattern of it: commands that may fail because it is there already. */
const GIVEN: readonly [RegExp, readonly string[]][] = [
  [/^runtime backup (verify|restore|show) runtime.backup( |$)/, ["backup create runtime.backup"]],
  [/^runtime gateways create Support/, ["gateways delete support --yes"]],
  [/gateways (show|update|delete|connect) |^runtime mcp/, ["gateways create Support --slug support"]],
  [/^runtime mcp/, ["gateways update support --status active"]],
  [/^runtime projects create sales/, ["projects delete sales --force"]],
  [/^runtime projects delete sales|--project sales/, ["projects create sales", "projects create sales-test"]],
  [/^runtime keys create my-agent/, ["keys delete my-agent --yes"]],
  [/^runtime workloads create deploy/, ["workloads delete deploy --yes"]],
  [/^runtime workloads create jobs/, ["workloads delete jobs --yes"]],
  [
    /^runtime workloads (show|delete) deploy/,
    ["workloads delete deploy --yes", `workloads create deploy ${WORKLOAD}`],
  ],
  [/^runtime keys rotate nightly/, ["keys create nightly"]],
  [/^runtime keys rotate my-agent/, ["keys delete my-agent --yes", "keys create my-agent"]],
  [/^runtime keys (show|delete) my-agent/, ["keys delete my-agent --yes", "keys create my-agent"]],
  [/^runtime providers create slack/, ["providers delete slack --force"]],
  [/^runtime providers create --file/, ["providers delete own --force"]],
  [/^runtime providers (show|update|delete) slack/, ["providers create --file provider-slack.json"]],
  [
    /^runtime plugins create channels/,
    [
      "hooks delete 'channels tool.pre' --force",
      "hooks delete 'channels tool.post' --force",
      "plugins delete channels --yes",
    ],
  ],
  [
    /^runtime plugins (show|test|update) channels/,
    [
      "hooks delete 'channels tool.pre' --force",
      "hooks delete 'channels tool.post' --force",
      "plugins delete channels --yes",
      PLUGIN,
    ],
  ],
  [
    /^runtime plugins delete channels/,
    [PLUGIN, "hooks delete 'channels tool.pre' --force", "hooks delete 'channels tool.post' --force"],
  ],
  [
    /^runtime hooks (show|update|delete|create again|bulk)/,
    ["hooks delete 'channels tool.post' --force", "plugins delete channels --yes", PLUGIN],
  ],
  [/^runtime hooks create log/, ["plugins create audit --post http://127.0.0.1:PORT/post"]],
  [/secrets (show|delete) VENDOR_TOKEN/, ["secrets set VENDOR_TOKEN --from-file secret"]],
  [
    /^runtime models create/,
    ["models delete local --yes", "models delete openai --yes", "models delete claude --yes"],
  ],
  [
    /^runtime (models (show|update|test|delete) local|chat )/,
    [
      "models delete local --yes",
      "models delete openai --yes",
      "models delete claude --yes",
      "models create local --type openai --base-url http://127.0.0.1:PORT/v1 --model llama3",
    ],
  ],
  [
    /^runtime models update openai/,
    ["models create openai --type openai --model gpt-4o --api-key-env OPENAI_API_KEY"],
  ],
  [
    /^runtime workers \w+ files/,
    ["workers create http://127.0.0.1:PORT/mcp --id files --yes", "workers enable files"],
  ],
  [/^runtime workers (create|add) --id memory/, ["workers delete memory --yes"]],
  [/^runtime workers \w+ crm/, ["workers create http://127.0.0.1:PORT/mcp --id crm --yes"]],
  [/^runtime scheduled/, ["tools exec Chat.WhoAmI --user alice --run-at 2030-01-31T09:30:00Z"]],
  [/^runtime executions/, ["tools exec Chat.WhoAmI --user alice"]],
  [/^runtime logout$/, ["login SERVER --key-file key"]],
];
/** Examples that need alice's consent. */
const NEEDS_CONSENT =
  /tools (exec|authorize)|--platform slack|^runtime (auth|connections|executions|scheduled|chat|users)/;
/** Examples after which alice has to consent again. */
const ENDS_CONSENT = /^runtime (connections delete|users erase|providers (create|delete) slack)/;

/** Examples that ask before they delete. They are printed without `--yes`, so that a copied line does no harm. */
export const ASKS =
  /^runtime \w+ delete |^runtime clients revoke |^runtime apply .* --prune$|^runtime users (erase|remove) /;

/** Examples that run until they are stopped. */
export const SERVES = /^runtime (?:serve|sandbox)/;

/** Registers a test for each example. `executable` is known only after the build. */
export function describeExamples(executable: () => string): void {
  let given: Given;
  beforeAll(async () => {
    given = await startGiven(executable());
  }, 60_000);
  afterAll(() => given[Symbol.asyncDispose]());

  describe("an example of", () => {
    test.each(EXAMPLES)("%s: %s", async (_noun, example) => {
      await given.prepare(example);
      const serves = SERVES.test(example);
      const asks = ASKS.test(example);
      if (asks) expect(await given.run(example)).toMatchObject({ code: 2, stdout: "" });
      // What is in use needs more than `--yes`.
      const confirmed = `${example} ${example.includes(" delete ") ? "--force" : "--yes"}`;
      const { code, stdout, stderr } = await given.run(asks ? confirmed : example, serves);

      if (serves) expect(stderr).toMatch(/https?:\/\/\S+:\d+/);
      else
        expect([example, code, stdout + stderr]).toEqual([
          example,
          OTHERWISE[example]?.[0] ?? 0,
          stdout + stderr,
        ]);
      expect(stderr).not.toContain("internal_error");
    });
  });

  test("each exception is an example", () => {
    const all = EXAMPLES.map(([, example]) => example);

    expect(Object.keys(OTHERWISE).filter((example) => !all.includes(example))).toEqual([]);
  });
}

export interface Given extends AsyncDisposable {
  /** Makes what the example names. */
  prepare(example: string): Promise<void>;
  /** Runs a line in a shell. `serves`: a server with an empty home folder, stopped after a moment. */
  run(line: string, serves?: boolean): Promise<Ran>;
}

export async function startGiven(executable: string): Promise<Given> {
  const chat = await startChatSandbox();
  const installation = new Installation(chat, [executable]);
  const server = await installation.serve();
  const peer = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answerOf });
  const work = mkdtempSync(join(tmpdir(), "runtime-examples-"));
  const environment = installation.environment;
  environment["RUNTIME_USER"] = "alice";
  environment["RUNTIME_API_KEY"] = await installation.key("admin");
  environment["OPENAI_API_KEY"] = "a key";
  environment["WORKER_SECRET"] = "a secret";
  environment["VENDOR_SERVER_URL"] = "https://vendor.example";
  writeFiles(work, executable, chat, environment["RUNTIME_API_KEY"]);
  for (const folder of [".zfunc", ".config/fish/completions"])
    mkdirSync(join(installation.home, folder), { recursive: true });
  const url = `http://127.0.0.1:${peer.port}/mcp`;
  writeFileSync(join(work, ".mcp.json"), JSON.stringify({ mcpServers: { desk: { type: "http", url } } }));
  mkdirSync(join(installation.home, ".codex"));
  writeFileSync(join(installation.home, ".codex/config.toml"), `[mcp_servers.terminal]\nurl = "${url}"\n`);
  writeFileSync(
    join(work, "heads.ndjson"),
    (await installation.run(["audit", "heads", "-o", "ndjson"])).stdout,
  );
  const run = async (line: string, serves = false): Promise<Ran> => {
    const { PATH = "", ...rest } = environment;
    const child = Bun.spawn(["bash", "-c", serves ? `exec ${line} --port 0` : line], {
      cwd: work,
      // A second server on the same folder would replace the first.
      env: { ...rest, ...(serves ? { HOME: work } : {}), PATH: `${join(work, "bin")}:${PATH}` },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      timeout: serves ? 3000 : 20_000,
    });
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    return { code: await child.exited, stdout, stderr };
  };
  let hasConsent = false;
  const consent = async (): Promise<void> => {
    if (hasConsent) return;
    hasConsent = true;
    await run("runtime providers delete slack --force");
    await run("runtime providers create --file provider-slack.json");
    for (const tool of ["Chat.WhoAmI", "Chat.SendMessage"]) {
      const { stdout } = await run(`runtime tools authorize ${tool} --user alice -o json`);
      const { url } = JSON.parse(stdout) as { url?: string };
      if (url !== undefined) await new Browser().consent(url, "alice");
    }
  };
  return {
    run,
    prepare: async (example) => {
      if (NEEDS_CONSENT.test(example)) await consent();
      for (const [pattern, lines] of GIVEN)
        if (pattern.test(example))
          for (const line of lines)
            await run(
              `runtime ${line.replaceAll("PORT", String(peer.port)).replace("SERVER", server.address)}`,
            );
      if (example.includes("hooks.json"))
        await writeBulk(work, await run("runtime plugins show channels -o json"));
      if (ENDS_CONSENT.test(example)) hasConsent = false;
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await installation[Symbol.asyncDispose]();
      await peer.stop(true);
      await chat.stop();
      rmSync(work, { recursive: true, force: true });
    },
  };
}

/** A webhook that allows everything, and a model server with one answer. */
async function answerOf(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname.endsWith("/chat/completions")) return modelAnswer(await request.json());
  if (pathname === "/mcp") return mcpAnswer(await request.text());
  return Response.json({ code: "OK" });
}

/** The files that examples name, and the programs. */
function writeFiles(work: string, executable: string, chat: ChatSandbox, key: string): void {
  mkdirSync(join(work, "bin"));
  const program = `#!/bin/sh\nexec '${executable}' "$@"\n`;
  writeFileSync(join(work, "bin", "runtime"), program, { mode: 0o755 });
  writeFileSync(join(work, "bin", "pass"), "#!/bin/sh\necho word\n", { mode: 0o755 });
  makeCertificate(work, "server");
  const plugin = {
    name: "company",
    plugin_type: "webhook",
    webhook_config: {
      endpoints: { access: { url: "https://p.example/", phase: "before", failure_mode: "fail_open" } },
    },
  };
  const files: Readonly<Record<string, string>> = {
    secret: "word\n",
    token: "word\n",
    key: `${key}\n`,
    "provider.json": JSON.stringify({ ...chatProvider(chat), id: "own" }),
    "provider-slack.json": JSON.stringify(chatProvider(chat)),
    "changes.json": '{"description": "Team chat"}',
    "plugin.json": JSON.stringify(plugin),
    "message.json": '{"channel_name": "general", "message": "Hello"}',
    "question.txt": "Hello\n",
    "project.yaml": "secrets: []\n",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(work, name), text);
}

async function writeBulk(work: string, { stdout }: Ran): Promise<void> {
  const { id } = JSON.parse(stdout) as { id: string };
  const config = { plugin_id: id, hook_point: "tool.pre", failure_mode: "fail_open" };
  await Bun.write(join(work, "hooks.json"), JSON.stringify({ configs: [config] }));
}
