// Picking files in a real browser: the tool's link, the person's choice at the stand-in, the next call of a tool.
import { expect } from "bun:test";
import { type BrowserContext, type Page } from "playwright-core";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { hasChromium, testWith } from "../support/require";
import { type Site, startSite } from "../support/site";
import { googleProvider, type SheetsSandbox, sheetsEnvironment, startSheetsSandbox } from "../sandbox/sheets";
import { launchChromium } from "../support/chromium";

interface Deployment extends AsyncDisposable {
  sheets: SheetsSandbox;
  site: Site;
  execute(tool: string, input?: object): Promise<unknown>;
  /** The link in the tool's answer. */
  link(): Promise<string>;
  context: BrowserContext;
  /** Origins that the browser called. */
  called: Set<string>;
  complaints: string[];
}

/** A deployment with the stand-in, a connection of alice, and a browser. */
async function deploy(way: "script" | "redirect"): Promise<Deployment> {
  const sheets = await startSheetsSandbox();
  const environment = { ...sheetsEnvironment(sheets), RUNTIME_SHEETS_PICKER: way };
  const site = await startSite({ environment });
  const operator = await site.runtime.identity.operator("default");
  await site.runtime.providers.create(operator, googleProvider(sheets));
  const agent = api(site.url, await site.key("run"));
  // More is granted than picking needs: the browser's token must not include it.
  const started = await agent.post("/v1/tools/authorize", { tool_name: "Sheets.WhoAmI", user_id: "u1" });
  await new Browser().consent(String(at(started.body, "url")), "alice");
  const browser = await launchChromium();
  const context = await browser.newContext({ viewport: { width: 900, height: 700 } });
  const called = new Set<string>();
  const complaints: string[] = [];
  context.on("request", (request) => {
    const { origin } = new URL(request.url());
    called.add(origin);
    const sent = JSON.stringify([request.url(), request.headers(), request.postData()]);
    if (origin === site.url && sent.includes("ya29.")) complaints.push("a token came to us");
  });
  context.on("console", (message) => {
    if (!message.location().url.endsWith("/favicon.ico")) complaints.push(message.text());
  });
  context.on("weberror", (error) => void complaints.push(error.error().message));
  const execute = async (tool_name: string, input = {}): Promise<unknown> =>
    (await agent.post("/v1/tools/execute", { tool_name, user_id: "u1", input })).body;
  return {
    sheets,
    site,
    execute,
    link: async () => String(at(await execute("Sheets.GenerateGoogleFilePickerUrl"), "output.value.url")),
    context,
    called,
    complaints,
    async [Symbol.asyncDispose]() {
      await browser.close();
      await site[Symbol.asyncDispose]();
      await sheets.stop();
    },
  };
}

async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env["RUNTIME_TEST_SCREENSHOTS"];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
}

/** The next call reads picked files only. */
async function expectReadable({ execute }: Deployment, picked: readonly string[], other: string) {
  for (const spreadsheet_id of picked) {
    const read = await execute("Sheets.GetSpreadsheet", { spreadsheet_id });
    expect(at(read, "output.value.sheets.0.data")).toEqual({
      1: { A: { userEnteredValue: "picked", formattedValue: "picked" } },
    });
  }
  const unseen = await execute("Sheets.GetSpreadsheet", { spreadsheet_id: other });
  expect(at(unseen, "output.error.kind")).toBe("UPSTREAM_RUNTIME_NOT_FOUND");
}

/** Only the two servers of the test were called, no token reached ours, and the browser reported no error. */
function expectQuiet({ called, complaints, site, sheets }: Deployment): void {
  expect([...called].toSorted()).toEqual([site.url, sheets.url].toSorted());
  expect(complaints).toEqual([]);
  expect(site.logLines.join("\n")).not.toContain("ya29.");
}

const cells = [{ title: "Sheet1", cells: { A1: "picked" } }];

testWith("chromium", hasChromium)(
  "by scripts: a person picks files on our page, and the next call reads them",
  async () => {
    await using deployment = await deploy("script");
    const { sheets, context, link } = deployment;
    const picked = ["Budget", "Plan"].map((title) => sheets.addFile({ title, opened: false, sheets: cells }));
    const drive = sheets.addDrive(["alice"]);
    const shared = sheets.addFile({
      title: "Team",
      opened: false,
      driveId: drive,
      owner: "bob",
      sheets: cells,
    });
    const other = sheets.addFile({ title: "Diary", opened: false, sheets: cells });
    sheets.addFile({ title: "Photo", opened: false, mimeType: "image/png" });
    await expectReadable(deployment, [], picked[0] ?? "");

    const page = await context.newPage();
    await page.goto(await link());
    await screenshot(page, "picker-start");
    const opening = context.waitForEvent("page");
    await page.getByRole("button", { name: "Pick spreadsheets" }).click();
    await (await opening).getByRole("button", { name: "Continue as alice" }).click();
    const frame = page.frameLocator("iframe");
    await frame.getByRole("heading", { name: "Files of alice" }).waitFor();
    expect(await frame.getByRole("checkbox").count()).toBe(4);
    await screenshot(page, "picker-open");
    for (const name of ["Budget", "Plan", "Team"]) await frame.getByLabel(name).check();
    await frame.getByRole("button", { name: "Select" }).click();
    await page.getByRole("heading", { name: "Done" }).waitFor();
    expect(await page.getByRole("status").textContent()).toBe(
      "Picked 3 files. Done: go back and run the tool again.",
    );
    await screenshot(page, "picker-done");

    await expectReadable(deployment, [...picked, shared], other);
    expectQuiet(deployment);
  },
  60_000,
);

