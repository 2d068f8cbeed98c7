// The self-check of the records platform, against the stand-in and against a stand-in that deviates.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { extensions } from "../../catalogs";
import { type RecordsSandbox, startRecordsSandbox } from "../sandbox/records";
import { type Checked, checkedPlatform, checksWith } from "./deployment";
import { RECORDS_DEVIATIONS } from "./records-deviations";

const API = "https://www.zohoapis.com";

function recordsChecked(records: RecordsSandbox, domain: string): Promise<Checked> {
  const { us, clientId } = records;
  const catalog = extensions.catalogs.find(({ selfCheck }) => selfCheck?.platform === "zoho");
  const scopes = [...new Set(catalog?.tools.flatMap(({ authorization }) => authorization?.scopes ?? []))];
  const short = scopes.map((scope) => scope.replace("ZohoCreator.", ""));
  const { accessToken } = records.issueToken("alice", short);
  return checkedPlatform(
    "zoho",
    { url: us.apiUrl, stop: () => records.stop() },
    {
      environment: (front) => ({ RUNTIME_RECORDS_SERVER_URLS: front }),
      provider: {
        id: "zoho",
        provider_id: "zoho",
        oauth2: {
          client_id: clientId,
          client_secret: us.clientSecret,
          authorize_request: { endpoint: us.authorizeUrl },
          token_request: { endpoint: us.tokenUrl },
          refresh_request: { endpoint: us.tokenUrl },
        },
      },
      secrets: (front) => ({ VENDOR_SERVER_URL: front }),
      grant: { access: accessToken, scopes, expiresIn: null, facts: { api_domain: domain } },
    },
  );
}

describe("the self-check of the records platform", () => {
  let checked: Checked;
  beforeAll(async () => {
    checked = await recordsChecked(await startRecordsSandbox(), API);
  });
  afterAll(() => checked[Symbol.asyncDispose]());

  test("finds everything as expected", async () => {
    const report = await checked.report({ write: true });
    expect(report).toMatchObject({ complete: true, ended: null, differs: 0 });
    expect(checksWith(report, "observed")).toEqual([]);
    expect(checksWith(report, "not_checked")).toEqual([
      "address-of-the-united-kingdom",
      "token-refresh",
      "address-of-the-application",
      "consents-of-canada-and-saudi-arabia",
      "listed-address",
      "access-denied",
      "secret-of-another-data-center",
    ]);
  });

  test.each(RECORDS_DEVIATIONS.map((deviation) => [deviation.behaviour, deviation] as const))(
    "finds that %s",
    async (_behaviour, deviation) => {
      const report = await checked.report({ deviation });
      expect(checksWith(report, "differs")).toContain(deviation.check);
    },
  );

  test.each([
    ["https://api.zoho.eu", "observed"],
    ["https://www.other.example", "differs"],
  ])("a token answer that names %s is %s", async (domain, status) => {
    await using other = await recordsChecked(await startRecordsSandbox(), domain);
    const { checks } = await other.report();
    expect(checks.find(({ check }) => check === "api-domain")).toMatchObject({ status });
  });
});
