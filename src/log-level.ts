// The log level of a running server. A command on the same data folder changes it, not a key of a project: the log is that
// of the whole installation. The command proves, like a server does, that it has the root key (`serving.ts`).
import { type Static, Type } from "typebox";
import { LOG_LEVELS, type LogLevel, timestamp } from "./base";
import type { Core } from "./core";
import { sameSecret } from "./crypto";
import { notFound } from "./errors";
import { ownsAnnouncement } from "./serving";

/** Times of requests are milliseconds since the epoch. */
export const LogLevelRequest = Type.Object(
  {
    /** The id of the server's announcement. */
    server: Type.String({ pattern: "^[A-Za-z0-9_-]{1,100}$" }),
    /** Absent: only asks. */
    level: Type.Optional(Type.Enum([...LOG_LEVELS])),
    /** When the configured level returns; absent: when the server is restarted. */
    until: Type.Optional(Type.Integer({ minimum: 0 })),
    at: Type.Integer({ minimum: 0 }),
    proof: Type.String({ pattern: "^[A-Za-z0-9_-]{1,200}$" }),
  },
  { additionalProperties: false },
);
export const LogLevelResponse = Type.Object({
  level: Type.Enum([...LOG_LEVELS]),
  configured: Type.Enum([...LOG_LEVELS]),
  until: Type.Optional(Type.String({ format: "date-time" })),
});
export type LogLevelRequest = Static<typeof LogLevelRequest>;
export type LogLevelResponse = Static<typeof LogLevelResponse>;

/** A request that somebody has recorded is of no use later. Both clocks are that of this machine. */
const MAX_AGE_MS = 30_000;

export class LogLevels {
  readonly #core: Core;
  readonly #configured: LogLevel;
  #until: number | undefined;
  /** Ends the wait for the configured level to return. */
  #waiting = new AbortController();

  constructor(core: Core) {
    this.#core = core;
    this.#configured = core.log.level;
  }

  /**
   * Changes the level, or only tells it. Throws `not_found` for another server's announcement, and for a caller that does
   * not have the root key of the data folder.
   */
  async change({ proof, ...request }: LogLevelRequest): Promise<LogLevelResponse> {
    if (!(await ownsAnnouncement(this.#core, request.server)))
      throw notFound("This server has no announcement of this id.");
    const isRecent = Math.abs(this.#core.clock.now() - request.at) <= MAX_AGE_MS;
    if (!isRecent || !sameSecret(proof, await levelProof(this.#core, request))) {
      const reason = "Only a command on the data folder of this server may change its log level.";
      this.#core.log.refused("log level", { error: "not_found", reason });
      throw notFound(reason);
    }
    if (request.level !== undefined) this.#set(request.level, request.until);
    return this.#state();
  }

  /** Ends the wait; the level stays as it is. */
  close(): void {
    this.#waiting.abort();
  }

  #set(level: LogLevel, until: number | undefined): void {
    const { log, clock } = this.#core;
    this.#waiting.abort();
    this.#waiting = new AbortController();
    // Under the louder one of both levels, so that the log shows why it becomes quiet.
    log.warn("the log level is changed", {
      from: log.level,
      to: level,
      until: until === undefined ? undefined : timestamp(until),
    });
    log.setLevel(level);
    this.#until = until;
    if (until !== undefined) void this.#fallBack(until - clock.now(), this.#waiting.signal);
  }

  async #fallBack(afterMs: number, signal: AbortSignal): Promise<void> {
    const { log, clock } = this.#core;
    await clock.sleep(Math.max(0, afterMs), signal);
    if (signal.aborted) return;
    const from = log.level;
    log.setLevel(this.#configured);
    this.#until = undefined;
    log.warn("the configured log level is back", { from, to: this.#configured });
  }

  #state(): LogLevelResponse {
    const until = this.#until;
    const state = { level: this.#core.log.level, configured: this.#configured };
    return until === undefined ? state : { ...state, until: timestamp(until) };
  }
}

/** What only a process with the root key can make for a request. */
export function levelProof(
  { keyring }: Core,
  { server, level, until, at }: Omit<LogLevelRequest, "proof">,
): Promise<string> {
  return keyring.prove(JSON.stringify(["log level", server, level ?? null, until ?? null, at]));
}
