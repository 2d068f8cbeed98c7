// Sessions of revisions until 2025-11-25. The id is the sealed session: it survives a restart, every server of the
// deployment can open it, and nothing is stored.
import { isFresh } from "../base";
import type { Core } from "../core";
import { newToken } from "../crypto";
import { isUnavailable, RuntimeError } from "../errors";
import { actorOf } from "../identity";
import type { GatewayUser } from "./access";
import { RpcError, SESSION_NOT_FOUND } from "./json-rpc";
import type { Seen } from "./list-changes";
import type { Questions } from "./questions";
import type { Running } from "./running";
import { legacyVersion, type LegacyVersion } from "./versions";

/** The state of a session. */
export interface SessionState {
  version: LegacyVersion;
  /** The client supports URL elicitation. */
  byUrl: boolean;
  /** The client can ask its user with a form. */
  byForm: boolean;
  /** The client takes texts that are JSON for structured content. */
  parsesTexts: boolean;
}

export interface Session extends SessionState {
  readonly running: Running;
  /** Questions to the client that it has not answered yet. */
  readonly questions: Questions;
  /** Open streams, oldest first. Only the newest gets messages: none may be sent on two. */
  readonly streams: object[];
  /** The lists that the client got last. */
  readonly listed: Seen;
}

interface Opened extends Session {
  gatewayId: string;
  actor: string;
  userId: string;
  /** Monotonic. */
  usedAt: number;
}

/** Opened sessions in the cache. */
const MAX_SESSIONS = 10_000;
/** An opened session without calls, questions and streams is forgotten after this time; the next request opens it again. */
const IDLE_MS = 10 * 60_000;
const MAX_ID_LENGTH = 2000;

export class Sessions {
  readonly #core: Core;
  /** In the order of their latest use. */
  readonly #opened = new Map<string, Opened>();

  constructor(core: Core) {
    this.#core = core;
  }

  /** How many are open. */
  get size(): number {
    return this.#opened.size;
  }

  /** Starts a session of a user at a gateway and returns its id. */
  async begin(
    { gateway, principal, userId }: GatewayUser,
    { version, byUrl, byForm, parsesTexts }: SessionState,
  ): Promise<string> {
    const { keyring, random } = this.#core;
    const unique = newToken(random).slice(0, 11);
    const parts = [version, byUrl, actorOf(principal), userId, unique, byForm, parsesTexts];
    return keyring.seal(gateway.projectId, placeOf(gateway.id), JSON.stringify(parts));
  }

  /** Throws `RpcError` (404) if the id cannot be opened or belongs to another gateway or caller. */
  async open(id: string, user: GatewayUser): Promise<Session> {
    const { gateway } = user;
    const opened = this.#opened.get(id) ?? (await this.#read(id, gateway.projectId, gateway.id));
    const session = ownSession(opened, user);
    this.#use(id, session);
    return session;
  }

  #use(id: string, session: Opened): void {
    session.usedAt = this.#core.clock.monotonic();
    this.#opened.delete(id);
    this.#opened.set(id, session);
  }

  async #read(id: string, projectId: string, gatewayId: string): Promise<Opened | undefined> {
    if (id.length > MAX_ID_LENGTH) return undefined;
    let parts: unknown[];
    try {
      parts = JSON.parse(await this.#core.keyring.open(projectId, placeOf(gatewayId), id));
    } catch (error) {
      if (error instanceof RuntimeError && !isUnavailable(error)) return undefined;
      throw error;
    }
    // Sessions of earlier versions lack the last parts.
    const [version, byUrl, actor, userId, , byForm, parsesTexts] = parts;
    const known = legacyVersion(String(version));
    if (known === undefined) return undefined;
    // Another call may have opened it in the meantime. A session must have one list of running calls.
    const same = this.#opened.get(id);
    if (same !== undefined) return same;
    const opened: Opened = {
      version: known,
      byUrl: byUrl === true,
      byForm: byForm === true,
      parsesTexts: parsesTexts === true,
      gatewayId,
      actor: String(actor),
      userId: String(userId),
      running: new Map(),
      questions: new Map(),
      streams: [],
      listed: {},
      usedAt: 0,
    };
    this.#forgetIdle();
    const [oldest] = this.#opened.size >= MAX_SESSIONS ? this.#opened.keys() : [];
    if (oldest !== undefined) this.#opened.delete(oldest);
    this.#opened.set(id, opened);
    return opened;
  }

  // Many clients never end their sessions.
  #forgetIdle(): void {
    const now = this.#core.clock.monotonic();
    for (const [id, session] of this.#opened) {
      if (isFresh(session.usedAt, IDLE_MS, now)) break;
      if (isBusy(session)) this.#use(id, session);
      else this.#opened.delete(id);
    }
  }
}

function isBusy({ running, questions, streams }: Session): boolean {
  return running.size > 0 || questions.size > 0 || streams.length > 0;
}

function ownSession(session: Opened | undefined, { gateway, principal, userId }: GatewayUser): Opened {
  const own =
    session?.gatewayId === gateway.id && session.userId === userId && session.actor === actorOf(principal);
  if (own) return session;
  throw new RpcError(SESSION_NOT_FOUND, "Session not found. Start a new one with initialize.", {
    status: 404,
  });
}

function placeOf(gatewayId: string): { table: string; row: string; field: string } {
  return { table: "mcp", row: gatewayId, field: "session" };
}