testWith("chromium", hasChromium)(
  "by scripts: a person can retry after cancelling, closing the window or omitting the permission",
  async () => {
    await using deployment = await deploy("script");
    const { sheets, context, link } = deployment;
    const file = sheets.addFile({ title: "Budget", opened: false, sheets: cells });
    const other = sheets.addFile({ title: "Diary", opened: false, sheets: cells });
    const page = await context.newPage();
    await page.goto(await link());
    const pick = page.getByRole("button", { name: "Pick spreadsheets" });
    const opened = async (): Promise<Page> => {
      const opening = context.waitForEvent("page");
      await pick.click();
      return opening;
    };
    const shown = (text: string) => page.getByText(text).waitFor();

    await (await opened()).close();
    await shown("The window to sign in was closed.");
    await (await opened()).getByRole("button", { name: "Cancel" }).click();
    await shown("The permission was not given.");
    await (await opened()).getByRole("button", { name: "Continue as alice" }).click();
    await page.frameLocator("iframe").getByRole("button", { name: "Cancel" }).click();
    await shown("Nothing was picked.");
    await expectReadable(deployment, [], file);
    await (await opened()).getByRole("button", { name: "Continue as alice" }).click();
    await page.frameLocator("iframe").getByLabel("Budget").check();
    await page.frameLocator("iframe").getByRole("button", { name: "Select" }).click();
    await shown("Picked 1 file.");

    await expectReadable(deployment, [file], other);
    expectQuiet(deployment);
  },
  60_000,
);

testWith("chromium", hasChromium)(
  "by scripts: after an error of the picker a person tries again",
  async () => {
    await using deployment = await deploy("script");
    const { sheets, context, link } = deployment;
    const file = sheets.addFile({ title: "Budget", opened: false, sheets: cells });
    const other = sheets.addFile({ title: "Diary", opened: false, sheets: cells });
    sheets.failPicker();
    const page = await context.newPage();
    await page.goto(await link());
    const pick = async (): Promise<void> => {
      const opening = context.waitForEvent("page");
      await page.getByRole("button", { name: "Pick spreadsheets" }).click();
      await (await opening).getByRole("button", { name: "Continue as alice" }).click();
    };
    await pick();
    await page.getByText("The picker of the platform reported an error. Try again").waitFor();
    expect(await page.locator("iframe").count()).toBe(0);
    await pick();
    await page.frameLocator("iframe").getByLabel("Budget").check();
    await page.frameLocator("iframe").getByRole("button", { name: "Select" }).click();
    await page.getByText("Picked 1 file.").waitFor();
    await expectReadable(deployment, [file], other);
    expectQuiet(deployment);
  },
  60_000,
);

testWith("chromium", hasChromium)(
  "by scripts: where third-party cookies are blocked, a person goes on at the platform's own page",
  async () => {
    await using deployment = await deploy("script");
    const { sheets, context, link } = deployment;
    const file = sheets.addFile({ title: "Budget", opened: false, sheets: cells });
    const other = sheets.addFile({ title: "Diary", opened: false, sheets: cells });
    sheets.blockCookies(true);
    sheets.signIn("bob");
    const page = await context.newPage();
    await page.goto(await link());
    const opening = context.waitForEvent("page");
    await page.getByRole("button", { name: "Pick spreadsheets" }).click();
    await (await opening).getByRole("button", { name: "Continue as alice" }).click();
    await page.frameLocator("iframe").getByRole("heading", { name: "Sign in to continue" }).waitFor();
    await screenshot(page, "picker-without-cookies");
    // The picker covers the page and reports nothing.
    await page.getByRole("link", { name: "Pick on the platform's own page" }).click();
    await page.getByLabel("Budget").check();
    await page.getByRole("button", { name: "Continue as alice" }).click();
    await page.getByText("1 file was picked.").waitFor();
    await expectReadable(deployment, [file], other);
    expectQuiet(deployment);
  },
  60_000,
);

testWith("chromium", hasChromium)(
  "by scripts that cannot be loaded: the page shows an error",
  async () => {
    await using deployment = await deploy("script");
    const { sheets, context, link } = deployment;
    const address = await link();
    await context.route(`${sheets.url}/**`, (route) => route.abort());
    const page = await context.newPage();
    await page.goto(address);
    await page.getByText("could not be loaded").waitFor();
    expect(await page.getByRole("button", { name: "Pick spreadsheets" }).isDisabled()).toBe(true);
  },
  60_000,
);

testWith("chromium", hasChromium)(
  "by redirect: a person picks a file on the platform's page, and the next call reads it",
  async () => {
    await using deployment = await deploy("redirect");
    const { sheets, site, context, link } = deployment;
    const file = sheets.addFile({ title: "Budget", opened: false, sheets: cells });
    const other = sheets.addFile({ title: "Diary", opened: false, sheets: cells });

    const page = await context.newPage();
    await page.goto(await link());
    await page.getByLabel("Budget").check();
    await page.getByRole("button", { name: "Continue as alice" }).click();
    await page.getByText("1 file was picked. Go back to the application and run the tool again.").waitFor();
    expect(page.url()).toStartWith(`${site.url}/api/v1/oauth/`);
    await screenshot(page, "picker-redirected");

    await page.reload();
    await page.getByText("1 file was picked.").waitFor();
    await page.goto(await link());
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("heading", { name: "Nothing was picked" }).waitFor();

    await expectReadable(deployment, [file], other);
    expectQuiet(deployment);
  },
  60_000,
);
