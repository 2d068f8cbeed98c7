// Notices that a list of a gateway is another one than before for a user. One loop per process waits for changes of the records
// that lists depend on, by any process; then the lists of each user who has a stream are compared with what they were.
import type { Core } from "../core";
import { newToken } from "../crypto";
import type { Gateway, Gateways } from "../gateways";
import type { Kind } from "../store";

/** The lists of which clients can be told. */
export type ListKind = "tools" | "prompts" | "resources";

/** The user of a gateway who sees a list. */
export interface Viewer {
  gateway: Gateway;
  userId: string;
}

/** A list of gateways. Fingerprints are other texts for other lists: other items, or items with other definitions. */
export interface List {
  /** Of everything that decides what users of the gateway see. As long as it stays the same, no list has changed. */
  basis(gateway: Gateway): Promise<string>;
  /** Of what this user sees now. */
  fingerprint(viewer: Viewer): Promise<string>;
}

/** Whether the groups of a gateway admit a user. */
export type IsAllowed = (gateway: Gateway, user: { projectId: string; userId: string }) => Promise<boolean>;

/** The lists that gateways offer. */
export type Lists = Partial<Record<ListKind, List>>;

/** What a client has last been told: the fingerprint of each list. */
export type Seen = Partial<Record<ListKind, string>>;

export interface Follow {
  /** What the client may know. A list that is in none of these is told at once. */
  known?: readonly Seen[];
  /** Called first, with the position at which the client begins. */
  begun(position: string): void;
  changed(kinds: readonly ListKind[], position: string): void;
  ended: AbortSignal;
}

interface Follower extends Viewer {
  /** Undefined until the first look. */
  seen: Seen | undefined;
  basis: string;
  changed: Follow["changed"];
  /** The gateway no longer serves this user. */
  gone(): void;
}

/** What the visible tools depend on. */
const KINDS: readonly Kind[] = ["gateways", "hooks", "workers"];
/** Commits of other processes must be told within two seconds. */
const POLL_MS = 500;
const WAIT_MS = 60_000;
/** Changes that follow each other within this time are told together. */
const PAUSE_MS = 100;
/** Access hooks of one project that are asked at the same time. */
const AT_ONCE = 16;
const RETRY_MS = 1000;
/** How often the first look is repeated while records change. */
const ATTEMPTS = 3;

export class ListChanges {
  readonly #core: Core;
  readonly #gateways: Gateways;
  readonly #isAllowed: IsAllowed;
  readonly #lists: Lists;
  readonly #followers = new Set<Follower>();
  /** Projects whose lists must be compared, and those for which this is being done. */
  readonly #due = new Set<string>();
  readonly #comparing = new Set<string>();
  #idle: AbortController | undefined;

  constructor(core: Core, gateways: Gateways, isAllowed: IsAllowed, lists: Lists) {
    this.#core = core;
    this.#gateways = gateways;
    this.#isAllowed = isAllowed;
    this.#lists = lists;
  }

