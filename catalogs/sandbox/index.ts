// The sandbox: stand-ins of all platforms, a language model, a service and an MCP server, on loopback. Only `runtime sandbox`
// loads it.
import type { AuthProviderCreate } from "../../src/providers";
import { startChatPlatform } from "./chat";
import { MODEL } from "./models";
import { type PlatformsOf, providersOf, secretsOf } from "./providers";
import { startRecordsPlatform } from "./records";
import { startSheetsPlatform } from "./sheets";
import { type SavedUpstream, startUpstream, type Upstream } from "./upstream";

/** One for each listener, in a fixed order. 0: any free port. */
export const LISTENERS = 7;

/** What a later start needs to be the same sandbox. */
export interface SavedSandbox {
  ports: number[];
  workerSecret: string;
  chat: string;
  upstream: SavedUpstream;
}

export interface Sandbox {
  readonly providers: readonly AuthProviderCreate[];
  readonly secrets: Readonly<Record<string, string>>;
  /** The settings of an installation that uses it. */
  readonly settings: object;
  readonly model: { readonly name: string; readonly url: string };
  readonly inventory: { readonly url: string; readonly secret: string };
  readonly notesUrl: string;
  saved(): Promise<SavedSandbox>;
  stop(): Promise<void>;
}

export interface SandboxOptions {
  /** One for each listener. Rejects if one is taken. */
  readonly ports: readonly number[];
  readonly saved: SavedSandbox | undefined;
  /** Called after each change of what `saved` returns. */
  readonly changed: () => void;
}

export async function startSandbox({ ports, saved, changed }: SandboxOptions): Promise<Sandbox> {
  const [chatPort = 0, sheetsPort = 0, upstreamPort = 0, ...recordsPorts] = ports;
  const workerSecret = saved?.workerSecret ?? newSecret();
  const started: { stop(): Promise<void> }[] = [];
  const stop = async (): Promise<void> => void (await Promise.all(started.map((each) => each.stop())));
  const kept = <Part extends { stop(): Promise<void> }>(part: Part): Part => {
    started.push(part);
    return part;
  };
  try {
    const upstream = kept(
      startUpstream({ port: upstreamPort, workerSecret, saved: saved?.upstream, changed }),
    );
    const platforms = {
      chat: kept(
        await startChatPlatform({
          port: chatPort,
          intercept: () => ({ page: null, before: nothing, after: told(changed) }),
          ...(saved === undefined ? {} : { savedTokens: saved.chat }),
        }),
      ),
      records: kept(
        await startRecordsPlatform({
          ports: recordsPorts,
          intercept: () => ({ before: () => undefined, after: told(changed) }),
        }),
      ),
      sheets: kept(
        await startSheetsPlatform({
          port: sheetsPort,
          intercept: () => ({ page: null, before: nothing, after: told(changed) }),
        }),
      ),
    };
    return { ...describedBy(platforms, upstream, workerSecret), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function describedBy(
  platforms: PlatformsOf,
  upstream: Upstream,
  workerSecret: string,
): Omit<Sandbox, "stop"> {
  const { chat, records, sheets } = platforms;
  const addresses = [chat.url, sheets.url, upstream.modelUrl];
  const centers = [records.us, records.eu].flatMap(({ apiUrl, accountsUrl }) => [apiUrl, accountsUrl]);
  return {
    providers: providersOf(platforms),
    secrets: secretsOf(platforms),
    settings: settingsFor(platforms),
    model: { name: MODEL, url: upstream.modelUrl },
    inventory: { url: upstream.inventoryUrl, secret: workerSecret },
    notesUrl: upstream.notesUrl,
    saved: async () => ({
      ports: [...addresses, ...centers].map((address) => Number(new URL(address).port)),
      workerSecret,
      chat: chat.savedTokens(),
      upstream: upstream.saved(),
    }),
  };
}

function settingsFor({ chat, records, sheets }: PlatformsOf): object {
  return {
    chat: { api_url: chat.apiUrl },
    sheets: {
      api_url: sheets.url,
      picker_script_url: sheets.pickerScriptUrl,
      identity_script_url: sheets.identityScriptUrl,
    },
    drive: { api_url: sheets.url },
    userinfo: { url: sheets.userinfoUrl },
    records: {
      accounts_hosts: [records.eu.accountsUrl],
      server_urls: [records.us.apiUrl, records.eu.apiUrl],
    },
  };
}

const nothing = (): Promise<undefined> => Promise.resolve(undefined);

function told(changed: () => void): <Answer>(answer: Answer) => Answer {
  return (answer) => {
    changed();
    return answer;
  };
}

function newSecret(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString("base64url");
}
