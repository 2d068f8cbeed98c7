// Codex, a coding agent that speaks the Responses protocol, as published: it completes a turn with a call of its shell. The
// server of the model is a stand-in that speaks chat completions and wants its reasoning back.
import { existsSync } from "node:fs";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, type test } from "bun:test";
import { chunk, type ModelRequest, stream, type Turn } from "../../sandbox/models/chat-server";
import { at } from "../../support/api";
import { type ChatSite, startChatSite } from "../../support/chat-site";
import { testWith } from "../../support/require";
import { temporaryFolder } from "../../support/temporary";

const FOLDER = import.meta.dir;
const PROGRAM = join(FOLDER, "node_modules", "@openai", "codex", "bin", "codex.js");
const INSTALL_MS = 240_000;
const RUN_MS = 60_000;

function testWithCodex(): typeof test {
  return testWith("Codex (bun install needs the network)", installed());
}

function installed(): boolean {
  if (existsSync(PROGRAM)) return true;
  const command = [process.execPath, "install", "--frozen-lockfile"];
  return Bun.spawnSync(command, { cwd: FOLDER, timeout: INSTALL_MS }).exitCode === 0;
}

const CONFIGURATION = (url: string): string => `
model = "local/test-model"
model_provider = "runtime"
# Runs at the server of the model.
web_search = "disabled"

[model_providers.runtime]
name = "runtime"
base_url = "${url}/v1"
env_key = "RUNTIME_API_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false
`;

/** Runs one turn in a home of its own. Nothing but this machine can be reached. */
async function codex({ site, key }: ChatSite, prompt: string): Promise<unknown[]> {
  const home = join(temporaryFolder(), "home");
  const work = join(temporaryFolder(), "work");
  for (const folder of [home, work]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(home, "config.toml"), CONFIGURATION(site.url));
  const nowhere = "http://127.0.0.1:9";
  const child = Bun.spawn(
    ["node", PROGRAM, "exec", "--skip-git-repo-check", "--json", "--sandbox", "danger-full-access", prompt],
    {
      cwd: work,
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: home,
        CODEX_HOME: home,
        RUNTIME_API_KEY: key,
        HTTPS_PROXY: nowhere,
        HTTP_PROXY: nowhere,
        NO_PROXY: "127.0.0.1",
      },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      timeout: RUN_MS,
    },
  );
  const [printed, complaints] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(printed + complaints);
  return printed
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line): unknown => JSON.parse(line));
}

const THOUGHT = "I must look first.";
const CALL = {
  index: 0,
  id: "call_1",
  type: "function",
  function: { name: "exec_command", arguments: '{"cmd":"echo from-the-shell"}' },
};

/** Calls the shell, then says what it printed. */
const shell: Turn = ({ messages }: ModelRequest, reply) => {
  const usage = { choices: [], usage: { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 } };
  const output = messages.at(-1);
  if (output?.role !== "tool") {
    const said = [chunk({ role: "assistant", reasoning_content: THOUGHT }), chunk({ tool_calls: [CALL] })];
    return stream(reply, ...said, chunk({}, "tool_calls"), chunk({}, null, usage));
  }
  const seen = String(output.content).includes("from-the-shell") ? "from-the-shell" : String(output.content);
  stream(
    reply,
    chunk({ role: "assistant", content: `It printed ${seen}.` }),
    chunk({}, "stop"),
    chunk({}, null, usage),
  );
};

testWithCodex()(
  "Codex completes a turn with a call of its shell",
  async () => {
    await using chat = await startChatSite({ turn: shell });
    const events = await codex(chat, "What does the shell print?");

    const items = events
      .filter((event) => at(event, "type") === "item.completed")
      .map((event) => at(event, "item"));
    expect(items).toContainEqual(
      expect.objectContaining({
        type: "command_execution",
        aggregated_output: "from-the-shell\n",
        exit_code: 0,
      }),
    );
    expect(items.at(-1)).toMatchObject({ type: "agent_message", text: "It printed from-the-shell." });
    expect(at(events.at(-1), "usage")).toMatchObject({ input_tokens: 40, output_tokens: 10 });
    // The server refuses no request, and gets its reasoning back.
    expect(chat.upstream.refusals).toEqual([]);
    expect(chat.upstream.requests.at(-1)?.messages.find(({ role }) => role === "assistant")).toMatchObject({
      reasoning_content: THOUGHT,
      tool_calls: [{ id: "call_1" }],
    });
  },
  INSTALL_MS + RUN_MS,
);
