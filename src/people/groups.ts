// The groups of people. Those of an OpenID provider are asked for again after five minutes; if that fails, the person has none
// until it works. Those of a proxy are what it has said last.
import { isFresh, timestamp } from "../base";
import type { Core } from "../core";
import { CachedByGeneration } from "../store";
import {
  claim,
  fail,
  findIdentity,
  type IdentityRow,
  keepTokens,
  putIdentity,
  renew,
  tokensPlace,
} from "./identity-repository";
import type { Claims, OpenIdClient, ProviderTokens } from "./openid";

const FRESH_MS = 5 * 60_000;
/** After a failure, and how long another server may take. */
const RETRY_MS = 30_000;
const PATIENCE_MS = 10_000;
const LOOK_MS = 250;
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
  readonly #client: OpenIdClient;
  readonly #known: CachedByGeneration<string, Known | undefined>;
  readonly #reading = new Map<string, Promise<readonly string[]>>();

  constructor(core: Core, client: OpenIdClient) {
    this.#core = core;
    this.#client = client;
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
    const reading = this.#again(projectId, userId).finally(() => this.#reading.delete(key));
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

  async #again(projectId: string, userId: string): Promise<readonly string[]> {
    const { store, clock } = this.#core;
    const { row } = (await this.#renewed(projectId, userId)) ?? {};
    if (row === undefined) return NONE;
    const now = clock.now();
    if (isFresh(row.read_at, FRESH_MS, now)) return this.#groupsOf(projectId, userId);
    if (isFresh(row.failed_at, RETRY_MS, now)) return NONE;
    const isBusy = isFresh(row.claimed_at, RETRY_MS, now) && row.claimed_at > row.failed_at;
    if (isBusy || !(await store.write(() => claim(row, now)))) return this.#wait(row);
    try {
      const { groups, tokens } = await this.#read(row);
      const sealed = await this.#sealed(projectId, userId, tokens);
      const changed = { groups_json: JSON.stringify(groups), read_at: clock.now(), sealed_tokens: sealed };
      await store.write(() => renew(row, now, changed));
    } catch (error) {
      this.#core.log.warn("the groups of a person cannot be read; until it works, the person has none", {
        read_at: timestamp(row.read_at),
        error,
      });
      await store.write(() => fail(row, now, clock.now()));
    }
    return this.#groupsOf(projectId, userId);
  }

  async #read(row: IdentityRow): Promise<{ groups: readonly string[]; tokens: ProviderTokens }> {
    const { keyring } = this.#core;
    if (row.sealed_tokens === null) throw new Error("There are no tokens of the person.");
    const sealed = await keyring.open(row.project_id, tokensPlace(row.user_id), row.sealed_tokens);
    let tokens: ProviderTokens = JSON.parse(sealed);
    let groups: readonly string[] | undefined;
    if (tokens.refresh !== undefined) {
      const answer = await this.#client.refresh(tokens.refresh, row.subject);
      tokens = answer.tokens;
      groups = this.inClaims(answer.claims);
      if (groups !== undefined) return { groups, tokens };
      // A refresh token works once with many providers, so the next one is stored whatever comes after.
      const next = await this.#sealed(row.project_id, row.user_id, tokens);
      await this.#core.store.write(() => keepTokens(row, next));
    }
    groups = this.inClaims(await this.#client.userInfo(tokens.access, row.subject));
    // Many providers leave the claim out for a person without groups.
    if (groups === undefined && row.groups_json !== "[]")
      throw new Error("The provider told the groups at the sign-in, and does not tell them now.");
    return { groups: groups ?? NONE, tokens };
  }

  /** Another server reads them. */
  async #wait(row: IdentityRow): Promise<readonly string[]> {
    const { clock } = this.#core;
    const until = clock.monotonic() + PATIENCE_MS;
    do {
      await clock.sleep(LOOK_MS);
      const now = (await this.#renewed(row.project_id, row.user_id))?.row;
      if (now === undefined || now.read_at !== row.read_at || now.failed_at > row.failed_at)
        return this.#groupsOf(row.project_id, row.user_id);
    } while (clock.monotonic() < until);
    return NONE;
  }

  /** As they are stored, if they are current. */
  async #groupsOf(projectId: string, userId: string): Promise<readonly string[]> {
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
