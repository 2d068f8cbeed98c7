// All platforms: the settings of a deployment that uses the stand-ins.
import type { AuthProviderCreate } from "../../src/providers";
import { providersOf, secretsOf } from "../../catalogs/sandbox/providers";
import { type ChatSandbox, startChatSandbox } from "./chat";
import { type RecordsSandbox, startRecordsSandbox } from "./records";
import { type SheetsSandbox, sheetsEnvironment, startSheetsSandbox } from "./sheets";

export interface Platforms extends AsyncDisposable {
  readonly chat: ChatSandbox;
  readonly records: RecordsSandbox;
  readonly sheets: SheetsSandbox;
  /** `RUNTIME_…` variables with the addresses. */
  readonly environment: Readonly<Record<string, string>>;
  readonly providers: readonly AuthProviderCreate[];
  readonly secrets: Readonly<Record<string, string>>;
}

export async function startPlatforms(): Promise<Platforms> {
  const [chat, records, sheets] = await Promise.all([
    startChatSandbox(),
    startRecordsSandbox(),
    startSheetsSandbox(),
  ]);
  return {
    chat,
    records,
    sheets,
    environment: {
      RUNTIME_EGRESS_ALLOW: "loopback",
      RUNTIME_CHAT_API_URL: chat.apiUrl,
      RUNTIME_RECORDS_ACCOUNTS_HOSTS: records.eu.accountsUrl,
      RUNTIME_RECORDS_SERVER_URLS: `${records.us.apiUrl},${records.eu.apiUrl}`,
      ...sheetsEnvironment(sheets),
    },
    providers: providersOf({ chat, records, sheets }),
    secrets: secretsOf({ chat, records, sheets }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([chat.stop(), records.stop(), sheets.stop()]);
    },
  };
}
