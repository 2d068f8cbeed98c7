// The sandbox: stand-ins of all platforms, a language model, a service and an MCP server, on loopback. Only `runtime sandbox`
// loads it.
import type { AuthProviderCreate } from "../../src/providers";
import { startChatPlatform } from "./chat";
import { Kept, type SavedPlatforms } from "./kept";
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
  platforms: SavedPlatforms;
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

/** Rejects if a port is taken. */
export async function startSandbox({ ports, saved, changed }: SandboxOptions): Promise<Sandbox> {
  const [chatPort = 0, sheetsPort = 0, upstreamPort = 0, ...recordsPorts] = ports;
  const workerSecret = saved?.workerSecret ?? newSecret();
  const kept = new Kept(changed);
  const { chat, records, sheets } = saved?.platforms ?? {};
  const started: { stop(): Promise<void> }[] = [];
  const running = <Part extends { stop(): Promise<void> }>(part: Part): Part => {
    started.push(part);
    return part;
  };
  const stop = async (): Promise<void> => void (await Promise.all(started.map((each) => each.stop())));
  try {
    const ofUpstream = { port: upstreamPort, workerSecret, saved: saved?.upstream, changed };
    const upstream = running(startUpstream(ofUpstream));
    const ofChat = chat && { savedTokens: chat.tokens, savedConversations: chat.conversations };
    const platforms = {
      chat: running(await startChatPlatform({ port: chatPort, intercept: kept.chat, ...ofChat })),
      records: running(
        await startRecordsPlatform({
          ports: recordsPorts,
          intercept: kept.records,
          ...(records && { saved: records }),
        }),
      ),
      sheets: running(
        await startSheetsPlatform({
          port: sheetsPort,
          intercept: kept.sheets,
          ...(sheets && { saved: sheets }),
        }),
      ),
    };
    const described = describedBy(platforms, upstream, workerSecret);
    return {
      ...described,
      saved: async () => ({
        ports: portsOf(platforms, upstream),
        workerSecret,
        platforms: await kept.saved(platforms),
        upstream: upstream.saved(),
      }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function describedBy(platforms: PlatformsOf, upstream: Upstream, workerSecret: string) {
  return {
    providers: providersOf(platforms),
    secrets: secretsOf(platforms),
    settings: settingsFor(platforms),
    model: { name: MODEL, url: upstream.modelUrl },
    inventory: { url: upstream.inventoryUrl, secret: workerSecret },
    notesUrl: upstream.notesUrl,
  };
}

/** In the order in which `startSandbox` takes them. */
function portsOf({ chat, records, sheets }: PlatformsOf, upstream: Upstream): number[] {
  const addresses = [chat.url, sheets.url, upstream.modelUrl];
  const centers = [records.us, records.eu].flatMap(({ apiUrl, accountsUrl }) => [apiUrl, accountsUrl]);
  return [...addresses, ...centers].map((address) => Number(new URL(address).port));
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

function newSecret(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString("base64url");
}
