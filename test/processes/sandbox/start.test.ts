// `runtime sandbox` from its sources and as an executable: what it prints works as it is printed.
import { Client } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI from "openai";
import { api, at } from "../../support/api";
import { Browser } from "../../support/browser";
import { FROM_SOURCE, paste, type SandboxProcess, startSandboxProcess } from "../../support/sandbox-process";

const ROOT = join(import.meta.dir, "..", "..", "..");
const folder = mkdtempSync(join(tmpdir(), "runtime-sandbox-"));
const executable = join(folder, "bin", "runtime");

beforeAll(() => {
  const given = process.env["RUNTIME_TEST_EXECUTABLE"];
  if (given !== undefined) return cpSync(given, executable);
  const build = Bun.spawnSync([process.execPath, "build.ts", "--outfile", executable], { cwd: ROOT });
  if (!build.success) throw new Error(build.stderr.toString());
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each([
  ["from its sources", FROM_SOURCE, "/usr/bin:/bin"],
  ["as an executable on the path", [executable], `${join(folder, "bin")}:/usr/bin:/bin`],
  ["as an executable elsewhere", [executable], "/usr/bin:/bin"],
])("the sandbox %s", (name, program, PATH) => {
  const HOME = join(folder, name.replaceAll(" ", "-"));
  let sandbox: SandboxProcess;
  beforeAll(async () => {
    sandbox = await startSandboxProcess(program, ["--port", "0"], { HOME, PATH });
  }, 60_000);
  afterAll(() => sandbox[Symbol.asyncDispose]());

  test("prints its address alone on standard error, and one JSON object on standard output", () => {
    const { address, data, data_dir: place } = sandbox.printed;

    expect(sandbox.notes()).toBe(`${address}\n`);
    expect([data, place]).toEqual(["new", join(HOME, ".local", "state", "runtime", "sandbox")]);
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  test("prints commands that send a message, read it, and show a consent", async () => {
    const [send = "", read = "", authorize = ""] = sandbox.printed.commands;

    const sent = await paste(send, { HOME, PATH });
    expect([sent.code, sent.stderr]).toEqual([0, ""]);
    const { messages } = JSON.parse((await paste(read, { HOME, PATH })).stdout);
    expect(messages[0]).toMatchObject({ text: "Hello from the sandbox", user: { name: "alice" } });

    const url = /http:\S+\/authorize\/\S+/.exec((await paste(authorize, { HOME, PATH })).stdout)?.[0] ?? "";
    await new Browser().consent(url, "bob");
    const asBob = await paste(send.replace("alice", "bob"), { HOME, PATH });
    expect([asBob.code, asBob.stderr]).toEqual([0, ""]);
  }, 60_000);

  test("prints an entry with which an MCP client calls tools of every kind", async () => {
    const [entry] = Object.values(sandbox.printed.mcp.mcpServers);
    const client = new Client({ name: "test", version: "1" });
    const requestInit = { headers: entry?.headers ?? {} };
    await client.connect(new StreamableHTTPClientTransport(new URL(entry?.url ?? ""), { requestInit }));

    const { tools } = await client.listTools();
    const message = { channel_name: "random", message: "by MCP" };
    const calls = [
      ["Chat_SendMessage", message],
      ["Sheets_CreateSpreadsheet", { title: "Budget" }],
      ["Inventory_ListItems", {}],
      ["Notes_add_note", { note: "Buy milk." }],
      ["Notes_list_notes", {}],
    ] as const;
    const results = [];
    for (const [called, values] of calls)
      results.push(await client.callTool({ name: called, arguments: { ...values } }));
    await client.close();

    expect(tools.length).toBeGreaterThan(30);
    expect(results.map(({ isError }) => isError ?? false)).toEqual(calls.map(() => false));
    expect(JSON.stringify(results.at(-1))).toContain("Buy milk.");
  }, 60_000);

  test("has a model that runs a tool in chat completions", async () => {
    const { address, run_key: apiKey, model } = sandbox.printed;
    const client = new OpenAI({ baseURL: `${address}/v1`, apiKey, maxRetries: 0 });

    const answer = await client.chat.completions.create({
      model,
      user: "alice",
      messages: [{ role: "user", content: "send 'from the model' to general" }],
      tools: ["Chat.SendMessage", "Chat.GetMessages", "Notes.list_notes"] as never,
      tool_choice: "generate" as never,
    });

    expect(answer.choices[0]?.message.content).toContain("Done. The tool answered:");
    const [, read = ""] = sandbox.printed.commands;
    expect((await paste(read, { HOME, PATH })).stdout).toContain("from the model");
  }, 60_000);

  test("has records that alice may read", async () => {
    const { address, run_key: key } = sandbox.printed;
    const call = { tool_name: "Records.GetApplicationMetaInfo", user_id: "alice" };
    const names = (await api(address, key).get("/v1/tools?limit=100")).text;
    const toolkit = /"qualified_name":"(\w+)\.GetApplicationMetaInfo/.exec(names)?.[1] ?? "";

    const { body } = await api(address, key).post("/v1/tools/execute", {
      ...call,
      tool_name: `${toolkit}.GetApplicationMetaInfo`,
    });

    expect(at(body, "success")).toBe(true);
  });

  test("describes its service, and its tools act on the same items", async () => {
    const { upstreams, address, run_key: key } = sandbox.printed;
    const description = await (await fetch(upstreams.openapi)).json();
    const items = upstreams.openapi.replace("openapi.json", "items");
    await fetch(items, { method: "PUT", body: JSON.stringify({ name: "desk", quantity: 2 }) });

    const call = { tool_name: "Inventory.ListItems", user_id: "alice" };
    const { text } = await api(address, key).post("/v1/tools/execute", call);

    expect(at(description, "openapi")).toBe("3.0.3");
    expect(text).toContain('{"name":"desk","quantity":2}');
  });

  test("ends cleanly at a stop signal", async () => {
    expect(await sandbox.stop("SIGINT")).toBe(0);
  });
});
