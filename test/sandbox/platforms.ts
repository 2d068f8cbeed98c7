// All platforms: the settings of a deployment that uses the stand-ins.
import type { AuthProviderCreate } from "../../src/providers";
import { chatProvider } from "./chat";
import { type ChatSandbox, startChatSandbox } from "./chat";
import { type RecordsSandbox, startRecordsSandbox } from "./records";
import { googleProvider, type SheetsSandbox, sheetsEnvironment, startSheetsSandbox } from "./sheets";

export interface Platforms extends AsyncDisposable {
  readonly chat: ChatSandbox;
  readonly records: RecordsSandbox;
  readonly sheets: SheetsSandbox;
  /** `RUNTIME_…` variables with the addresses. */
  readonly environment: Readonly<Record<string, string>>;
  readonly providers: readonly AuthProviderCreate[];
  readonly secrets: Readonly<Record<string, string>>;
  saved(): SavedPlatforms;
}

/** What a later run needs to be the same platforms: their ports and, of the chat, the tokens. */
export interface SavedPlatforms {
  chat: number;
  sheets: number;
  records: number[];
  chatTokens: string;
}

/** Rejects if a port of `saved` is taken. */
export async function startPlatforms(saved?: SavedPlatforms): Promise<Platforms> {
  const [chat, records, sheets] = await Promise.all([
    startChatSandbox(saved === undefined ? {} : { port: saved.chat, savedTokens: saved.chatTokens }),
    startRecordsSandbox(saved === undefined ? {} : { ports: saved.records }),
    startSheetsSandbox(saved === undefined ? {} : { port: saved.sheets }),
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
    providers: [chatProvider(chat), recordsProvider(records), googleProvider(sheets)],
    secrets: { VENDOR_SERVER_URL: records.us.apiUrl },
    saved: () => ({
      chat: portOf(chat.url),
      sheets: portOf(sheets.url),
      records: [records.us, records.eu].flatMap(({ apiUrl, accountsUrl }) => [
        portOf(apiUrl),
        portOf(accountsUrl),
      ]),
      chatTokens: chat.savedTokens(),
    }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([chat.stop(), records.stop(), sheets.stop()]);
    },
  };
}

function portOf(address: string): number {
  return Number(new URL(address).port);
}

function recordsProvider({ clientId, us }: RecordsSandbox): AuthProviderCreate {
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
