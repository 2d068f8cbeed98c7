// The spreadsheet tools through the whole runtime: consent at the stand-in, grants in several shapes, refresh, loss.
import { describe, expect, test } from "bun:test";
import { api, at } from "../../support/api";
import { Browser } from "../../support/browser";
import { startSite, type Site } from "../../support/site";
import {
  googleProvider,
  sheetsEnvironment,
  startSheetsSandbox,
  type SheetsSandbox,
} from "../../sandbox/sheets";
import { DRIVE_FILE, EMAIL, PROFILE } from "./run";

interface Deployment extends AsyncDisposable {
  sheets: SheetsSandbox;
  site: Site;
  agent: ReturnType<typeof api>;
  /** The user's consent for a tool, up to our last page. */
  consent(tool: string, person?: string): Promise<string>;
  execute(tool: string, input?: object): Promise<unknown>;
}

async function deploy(): Promise<Deployment> {
  const sheets = await startSheetsSandbox();
  const site = await startSite({ environment: sheetsEnvironment(sheets) });
  await site.runtime.providers.create(
    await site.runtime.identity.operator("default"),
    googleProvider(sheets),
  );
  const agent = api(site.url, await site.key("run"));
  return {
    sheets,
    site,
    agent,
    async consent(tool_name, person = "alice") {
      const started = await agent.post("/v1/tools/authorize", { tool_name, user_id: "u1" });
      const page = await new Browser().consent(String(at(started.body, "url")), person);
      return page.text();
    },
    async execute(tool_name, input = {}) {
      return (await agent.post("/v1/tools/execute", { tool_name, user_id: "u1", input })).body;
    },
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]();
      await sheets.stop();
    },
  };
}

test("a user consents, and the tools run with the grant", async () => {
  await using deployment = await deploy();
  const { sheets, agent, consent, execute } = deployment;
  const started = await agent.post("/v1/tools/authorize", {
    tool_name: "Sheets.CreateSpreadsheet",
    user_id: "u1",
  });
  const redirect = await new Browser().open(String(at(started.body, "url")));
  const address = new URL(redirect.headers.get("location") ?? "");
  expect(address.origin + address.pathname).toBe(sheets.authorizeUrl);
  expect(Object.fromEntries(address.searchParams)).toMatchObject({
    response_type: "code",
    client_id: sheets.clientId,
    scope: DRIVE_FILE,
    access_type: "offline",
    prompt: "consent",
    include_granted_scopes: "true",
    code_challenge_method: "S256",
  });

  expect(await consent("Sheets.CreateSpreadsheet")).toContain("Connected");
  const made = await execute("Sheets.CreateSpreadsheet", { title: "Made", data: '{"2":{"B":5}}' });
  const spreadsheet_id = at(made, "output.value.spreadsheetId");
  const read = await execute("Sheets.GetSpreadsheet", { spreadsheet_id });
  expect(at(read, "output.value.sheets.0.data")).toEqual({
    2: { B: { userEnteredValue: 5, formattedValue: "5" } },
  });
  // No token comes out, in no answer and no line of the log.
  expect(JSON.stringify([made, read]) + deployment.site.logLines.join("\n")).not.toContain("ya29.");
});

test("renamed, reordered and additional scopes are recognized", async () => {
  await using deployment = await deploy();
  await deployment.consent("Sheets.WhoAmI", "bob");
  const output = at(await deployment.execute("Sheets.WhoAmI"), "output.value");
  expect(output).toMatchObject({ email: "bob@corp.example", environment: { file_access: "per_file" } });
  const scopes = at(output, "environment.granted_scopes");
  expect(Array.isArray(scopes) ? scopes.toSorted() : scopes).toEqual(
    [DRIVE_FILE, EMAIL, PROFILE, "openid"].toSorted(),
  );
  // The profile's address is used exactly as it is set.
  expect(deployment.sheets.requests.map(({ path }) => path)).toContain("/v1/userinfo");
});

test("a scope that the user declined is still missing, and the granted ones work", async () => {
  await using deployment = await deploy();
  const { sheets, agent } = deployment;
  sheets.denyScopes([DRIVE_FILE]);
  await deployment.consent("Sheets.WhoAmI");
  const requirements = await agent.post("/v1/tools/requirements", {
    tool_names: ["Sheets.WhoAmI"],
    user_id: "u1",
  });
  expect(at(requirements.body, "met")).toBe(false);
  expect(at(requirements.body, "authorization.items.google.oauth2.scopes")).toEqual([DRIVE_FILE]);
  sheets.denyScopes([]);
  await deployment.consent("Sheets.GetSpreadsheetMetadata");
  // Earlier scopes belong to the new grant.
  expect(at(await deployment.execute("Sheets.WhoAmI"), "success")).toBe(true);
});

describe("a token that is no longer valid", () => {
  const tokenOf = (sheets: SheetsSandbox): string =>
    sheets.requests.findLast(({ token }) => token !== null)?.token ?? "";

  test("is refreshed once, and the tool runs again", async () => {
    await using deployment = await deploy();
    const { sheets, execute } = deployment;
    await deployment.consent("Sheets.SearchSpreadsheets");
    for (let turn = 1; turn <= 2; turn++) {
      await execute("Sheets.SearchSpreadsheets");
      sheets.expireToken(tokenOf(sheets));
      expect(at(await execute("Sheets.SearchSpreadsheets"), "success")).toBe(true);
      // The refresh brought no new refresh token: the old one serves on.
      expect(sheets.calls("refresh")).toBe(turn);
    }
  });

  test("and cannot be refreshed ends the grant, and the answer says how to continue", async () => {
    await using deployment = await deploy();
    const { sheets, execute } = deployment;
    await deployment.consent("Sheets.SearchSpreadsheets");
    await execute("Sheets.SearchSpreadsheets");
    sheets.revoke(tokenOf(sheets));
    const failed = await execute("Sheets.SearchSpreadsheets");
    expect(at(failed, "output.error.kind")).toBe("UPSTREAM_RUNTIME_AUTH_ERROR");
    expect(String(at(failed, "output.authorization.url"))).toContain("/authorize/");
    expect(sheets.calls("refresh")).toBe(1);
    await deployment.consent("Sheets.SearchSpreadsheets");
    expect(at(await execute("Sheets.SearchSpreadsheets"), "success")).toBe(true);
  });
});

test("the picker's link needs no consent; a picked file is readable by the next call", async () => {
  await using deployment = await deploy();
  const { sheets, execute, site } = deployment;
  const link = at(await execute("Sheets.GenerateGoogleFilePickerUrl"), "output.value.url");
  expect(String(link)).toStartWith(`${site.url}/google/drive_picker?config=`);
  await deployment.consent("Sheets.GetSpreadsheetMetadata");
  const spreadsheet_id = sheets.addFile({ title: "Mine", opened: false });
  const unseen = await execute("Sheets.GetSpreadsheetMetadata", { spreadsheet_id });
  expect(at(unseen, "output.error")).toMatchObject({ kind: "UPSTREAM_RUNTIME_NOT_FOUND", status_code: 404 });
  expect(String(at(unseen, "output.error.message"))).toContain("Sheets.GenerateGoogleFilePickerUrl");
  sheets.open(spreadsheet_id, "alice");
  expect(at(await execute("Sheets.GetSpreadsheetMetadata", { spreadsheet_id }), "output.value.title")).toBe(
    "Mine",
  );
});
