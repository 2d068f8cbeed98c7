// Users of every data center, with the platform's real addresses: where consent, code, refresh token and calls go, with one
// secret for all data centers and with one for each, and with the address of another data center. The outbound client is
// replaced by one that records and answers as the platform's pages describe it.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { reveal, systemClock } from "../../../src/base";
import type { Egress, EgressRequest } from "../../../src/egress";
import {
  DATA_CENTER_ROWS,
  type DataCenterRow,
  OTHER_API_DOMAIN,
  SECRET_OF_ANOTHER_CENTER,
} from "../../../catalogs/sandbox/records/behaviour/data-centers";
import { type Site, startSite } from "../../support/site";

const SECRET = "VENDOR_SERVER_URL";
const PATH = "/creator/v2/data/acme/inventory/report/All";
const TOOL = "VendorCreatorApi.FetchVendorRecords";
const INPUT = {
  account_owner_identifier: "acme",
  application_link_name: "inventory",
  report_link_name: "All",
};
const HOUR = 3_600_000;

let site: Site;
let now = Date.parse("2026-03-08T12:00:00Z");
let issued = 0;
/** Requests by origin and what they were. */
const sent: string[] = [];
/** The client's secret at each accounts server. */
let secretAt: (row: DataCenterRow) => string = () => "one for all";
/** `api_domain` of token answers. */
let domainOf: (row: DataCenterRow) => string = ({ api }) => api;

const egress: Egress = {
  fetch: async (url, request: EgressRequest = {}) => {
    const { origin, pathname } = new URL(url);
    // The outbound client refuses other targets.
    expect(request.secretsFor).toContain(origin);
    const headers = Object.entries(request.headers ?? {}).map(([name, value]) => [name, reveal(value)]);
    const token = String(Object.fromEntries(headers)["authorization"] ?? "");
    const center = DATA_CENTER_ROWS.find(({ accounts, api }) => origin === accounts || origin === api);
    if (center === undefined) throw new Error(`There is no ${origin}.`);
    if (origin === center.api) {
      sent.push(`call ${origin}`);
      expect(pathname).toBe(PATH);
      const isOwn = token.startsWith(`Zoho-oauthtoken ${center.location}-`);
      return isOwn
        ? Response.json({ code: 3000, data: [] })
        : Response.json({ code: 1030, description: "Authorization Failure." }, { status: 401 });
    }
    // Grants of the provider of an earlier test are revoked when it is deleted.
    if (pathname.endsWith("/revoke")) return Response.json({ status: "success" });
    const form = new URLSearchParams(request.body === undefined ? "" : reveal(request.body));
    sent.push(`${form.get("grant_type")} ${origin}`);
    if (form.get("client_secret") !== secretAt(center)) {
      const { status, error } = SECRET_OF_ANOTHER_CENTER;
      return Response.json({ error }, { status });
    }
    const isRefresh = form.get("grant_type") === "refresh_token";
    return Response.json({
      access_token: `${center.location}-${++issued}`,
      ...(isRefresh ? {} : { refresh_token: `refresh-${center.location}`, api_domain: domainOf(center) }),
      expires_in: 3600,
    });
  },
};

beforeAll(async () => {
  site = await startSite({ parts: { egress, clock: { ...systemClock, now: () => now } } });
});
beforeEach(() => {
  sent.length = 0;
  secretAt = () => "one for all";
  domainOf = ({ api }) => api;
});
afterAll(() => site[Symbol.asyncDispose]());

const operator = () => site.runtime.identity.operator("default");
const setAddress = async (value: string) => site.runtime.secrets.upsert(await operator(), SECRET, { value });

/** The only provider of the project, of the variant for the users of this data center. */
async function provider({ location }: DataCenterRow, client_secret: string): Promise<string> {
  const { providers } = site.runtime;
  const by = await operator();
  for (const { id } of (await providers.list(by)).items) await providers.delete(by, id);
  const provider_id = location === "cn" ? "zoho-cn" : "zoho";
  const record = await providers.create(by, {
    id: "records",
    provider_id,
    oauth2: { client_id: "the client", client_secret },
  });
  sent.length = 0;
  return record.oauth2?.redirect_uri.split("/").at(-2) ?? "";
}

/** A user of the data center consents; where the consent starts, and how it ends. */
async function consent({ accounts, location }: DataCenterRow, externalId: string) {
  const { tools, consent: consents, authorization } = site.runtime;
  const by = await operator();
  const started = await tools.authorize(by, { tool_name: TOOL, user_id: location });
  const opened = await consents.open(started.url?.split("/").at(-1) ?? "", undefined);
  if (opened.kind !== "redirect") throw new Error(`The consent does not start: ${opened.kind}`);
  const at = new URL(opened.location);
  const answer = { code: "the code", location, "accounts-server": accounts };
  const query = new URLSearchParams({ ...answer, state: at.searchParams.get("state") ?? "" });
  const page = await consents.callback(externalId, query, opened.cookie);
  if (page.kind === "confirm")
    await consents.confirm(started.url?.split("/").at(-1) ?? "", page.check, true, opened.cookie);
  const { status, status_reason: reason } = await authorization.status(by, started.id ?? "");
  return { at: at.origin, status, reason };
}