  /** The lists that gateways offer. */
  get kinds(): readonly ListKind[] {
    return (["tools", "prompts", "resources"] as const).filter((kind) => this.#lists[kind] !== undefined);
  }

  /** Tells of changes. Resolves when it is ended, and when the gateway no longer serves this user. */
  async follow({ gateway, userId }: Viewer, { known = [], begun, changed, ended }: Follow): Promise<void> {
    const over = Promise.withResolvers<void>();
    const follower: Follower = { gateway, userId, seen: undefined, basis: "", changed, gone: over.resolve };
    this.#followers.add(follower);
    ended.addEventListener("abort", follower.gone);
    try {
      const first = await this.#first(follower);
      if (first === undefined || ended.aborted) return;
      const { seen, basis, isSteady } = first;
      Object.assign(follower, { seen, basis });
      if (this.#idle === undefined) void this.#run();
      if (!isSteady) this.#compareSoon(gateway.projectId);
      begun(this.#positionOf(seen));
      const missed = this.kinds.filter((kind) => {
        const texts = known.flatMap(({ [kind]: text }) => text ?? []);
        return texts.length > 0 && !texts.includes(seen[kind] ?? "");
      });
      if (missed.length > 0) changed(missed, this.#positionOf(seen));
      await over.promise;
    } finally {
      ended.removeEventListener("abort", follower.gone);
      this.#forget(follower);
    }
  }

  /**
   * The lists as they are now; undefined if the gateway no longer serves the user. A change meanwhile (`isSteady`: false) may
   * be in none of them, and be noticed by no later comparison.
   */
  async #first(viewer: Viewer) {
    const { userId } = viewer;
    for (let attempt = 1; ; attempt++) {
      const before = await this.#generations();
      const now = await this.#servingAs(viewer);
      if (now === undefined) return undefined;
      const basis = await this.#basis(now);
      const seen = await this.#look({ gateway: now, userId });
      const isSteady = isSame(before, await this.#generations());
      if (isSteady || attempt === ATTEMPTS) return { seen, basis, isSteady };
    }
  }

  /** The record as it is now; undefined if a client that was admitted by the other one would no longer be. */
  async #servingAs({ gateway, userId }: Viewer): Promise<Gateway | undefined> {
    const { id, slug, projectId, authType, userSourceId } = gateway;
    const now = await this.#gateways.serving(slug);
    if (now?.id !== id || now.authType !== authType || now.userSourceId !== userSourceId) return undefined;
    return (await this.#isAllowed(now, { projectId, userId })) ? now : undefined;
  }

  // One loop for all streams, while there are any.
  async #run(): Promise<void> {
    const idle = (this.#idle = new AbortController());
    let known: readonly number[] = [];
    while (!idle.signal.aborted) {
      try {
        const now = await this.#generations();
        if (known.length > 0 && !isSame(known, now)) this.#compareAll();
        known = now;
        await this.#changedFrom(now, idle.signal);
      } catch (error) {
        // The database cannot be read at the moment.
        this.#core.log.debug("changes of lists cannot be read", { error });
        await Bun.sleep(POLL_MS);
      }
    }
  }

  async #generations(): Promise<readonly number[]> {
    return Promise.all(KINDS.map((kind) => this.#core.store.generation(kind)));
  }

  async #changedFrom(generations: readonly number[], idle: AbortSignal): Promise<void> {
    const round = new AbortController();
    const end = (): void => round.abort();
    idle.addEventListener("abort", end);
    const wait = { timeoutMs: WAIT_MS, pollMs: POLL_MS, signal: round.signal };
    const waits = KINDS.map((kind, at) => this.#core.store.changed(kind, generations[at] ?? 0, wait));
    await Promise.race(waits).finally(end);
    idle.removeEventListener("abort", end);
    await Promise.all(waits);
  }

  #compareAll(): void {
    for (const { gateway } of this.#followers) this.#compareSoon(gateway.projectId);
  }

  #compareSoon(projectId: string): void {
    this.#due.add(projectId);
    if (!this.#comparing.has(projectId)) void this.#compareProject(projectId);
  }

  /** Each project by itself: the slow hooks of one delay no other. */
  async #compareProject(projectId: string): Promise<void> {
    this.#comparing.add(projectId);
    while (this.#due.delete(projectId)) {
      const views = this.#viewsOf(projectId);
      let hasFailed = false;
      const next = async (): Promise<void> => {
        for (let view = views.pop(); view !== undefined; view = views.pop())
          if (!(await this.#compare(view))) hasFailed = true;
      };
      await Promise.all(Array.from({ length: AT_ONCE }, next));
      if (hasFailed) this.#due.add(projectId);
      await Bun.sleep(hasFailed ? RETRY_MS : PAUSE_MS);
    }
    this.#comparing.delete(projectId);
  }

  /** The followers of a project, those of one user at one gateway together: they see the same. */
  #viewsOf(projectId: string): Follower[][] {
    const ofProject = [...this.#followers].filter(({ gateway }) => gateway.projectId === projectId);
    return [...Map.groupBy(ofProject, ({ gateway, userId }) => `${gateway.id} ${userId}`).values()];
  }

  /** False if it must be tried again. */
  async #compare(followers: readonly Follower[]): Promise<boolean> {
    const [first] = followers;
    if (first === undefined) return true;
    const { slug } = first.gateway;
    try {
      const gateway = await this.#servingAs(first);
      if (gateway === undefined) {
        for (const follower of followers) follower.gone();
        return true;
      }
      const basis = await this.#basis(gateway);
      if (followers.every((follower) => follower.basis === basis)) return true;
      const now = await this.#look({ gateway, userId: first.userId });
      for (const follower of followers) {
        this.#tell(follower, now);
        follower.basis = basis;
      }
      return true;
    } catch (error) {
      this.#core.log.warn("the lists of a gateway cannot be compared", { gateway: slug, error });
      return false;
    }
  }

  #tell(follower: Follower, now: Seen): void {
    if (follower.seen === undefined) return;
    const differing = this.#differing(follower.seen, now);
    follower.seen = now;
    if (differing.length > 0) follower.changed(differing, this.#positionOf(now));
  }

  #differing(before: Seen, now: Seen): ListKind[] {
    return this.kinds.filter((kind) => before[kind] !== undefined && before[kind] !== now[kind]);
  }

  async #look(viewer: Viewer): Promise<Seen> {
    const seen: Seen = {};
    for (const kind of this.kinds) seen[kind] = (await this.#lists[kind]?.fingerprint(viewer)) ?? "";
    return seen;
  }

  async #basis(gateway: Gateway): Promise<string> {
    const all = await Promise.all(this.kinds.map((kind) => this.#lists[kind]?.basis(gateway)));
    return all.join(" ");
  }

  /** A text that clients give back when they open a broken stream again (`Last-Event-ID`). Each one is unique. */
  #positionOf(seen: Seen): string {
    return new URLSearchParams({ ...seen, at: newToken(this.#core.random).slice(0, 11) }).toString();
  }

  #forget(follower: Follower): void {
    this.#followers.delete(follower);
    if (this.#followers.size > 0) return;
    this.#idle?.abort();
    this.#idle = undefined;
  }
}

function isSame(left: readonly number[], right: readonly number[]): boolean {
  return left.every((value, at) => value === right[at]);
}

/** What a client was told at a position. */
export function seenAt(position: string): Seen {
  const { at: _at, ...seen } = Object.fromEntries(new URLSearchParams(position));
  return seen;
}
