// The picker page: which links it takes, what it sends the browser in both ways, and what comes back.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import {
  consentAs,
  googleProvider,
  type SheetsSandbox,
  sheetsEnvironment,
  startSheetsSandbox,
} from "../sandbox/sheets";
import { databaseOf, dump, type Stage, startConsent, startStage } from "./stage";

const HOSTILE = `"><img src=x onerror=alert(1)><script>alert(2)</script>'&`;
const DRIVE_FILE = "https://www.googleapis.com/auth/drive.file";
const SPREADSHEET = "application/vnd.google-apps.spreadsheet";

let sheets: SheetsSandbox;
let scripts: Stage;
let redirecting: Stage;

beforeAll(async () => {
  sheets = await startSheetsSandbox();
  const environment = sheetsEnvironment(sheets);
  scripts = await startStage({ environment });
  redirecting = await startStage({ environment: { ...environment, RUNTIME_SHEETS_PICKER: "redirect" } });
  for (const { site, keys } of [scripts, redirecting])
    await api(site.url, keys.admin).post("/v1/admin/auth_providers", googleProvider(sheets));
});

afterAll(async () => {
  await scripts[Symbol.asyncDispose]();
  await redirecting[Symbol.asyncDispose]();
  await sheets.stop();
});

const encoded = (config: unknown): string => Buffer.from(JSON.stringify(config)).toString("base64url");
const configOf = (client_id: string, app_id = client_id.split("-")[0]): string =>
  encoded({ auth: { client_id, app_id } });
const linkTo = ({ site }: Stage, config: string): string =>
  `${site.url}/google/drive_picker?config=${config}`;
const own = (): string => configOf(sheets.clientId);
const withPadding = (config: string): string => config.padEnd(Math.ceil(config.length / 4) * 4, "=");