async function run({ location }: DataCenterRow) {
  return site.runtime.tools.execute(await operator(), {
    tool_name: TOOL,
    user_id: location,
    input: { ...INPUT },
  });
}

describe.each(DATA_CENTER_ROWS)("a user of $location", (center) => {
  test("consents, and code, refresh token and calls go to their own servers", async () => {
    const externalId = await provider(center, "one for all");
    expect(await consent(center, externalId)).toMatchObject({ at: center.consentAt, status: "completed" });
    for (const address of [center.api, `${center.api}/`, center.named, `${center.named}/`]) {
      await setAddress(address);
      expect((await run(center)).output?.error).toBeUndefined();
    }
    now += 2 * HOUR;
    expect((await run(center)).output?.error).toBeUndefined();
    const calls = Array.from({ length: 4 }, () => `call ${center.api}`);
    expect(sent).toEqual([
      `authorization_code ${center.accounts}`,
      ...calls,
      `refresh_token ${center.accounts}`,
      `call ${center.api}`,
    ]);
  });

  test("with one secret for each data center, is told which box the administrator ticks", async () => {
    secretAt = ({ location }) => `secret of ${location}`;
    const isHome = center.accounts === center.consentAt;
    const externalId = await provider(center, isHome ? `secret of ${center.location}` : "secret of us");
    const ended = await consent(center, externalId);
    if (isHome) return expect(ended).toMatchObject({ status: "completed" });
    expect(ended.status).toBe("failed");
    expect(ended.reason).toContain("invalid_client");
    expect(ended.reason).toContain("the same OAuth credentials for all data centers");
  });

  test("with one secret for each data center, consents through a record of their own data center", async () => {
    secretAt = ({ location }) => `secret of ${location}`;
    const externalId = await provider(center, `secret of ${center.location}`);
    const at = (path: string) => ({ endpoint: `${center.accounts}/oauth/v2/${path}` });
    await site.runtime.providers.update(await operator(), "records", {
      oauth2: {
        authorize_request: at("auth"),
        token_request: at("token"),
        refresh_request: at("token"),
        client_secret: `secret of ${center.location}`,
      },
    });
    expect(await consent(center, externalId)).toMatchObject({ at: center.accounts, status: "completed" });
    await setAddress(center.api);
    now += 2 * HOUR;
    expect((await run(center)).output?.error).toBeUndefined();
    expect(sent).toEqual([
      `authorization_code ${center.accounts}`,
      `refresh_token ${center.accounts}`,
      `call ${center.api}`,
    ]);
  });

  test("with the address of another data center, the administrator is named and nothing is sent", async () => {
    const externalId = await provider(center, "one for all");
    await consent(center, externalId);
    sent.length = 0;
    for (const other of DATA_CENTER_ROWS.filter(({ location }) => location !== center.location)) {
      await setAddress(other.named);
      // The first time with a token that has expired.
      now += 2 * HOUR;
      const { output } = await run(center);
      expect(output?.error).toMatchObject({ kind: "TOOL_RUNTIME_FATAL", can_retry: false });
      expect(output?.error?.message).toContain(SECRET);
      expect(output?.error?.message).toContain(`${center.api}`);
      expect(output?.error?.message).toContain(`${other.api}`);
      expect(output?.authorization).toBeUndefined();
    }
    // It is told when a run is scheduled, too.
    const later = await site.runtime.tools.execute(await operator(), {
      tool_name: TOOL,
      user_id: center.location,
      input: { ...INPUT },
      run_at: new Date(now + HOUR).toISOString(),
    });
    expect(later.output?.error?.kind).toBe("TOOL_RUNTIME_FATAL");
    expect(sent).toEqual([]);
    // The grant is as good as before.
    await setAddress(center.api);
    expect((await run(center)).output?.error).toBeUndefined();
    expect(sent).toEqual([`refresh_token ${center.accounts}`, `call ${center.api}`]);
  });
});

test("another form of the address in a token answer is the same data center", async () => {
  const center = DATA_CENTER_ROWS.find(({ location }) => location === OTHER_API_DOMAIN.location);
  if (center === undefined) throw new Error("There is no such data center.");
  domainOf = () => OTHER_API_DOMAIN.api_domain;
  await consent(center, await provider(center, "one for all"));
  await setAddress(center.api);
  expect((await run(center)).output?.error).toBeUndefined();
  await setAddress("https://www.zohoapis.com");
  expect((await run(center)).output?.error?.kind).toBe("TOOL_RUNTIME_FATAL");
});
