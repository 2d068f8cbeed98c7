// With no address overridden: what each platform is really sent, against tables written by hand from the platforms'
// documentation. The outbound client is replaced by one that records and answers from a script.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { reveal, systemClock } from "../../src/base";
import type { Egress, EgressRequest } from "../../src/egress";
import { type Site, startSite } from "../support/site";

interface Sent {
  address: string;
  method: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  body: Record<string, string> | string;
}

const sent: Sent[] = [];

const TOKENS = { access_token: "token-1", refresh_token: "refresh-1", expires_in: 3600 };
const ANSWERS: Record<string, (form: Record<string, string>) => unknown> = {
  "https://slack.com/api/oauth.v2.access": (form) =>
    form["grant_type"] === "refresh_token"
      ? { ok: true, ...TOKENS, access_token: "token-2", token_type: "user", scope: SCOPES.slack.join(",") }
      : {
          ok: true,
          team: { id: "T1", name: "Team" },
          authed_user: { id: "U1", ...TOKENS, token_type: "user", scope: SCOPES.slack.join(",") },
        },
  "https://slack.com/api/users.info": () => ({ ok: true, user: { id: "U1", name: "alice", profile: {} } }),
  "https://oauth2.googleapis.com/token": (form) =>
    form["grant_type"] === "refresh_token"
      ? { access_token: "token-2", expires_in: 3600, token_type: "Bearer", scope: SCOPES.google.join(" ") }
      : { ...TOKENS, token_type: "Bearer", scope: SCOPES.google.join(" ") },
  "https://sheets.googleapis.com/v4/spreadsheets": () => ({
    spreadsheetId: "S1",
    spreadsheetUrl: "https://docs.google.com/spreadsheets/d/S1/edit",
    properties: { title: "T" },
  }),
  "https://accounts.zoho.com/oauth/v2/token": (form) =>
    form["grant_type"] === "refresh_token"
      ? {
          access_token: "token-2",
          expires_in: 3600,
          api_domain: "https://www.zohoapis.com",
          token_type: "Bearer",
        }
      : { ...TOKENS, api_domain: "https://www.zohoapis.com", token_type: "Bearer" },
  "https://www.zohoapis.com/creator/v2/data/acme/inventory/report/All": () => ({ code: 3000, data: [] }),
};

const SCOPES = {
  slack: ["users:read", "users:read.email"],
  google: ["https://www.googleapis.com/auth/drive.file"],
  zoho: ["ZohoCreator.report.READ"],
};

const egress: Egress = {
  fetch: async (url, request: EgressRequest = {}) => {
    const target = new URL(url);
    const headers = Object.fromEntries(
      Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), reveal(value)]),
    );
    const text = request.body === undefined ? "" : reveal(request.body);
    const isForm = headers["content-type"]?.includes("x-www-form-urlencoded") === true;
    const body = isForm ? Object.fromEntries(new URLSearchParams(text)) : text;
    const address = target.origin + target.pathname;
    const query = Object.fromEntries(target.searchParams);
    sent.push({ address, method: request.method ?? "GET", query, headers, body });
    const answer = ANSWERS[address];
    if (answer === undefined) throw new Error(`nobody answers at ${address}`);
    return Response.json(answer(typeof body === "string" ? {} : body));
  },
};

let site: Site;
let now = Date.parse("2026-03-08T12:00:00Z");

beforeAll(async () => {
  const clock = { ...systemClock, now: () => now };
  site = await startSite({
    parts: { egress, clock },
    environment: { RUNTIME_CHAT_API_URL: "https://slack.com/api/" },
  });
  const operator = await site.runtime.identity.operator("default");
  for (const id of ["slack", "google", "zoho"]) {
    const oauth2 = { client_id: "the client", client_secret: "a+b/c:d%e=" };
    await site.runtime.providers.create(operator, { id, provider_id: id, oauth2 });
  }
  await site.runtime.secrets.upsert(operator, "VENDOR_SERVER_URL", { value: "https://www.zohoapis.com" });
});

afterAll(() => site[Symbol.asyncDispose]());

const BASIC = `Basic ${Buffer.from("the+client:a%2Bb%2Fc%3Ad%25e%3D").toString("base64")}`;
const IN_BODY = { client_id: "the client", client_secret: "a+b/c:d%e=" };

