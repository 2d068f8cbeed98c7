// A deployment with the records stand-in behind a front that deviates.
import { extensions } from "../../catalogs";
import type { RecordsSandbox } from "../sandbox/records";
import { type Checked, checkedPlatform } from "./deployment";

/** The permissions of all tools. */
export const RECORDS_SCOPES: readonly string[] = [
  ...new Set(
    extensions.catalogs
      .filter(({ selfCheck }) => selfCheck?.platform === "zoho")
      .flatMap(({ tools }) => tools.flatMap(({ authorization }) => authorization?.scopes ?? [])),
  ),
];

export function recordsChecked(
  records: RecordsSandbox,
  domain: string,
  scopes = [...RECORDS_SCOPES],
): Promise<Checked> {
  const { us, clientId } = records;
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
