// Assembles the records stand-in: two data centers, each with an accounts host and an API host on loopback ports.
import { Codes } from "./accounts/codes";
import { type SavedTokens, TokenStore } from "./accounts/tokens";
import { Center, type Shared } from "./center";
import { SandboxClock } from "./clock";
import { personNamed } from "./people";
import { fullScope, KNOWN_SCOPES } from "./scopes";
import type { SavedWorld } from "./world/world";
import type {
  DataCenter,
  Interceptor,
  IssuedTokens,
  Location,
  PrivateLinks,
  SeedValues,
  StoredRecord,
} from "./types";

export interface RecordsOptions {
  readonly clientId?: string;
  /** Of the API and the accounts host, for the data centers us and eu. Default: any free ports. */
  readonly ports?: readonly number[];
  /** One secret for all data centers. Default: separate secrets. */
  readonly clientSecret?: string;
  /** Exact addresses. Default: any loopback or https address. */
  readonly redirectUris?: readonly string[];
  /** Records and grants of an earlier run (`saved`). */
  readonly saved?: SavedRecords;
  /** Whether token answers name the scopes. Default false. */
  readonly tellsScopes?: boolean;
  /** Whether answers to a refresh repeat `api_domain`. Default false. */
  readonly repeatsDomain?: boolean;
  /** Sees every call and may change it. */
  readonly intercept?: Interceptor;
}

export interface RecordsPlatform extends AsyncDisposable {
  readonly clientId: string;
  readonly us: DataCenter;
  readonly eu: DataCenter;
  /** Issues tokens without consent. `scopes` without prefix; default: all. */
  issueToken(personName: string, scopes?: readonly string[], lifetimeS?: number): IssuedTokens;
  expireToken(accessToken: string): void;
  /** Revokes the grant of a refresh token with all its access tokens. */
  revokeToken(refreshToken: string): void;
  /** Moves the time of all hosts ahead. */
  move(ms: number): void;
  /** Sets the scopes that people refuse on the consent page. */
  denyScopes(scopes: readonly string[]): void;
  /** The records of a form of `inventory`, oldest first. */
  records(location: Location, form: string): StoredRecord[];
  /** Adds records to a form of `inventory` without checks; returns their ids. */
  add(location: Location, form: string, records: readonly SeedValues[]): string[];
  /** Restores the initial records with new ids. */
  reset(): void;
  privateLinks(location: Location): PrivateLinks;
  /** The number of polls before a bulk job is completed. Default 2. */
  bulkPolls(polls: number): void;
  /** Records and grants, for the same option of a later run. */
  saved(): SavedRecords;
  stop(): Promise<void>;
}

export interface SavedRecords {
  us: SavedWorld;
  eu: SavedWorld;
  tokens: SavedTokens;
  consented: string[];
}

/** Starts an independent stand-in on 127.0.0.1. */
export async function startRecordsPlatform(options: RecordsOptions = {}): Promise<RecordsPlatform> {
  const clock = new SandboxClock();
  const clientId = options.clientId ?? "1000.SANDBOXCLIENT";
  const consented = new Set(options.saved?.consented);
  let denied: ReadonlySet<string> = new Set();
  let centers: Record<Location, Center> | undefined;
  const accountsUrl = (location: Location): string => centers?.[location].accountsUrl ?? "";

  const shared: Shared = {
    now: clock.now,
    intercept: options.intercept,
    tokens: new TokenStore(clock.now),
    codes: new Codes(clock.now),
    consent: () => ({
      clientId,
      redirectUris: options.redirectUris ?? null,
      denied,
      consented,
      accountsUrl,
    }),
    directory: () => ({ us: accountsUrl("us"), eu: accountsUrl("eu") }),
    tellsScopes: () => options.tellsScopes === true || denied.size > 0,
    repeatsDomain: options.repeatsDomain === true,
    secretOf: (location) => options.clientSecret ?? `sandbox-secret-of-${location}`,
  };
  const running = {
    us: await Center.start("us", shared, options.ports?.slice(0, 2)),
    eu: await Center.start("eu", shared, options.ports?.slice(2)),
  };
  centers = running;
  if (options.saved !== undefined) {
    running.us.world.restore(options.saved.us);
    running.eu.world.restore(options.saved.eu);
    shared.tokens.restore(options.saved.tokens);
  }
  const stop = async (): Promise<void> => {
    await Promise.all([running.us.stop(), running.eu.stop()]);
  };

  const { tokens } = shared;
  return {
    clientId,
    us: running.us.described,
    eu: running.eu.described,
    issueToken(personName, scopes, lifetimeS) {
      const full = scopes === undefined ? [...KNOWN_SCOPES] : scopes.map(fullScope);
      const [grant, access] = tokens.grant(personNamed(personName), full, lifetimeS);
      return { accessToken: access.token, refreshToken: grant.refreshToken };
    },
    expireToken: (accessToken) => tokens.expire(accessToken),
    revokeToken: (refreshToken) => void tokens.revoke(refreshToken),
    move: (ms) => clock.move(ms),
    denyScopes: (scopes) => void (denied = new Set(scopes.map(fullScope))),
    records: (location, form) =>
      running[location].table(form).rows.map(({ id, values }) => ({ id, values: { ...values } })),
    add(location, form, records) {
      const { world } = running[location];
      const table = running[location].table(form);
      return records.map((values) => table.add(values, world.account.ownedBy).id);
    },
    reset() {
      running.us.world.seed();
      running.eu.world.seed();
    },
    privateLinks: (location) => ({
      products: running[location].key("report", "All_Products"),
      productForm: running[location].key("form", "Products"),
    }),
    saved: () => ({
      us: running.us.world.saved(),
      eu: running.eu.world.saved(),
      tokens: tokens.saved(),
      consented: [...consented],
    }),
    bulkPolls(polls) {
      running.us.jobs.polls = polls;
      running.eu.jobs.polls = polls;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
