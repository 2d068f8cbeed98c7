// People by id, one call each, remembered for their connection whatever told of them.
import type { CallOptions, ChatClient } from "../client";
import { BELIEVE_ABSENCE_MS, REMEMBER_MS, REMEMBERED_PEOPLE } from "../limits";
import { isNotFound } from "../upstream/failure";
import { type BasicUser, basicUser } from "../records/user";
import { objectIn } from "../../upstream/json";

/** Null for an id that nobody has, or nobody that this user may see. */
type Known = Memory<BasicUser | null>;

const KEY = "users";

export function rememberUser(client: ChatClient, user: BasicUser): void {
  remember(client, user.id, user);
}

/** Whether `findUser` answers from memory. */
export function isKnownUser(client: ChatClient, id: string): boolean {
  return memoryOf(client).get(id, client.context.now()) !== undefined;
}

/** The person or bot with this id; undefined when there is none that this user may see. Throws `ToolError`. */
export async function findUser(
  client: ChatClient,
  id: string,
  options: Pick<CallOptions, "wait" | "paging"> = {},
): Promise<BasicUser | undefined> {
  const known = memoryOf(client).get(id, client.context.now());
  if (known !== undefined) return known ?? undefined;
  // Only those who are as patient share a request: one that is given up says nothing to the other.
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
  const ttl = user === null ? BELIEVE_ABSENCE_MS : REMEMBER_MS;
  memoryOf(client).set(id, user, client.context.now() + ttl);
}

function memoryOf({ context }: ChatClient): Known {
  const memory: Known = context.cache.get<Known>(KEY) ?? new Memory(REMEMBERED_PEOPLE);
  // It stays while it is used: what is in it ends by itself.
  context.cache.set(KEY, memory, REMEMBER_MS);
  return memory;
}

/** Values that are believed for a while. When there are too many, those that were learned first go. */
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
    // A key that is set again counts as learned now.
    this.#entries.delete(key);
    this.#entries.set(key, { value, until });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#size && oldest !== undefined) this.#entries.delete(oldest);
  }
}
