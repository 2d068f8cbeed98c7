// Puts the chat sandbox together: the emulator and its corrections behind one loopback address.
import { Codes } from "./codes";
import { Faults } from "./faults";
import { answerRequest, type FrontParts } from "./front";
import { RequestLog } from "./request-log";
import { TokenStore } from "./tokens";
import type {
  Channel,
  Channels,
  Fault,
  NewChannel,
  People,
  RecordedRequest,
  SeededMessage,
  StoredMessage,
} from "./types";
import { Workspace } from "./workspace";

const DEFAULT_LIFETIME = 43_200;

export interface ChatSandboxOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Exact addresses. Default: any loopback or https address. */
  readonly redirectUris?: readonly string[];
  /** Refresh tokens of single use and access tokens that expire (43,200 s unless told). Default: neither. */
  readonly rotation?: boolean | { readonly expiresIn: number };
  /** Whether the app may use PKCE; the platform allows it per app. Default false. */
  readonly pkce?: boolean;
  /** Tokens are org-wide: listings need `team_id`, grants name the enterprise. Default false. */
  readonly orgInstall?: boolean;
  /** Names of further people, members of `general`. */
  readonly extraPeople?: readonly string[];
  /** Milliseconds. Default: the real clock. */
  readonly now?: () => number;
}

export interface IssuedToken {
  readonly accessToken: string;
  readonly refreshToken?: string;
}

export interface ChatSandbox extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Stands for `https://slack.com/api/`. */
  readonly apiUrl: string;
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly team: { readonly id: string; readonly name: string };
  readonly people: People;
  readonly channels: Channels;
  /** Calls of the Web API and the token endpoint in the order of arrival; not the consent page. */
  readonly requests: readonly RecordedRequest[];
  /** How many of them: of one method, of `refresh` (the refresh grant), or all. */
  calls(method?: string): number;
  clearRequests(): void;
  /** The next `times` (default 1) requests of `method` (`refresh`, `*` for any) meet this fault. */
  fail(method: string, fault: Fault, times?: number): void;
  clearFaults(): void;
  /** A token without consent, with a grant of its own. `refresh` makes it a pair. */
  issueToken(
    personName: string,
    scopes: readonly string[],
    options?: { expiresIn?: number; refresh?: boolean },
  ): IssuedToken;
  /** From now on `token_expired`. */
  expireToken(accessToken: string): void;
  /** From now on `token_revoked`, with all tokens of the same grant. */
  revokeToken(accessToken: string): void;
  ownerOf(accessToken: string): string | null;
  /** What stands in a conversation, oldest first; records no request. */
  messages(channelId: string): Promise<readonly StoredMessage[]>;
  addMessage(channelId: string, message: SeededMessage): Promise<string>;
  addChannel(name: string, options?: NewChannel): Promise<Channel>;
  /** From now on people refuse these scopes on the consent page (and no others). */
  denyScopes(scopes: readonly string[]): void;
  /** How a code exchange answers from now on. A refresh is always flat. */
  grantShape(shape: "nested" | "flat"): void;
  stop(): Promise<void>;
}

/** Starts a sandbox of its own on 127.0.0.1; any number of them run side by side. */
export async function startChatSandbox(options: ChatSandboxOptions = {}): Promise<ChatSandbox> {
  const now = options.now ?? Date.now;
  const workspace = await Workspace.start({
    now,
    extraPeople: options.extraPeople ?? [],
    organization: options.orgInstall === true ? { id: "E000000001", name: "Sandbox Organization" } : null,
  });
  const channels = await workspace.seedChannels();
  const tokens = new TokenStore(now, lifetimeOf(options.rotation ?? false));
  const codes = new Codes(now);
  const faults = new Faults();
  const log = new RequestLog();
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
    faults,
    log,
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
    get requests() {
      return log.all;
    },
    calls: (method) => log.count(method),
    clearRequests: () => log.clear(),
    fail: (method, fault, times = 1) => faults.add(method, fault, times),
    clearFaults: () => faults.clear(),
    issueToken(personName, scopes, tokenOptions = {}) {
      const { id } = workspace.person(personName);
      const holder = id === workspace.people.robot.id ? "bot" : "user";
      return tokens.issueAlone(id, holder, scopes, tokenOptions);
    },
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

/** On a port that is taken it throws, and leaves no emulator behind. */
async function listen(parts: FrontParts, port: number): Promise<Bun.Server<undefined>> {
  try {
    return Bun.serve({
      hostname: "127.0.0.1",
      port,
      // Longer than the longest delay that a test may ask for.
      idleTimeout: 120,
      development: false,
      // Without this, `development: false` lets a second server share the port in silence.
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
