// Consent and execution for all three platforms: over HTTP, from the terminal, and with the executable.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Platforms, startPlatforms } from "../sandbox/platforms";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { Installation } from "../support/runtime-process";

const RECORDS = { application_link_name: "inventory", report_link_name: "All_Products" };
const LIST = { account_owner_identifier: "acme", ...RECORDS };

const folder = mkdtempSync(join(tmpdir(), "runtime-three-"));
const executable = join(folder, "runtime");
let platforms: Platforms;

beforeAll(async () => {
  platforms = await startPlatforms();
  const root = join(import.meta.dir, "..", "..");
  const build = Bun.spawnSync([process.execPath, "build.ts", "--outfile", executable], { cwd: root });
  if (!build.success) throw new Error(build.stderr.toString());
}, 120_000);

afterAll(async () => {
  await platforms[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function installed(command?: readonly string[]): Promise<Installation> {
  const installation = new Installation(platforms.chat, command);
  Object.assign(installation.environment, platforms.environment);
  for (const provider of platforms.providers) {
    await installation.json(["providers", "create", "--file", "-"], JSON.stringify(provider));
  }
  for (const [key, value] of Object.entries(platforms.secrets))
    await installation.json(["secrets", "set", key, "-"], value);
  return installation;
}

describe.each([
  ["the sources", () => undefined],
  ["the executable", () => [executable]],
] satisfies [string, () => readonly string[] | undefined][])("%s", (_name, command) => {
  test("run tools of all three platforms", async () => {
    await using installation = await installed(command());
    const key = await installation.key("run");
    await using server = await installation.serve();
    const agent = api(server.address, key);
    const consent = async (tool_name: string): Promise<void> => {
      const started = await agent.post("/v1/tools/authorize", { tool_name, user_id: "alice" });
      await new Browser().consent(String(at(started.body, "url")), "alice");
      const status = await agent.get(`/v1/auth/status?id=${String(at(started.body, "id"))}&wait=10`);
      expect([tool_name, at(status.body, "status")]).toEqual([tool_name, "completed"]);
    };
    const execute = async (tool_name: string, input: object): Promise<unknown> => {
      const answer = await agent.post("/v1/tools/execute", { tool_name, user_id: "alice", input });
      expect([tool_name, at(answer.body, "output.error")]).toEqual([tool_name, undefined]);
      return at(answer.body, "output.value");
    };
    const exec = async (tool: string, input: object): Promise<unknown> => {
      const args = ["tools", "exec", tool, "--user", "alice", "--input", JSON.stringify(input)];
      return at(await installation.json(args), "output.value");
    };

    await consent("Chat.SendMessage");
    expect(at(await execute("Chat.WhoAmI", {}), "username")).toBe("alice");
    expect(at(await exec("Chat.SendMessage", { channel_name: "general", message: "three" }), "success")).toBe(
      true,
    );

    await consent("VendorCreatorApi.FetchVendorRecords");
    const ids = [at(await execute("VendorCreatorApi.FetchVendorRecords", LIST), "response_json.data.0.ID")];
    ids.push(at(await exec("VendorCreatorApi.FetchVendorRecords", LIST), "response_json.data.0.ID"));
    // All 19 digits are kept in both directions: they were never a number.
    expect(ids).toEqual([ids[1], ids[0]]);
    expect(ids[0]).toMatch(/^\d{19}$/);

    await consent("VendorCreatorApi.UpdateVendorRecord");
    const update = {
      mode: "execute",
      vendor_account_owner_name: "acme",
      ...RECORDS,
      record_id: ids[0],
      request_body: JSON.stringify({ data: { Note: "three" } }),
    };
    expect(at(await execute("VendorCreatorApi.UpdateVendorRecord", update), "response_json.data.ID")).toBe(
      ids[0],
    );
    expect(at(await exec("VendorCreatorApi.UpdateVendorRecord", update), "response_json.data.ID")).toBe(
      ids[0],
    );

    await consent("Sheets.CreateSpreadsheet");
    const made = await execute("Sheets.CreateSpreadsheet", {
      title: "T",
      data: '{"1":{"A":"9007199254740993"}}',
    });
    const spreadsheet_id = at(made, "spreadsheetId");
    const read = JSON.stringify(await exec("Sheets.GetSpreadsheet", { spreadsheet_id }));
    expect(read).toContain("9007199254740993");
  }, 60_000);
});