describe("a link", () => {
  const BAD: [string, () => string][] = [
    ["with an empty config", () => "config="],
    ["without a config", () => ""],
    ["with two configs", () => `config=${own()}&config=${own()}`],
    ["with characters outside of base64url", () => `config=${own()}!`],
    ["with a blank inside", () => `config=${own().slice(0, 8)}%20${own().slice(8)}`],
    ["with a newline at the end", () => `config=${own()}%0A`],
    ["with padding inside", () => `config=${own().slice(0, 8)}=${own().slice(8)}`],
    ["with too much padding", () => `config=${withPadding(own())}====`],
    ["with the other alphabet", () => `config=${encodeURIComponent("+/+/")}`],
    ["cut off", () => `config=${own().slice(0, -8)}`],
    ["that is not UTF-8", () => `config=${Buffer.from([0xff, 0xfe, 0x7b]).toString("base64url")}`],
    ["with a byte order mark", () => `config=${Buffer.from(`\uFEFF{"auth":{}}`).toString("base64url")}`],
    ["that is not JSON", () => `config=${Buffer.from("auth").toString("base64url")}`],
    ["that is JSON in the clear", () => `config=${encodeURIComponent('{"auth":{}}')}`],
    ["that is null", () => `config=${encoded(null)}`],
    ["that is a list", () => `config=${encoded([])}`],
    ["that is a text", () => `config=${encoded("auth")}`],
    ["without auth", () => `config=${encoded({})}`],
    ["with auth null", () => `config=${encoded({ auth: null })}`],
    ["without a client", () => `config=${encoded({ auth: { app_id: "123456789012" } })}`],
    ["without a project", () => `config=${encoded({ auth: { client_id: sheets.clientId } })}`],
    [
      "with a project that is a number",
      () => `config=${encoded({ auth: { client_id: sheets.clientId, app_id: 123456789012 } })}`,
    ],
    ["with an empty project", () => `config=${configOf(sheets.clientId, "")}`],
    ["with another project", () => `config=${configOf(sheets.clientId, "123456789013")}`],
    ["with a part of the project", () => `config=${configOf(sheets.clientId, "1234567890")}`],
    [
      "with a client that is configured nowhere",
      () => `config=${configOf("123456789012-other.apps.googleusercontent.com")}`,
    ],
    ["with the client in capitals", () => `config=${configOf(sheets.clientId.toUpperCase())}`],
    ["with the client and a blank", () => `config=${configOf(`${sheets.clientId} `)}`],
    ["with the client of another platform", () => `config=${configOf(scripts.site.chat.clientId)}`],
    [
      "with a client that is a list",
      () => `config=${encoded({ auth: { client_id: [sheets.clientId], app_id: "123456789012" } })}`,
    ],
    ["with a client of HTML", () => `config=${configOf(`123456789012-${HOSTILE}`)}`],
    ["with a project of HTML", () => `config=${configOf(sheets.clientId, HOSTILE)}`],
    ["that is longer than any of ours", () => `config=${configOf(`123456789012-${"x".repeat(9000)}`)}`],
    [
      "with __proto__",
      () =>
        `config=${Buffer.from(`{"__proto__":{"auth":{"client_id":"${sheets.clientId}","app_id":"123456789012"}}}`).toString("base64url")}`,
    ],
  ];

  test.each(BAD)("%s is 400 in both ways, before anything else", async (_what, query) => {
    for (const { site } of [scripts, redirecting]) {
      const page = await fetch(`${site.url}/google/drive_picker?${query()}`, { redirect: "manual" });
      expect(page.status).toBe(400);
      expect(page.headers.get("set-cookie")).toBeNull();
      expect(page.headers.get("location")).toBeNull();
      expect(page.headers.get("content-security-policy")).not.toContain("script");
      const html = await page.text();
      expect(html).toContain("Ask the application for a new link.");
      expect(html).not.toMatch(/<img|<script|onerror|123456789012/);
    }
  });

  test("may be padded", async () => {
    for (const extra of ["", "1", "12"]) {
      const config = encoded({ auth: { client_id: sheets.clientId, app_id: "123456789012" }, extra });
      for (const written of [config, withPadding(config), encodeURIComponent(withPadding(config))])
        expect((await fetch(linkTo(scripts, written))).status).toBe(200);
    }
  });

  test("of an inactive provider is 400, and works again when it is active", async () => {
    const { site, keys } = scripts;
    const set = (status: string) =>
      api(site.url, keys.admin).patch("/v1/admin/auth_providers/google", { status });
    await set("inactive");
    expect((await fetch(linkTo(scripts, own()))).status).toBe(400);
    await set("active");
    expect((await fetch(linkTo(scripts, own()))).status).toBe(200);
  });

  test("works for a provider of any project and any name, and not once it is gone", async () => {
    const { site, keys } = scripts;
    const other = api(site.url, keys.other);
    const config = configOf("77-other.apps.googleusercontent.com");
    const record = googleProvider(sheets, "sheets-of-other");
    const { oauth2 } = record;
    const created = await other.post("/v1/admin/auth_providers", {
      ...record,
      oauth2: { ...oauth2, client_id: "77-other.apps.googleusercontent.com" },
    });
    expect(created.status).toBe(201);
    expect((await fetch(linkTo(scripts, config))).status).toBe(200);
    await other.delete("/v1/admin/auth_providers/sheets-of-other");
    expect((await fetch(linkTo(scripts, config))).status).toBe(400);
  });

  test("needs no credential, and a wrong one does no harm", async () => {
    const headers = { authorization: "Bearer nonsense" };
    expect((await fetch(linkTo(scripts, own()), { headers })).status).toBe(200);
    expect((await fetch(linkTo(scripts, own()), { method: "POST" })).status).toBe(404);
  });

  test("is the one that the tool makes", async () => {
    const { site, keys } = scripts;
    const made = await api(site.url, keys.run).post("/v1/tools/execute", {
      tool_name: "Sheets.GenerateGoogleFilePickerUrl",
      user_id: "alice",
    });
    expect(at(made.body, "output.value.url")).toBe(linkTo(scripts, own()));
  });
});