const TABLE = [
  {
    id: "slack",
    tool: "Chat.WhoAmI",
    input: {},
    authorize: {
      address: "https://slack.com/oauth/v2/authorize",
      query: { client_id: "the client", user_scope: "users:read,users:read.email" },
      pkce: false,
    },
    token: { address: "https://slack.com/api/oauth.v2.access", authorization: BASIC, credentials: {} },
    api: {
      address: "https://slack.com/api/users.info",
      method: "POST",
      query: {},
      authorization: "Bearer token-2",
      body: { user: "U1" },
    },
  },
  {
    id: "google",
    tool: "Sheets.CreateSpreadsheet",
    input: { title: "T" },
    authorize: {
      address: "https://accounts.google.com/o/oauth2/v2/auth",
      query: {
        client_id: "the client",
        response_type: "code",
        scope: "https://www.googleapis.com/auth/drive.file",
        access_type: "offline",
        prompt: "consent",
        include_granted_scopes: "true",
        code_challenge_method: "S256",
      },
      pkce: true,
    },
    token: { address: "https://oauth2.googleapis.com/token", authorization: undefined, credentials: IN_BODY },
    api: {
      address: "https://sheets.googleapis.com/v4/spreadsheets",
      method: "POST",
      query: { fields: "spreadsheetId,spreadsheetUrl,properties(title),sheets(properties(sheetId,title))" },
      authorization: "Bearer token-2",
      body: undefined,
    },
  },
  {
    id: "zoho",
    tool: "VendorCreatorApi.FetchVendorRecords",
    input: {
      account_owner_identifier: "acme",
      application_link_name: "inventory",
      report_link_name: "All",
      record_limit: 7,
    },
    authorize: {
      address: "https://accounts.zoho.com/oauth/v2/auth",
      query: {
        client_id: "the client",
        response_type: "code",
        scope: "ZohoCreator.report.READ",
        access_type: "offline",
        prompt: "consent",
      },
      pkce: false,
    },
    token: {
      address: "https://accounts.zoho.com/oauth/v2/token",
      authorization: undefined,
      credentials: IN_BODY,
    },
    api: {
      address: "https://www.zohoapis.com/creator/v2/data/acme/inventory/report/All",
      method: "GET",
      query: { limit: "7" },
      authorization: "Zoho-oauthtoken token-2",
      body: "",
    },
  },
];

describe.each(TABLE)("$id", ({ id, tool, input, authorize, token, api }) => {
  test("consent, exchange, refresh and call go where the platform's documentation says", async () => {
    const { runtime } = site;
    const operator = await runtime.identity.operator("default");
    const redirectUri = (await runtime.providers.get(operator, id)).oauth2?.redirect_uri ?? "";
    const started = await runtime.tools.authorize(operator, { tool_name: tool, user_id: "alice" });
    const address = started.url?.split("/").at(-1) ?? "";
    const opened = await runtime.consent.open(address, undefined);
    const [location, cookie] = opened.kind === "redirect" ? [new URL(opened.location), opened.cookie] : [];
    const query = Object.fromEntries(location?.searchParams ?? []);
    const { state, code_challenge, ...others } = query;
    expect((location?.origin ?? "") + (location?.pathname ?? "")).toBe(authorize.address);
    expect(others).toEqual({ ...authorize.query, redirect_uri: redirectUri });
    expect([state?.length, code_challenge !== undefined]).toEqual([43, authorize.pkce]);

    sent.length = 0;
    const externalId = redirectUri.split("/").at(-2) ?? "";
    const page = await runtime.consent.callback(
      externalId,
      new URLSearchParams({ code: "the code", state: state ?? "" }),
      cookie,
    );
    const check = page.kind === "confirm" ? page.check : "";
    expect((await runtime.consent.confirm(address, check, true, cookie)).kind).toBe("completed");
    const [exchange] = sent;
    const { code_verifier, ...exchanged } = Object(exchange?.body);
    expect([exchange?.address, exchange?.method]).toEqual([token.address, "POST"]);
    expect(exchange?.headers["authorization"]).toBe(token.authorization);
    expect(exchanged).toEqual({
      ...token.credentials,
      grant_type: "authorization_code",
      code: "the code",
      redirect_uri: redirectUri,
    });
    expect(code_verifier !== undefined).toBe(authorize.pkce);

    sent.length = 0;
    now += 2 * 3600_000;
    const executed = await runtime.tools.execute(operator, { tool_name: tool, user_id: "alice", input });
    expect(executed.output?.error).toBeUndefined();
    const [refresh, call] = sent;
    expect([refresh?.address, refresh?.method, refresh?.headers["authorization"]]).toEqual([
      token.address,
      "POST",
      token.authorization,
    ]);
    expect(refresh?.body).toEqual({
      ...token.credentials,
      grant_type: "refresh_token",
      refresh_token: "refresh-1",
    });
    expect([call?.address, call?.method, call?.query, call?.headers["authorization"]]).toEqual([
      api.address,
      api.method,
      api.query,
      api.authorization,
    ]);
    if (api.body !== undefined) expect(call?.body).toEqual(api.body);
  });
});
