// The groups of people. Those of an OpenID provider are asked for again after five minutes; if that fails, the person has none
// until it works. Those of a proxy are what it has said last.
import { allEnded, isFresh } from "../base";
import type { Core } from "../core";
import { CachedByGeneration } from "../store";
import { GroupReading } from "./group-reading";
import { findIdentity, type IdentityRow, putIdentity, tokensPlace } from "./identity-repository";
import type { Claims, OpenIdClient, ProviderTokens } from "./openid";

const FRESH_MS = 5 * 60_000;
const RETRY_MS = 30_000;
/** How long a caller waits for another server that reads them. */
const PATIENCE_MS = 10_000;
const MOST = 2000;
const LONGEST = 512;
const NONE: readonly string[] = [];

interface Known {
  row: IdentityRow;
  groups: readonly string[];
}

export interface Identified {
  projectId: string;
  userId: string;
  subject: string;
  groups: readonly string[];
  /** Undefined for people whom a proxy names. */
  tokens?: ProviderTokens | undefined;
}

export class Groups {
  readonly #core: Core;
  readonly #reader: GroupReading;
  readonly #known: CachedByGeneration<string, Known | undefined>;
  readonly #reading = new Map<string, Promise<readonly string[]>>();

  constructor(core: Core, client: OpenIdClient) {
    this.#core = core;
    this.#reader = new GroupReading(core, { client, inClaims: (claims) => this.inClaims(claims) });
    this.#known = new CachedByGeneration(core.store, "people");
  }

  /** Stores what the provider or the proxy says about a person who signs in. */
  async put({ projectId, userId, subject, groups, tokens }: Identified): Promise<void> {
    const { store, clock } = this.#core;
    const sealed = await this.#sealed(projectId, userId, tokens);
    const row: IdentityRow = {
      project_id: projectId,
      user_id: userId,
      subject,
      groups_json: JSON.stringify(groups),
      read_at: clock.now(),
      claimed_at: 0,
      failed_at: 0,
      sealed_tokens: sealed,
    };
    await store.write(() => putIdentity(row));
  }

  /** Those of an OpenID provider. */
  async ofProvider(projectId: string, userId: string): Promise<readonly string[]> {
    const known = await this.#find(projectId, userId);
    if (known === undefined) return NONE;
    const now = this.#core.clock.now();
    if (isFresh(known.row.read_at, FRESH_MS, now)) return known.groups;
    const key = keyOf(projectId, userId);
    const running = this.#reading.get(key);
    if (running !== undefined) return running;
    const unstored = this.#reader.unstored(key);
    if (unstored !== undefined) {
      const isRead = unstored.kind === "read" && isFresh(unstored.at, FRESH_MS, now);
      return isRead ? unstored.groups : NONE;
    }
    const reading = this.#again(key, projectId, userId).finally(() => this.#reading.delete(key));
    this.#reading.set(key, reading);
    return reading;
  }

  /** Those that a proxy has named, as long as a session may last. */
  async ofProxy(projectId: string, userId: string): Promise<readonly string[]> {
    const known = await this.#find(projectId, userId);
    if (known === undefined) return NONE;
    const { clock, settings } = this.#core;
    const isCurrent = isFresh(known.row.read_at, settings["sessions.lifetime"] * 1000, clock.now());
    return isCurrent ? known.groups : NONE;
  }

  /** The groups in the claims of a person; undefined if they do not say. */
  inClaims(claims: Claims | undefined): readonly string[] | undefined {
    const value = claims?.[this.#core.settings["auth.groups_claim"]];
    if (typeof value === "string") return cleanGroups([value]);
    return Array.isArray(value) ? cleanGroups(value) : undefined;
  }

  /** Waits until no reading is in progress and what was read is stored. */
  async close(): Promise<void> {
    await allEnded(this.#reading);
    await this.#reader.close();
  }

  async #again(key: string, projectId: string, userId: string): Promise<readonly string[]> {
    const { store, clock } = this.#core;
    const until = clock.monotonic() + PATIENCE_MS;
    let first: IdentityRow | undefined;
    do {
      const generation = await store.generation("leases");
      const known = await this.#renewed(projectId, userId);
      if (known === undefined) return NONE;
      const { row, groups } = known;
      first ??= row;
      // Another server has read them since this began, whatever its clock says.
      if (row.read_at !== first.read_at || isFresh(row.read_at, FRESH_MS, clock.now())) return groups;
      if (row.failed_at !== first.failed_at || isFresh(row.failed_at, RETRY_MS, clock.now())) return NONE;
      const lease = await this.#reader.start(key, row);
      if (lease === "changed") continue;
      if (lease !== undefined) {
        const read = await this.#reader.read(key, row, lease);
        if (read === "stored") return this.#stored(projectId, userId);
        if (read !== "lost") return read;
      }
      await this.#reader.changed(generation);
    } while (clock.monotonic() < until);
    return NONE;
  }

  /** As they are stored, if they are current. */
  async #stored(projectId: string, userId: string): Promise<readonly string[]> {
    const known = await this.#renewed(projectId, userId);
    const isCurrent = known !== undefined && isFresh(known.row.read_at, FRESH_MS, this.#core.clock.now());
    return isCurrent ? known.groups : NONE;
  }

  async #sealed(
    projectId: string,
    userId: string,
    tokens: ProviderTokens | undefined,
  ): Promise<string | null> {
    if (tokens === undefined) return null;
    return this.#core.keyring.seal(projectId, tokensPlace(userId), JSON.stringify(tokens));
  }

  async #find(projectId: string, userId: string): Promise<Known | undefined> {
    return this.#known.get(keyOf(projectId, userId), () => this.#load(projectId, userId));
  }

  #renewed(projectId: string, userId: string): Promise<Known | undefined> {
    return this.#known.renew(keyOf(projectId, userId), () => this.#load(projectId, userId));
  }

  async #load(projectId: string, userId: string): Promise<Known | undefined> {
    const row = await findIdentity(this.#core.store, projectId, userId);
    return row === undefined ? undefined : { row, groups: JSON.parse(row.groups_json) };
  }
}

/** Distinct names of groups, without what is not one. */
export function cleanGroups(values: readonly unknown[]): readonly string[] {
  const isName = (value: unknown): value is string =>
    typeof value === "string" && value !== "" && value.length <= LONGEST;
  return [...new Set(values.filter(isName))].slice(0, MOST);
}

// Project ids contain no spaces.
function keyOf(projectId: string, userId: string): string {
  return `${projectId} ${userId}`;
}
