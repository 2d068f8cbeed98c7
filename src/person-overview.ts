// What acts for a person, for the page on which the person sees and ends it. Everything is looked up for exactly this person:
// also administrators see only their own records here.
import type { Audit, ExecutionRecord, Trail } from "./audit";
import { MAX_LIMIT } from "./base";
import type { Connections, OwnConnection } from "./connections";
import type { Core } from "./core";
import { RuntimeError } from "./errors";
import type { Principal } from "./identity";
import {
  type BrowserSession,
  type ClientGrant,
  OwnClients,
  type Passkey,
  type Passkeys,
  type Sessions,
  type SignedIn,
} from "./people";
import type { Provider, Providers } from "./providers";
import type { ToolExecution, Tools } from "./tools";

/** A signed-in person, and the network address of the browser. */
export interface Person extends Pick<SignedIn, "projectId" | "incarnation" | "userId" | "sessionId"> {
  address?: string | undefined;
}

/** The first items of a list. */
export interface Start<T> {
  items: readonly T[];
  hasMore: boolean;
}

export interface UsedConnection extends OwnConnection {
  /** When a tool that needs this provider ran last, among the newest runs; ms. */
  usedAt: number | undefined;
}

export interface Overview {
  connections: Start<UsedConnection>;
  clients: Start<ClientGrant>;
  sessions: Start<BrowserSession>;
  scheduled: Start<ToolExecution>;
  runs: { items: readonly ExecutionRecord[]; next?: string };
}

/** The lists that the page can show whole. */
export const LISTS = ["connections", "clients", "sessions", "scheduled"] as const;
export type List = (typeof LISTS)[number];

/** `begun`: too late to cancel. */
export type Ended = "done" | "unknown" | "begun";

/** How many of a list are shown, and how many if the person asks for all. */
export const FEW = 20;
export const MANY = 500;

interface Parts {
  audit: Audit;
  connections: Connections;
  providers: Providers;
  tools: Tools;
  trail: Trail;
  sessions: Sessions;
  passkeys: Passkeys;
}

export class PersonOverview {
  readonly #parts: Parts;
  readonly #clients: OwnClients;

  constructor(core: Core, parts: Parts) {
    this.#parts = parts;
    this.#clients = new OwnClients(core, parts.audit);
  }

  /** `whole`: the list that is shown whole. `before`: only runs before this one; of anybody else's it is as if it were absent. */
  async read(person: Person, { whole, before }: { whole?: List | undefined; before?: string | undefined }) {
    const { connections, sessions, tools } = this.#parts;
    const { projectId, userId, sessionId } = person;
    const most = (list: List): number => (whole === list ? MANY : FEW);
    const [own, clients, browsers, scheduled, newest] = await Promise.all([
      connections.own(projectId, userId, most("connections") + 1),
      this.#clients.list(ownerOf(person), most("clients") + 1),
      sessions.list(projectId, userId, sessionId),
      tools.scheduled.open(projectId, userId, most("scheduled") + 1),
      this.#runs(person, undefined, MAX_LIMIT),
    ]);
    const uses = await this.#lastUses(person, newest.items);
    const used = own.map((one): UsedConnection => ({ ...one, usedAt: uses.get(one.providerId) }));
    return {
      connections: startOf(used, most("connections")),
      clients: startOf(clients, most("clients")),
      sessions: startOf(browsers, most("sessions")),
      scheduled: startOf(scheduled, most("scheduled")),
      runs: await this.#runs(person, before, FEW),
    } satisfies Overview;
  }

  /** The provider of an own connection, to ask before it is ended. Undefined: the person has no such connection. */
  async connection(
    person: Person,
    id: string,
  ): Promise<{ name: string; provider: Provider | undefined } | undefined> {
    const { connections, providers } = this.#parts;
    const found = await ofNone(connections.get(ownerOf(person), id));
    if (found === undefined) return undefined;
    const provider = await providers.find(person.projectId, found.provider_id);
    return { name: provider?.name ?? found.provider_id, provider };
  }

  async client(person: Person, id: string): Promise<ClientGrant | undefined> {
    return this.#clients.find(ownerOf(person), id);
  }

