// `tools exec` against the chat platform's stand-in: input, consent, result, exit code.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createServer } from "node:net";
import { consentAs } from "../sandbox/chat";
import { type ChatSandbox, startChatSandbox } from "../sandbox/chat";
import { at } from "../support/api";
import { Browser } from "../support/browser";
import { chatProvider } from "../sandbox/chat";
import { startSite } from "../support/site";
import { type FakeIoOptions, jsonOf, newTerminal } from "./support/fake-io";
import { NO_EXTENSIONS } from "../support/extensions";

const SEND = ["tools", "exec", "Chat.SendMessage", "--user", "alice", "--channel_name", "general"];

let chat: ChatSandbox;
beforeAll(async () => {
  chat = await startChatSandbox();
});
afterAll(() => chat.stop());

/** A port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** A terminal whose project has the chat provider. */
async function chatTerminal(environment: Record<string, string> = {}) {
  const terminal = newTerminal({
    RUNTIME_CHAT_API_URL: chat.apiUrl,
    RUNTIME_EGRESS_ALLOW: "loopback",
    RUNTIME_PORT: String(await freePort()),
    ...environment,
  });
  const stdin = JSON.stringify(chatProvider(chat));
  const { code } = await terminal.run(["providers", "create", "--file", "-"], { stdin });
  expect(code).toBe(0);
  return terminal;
}

/** Options of a user at a terminal whose browser opens the address and consents as `person`. */
function personAs(person: string): { options: FakeIoOptions; done: () => Promise<string> } {
  let page: Promise<Response> | undefined;
  const browser = (address: string): void => void (page = new Browser().consent(address, person));
  return { options: { answers: [], browser }, done: async () => (await (await page)?.text()) ?? "" };
}

/** The terminal of a project in which alice has consented. */
async function consentedTerminal() {
  const terminal = await chatTerminal();
  const person = personAs("alice");
  const { code } = await terminal.run(["tools", "exec", "Chat.WhoAmI", "--user", "alice"], person.options);
  expect(code).toBe(0);
  return terminal;
}

async function lastMessage(): Promise<string | undefined> {
  return (await chat.messages(chat.channels.general.id)).at(-1)?.text;
}

