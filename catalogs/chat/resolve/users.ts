// Finds people by id, with one call each. A cache per connection also stores people from other answers.
import type { CallOptions, ChatClient } from "../client";
import { CACHE_ABSENCE_MS, CACHE_MS, MAX_CACHED_PEOPLE } from "../limits";
import { isNotFound } from "../upstream/failure";
import { type BasicUser, basicUser } from "../records/user";
import { objectIn } from "../../upstream/json";

/** Null for an id that does not exist or that this user may not see. */
type People = Memory<BasicUser | null>;

const KEY = "users";

export function rememberUser(client: ChatClient, user: BasicUser): void {
  remember(client, user.id, user);
}

/** Whether `findUser` needs no call. */
export function isCachedUser(client: ChatClient, id: string): boolean {
  return memoryOf(client).get(id, client.context.now()) !== undefined;
}

/** The person or bot with this id, if it is known without a call. */
export function knownUser(client: ChatClient, id: string): BasicUser | undefined {
  return memoryOf(client).get(id, client.context.now()) ?? undefined;
}

/** The person or bot with this id; undefined if it does not exist or this user may not see it. Throws `ToolError`. */
export async function findUser(
  client: ChatClient,
  id: string,
  options: Pick<CallOptions, "wait" | "paging"> = {},
): Promise<BasicUser | undefined> {
  const known = memoryOf(client).get(id, client.context.now());
  if (known !== undefined) return known ?? undefined;
  // Only calls with the same options share a request: one that gives up early must not end the others.
  const key = `users.info ${id} ${JSON.stringify(options)}`;
  const user = await client.shared(key, () => lookUp(client, id, options));
  remember(client, id, user ?? null);
  return user;
}

async function lookUp(client: ChatClient, id: string, options: CallOptions): Promise<BasicUser | undefined> {
  try {
    const answer = await client.call("users.info", { user: id }, { ...options, subject: `user "${id}"` });
    return basicUser(objectIn(answer, "user"));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function remember(client: ChatClient, id: string, user: BasicUser | null): void {
  const ttl = user === null ? CACHE_ABSENCE_MS : CACHE_MS;
  memoryOf(client).set(id, user, client.context.now() + ttl);
}

function memoryOf({ context }: ChatClient): People {
  const memory: People = context.cache.get<People>(KEY) ?? new Memory(MAX_CACHED_PEOPLE);
  // Stored again on every use: its entries expire by themselves.
  context.cache.set(KEY, memory, CACHE_MS);
  return memory;
}

/** Values with an expiry time. When there are too many, the oldest are removed. */
export class Memory<Value> {
  readonly #size: number;
  readonly #entries = new Map<string, { value: Value; until: number }>();

  constructor(size: number) {
    this.#size = size;
  }

  get(key: string, now: number): Value | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.until > now ? entry.value : undefined;
  }

  set(key: string, value: Value, until: number): void {
    // A key that is set again becomes the newest.
    this.#entries.delete(key);
    this.#entries.set(key, { value, until });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#size && oldest !== undefined) this.#entries.delete(oldest);
  }
}