describe("by scripts", () => {
  test("the page may load what it needs and nothing else, and may be talked to by its own windows", async () => {
    const page = await fetch(linkTo(scripts, own()));
    expect(Object.fromEntries(page.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy":
        `default-src 'none'; script-src 'self' ${sheets.url}; frame-src ${sheets.url}; connect-src ${sheets.url}; ` +
        `img-src ${sheets.url}; style-src 'unsafe-inline' ${sheets.url}; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`,
      "cross-origin-opener-policy": "same-origin-allow-popups",
      "referrer-policy": "strict-origin",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
    expect(page.headers.get("set-cookie")).toBeNull();
  });

  test("the page names client, project, scope and type for its script, and has no script in itself", async () => {
    const html = await (await fetch(linkTo(scripts, own()))).text();
    const tags = [...html.matchAll(/<script[^>]*>([^<]*)<\/script>/g)];
    expect(tags.map(([tag]) => tag)).toEqual([
      `<script defer src="${sheets.url}/js/api.js"></script>`,
      `<script defer src="${sheets.url}/gsi/client"></script>`,
      `<script defer src="drive_picker.js" data-client-id="${sheets.clientId}" data-app-id="123456789012" ` +
        `data-scope="${DRIVE_FILE}" data-mime-type="${SPREADSHEET}"></script>`,
    ]);
    expect(html).not.toMatch(/\son\w+=/);
  });

  test("without other addresses the scripts are the platform's, from exactly its hosts", async () => {
    await using plain = await startStage();
    await api(plain.site.url, plain.keys.admin).post("/v1/admin/auth_providers", googleProvider(sheets));
    const page = await fetch(linkTo(plain, own()));
    expect(page.headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self' https://apis.google.com https://accounts.google.com; " +
        "frame-src https://docs.google.com https://drive.google.com https://content.googleapis.com " +
        "https://accounts.google.com; connect-src https://apis.google.com https://content.googleapis.com " +
        "https://www.googleapis.com https://accounts.google.com; " +
        "img-src https://*.gstatic.com https://*.googleusercontent.com; " +
        "style-src 'unsafe-inline' https://accounts.google.com/gsi/style; form-action 'none'; " +
        "frame-ancestors 'none'; base-uri 'none'",
    );
    const html = await page.text();
    expect(html).toContain(`src="https://apis.google.com/js/api.js"`);
    expect(html).toContain(`src="https://accounts.google.com/gsi/client"`);
  });

  test("the page offers the platform's own page, which needs no script and no third-party cookie", async () => {
    const html = await (await fetch(linkTo(scripts, own()))).text();
    const other = /<a href="([^"]+)">Pick on the platform&#39;s own page|<a href="([^"]+)">/.exec(html);
    const address = new URL(
      (other?.[1] ?? other?.[2] ?? "").replaceAll("&amp;", "&"),
      linkTo(scripts, own()),
    );
    const answer = await new Browser().open(address.href);
    expect(answer.status).toBe(303);
    const { searchParams } = new URL(answer.headers.get("location") ?? "");
    expect(searchParams.get("trigger_onepick")).toBe("true");
    expect((await fetch(`${linkTo(scripts, own())}&way=other`)).status).toBe(200);
  });

  test("a client id of HTML that an administrator configured is text", async () => {
    const { site, keys } = scripts;
    const record = googleProvider(sheets, "hostile");
    const client_id = `88-${HOSTILE}`;
    await api(site.url, keys.other).post("/v1/admin/auth_providers", {
      ...record,
      oauth2: { ...record.oauth2, client_id },
    });
    const page = await fetch(linkTo(scripts, configOf(client_id)));
    expect(page.status).toBe(200);
    const html = await page.text();
    expect(html).not.toContain("<img");
    expect(html).toContain(`data-client-id="88-&quot;&gt;&lt;img src=x onerror=alert(1)&gt;`);
    await api(site.url, keys.other).delete("/v1/admin/auth_providers/hostile");
  });

  test("our script is a file of ours that sends nothing anywhere", async () => {
    const answer = await fetch(`${scripts.site.url}/google/drive_picker.js`);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
    });
    const text = await answer.text();
    expect(() => new Bun.Transpiler({ loader: "js" }).scan(text)).not.toThrow();
    expect(text).not.toMatch(/fetch|XMLHttpRequest|sendBeacon|WebSocket|innerHTML|localStorage|eval|https?:/);
  });
});

/** Opens the link; the address at the provider. */
async function atProvider(browser: Browser, stage = redirecting): Promise<URL> {
  const answer = await browser.open(linkTo(stage, own()));
  expect(answer.status).toBe(303);
  return new URL(answer.headers.get("location") ?? "");
}

/** The state with which a browser was sent away, and the address that it comes back to. */
async function sentAway(browser = new Browser()) {
  const { searchParams } = await atProvider(browser);
  const callback = searchParams.get("redirect_uri") ?? "";
  const state = searchParams.get("state") ?? "";
  const back = (more: Record<string, string>) =>
    browser.open(`${callback}?${new URLSearchParams({ state, ...more })}`);
  return { browser, callback, state, back };
}

