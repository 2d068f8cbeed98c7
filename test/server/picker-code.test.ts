// The code that comes back from the platform's own page for picking files: what is picked must be readable whether or not the
// platform waits for the exchange.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import {
  consentAs,
  googleProvider,
  type SheetsSandbox,
  sheetsEnvironment,
  startSheetsSandbox,
} from "../sandbox/sheets";
import { startSite } from "../support/site";
import { type Stage, startStage } from "./stage";

const PREFIX = "/google/drive_picker?config=";

interface Deployment extends AsyncDisposable {
  stage: Stage;
  sheets: SheetsSandbox;
  /** Picks files as a person; the last page. */
  pick(files: readonly string[], browser?: Browser): Promise<string>;
  /** The address of the callback after picking files. */
  picked(files: readonly string[], browser: Browser): Promise<string>;
  /** The kind of error with which the next tool ends; undefined: it reads the file. */
  read(spreadsheet_id: string): Promise<unknown>;
}

async function deploy(
  settings: Record<string, string>,
  options: { keepsUnexchangedPicks?: boolean } = {},
): Promise<Deployment> {
  const sheets = await startSheetsSandbox(options);
  const stage = await startStage({
    environment: { ...sheetsEnvironment(sheets), RUNTIME_SHEETS_PICKER: "redirect", ...settings },
  });
  const { site, keys } = stage;
  await api(site.url, keys.admin).post("/v1/admin/auth_providers", googleProvider(sheets));
  const agent = api(site.url, keys.run);
  const tool_name = "Sheets.GetSpreadsheetMetadata";
  const started = await agent.post("/v1/tools/authorize", { tool_name, user_id: "u1" });
  await new Browser().consent(String(at(started.body, "url")), "alice");
  const picked: Deployment["picked"] = async (pick, browser) => {
    const config = Buffer.from(
      JSON.stringify({ auth: { client_id: sheets.clientId, app_id: sheets.clientId.split("-")[0] } }),
    ).toString("base64url");
    const sent = await browser.open(`${site.url}${PREFIX}${config}`);
    return consentAs(sent.headers.get("location") ?? "", "alice", { pick });
  };
  return {
    stage,
    sheets,
    picked,
    pick: async (files, browser = new Browser()) => (await browser.open(await picked(files, browser))).text(),
    read: async (spreadsheet_id) => {
      const answer = await agent.post("/v1/tools/execute", {
        tool_name,
        user_id: "u1",
        input: { spreadsheet_id },
      });
      return at(answer.body, "output.error.kind");
    },
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await sheets.stop();
    },
  };
}

let waiting: Deployment;
beforeAll(async () => {
  waiting = await deploy({});
});
beforeEach(() => waiting.sheets.clearRequests());
afterAll(() => waiting[Symbol.asyncDispose]());

test("a picked file is readable at a platform that waits for the exchange", async () => {
  const file = waiting.sheets.addFile({ opened: false });
  expect(await waiting.read(file)).toBe("UPSTREAM_RUNTIME_NOT_FOUND");
  expect(await waiting.pick([file])).toContain("1 file was picked.");
  expect(await waiting.read(file)).toBeUndefined();
  // The earlier grant goes on: nothing was revoked or refreshed.
  expect(waiting.sheets.calls("revoke") + waiting.sheets.calls("refresh")).toBe(0);
});

test.each(["exchange", "ignore"])("and at one that does not wait, with the setting %s", async (way) => {
  await using keeping = await deploy({ RUNTIME_SHEETS_PICKER_CODE: way }, { keepsUnexchangedPicks: true });
  const file = keeping.sheets.addFile({ opened: false });
  keeping.sheets.clearRequests();
  await keeping.pick([file]);
  expect(await keeping.read(file)).toBeUndefined();
  expect(keeping.sheets.calls("token")).toBe(way === "exchange" ? 1 : 0);
});

test("the tokens of the exchange are in no answer and no line of the log", async () => {
  const file = waiting.sheets.addFile({ opened: false });
  const page = await waiting.pick([file]);
  expect(page + waiting.stage.site.logLines.join("\n")).not.toContain("ya29.");
});

test("a callback that is repeated at another server is not exchanged again", async () => {
  const { site } = waiting.stage;
  await using second = await startSite({
    folder: site.folder,
    chat: site.chat,
    environment: site.environment,
  });
  const browser = new Browser();
  const address = await waiting.picked([waiting.sheets.addFile({ opened: false })], browser);
  const { pathname, search } = new URL(address);

  const pages = await Promise.all([
    browser.open(address),
    browser.open(`${second.url}${pathname}${search}`),
    browser.open(address),
  ]);

  expect(pages.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(waiting.sheets.calls("token")).toBe(1);
});

describe("an exchange that the platform refuses", () => {
  test("is told with what to do, and is not repeated", async () => {
    const browser = new Browser();
    const address = await waiting.picked([waiting.sheets.addFile({ opened: false })], browser);
    const broken = address.replace(/code=[^&]+/, "code=another");
    const page = await (await browser.open(broken)).text();
    expect(page).toContain("1 file was picked.");
    expect(page).toContain("The platform has not confirmed the choice.");
    await browser.open(broken);
    expect(waiting.sheets.calls("token")).toBe(1);
  });

  test("counts as a bad credential of its address, and one too many is not sent", async () => {
    await using limited = await deploy({ RUNTIME_LIMITS_BAD_CREDENTIALS: "1" });
    const { sheets } = limited;
    sheets.clearRequests();
    const statuses: number[] = [];
    for (let turn = 0; turn < 12; turn++) {
      const browser = new Browser();
      const address = await limited.picked([sheets.addFile({ opened: false })], browser);
      statuses.push((await browser.open(address.replace(/code=[^&]+/, "code=another"))).status);
    }
    expect(statuses).toContain(429);
    expect(sheets.calls("token")).toBe(statuses.filter((status) => status === 200).length);
  });
});

test("a person who is signed in with another account is asked for the account", async () => {
  const { sheets } = waiting;
  sheets.signIn("bob");
  const file = sheets.addFile({ opened: false });
  await waiting.pick([file]);
  sheets.signIn(null);
  expect(await waiting.read(file)).toBeUndefined();
});
