// `runtime chat`: streamed text, tool calls, approval of writes, and missing consents.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  chunk,
  DONE,
  frame,
  type ModelServer,
  say,
  startModelServer,
  startStream,
  type Turn,
} from "../../sandbox/models/chat-server";
import { at } from "../../support/api";
import { Browser } from "../../support/browser";
import { type Site, startSite } from "../../support/site";
import { temporaryFolder } from "../../support/temporary";
import { type FakeIoOptions, fakeIo, jsonOf, type Ran } from "../support/fake-io";
import { main } from "../../../cli/program";

let model: ModelServer;
let site: Site;
beforeAll(async () => {
  model = await startModelServer();
  const entry = { id: "local", models: ["test-model"], openai: { base_url: model.url } };
  site = await startSite({ environment: { RUNTIME_MODELS: JSON.stringify([entry]) } });
  await site.addChatProvider();
  await consent("alice", "Chat.SendMessage");
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});
beforeEach(() => {
  model.requests.length = 0;
});

async function consent(user: string, tool: string): Promise<void> {
  const operator = await site.runtime.identity.operator("default");
  const { url = "" } = await site.runtime.tools.authorize(operator, { tool_name: tool, user_id: user });
  await new Browser().consent(url, user);
}

/** Runs on the data folder, or against its server. */
async function run(argv: readonly string[], options: FakeIoOptions = {}, remote = false): Promise<Ran> {
  const env = remote
    ? { HOME: temporaryFolder(), RUNTIME_SERVER: site.url, RUNTIME_API_KEY: await site.key("run") }
    : { ...site.environment };
  const io = fakeIo({ ...options, env: { ...env, ...options.env } });
  const code = await main(["chat", ...argv], io);
  return { code, stdout: io.stdout, stderr: io.stderr, io };
}

const calling =
  (name: string, input: object): Turn =>
  (request, reply) => {
    const last = request.messages.at(-1);
    if (last?.role !== "tool")
      return say(request, reply, { content: "Wait.", calls: [{ name, arguments: JSON.stringify(input) }] });
    say(request, reply, { content: `It says ${String(last.content).slice(0, 60)}` });
  };
const SEND = { channel_name: "general", message: "from the chat" };

describe.each([
  ["on the data folder", false],
  ["against a server", true],
])("%s", (_where, remote) => {
  test("answers a message and prints only its text to standard output", async () => {
    model.script((request, reply) => say(request, reply, { content: "Grüße 😀 aus dem Strom." }));
    const { code, stdout } = await run(["Hello", "--no-tools", "--system", "Be brief."], {}, remote);
    expect([code, stdout]).toEqual([0, "Grüße 😀 aus dem Strom.\n"]);
    expect(model.requests[0]?.messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
    ]);
  });

  test("lets a started answer take longer than --timeout", async () => {
    model.script(async (_request, reply) => {
      startStream(reply);
      reply.write(frame(chunk({ content: "Slow" })));
      await Bun.sleep(1300);
      reply.write(frame(chunk({ content: " and whole." }, "stop")));
      reply.write(DONE);
      reply.end();
    });
    const { code, stdout } = await run(["Hello", "--no-tools", "--timeout", "1"], {}, remote);
    expect([code, stdout]).toEqual([0, "Slow and whole.\n"]);
  });

  test("accepts an answer without [DONE] if it has a finish reason", async () => {
    const ending = (finish: string | null): Turn => {
      return (_request, reply) => {
        startStream(reply);
        reply.write(frame(chunk({ content: "All of it." }, finish)));
        reply.end();
      };
    };
    model.script(ending("stop"));
    const whole = await run(["Hello", "--no-tools"], {}, remote);
    expect([whole.code, whole.stdout]).toEqual([0, "All of it.\n"]);
    model.script(ending(null));
    expect((await run(["Hello", "--no-tools"], {}, remote)).code).not.toBe(0);
  });

  test("runs and shows a read without a prompt", async () => {
    model.script(calling("Chat_WhoAmI", {}));
    const { code, stdout, stderr } = await run(
      ["Who am I?", "--user", "alice", "--tool", "Chat.WhoAmI"],
      {},
      remote,
    );
    expect([code, stdout]).toEqual([0, expect.stringContaining("Wait.\nIt says {")]);
    expect(stderr).toContain("→ Chat.WhoAmI {}\n  done");
  });

  test("prompts before a write and runs it after approval", async () => {
    model.script(calling("Chat_SendMessage", SEND));
    const { io } = await run(
      ["Send it.", "--user", "alice", "--toolkit", "Chat"],
      { answers: [true] },
      remote,
    );
    expect(io.prompted).toEqual(["Run Chat.SendMessage?"]);
    expect((await site.chat.messages(site.chat.channels.general.id)).at(-1)?.text).toBe(SEND.message);
  });
});