describe("a missing consent", () => {
  test("without a terminal exits 6 with the address in the error", async () => {
    const { run } = await chatTerminal();

    const ran = await run([...SEND, "--message", "x", "-o", "json"]);

    expect(ran.code).toBe(6);
    const record = jsonOf(ran);
    const url = String(at(record, "authorization.url"));
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/authorize\/[\w-]{43}$/);
    expect(record).toEqual({
      name: "tool_requirements_not_met",
      message: expect.stringContaining(url),
      authorization: { id: expect.stringMatching(/^ar_/), url, status: "pending" },
    });
    expect(ran.stderr).toContain(url);
    expect(ran.stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  test("is requested at a terminal: address, browser, consent, run; a temporary server listens if none is running", async () => {
    const { run } = await chatTerminal();
    const person = personAs("alice");

    const ran = await run([...SEND, "--message", "after consent", "-o", "json"], person.options);

    expect(ran.code).toBe(0);
    expect(jsonOf(ran)).toMatchObject({ success: true, status: "completed" });
    expect(ran.stderr).toMatch(/No server is running\. Listening on http:\/\/127\.0\.0\.1:\d+ until/);
    expect(ran.stderr).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/authorize\/[\w-]+$/m);
    expect(await person.done()).toContain("Connected");
    expect(await lastMessage()).toBe("after consent");
  });

  test("returns to the public address of this machine", async () => {
    const port = await freePort();
    const { run } = await chatTerminal({ RUNTIME_PUBLIC_URL: `http://localhost:${port}` });
    const person = personAs("alice");

    const ran = await run(["tools", "exec", "Chat.WhoAmI", "--user", "alice"], person.options);

    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain(`http://localhost:${port}/authorize/`);
  });

  test("that the user denies exits 6 and runs nothing", async () => {
    const { run } = await chatTerminal();
    const before = chat.calls("chat.postMessage");
    const browser = async (address: string): Promise<void> => {
      const visitor = new Browser();
      const redirect = await visitor.open(address);
      await visitor.open(await consentAs(redirect.headers.get("location") ?? "", "cancel"));
    };

    const ran = await run([...SEND, "--message", "x", "-o", "json"], {
      answers: [],
      browser: (address) => void browser(address),
    });

    expect(ran.code).toBe(6);
    expect(jsonOf(ran)).toMatchObject({ name: "tool_requirements_not_met" });
    expect(chat.calls("chat.postMessage")).toBe(before);
  });

  test("reports a port that is in use", async () => {
    const other = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      reusePort: false,
      fetch: () => new Response("not ours"),
    });
    try {
      const { run } = await chatTerminal({ RUNTIME_PORT: String(other.port) });

      const ran = await run([...SEND, "--message", "x"], personAs("alice").options);

      expect(ran.code).toBe(1);
      expect(ran.stderr).toContain(`127.0.0.1:${other.port} is in use`);
    } finally {
      await other.stop(true);
    }
  });

  test("uses the address of the server that runs on the data folder", async () => {
    await using site = await startSite({ chat });
    await site.addChatProvider();
    const { announceServer } = await import("../../src/serving");
    const withdraw = await announceServer(site.runtime.core, site.url);
    const { run } = newTerminal({ ...site.environment, RUNTIME_PORT: "9099" });
    const person = personAs("alice");

    const ran = await run([...SEND, "--message", "through the server"], person.options);

    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain(`${site.url}/authorize/`);
    expect(ran.stderr).not.toContain("No server is running");
    expect(await lastMessage()).toBe("through the server");
    await withdraw();
  });

  test("ignores the announcement of a killed server", async () => {
    const { run, env } = await chatTerminal();
    const gone = `http://127.0.0.1:${await freePort()}`;
    const { loadConfig } = await import("../support/config");
    const { createRuntime } = await import("../../src/runtime");
    const { announceServer } = await import("../../src/serving");
    const runtime = await createRuntime(loadConfig({ environment: env }), NO_EXTENSIONS);
    await announceServer(runtime.core, gone);
    await runtime.close();

    const ran = await run(["tools", "exec", "Chat.WhoAmI", "--user", "alice"], personAs("alice").options);

    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain("No server is running");
    expect(ran.stderr).not.toContain(gone);
  });
});

