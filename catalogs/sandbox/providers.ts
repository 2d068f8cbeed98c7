// The auth providers and secrets of an installation that uses the stand-ins.
import type { AuthProviderCreate } from "../../src/providers";
import { type ChatPlatform, chatProvider } from "./chat";
import type { RecordsPlatform } from "./records";
import { googleProvider, type SheetsPlatform } from "./sheets";

export interface PlatformsOf {
  readonly chat: ChatPlatform;
  readonly records: RecordsPlatform;
  readonly sheets: SheetsPlatform;
}

export function providersOf({ chat, records, sheets }: PlatformsOf): AuthProviderCreate[] {
  return [chatProvider(chat), recordsProvider(records), googleProvider(sheets)];
}

/** The values that tools need, by name. */
export function secretsOf({ records }: PlatformsOf): Record<string, string> {
  return { VENDOR_SERVER_URL: records.us.apiUrl };
}

function recordsProvider({ clientId, us }: RecordsPlatform): AuthProviderCreate {
  return {
    id: "zoho",
    provider_id: "zoho",
    description: "Records (sandbox)",
    oauth2: {
      client_id: clientId,
      client_secret: us.clientSecret,
      authorize_request: { endpoint: us.authorizeUrl },
      token_request: { endpoint: us.tokenUrl },
      refresh_request: { endpoint: us.tokenUrl },
    },
  };
}