describe("by redirect", () => {
  test("the browser goes to the provider's own consent, for single files alone", async () => {
    const address = await atProvider(new Browser());
    const { body } = await api(redirecting.site.url, redirecting.keys.admin).get(
      "/v1/admin/auth_providers/google",
    );
    expect(address.origin + address.pathname).toBe(sheets.authorizeUrl);
    expect(Object.fromEntries(address.searchParams)).toEqual({
      response_type: "code",
      client_id: sheets.clientId,
      redirect_uri: String(at(body, "oauth2.redirect_uri")),
      scope: DRIVE_FILE,
      prompt: "select_account consent",
      trigger_onepick: "true",
      allow_multiple: "true",
      mimetypes: SPREADSHEET,
      state: expect.stringMatching(/^pick\.v1\.dk_[0-9a-f]+\.[\w-]+$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    });
  });

  test("the browser is bound by the cookie of consents, kept when it has one", async () => {
    const browser = new Browser();
    const answer = await browser.open(linkTo(redirecting, own()));
    expect(answer.headers.get("set-cookie")).toMatch(
      /^runtime_consent=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=86400$/,
    );
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
    const first = browser.cookie("runtime_consent");
    await browser.open((await startConsent(redirecting, { user_id: "both" })).url);
    await browser.open(linkTo(redirecting, own()));
    expect(browser.cookie("runtime_consent")).toBe(first ?? "none");
  });

  test("a provider without PKCE gets no challenge", async () => {
    const admin = api(redirecting.site.url, redirecting.keys.admin);
    const enabled = (on: boolean) =>
      admin.patch("/v1/admin/auth_providers/google", { oauth2: { pkce: { enabled: on } } });
    await enabled(false);
    expect([...(await atProvider(new Browser())).searchParams.keys()]).not.toContain("code_challenge");
    await enabled(true);
    expect([...(await atProvider(new Browser())).searchParams.keys()]).toContain("code_challenge");
  });

  test("every opening has a state of its own, and none leaves a row", async () => {
    const before = dump(databaseOf(redirecting.site))["authorizations"];
    const [one, two] = [await sentAway(), await sentAway()];
    expect(one.state).not.toBe(two.state);
    expect(dump(databaseOf(redirecting.site))["authorizations"]).toEqual(before ?? []);
  });
});

describe("back from the provider", () => {
  test("the page says how many files were picked; the code is exchanged once, also when it comes again", async () => {
    sheets.clearRequests();
    const files = [1, 2].map((n) => sheets.addFile({ title: `Mine ${n}`, opened: false }));
    const browser = new Browser();
    const consented = await consentAs((await atProvider(browser)).href, "alice", { pick: files });
    const before = dump(databaseOf(redirecting.site));
    for (let turn = 0; turn < 2; turn++) {
      const page = await browser.open(consented);
      expect(page.status).toBe(200);
      expect(page.headers.get("content-security-policy")).not.toContain("script");
      expect(await page.text()).toContain(
        "2 files were picked. Go back to the application and run the tool again.",
      );
    }
    expect(sheets.calls("token")).toBe(1);
    // Without a refresh token, which could replace that of the connection.
    const [sent] = sheets.requests.filter(({ method }) => method === "token");
    expect(sent).toMatchObject({ status: 200, body: { grant_type: "authorization_code" } });
    const { leases, facts: _, ...after } = dump(databaseOf(redirecting.site));
    // Facts: the time by which old leases are deleted.
    const { leases: leasesBefore, facts: __, ...others } = before;
    expect(after).toEqual(others);
    // That the code was exchanged, for a browser that comes back to another server.
    expect(leases).toEqual([
      ...(leasesBefore ?? []),
      {
        name: expect.stringMatching(/^code of [\da-f]{64}$/),
        holder: null,
        fence: 1,
        expires_at: expect.any(Number),
      },
    ]);
  });

  test.each<[string, Record<string, string>, string]>([
    ["one file", { code: "c", picked_file_ids: "a" }, "1 file was picked"],
    ["one file twice", { code: "c", picked_file_ids: "a,a," }, "1 file was picked"],
    ["no file", { code: "c" }, "No file was chosen."],
    ["an empty list", { code: "c", picked_file_ids: "" }, "No file was chosen."],
    ["a refusal", { error: "access_denied" }, "You did not grant the permission."],
    ["another error", { error: HOSTILE, error_description: HOSTILE }, "The provider returned an error."],
    [
      "ids of HTML",
      { code: HOSTILE, scope: HOSTILE, picked_file_ids: `${HOSTILE},b` },
      "2 files were picked",
    ],
  ])("%s is told in our words", async (_what, more, told) => {
    const page = await (await sentAway()).back(more);
    expect(page.status).toBe(200);
    const html = await page.text();
    expect(html).toContain(told);
    expect(html).not.toMatch(/<img|<script|onerror/);
  });

  test.each<[string, (state: string, callback: string) => string]>([
    ["no code and no error", (state, callback) => `${callback}?state=${state}`],
    ["the state twice", (state, callback) => `${callback}?code=c&state=${state}&state=${state}`],
    ["the state and another", (state, callback) => `${callback}?code=c&state=${state}&state=x`],
    ["a changed state", (state, callback) => `${callback}?code=c&state=${state.slice(0, -4)}AAAA`],
    ["a state without its seal", (_, callback) => `${callback}?code=c&state=pick.`],
    ["a state that is made up", (_, callback) => `${callback}?code=c&state=pick.v1.dk_00.${"A".repeat(80)}`],
    ["a state of HTML", (_, callback) => `${callback}?code=c&state=${encodeURIComponent(`pick.${HOSTILE}`)}`],
    ["a state of 8 kB", (_, callback) => `${callback}?code=c&state=pick.${"x".repeat(8192)}`],
    [
      "an unknown provider",
      (state) => `${redirecting.site.url}/api/v1/oauth/unknown/callback?code=c&state=${state}`,
    ],
    ["the sealed part alone", (state, callback) => `${callback}?code=c&state=${state.slice("pick.".length)}`],
  ])("%s is 400", async (_what, address) => {
    const { browser, state, callback } = await sentAway();
    const page = await browser.open(address(state, callback));
    expect(page.status).toBe(400);
    const html = await page.text();
    expect(html).toContain("This did not work");
    expect(html).not.toMatch(/<img|<script|onerror|\.ts:|\bat \//);
  });

  test("at another provider of the same project is 400", async () => {
    const { browser, state } = await sentAway();
    const { body } = await api(redirecting.site.url, redirecting.keys.admin).get(
      "/v1/admin/auth_providers/slack",
    );
    const elsewhere = String(at(body, "oauth2.redirect_uri"));
    expect((await browser.open(`${elsewhere}?code=c&state=${state}`)).status).toBe(400);
  });

  test("of another deployment is 400", async () => {
    const { browser, state } = await sentAway();
    const { body } = await api(scripts.site.url, scripts.keys.admin).get("/v1/admin/auth_providers/google");
    const elsewhere = String(at(body, "oauth2.redirect_uri"));
    expect((await browser.open(`${elsewhere}?code=c&state=${state}`)).status).toBe(400);
  });

  test("in another browser, or without a cookie, is 400", async () => {
    const { callback, state } = await sentAway();
    const stranger = new Browser();
    for (let turn = 0; turn < 2; turn++) {
      const page = await stranger.open(`${callback}?code=c&picked_file_ids=a&state=${state}`);
      expect(page.status).toBe(400);
      expect(await page.text()).toContain("another browser");
      await atProvider(stranger);
    }
  });

  test("after ten minutes is 400, just before it is not", async () => {
    const { back } = await sentAway();
    redirecting.clock.move(10 * 60_000 - 5000);
    expect((await back({ code: "c", picked_file_ids: "a" })).status).toBe(200);
    redirecting.clock.move(5001);
    const late = await back({ code: "c", picked_file_ids: "a" });
    expect(late.status).toBe(400);
    expect(await late.text()).toContain("has expired");
  });

  test("outlives a change of the project's data key, and is 400 once the old key is gone", async () => {
    const { keyring, store } = redirecting.site.runtime.core;
    const old = await keyring.rotateDataKey("default");
    const { back } = await sentAway();
    await keyring.rotateDataKey("default");
    expect((await back({ error: "access_denied" })).status).toBe(200);
    await store.write(() => keyring.dropDataKeys("default", [old]));
    expect((await back({ error: "access_denied" })).status).toBe(400);
  });

  test("a consent that is under way in the same browser goes on", async () => {
    const { site, keys } = redirecting;
    const { body } = await api(site.url, keys.run).post("/v1/tools/authorize", {
      tool_name: "Sheets.SearchSpreadsheets",
      user_id: "side by side",
    });
    const browser = new Browser();
    const provider = (await browser.open(String(at(body, "url")))).headers.get("location") ?? "";
    const picking = await sentAway(browser);
    expect((await picking.back({ code: "c", picked_file_ids: "a" })).status).toBe(200);
    const page = await browser.open(await consentAs(provider, "alice"));
    expect(await (await browser.answer(page, site.url, "yes")).text()).toContain("Connected");
  });

  test("the log contains neither code nor state nor ids", async () => {
    const { state, back } = await sentAway();
    await back({ code: "s3cr3t-code", picked_file_ids: "s3cr3t-file" });
    const log = redirecting.site.logLines.join("\n");
    expect(log).toContain('"method":"GET"');
    expect(log).not.toContain("s3cr3t");
    expect(log).not.toContain(state);
  });
});
