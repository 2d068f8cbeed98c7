// What a sandbox keeps between starts, also after it was killed, and what --reset deletes.
import { afterAll, describe, expect, onTestFinished, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { api, at } from "../../support/api";
import { Browser } from "../../support/browser";
import { FROM_SOURCE, type SandboxProcess, startSandboxProcess } from "../../support/sandbox-process";

const folder = mkdtempSync(join(tmpdir(), "runtime-sandbox-data-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PATH = "/usr/bin:/bin";
const start = async (name: string, ...args: string[]): Promise<SandboxProcess> => {
  const started = await startSandboxProcess(FROM_SOURCE, ["--data-dir", join(folder, name), ...args], {
    HOME: folder,
    PATH,
  });
  onTestFinished(() => void started.stop("SIGKILL"));
  return started;
};

async function run(
  { printed }: SandboxProcess,
  tool: string,
  input: object = {},
  user = "alice",
): Promise<Record<string, unknown>> {
  const call = { tool_name: tool, user_id: user, input };
  const { body } = await api(printed.address, printed.run_key).post("/v1/tools/execute", call);
  expect([tool, at(body, "success"), at(body, "output.error.message")]).toEqual([tool, true, undefined]);
  return at(body, "output.value") as Record<string, unknown>;
}

const GENERAL = { channel_name: "general" };
const PLACE = { account_owner_identifier: "acme", application_link_name: "inventory" };

async function texts(sandbox: SandboxProcess, where: object, user = "alice"): Promise<string[]> {
  const { messages } = await run(sandbox, "Chat.GetMessages", where, user);
  return (messages as { text: string }[]).map(({ text }) => text);
}

async function consent(sandbox: SandboxProcess, tool: string, user: string): Promise<void> {
  const { address, run_key: key } = sandbox.printed;
  const call = { tool_name: tool, user_id: user };
  const { body } = await api(address, key).post("/v1/tools/authorize", call);
  await new Browser().consent(String(at(body, "url")), user);
}

describe.each(["SIGTERM", "SIGINT", "SIGKILL"] as const)("after %s, the next start has", (signal) => {
  test("the same keys, messages, files, records, items, notes, grants and gateways", async () => {
    const name = `kept-${signal}`;
    const first = await start(name, "--port", "0");
    const admin = api(first.printed.address, first.printed.admin_key);
    await admin.post("/v1/orgs/default/projects/default/gateways", {
      name: "Own",
      slug: "own",
      auth_type: "arcade_header",
    });
    await consent(first, "Chat.SendMessage", "bob");
    const sent = await run(first, "Chat.SendMessage", { ...GENERAL, message: "for <all> 👋" });
    await run(first, "Chat.SendMessage", { usernames: ["bob"], message: "only for bob" });
    const made = await run(first, "Sheets.CreateSpreadsheet", {
      title: "Budget",
      data: '{"1":{"A":2,"B":"=A1*21"}}',
    });
    const tools = await recordTools(first);
    await run(first, tools.add, {
      mode: "execute",
      vendor_account_owner_name: "acme",
      application_link_name: "inventory",
      form_link_name: "Products",
      request_body: '{"data":[{"Name":"Desk","SKU":"D-1"}]}',
    });
    await run(first, "Inventory.SetQuantity", { item: "desk", quantity: 3 });
    await run(first, "Notes.add_note", { note: "Buy milk." });
    const { printed } = first;
    // A killed process has a moment to write what it was told.
    if (signal === "SIGKILL") await Bun.sleep(1000);
    const code = await first.stop(signal);
    if (signal !== "SIGKILL") expect(code).toBe(0);

    const second = await start(name);
    expect(second.printed).toMatchObject({
      address: printed.address,
      admin_key: printed.admin_key,
      run_key: printed.run_key,
      data: "kept",
    });
    expect(second.notes()).toBe(`${printed.address}\n`);
    const { text } = await api(printed.address, printed.admin_key).get(
      "/v1/orgs/default/projects/default/gateways",
    );
    expect(text).toContain('"own"');
    expect(await texts(second, GENERAL)).toEqual(["for <all> 👋"]);
    expect(await texts(second, { usernames: ["bob"] })).toEqual(["only for bob"]);
    expect(await texts(second, { conversation_id: at(sent, "data.channel") })).toHaveLength(1);
    const sheet = await run(second, "Sheets.GetSpreadsheet", {
      spreadsheet_id: made["spreadsheetId"] ?? made["spreadsheet_id"],
    });
    expect(JSON.stringify(sheet)).toContain("42");
    const records = await run(second, tools.list, { ...PLACE, report_link_name: "All_Products" });
    expect(JSON.stringify(records)).toContain("Desk");
    expect(JSON.stringify(await run(second, "Inventory.ListItems"))).toContain('"desk"');
    expect(JSON.stringify(await run(second, "Notes.list_notes"))).toContain("Buy milk.");
    await run(second, "Chat.SendMessage", { ...GENERAL, message: "bob again" }, "bob");
    expect(await texts(second, GENERAL)).toContain("bob again");
    await second.stop();

    const third = await start(name);
    expect(await texts(third, GENERAL)).toEqual(expect.arrayContaining(["for <all> 👋", "bob again"]));
    expect(await texts(third, { conversation_id: at(sent, "data.channel") })).toHaveLength(2);
    await third.stop();
  }, 120_000);
});

/** The names of the records' toolkit are the platform's. */
async function recordTools({ printed }: SandboxProcess): Promise<{ add: string; list: string }> {
  const { text } = await api(printed.address, printed.run_key).get("/v1/tools?limit=100");
  const toolkit = /"qualified_name":"(\w+)\.GetApplicationMetaInfo/.exec(text)?.[1] ?? "";
  return { add: `${toolkit}.InsertRecordsInVendorForm`, list: `${toolkit}.FetchVendorRecords` };
}

test("--reset deletes what the sandbox has made, leaves other files alone, and says so", async () => {
  const first = await start("reset", "--port", "0");
  await run(first, "Chat.SendMessage", { ...GENERAL, message: "before" });
  await first.stop();
  const place = join(folder, "reset");
  writeFileSync(join(place, "notes.txt"), "mine");

  const second = await start("reset", "--reset", "--port", "0");

  expect(second.printed.data).toBe("deleted");
  expect(second.printed.admin_key).not.toBe(first.printed.admin_key);
  expect(await texts(second, GENERAL)).toEqual([]);
  expect(readFileSync(join(place, "notes.txt"), "utf8")).toBe("mine");
  await second.stop();
}, 60_000);

test("a first start that did not finish begins again", async () => {
  const first = await start("unfinished", "--port", "0");
  await first.stop();
  const place = join(folder, "unfinished");
  writeFileSync(join(place, "sandbox.json"), '{"sandbox":1}\n');

  const second = await start("unfinished", "--port", "0");

  expect(second.printed.data).toBe("incomplete");
  await run(second, "Chat.SendMessage", { ...GENERAL, message: "works" });
  await second.stop();
}, 60_000);

test("settings that a person has changed stay, and another port is followed", async () => {
  const first = await start("settings", "--port", "0");
  await first.stop();
  const file = join(folder, "settings", "runtime.yaml");
  writeFileSync(file, `${readFileSync(file, "utf8")}tools.timeout: 77\n`);

  const second = await start("settings", "--port", "0");

  expect(readFileSync(file, "utf8")).toContain("tools.timeout: 77");
  expect(readFileSync(file, "utf8")).toContain(`port: ${new URL(second.printed.address).port}`);
  await run(second, "Chat.SendMessage", { ...GENERAL, message: "works" });
  await second.stop();
}, 60_000);

test("only its owner can read the folder", async () => {
  const sandbox = await start("private", "--port", "0");
  const place = join(folder, "private");
  const modes = Bun.spawnSync([
    "stat",
    "-c",
    "%a",
    place,
    ...readdirSync(place).map((one) => join(place, one)),
  ]);

  expect(existsSync(join(place, "sandbox.json"))).toBe(true);
  for (const mode of modes.stdout.toString().trim().split("\n")) expect(mode).toMatch(/00$/);
  await sandbox.stop();
}, 60_000);