describe("a write", () => {
  test.each([
    ["that the user declines", { answers: [false] }],
    ["without a terminal", {}],
  ])("%s is not run, and the model receives the reason", async (_how, options) => {
    const before = (await site.chat.messages(site.chat.channels.general.id)).length;
    model.script(calling("Chat_SendMessage", SEND));
    const { code, stdout } = await run(
      ["Send it.", "--user", "alice", "--tool", "Chat.SendMessage"],
      options,
    );
    expect([code, stdout]).toEqual([0, expect.stringContaining("CONTEXT_DENIED")]);
    expect((await site.chat.messages(site.chat.channels.general.id)).length).toBe(before);
  });

  test("runs without a prompt with --yes", async () => {
    model.script(calling("Chat_SendMessage", { ...SEND, message: "without asking" }));
    await run(["Send it.", "--yes", "--user", "alice", "--tool", "Chat.SendMessage"]);
    expect((await site.chat.messages(site.chat.channels.general.id)).at(-1)?.text).toBe("without asking");
  });
});

describe("a missing consent", () => {
  test("is shown to the user, and the call runs afterwards", async () => {
    model.script(calling("Chat_WhoAmI", {}));
    const given: Promise<unknown>[] = [];
    const browser = (address: string): void => void given.push(new Browser().consent(address, "bob"));
    const argv = ["Who am I?", "--user", "bob", "--tool", "Chat.WhoAmI"];
    const { code, stdout, stderr } = await run(argv, { answers: [], browser }, true);
    await Promise.all(given);
    expect([code, stdout]).toEqual([0, expect.stringContaining("It says {")]);
    expect(stderr).toMatch(/bob must consent[\s\S]*\/authorize\/[\s\S]*Consent completed/);
  });

  test("ends the command without a terminal, with the address", async () => {
    model.script(calling("Chat_WhoAmI", {}));
    const { code, stderr } = await run(["Who am I?", "--user", "carol", "--tool", "Chat.WhoAmI"]);
    expect([code, stderr]).toEqual([6, expect.stringMatching(/carol must consent.*\/authorize\//)]);
  });
});

test("a conversation continues until /exit and keeps its messages", async () => {
  model.script((request, reply) => say(request, reply, { content: `${request.messages.length} messages.` }));
  const { code, stdout } = await run(["--no-tools"], { answers: ["One.", "Two.", "/exit"] });
  expect([code, stdout]).toEqual([0, "1 messages.\n3 messages.\n"]);
});

test("prints the messages as one JSON value for programs", async () => {
  model.script(calling("Chat_WhoAmI", {}));
  const ran = await run(["Who am I?", "--user", "alice", "--tool", "Chat.WhoAmI", "-o", "json"]);
  const roles = (at(jsonOf(ran), "messages") as { role: string }[]).map(({ role }) => role);
  expect([at(jsonOf(ran), "content"), roles]).toEqual([
    expect.stringContaining("It says"),
    ["assistant", "tool", "assistant"],
  ]);
});

test("reads the message from standard input with -", async () => {
  model.script((request, reply) =>
    say(request, reply, { content: String(request.messages.at(-1)?.content) }),
  );
  expect((await run(["-", "--no-tools"], { stdin: "From a pipe.\n" })).stdout).toBe("From a pipe.\n");
});

test.each([
  ["no terminal and no message", ["--no-tools"], 2, "A conversation needs a terminal"],
  ["no user for tools", ["Hi", "--tool", "Chat.WhoAmI"], 2, "--user USER is required"],
  [
    "an unknown toolkit",
    ["Hi", "--toolkit", "Nothing", "--user", "alice"],
    3,
    "toolkit Nothing does not exist",
  ],
  ["an unknown tool", ["Hi", "--tool", "Chat.WhoAmY", "--user", "alice"], 3, "Chat.WhoAmI"],
  ["an unknown model", ["Hi", "--no-tools", "--model", "test-modle"], 3, "test-model"],
])("reports %s", async (_what, argv, expected, message) => {
  const { code, stderr } = await run(argv);
  expect([code, stderr]).toEqual([expected, expect.stringContaining(message)]);
});

test("reports a failing model, also in the middle of its answer", async () => {
  model.script((_request, reply) => reply.json(503, { error: { message: "overloaded" } }));
  const { code, stderr } = await run(["Hi", "--no-tools"]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("overloaded")]);
});

describe("models test", () => {
  const ask = async (...argv: string[]) => {
    const io = fakeIo({ env: { ...site.environment } });
    const code = await main(["models", "test", ...argv], io);
    return { code, stdout: io.stdout, stderr: io.stderr };
  };

  test("shows the answer of the model", async () => {
    model.script((request, reply) => say(request, reply, { content: "OK" }));
    const ran = await ask("local", "-o", "json");

    expect(jsonOf(ran)).toMatchObject({ model: "local/test-model", ok: true, answer: "OK" });
    expect(model.requests).toHaveLength(1);
  });

  test("of an unknown entry exits 3 and asks nothing", async () => {
    expect(await ask("nowhere")).toMatchObject({ code: 3, stdout: "" });
    expect(model.requests).toHaveLength(0);
  });
});
