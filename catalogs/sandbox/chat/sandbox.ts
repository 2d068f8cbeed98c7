// Assembles the stand-in of the chat platform: the emulator and its corrections on one loopback address.
import { RateWindows } from "./behaviour/rates";
import { Codes } from "./codes";
import { answerRequest, type FrontParts } from "./front";
import { restoreConversations, type SavedConversations, savedConversations } from "./saved-conversations";
import { TokenStore } from "./tokens";
import type {
  Channel,
  Channels,
  Interceptor,
  NewChannel,
  People,
  SeededMessage,
  StoredMessage,
} from "./types";
import { Workspace } from "./workspace";

const DEFAULT_LIFETIME = 43_200;

export interface ChatOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Exact addresses. Default: any loopback or https address. */
  readonly redirectUris?: readonly string[];
  /** Single-use refresh tokens and expiring access tokens (43,200 s by default). Default: neither. */
  readonly rotation?: boolean | { readonly expiresIn: number };
  /** Whether the app may use PKCE; the platform allows it per app. Default false. */
  readonly pkce?: boolean;
  /**
   * Tokens are org-wide: listings need `team_id`, grants name the enterprise and not a workspace. `restricted`: memberships
   * are not listed either. Default false.
   */
  readonly orgInstall?: boolean | "restricted";
  /** Whether calls are counted and refused by the platform's rates, on the sandbox's clock. Default false. */
  readonly rates?: boolean;
  /** Names of additional people, members of `general`. */
  readonly extraPeople?: readonly string[];
  /** Grants and tokens of an earlier run (`savedTokens`). */
  readonly savedTokens?: string;
  /** Conversations and messages of an earlier run (`savedConversations`). */
  readonly savedConversations?: SavedConversations;
  /** Milliseconds. Default: the real clock. */
  readonly now?: () => number;
  /** Sees every call and may change it. */
  readonly intercept?: Interceptor;
}

export interface IssuedToken {
  readonly accessToken: string;
  readonly refreshToken?: string;
}

export interface ChatPlatform extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Replaces `https://slack.com/api/`. */
  readonly apiUrl: string;
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly team: { readonly id: string; readonly name: string };
  readonly people: People;
  readonly channels: Channels;
  /** Issues a token without consent, with its own grant; with `refresh` also a refresh token. */
  issueToken(
    personName: string,
    scopes: readonly string[],
    options?: { expiresIn?: number; refresh?: boolean },
  ): IssuedToken;
  /** Expires a token: later calls get `token_expired`. */
  expireToken(accessToken: string): void;
  /** Grants and tokens as text, for the same option of a later run. */
  savedTokens(): string;
  /** Conversations and their messages, for the same option of a later run. */
  savedConversations(): Promise<SavedConversations>;
  /** Revokes a token and all tokens of its grant: later calls get `token_revoked`. */
  revokeToken(accessToken: string): void;
  ownerOf(accessToken: string): string | null;
  /** The messages of a conversation, oldest first; records no request. */
  messages(channelId: string): Promise<readonly StoredMessage[]>;
  addMessage(channelId: string, message: SeededMessage): Promise<string>;
  addChannel(name: string, options?: NewChannel): Promise<Channel>;
  /** Sets the scopes that people refuse on the consent page. */
  denyScopes(scopes: readonly string[]): void;
  /** Sets the form of code exchange answers. A refresh is always flat. */
  grantShape(shape: "nested" | "flat"): void;
  stop(): Promise<void>;
}

/** Starts an independent stand-in on 127.0.0.1. */
export async function startChatPlatform(options: ChatOptions = {}): Promise<ChatPlatform> {
  const now = options.now ?? Date.now;
  const workspace = await Workspace.start({
    now,
    extraPeople: options.extraPeople ?? [],
    restrictsMemberships: options.orgInstall === "restricted",
    organization:
      (options.orgInstall ?? false) !== false ? { id: "E000000001", name: "Sandbox Organization" } : null,
  });
  const channels = await workspace.seedChannels();
  const tokens = new TokenStore(now, lifetimeOf(options.rotation ?? false));
  if (options.savedTokens !== undefined)
    tokens.restore(options.savedTokens, (person) => workspace.person(person).id);
  if (options.savedConversations !== undefined)
    await restoreConversations(workspace, options.savedConversations);
  const codes = new Codes(now);
  const clientId = options.clientId ?? "12345.67890";
  const clientSecret = options.clientSecret ?? "sandbox-client-secret";
  const redirectUris = options.redirectUris ?? null;
  const pkce = options.pkce ?? false;
  let denied: ReadonlySet<string> = new Set();
  let shape: "nested" | "flat" = "nested";

  const parts: FrontParts = {
    now,
    workspace,
    tokens,
    codes,
    intercept: options.intercept,
    rates: options.rates === true ? new RateWindows(now) : null,
    consent: () => ({ clientId, redirectUris, pkce, denied }),
    endpoint: () => ({ clientId, clientSecret, codes, tokens, workspace, shape }),
  };
  const server = await listen(parts, options.port ?? 0);
  const url = `http://127.0.0.1:${server.port}`;

  let stopped: Promise<void> | null = null;
  const stop = (): Promise<void> =>
    (stopped ??= (async () => {
      await server.stop(true);
      await workspace.stop();
    })());

  return {
    url,
    clientId,
    clientSecret,
    channels,
    stop,
    apiUrl: `${url}/api/`,
    authorizeUrl: `${url}/oauth/v2/authorize`,
    tokenUrl: `${url}/api/oauth.v2.access`,
    team: workspace.team,
    people: workspace.people,
    issueToken(personName, scopes, tokenOptions = {}) {
      const { id } = workspace.person(personName);
      const holder = id === workspace.people.robot.id ? "bot" : "user";
      return tokens.issueAlone(id, holder, scopes, tokenOptions);
    },
    savedTokens: () => tokens.saved((userId) => workspace.person(userId).name),
    savedConversations: () => savedConversations(workspace),
    expireToken: (accessToken) => tokens.expire(accessToken),
    revokeToken: (accessToken) => tokens.revoke(accessToken),
    ownerOf: (accessToken) => tokens.ownerOf(accessToken),
    messages: (channelId) => workspace.storedMessages(channelId),
    addMessage: (channelId, message) => workspace.addMessage(channelId, message),
    addChannel: (name, channelOptions = {}) => workspace.addChannel(name, channelOptions),
    denyScopes: (scopes) => void (denied = new Set(scopes)),
    grantShape: (next) => void (shape = next),
    [Symbol.asyncDispose]: stop,
  };
}

/** Throws if the port is in use, and stops the emulator. */
async function listen(parts: FrontParts, port: number): Promise<Bun.Server<undefined>> {
  try {
    return Bun.serve({
      hostname: "127.0.0.1",
      port,
      // Longer than the maximum delay of a fault.
      idleTimeout: 120,
      development: false,
      // Without this, `development: false` lets a second server share the port silently.
      reusePort: false,
      fetch: (request) => answerRequest(parts, request),
    });
  } catch (error) {
    await parts.workspace.stop();
    throw error;
  }
}

function lifetimeOf(rotation: boolean | { readonly expiresIn: number }): number | null {
  if (typeof rotation === "object") return rotation.expiresIn;
  return rotation ? DEFAULT_LIFETIME : null;
}
