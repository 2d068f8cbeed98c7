// The log of a running server: its level, and whether it has an access log. A command on the same data folder changes them,
// not a key of a project: the log is that of the whole installation (`proven.ts`).
import { type Static, Type } from "typebox";
import { LOG_LEVELS, type LogLevel, timestamp } from "./base";
import type { Core } from "./core";
import { provenMembers, requireProof } from "./proven";
import { Temporary } from "./temporary";

const until = Type.Optional(Type.String({ format: "date-time" }));
const wantedUntil = Type.Optional(Type.Integer({ minimum: 0 }));

export const LogLevelRequest = Type.Object(
  {
    ...provenMembers,
    /** Absent: only asks. */
    level: Type.Optional(Type.Enum([...LOG_LEVELS])),
    /** When the configured level returns; absent: when the server is restarted. */
    until: wantedUntil,
  },
  { additionalProperties: false },
);
export const LogLevelResponse = Type.Object({
  level: Type.Enum([...LOG_LEVELS]),
  configured: Type.Enum([...LOG_LEVELS]),
  until,
});
export type LogLevelRequest = Static<typeof LogLevelRequest>;
export type LogLevelResponse = Static<typeof LogLevelResponse>;

export const AccessLogRequest = Type.Object(
  {
    ...provenMembers,
    /** Absent: only asks. */
    access: Type.Optional(Type.Boolean()),
    /** When the configured state returns; absent: when the server is restarted. */
    until: wantedUntil,
  },
  { additionalProperties: false },
);
export const AccessLogResponse = Type.Object({
  access: Type.Boolean(),
  configured: Type.Boolean(),
  until,
  /** At `silent`, there is no access log either. */
  level: Type.Enum([...LOG_LEVELS]),
});
export type AccessLogRequest = Static<typeof AccessLogRequest>;
export type AccessLogResponse = Static<typeof AccessLogResponse>;

export class LogControls {
  readonly #core: Core;
  readonly #level: Temporary<LogLevel>;
  readonly #access: Temporary<boolean>;

  constructor(core: Core) {
    const { log } = core;
    this.#core = core;
    this.#level = new Temporary(core, {
      configured: log.level,
      current: () => log.level,
      apply: (level) => log.setLevel(level),
      // Under the louder one of both levels, so that the log shows why it becomes quiet.
      changes: (from, to, end) => log.warn("the log level is changed", { from, to, until: timeOf(end) }),
      isBack: (from, to) => log.warn("the configured log level is back", { from, to }),
    });
    this.#access = new Temporary(core, {
      configured: log.hasAccess,
      current: () => log.hasAccess,
      apply: (access) => log.setAccess(access),
      changes: (from, to, end) =>
        log.warn("the access log is switched", { from: word(from), to: word(to), until: timeOf(end) }),
      isBack: (from, to) =>
        log.warn("the access log is as configured again", { from: word(from), to: word(to) }),
    });
  }

  /** Changes the level, or only tells it. Throws what `requireProof` throws. */
  async changeLevel(request: LogLevelRequest): Promise<LogLevelResponse> {
    await requireProof(this.#core, "log level", request);
    if (request.level !== undefined) this.#level.set(request.level, request.until);
    return { level: this.#core.log.level, configured: this.#level.configured, ...ending(this.#level) };
  }

  /** Switches the access log, or only tells whether there is one. Throws what `requireProof` throws. */
  async changeAccess(request: AccessLogRequest): Promise<AccessLogResponse> {
    await requireProof(this.#core, "access log", request);
    if (request.access !== undefined) this.#access.set(request.access, request.until);
    const { hasAccess: access, level } = this.#core.log;
    return { access, configured: this.#access.configured, ...ending(this.#access), level };
  }

  /** What is in force, for the status. */
  get state() {
    const { level, hasAccess: access } = this.#core.log;
    const { until: levelUntil } = ending(this.#level);
    const { until: accessUntil } = ending(this.#access);
    return {
      level,
      ...(levelUntil === undefined ? {} : { level_until: levelUntil }),
      access,
      ...(accessUntil === undefined ? {} : { access_until: accessUntil }),
    };
  }

  /** Ends the waits; everything stays as it is. */
  close(): void {
    this.#level.close();
    this.#access.close();
  }
}

function ending({ until: end }: Temporary<unknown>): { until?: string } {
  return end === undefined ? {} : { until: timestamp(end) };
}

function timeOf(end: number | undefined): string | undefined {
  return end === undefined ? undefined : timestamp(end);
}

function word(access: boolean): string {
  return access ? "on" : "off";
}