  /** Deletes a connection, and revokes the grant at its provider. */
  async disconnect(person: Person, id: string): Promise<Ended> {
    return this.#done(this.#parts.connections.delete(ownerOf(person), id));
  }

  async revoke(person: Person, id: string): Promise<Ended> {
    return (await this.#clients.revoke(ownerOf(person), id)) ? "done" : "unknown";
  }

  async signOut(person: Person, sessionId: string): Promise<Ended> {
    const { projectId, userId } = person;
    const ended = await this.#parts.sessions.end(projectId, userId, sessionId, ownerOf(person));
    return ended ? "done" : "unknown";
  }

  async signOutElsewhere(person: Person): Promise<void> {
    const { projectId, userId, sessionId } = person;
    await this.#parts.sessions.endOthers(projectId, userId, ownerOf(person), sessionId);
  }

  passkeys({ projectId, userId }: Person): Promise<Passkey[]> {
    return this.#parts.passkeys.list({ projectId, userId });
  }

  async renamePasskey(person: Person, id: string, name: string): Promise<Ended> {
    const { projectId, userId } = person;
    return this.#done(this.#parts.passkeys.rename(ownerOf(person), { projectId, userId, id }, name));
  }

  async removePasskey(person: Person, id: string): Promise<Ended> {
    const { projectId, userId } = person;
    return this.#done(this.#parts.passkeys.remove(ownerOf(person), { projectId, userId, id }));
  }

  async #done(ending: Promise<void>): Promise<Ended> {
    return (await ofNone(ending.then(() => true))) === true ? "done" : "unknown";
  }

  async cancel(person: Person, id: string): Promise<Ended> {
    try {
      const cancelled = this.#parts.tools.scheduled.cancel(ownerOf(person), id);
      return (await ofNone(cancelled)) === undefined ? "unknown" : "done";
    } catch (error) {
      if (error instanceof RuntimeError && error.name === "conflict") return "begun";
      throw error;
    }
  }

  async #runs(person: Person, before: string | undefined, limit: number): Promise<Overview["runs"]> {
    const { trail } = this.#parts;
    const { userId } = person;
    const owner = ownerOf(person);
    const position = before === undefined ? undefined : await ofNone(trail.execution(owner, before));
    const window = position?.user_id === userId ? { before: position.id } : {};
    return trail.executions(owner, { user_id: userId, limit, ...window });
  }

  /** When a tool of each provider ran last, by the provider's id. */
  async #lastUses({ projectId }: Person, runs: readonly ExecutionRecord[]): Promise<Map<string, number>> {
    const { tools, providers } = this.#parts;
    const registry = await tools.registryOf(projectId);
    const uses = new Map<string, number>();
    for (const [tool, time] of newestByTool(runs)) {
      const { authorization, userKeys = [] } = registry.peek(tool)?.definition ?? {};
      const choices = userKeys.map((id) => ({ id }));
      const needs =
        authorization === undefined
          ? choices
          : [...choices, { id: authorization.id, provider_id: authorization.provider }];
      for (const need of needs) {
        const { provider } = await providers.choose(projectId, need);
        if (provider !== undefined && !uses.has(provider.id)) uses.set(provider.id, time);
      }
    }
    return uses;
  }
}

/** Without a role: an administrator has no more rights here than others. */
export function ownerOf({
  projectId,
  incarnation,
  userId,
  address,
}: Person): Extract<Principal, { kind: "user" }> {
  return { kind: "user", projectId, incarnation, userId, address };
}

function startOf<T>(items: readonly T[], most: number): Start<T> {
  return { items: items.slice(0, most), hasMore: items.length > most };
}

function newestByTool(runs: readonly ExecutionRecord[]): Map<string, number> {
  const newest = new Map<string, number>();
  for (const { tool, time } of runs) if (!newest.has(tool)) newest.set(tool, Date.parse(time));
  return newest;
}

/** Undefined for a record that does not exist, or belongs to somebody else. */
async function ofNone<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof RuntimeError && error.name === "not_found") return undefined;
    throw error;
  }
}