describe("with a consent", () => {
  test("takes parameters from flags, JSON, a file or standard input; flags override", async () => {
    const { run, home } = await consentedTerminal();
    const consent = await run([...SEND, "--message", "x"], personAs("alice").options);
    expect(consent.code).toBe(0);
    const base = ["tools", "exec", "Chat.SendMessage", "--user", "alice"];
    const input = (message: string): string => JSON.stringify({ channel_name: "general", message });
    const send = async (argv: string[], stdin = ""): Promise<string | undefined> => {
      const ran = await run([...base, ...argv], { stdin });
      expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: "" });
      return lastMessage();
    };
    await Bun.write(`${home}/message.json`, `\uFEFF${input("from a file")}\r\n`);

    expect(await send(["--channel-name", "general", "--message=@here =x= --user bob"])).toBe(
      "@here =x= --user bob",
    );
    expect(await send(["channel_name=general", "message==SUM(A1:A2)"])).toBe("=SUM(A1:A2)");
    expect(await send(["--input", input("as JSON")])).toBe("as JSON");
    expect(await send(["--input", "-"], `${input("piped")}\n`)).toBe("piped");
    expect(await send(["--input", `@${home}/message.json`])).toBe("from a file");
    expect(await send(["--input", input("loses"), "--message", "wins"])).toBe("wins");
  });

  test("lists the connection by user and provider; after its deletion the consent is missing again", async () => {
    const { run } = await consentedTerminal();
    const list = async (...flags: string[]) =>
      jsonOf(await run(["connections", "list", ...flags, "-o", "json"]));

    const found = await list("--user", "alice", "--provider", "slack");
    expect(found).toEqual([expect.objectContaining({ user_id: "alice", provider_id: "slack" })]);
    expect(await list("--user", "bob")).toEqual([]);

    const id = String(at(found, "0.id"));
    const deleted = await run(["connections", "delete", id, "--yes", "-o", "json"]);
    expect(jsonOf(deleted)).toEqual({ id, deleted: true });
    expect(await list()).toEqual([]);
    expect((await run(["connections", "delete", id, "--yes"])).code).toBe(3);
    expect((await run(["tools", "exec", "Chat.WhoAmI", "--user", "alice"])).code).toBe(6);
  });

  test("reads standard input only with -", async () => {
    const { run } = await consentedTerminal();

    const { io } = await run(["tools", "exec", "Chat.WhoAmI", "--user", "alice"], { stdin: "{}" });

    expect(io.reads).toBe(0);
  });

  test("exits 9 for a failed tool, with its result on standard output and the reason on standard error", async () => {
    const { run } = await consentedTerminal();
    await run([...SEND, "--message", "x"], personAs("alice").options);
    chat.fail("chat.postMessage", { kind: "error", error: "is_archived" });

    const ran = await run([...SEND, "--message", "x", "-o", "json"]);
    chat.clearFaults();

    expect(ran.code).toBe(9);
    expect(jsonOf(ran)).toMatchObject({ success: false, output: { error: { message: expect.any(String) } } });
    expect(ran.stderr).toContain("failed:");
  });

  test("prints the value for people, and nothing when the tool failed", async () => {
    const { run } = await consentedTerminal();

    const fine = await run(["tools", "exec", "Chat.WhoAmI", "--user", "alice"]);
    const failed = await run([...SEND.slice(0, 5), "--input", '{"mesage":"x"}'], personAs("alice").options);

    expect(jsonOf(fine)).toMatchObject({ username: "alice" });
    expect([failed.code, failed.stdout]).toEqual([2, ""]);
    expect(failed.stderr).toContain('"message"');
  });
});

describe("an invalid input", () => {
  const EXEC = ["tools", "exec", "Chat.SendMessage", "--user", "alice"];
  const HELP = "For all parameters: runtime tools exec Chat.SendMessage --help\n";

  test.each([
    ["is one sentence that names the option", ["--channel_name", "general"], "error: --message is needed. "],
    ["of another type too", ["--user-ids", "[1]", "--message", "x"], "error: --user_ids"],
  ])("%s", async (_what, argv, start) => {
    const { code, stdout, stderr } = await newTerminal().run([...EXEC, ...argv]);

    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toStartWith(start);
    expect(stderr).toEndWith(HELP);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  test("is not a run for scheduled runs either", async () => {
    const ran = await newTerminal().run([...EXEC, "--run-at", "2030-01-31T09:30:00Z"]);

    expect([ran.code, ran.stdout]).toEqual([2, ""]);
    expect(ran.stderr).toStartWith("error: --message is needed. ");
  });
});

describe("tools exec --dry-run", () => {
  const SAY = ["tools", "exec", "Chat.SendMessage", "--user", "alice", "--dry-run"];

  test("prints what a run would do, and the exit code says whether it would begin", async () => {
    const { run } = await consentedTerminal();
    const fine = await run([...SAY, "--channel-name", "general", "--message", "Never sent"]);
    const unmet = await run([
      ...SAY.slice(0, 4),
      "nobody",
      ...SAY.slice(5),
      "--channel-name",
      "g",
      "--message",
      "x",
    ]);
    const invalid = await run(SAY);

    expect([fine.code, unmet.code, invalid.code]).toEqual([0, 6, 2]);
    expect(jsonOf(fine)).toMatchObject({ dry_run: true, would_run: true, input: { message: "Never sent" } });
    expect(jsonOf(unmet)).toMatchObject({ would_run: false, requirements: { met: false } });
    expect(invalid.stderr).toStartWith("error: --message is needed. ");
  });
});

describe("tools exec NAME --help", () => {
  test("shows the parameters with type, default and allowed values", async () => {
    const { code, stdout } = await newTerminal().run(["tools", "exec", "Chat.ListConversations", "--help"]);

    expect(code).toBe(0);
    expect(stdout).toStartWith("Usage: runtime tools exec");
    expect(stdout).toMatch(/^--limit +integer +200 +/m);
    expect(stdout).toMatch(/^--conversation_types +array of string +One of: public_channel, /m);
  });

  test("marks those that are required", async () => {
    const { stdout } = await newTerminal().run(["tools", "exec", "-h", "Chat.SendMessage"]);

    expect(stdout).toMatch(/^--message +string +yes/m);
  });

  test("of an unknown tool is an error", async () => {
    const { code, stdout } = await newTerminal().run(["tools", "exec", "Chat.Nope", "--help"]);

    expect([code, stdout]).toEqual([3, ""]);
  });

  test("without a server still shows the command", async () => {
    const argv = ["tools", "exec", "Chat.WhoAmI", "--help", "--server", "http://127.0.0.1:1"];
    const env = { RUNTIME_API_KEY: `rt_${"x".repeat(49)}` };
    const { code, stdout, stderr } = await newTerminal().run(argv, { env });

    expect([code, stdout.split("\n", 1)[0]]).toEqual([0, "Usage: runtime tools exec [options] <name>"]);
    expect(stderr).toContain("cannot be reached");
  });
});

test.each<[string, string[], number, string]>([
  ["an unknown tool", ["Chat.None"], 3, "tool_not_found"],
  ["an invalid name", ["None"], 3, "malformed_request"],
  ["no provider", ["Chat.WhoAmI"], 1, "tool_requirements_not_met"],
  ["an unknown parameter", ["Chat.SendMessage", "--mesage", "x"], 2, "usage"],
  ["broken JSON", ["Chat.WhoAmI", "--input", "{"], 2, "usage"],
  ["JSON of another type", ["Chat.WhoAmI", "--input", "[]"], 2, "usage"],
])("%s", async (_what, argv, code, name) => {
  const ran = await newTerminal().run(["tools", "exec", ...argv, "--user", "alice", "-o", "json"]);

  expect(ran.code).toBe(code);
  expect(jsonOf(ran)).toMatchObject({ name, message: expect.any(String) });
  expect(ran.stderr.trimEnd().split("\n")).toHaveLength(1);
});

describe("--fields", () => {
  test.each([
    ["idd", "Did you mean id?"],
    ["output.vaule", "Did you mean value?"],
    ["output.error.mesage", "Did you mean message?"],
    ["id.nested", "there is no field id.nested"],
    ["nothing", "The fields there are id, execution_id"],
  ])("with the unknown path %s runs nothing", async (field, said) => {
    const { run } = await consentedTerminal();
    const before = await lastMessage();

    const ran = await run([...SEND, "--message", `not sent: ${field}`, "--fields", `id,${field}`]);

    expect([ran.code, ran.stdout]).toEqual([2, ""]);
    expect(ran.stderr).toContain(said);
    expect(await lastMessage()).toBe(before);
  });

  test("shows paths into the output, also as JSON", async () => {
    const { run } = await consentedTerminal();
    const who = ["tools", "exec", "Chat.WhoAmI", "--user", "alice"];
    const whole = jsonOf(await run([...who, "-o", "json"]));
    const [name = ""] = Object.keys(Object(at(whole, "output.value")));

    const ran = await run([...who, "-o", "json", "--fields", `success,output.value.${name}`]);

    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    expect(at(jsonOf(ran), `output.value.${name}`)).toEqual(at(whole, `output.value.${name}`));
    expect(Object.keys(Object(jsonOf(ran)))).toEqual(["success", "output"]);
  });

  test("shows everything if the value has no such path, because the tool was run", async () => {
    const { run } = await consentedTerminal();

    const who = ["tools", "exec", "Chat.WhoAmI", "--user", "alice", "-o", "json"];
    const ran = await run([...who, "--fields", "output.value.nothing_like_it"]);

    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain("there is no field output.value.nothing_like_it.");
    expect(ran.stderr).toContain("The tool was run.");
    expect(jsonOf(ran)).toMatchObject({ success: true, output: { value: {} } });
  });
});
