// What this process knows about itself: which program it is, how long it has served, how much it does, and its log. Commands
// on the data folder ask a running server for it, and prove that they have the root key (`proven.ts`).
import { existsSync, readdirSync } from "node:fs";
import { type Static, Type } from "typebox";
import { ownBackups } from "./backup";
import { LOG_LEVELS, timestamp } from "./base";
import type { Core } from "./core";
import { LogControls } from "./log-level";
import { provenMembers, requireProof } from "./proven";
import { VERSION } from "./version";

const time = Type.String({ format: "date-time", description: "RFC 3339, UTC, whole seconds." });
const count = (description: string) => Type.Integer({ minimum: 0, description });

export const LoadResponse = Type.Object({
  requests: count("Requests that are not answered completely, streams too."),
  mcp_streams: count("Answers to MCP clients that are streams."),
  model_streams: count("Answers of chat completions and responses that are streams."),
  tool_calls: count("Runs of tools, of every entry point."),
  scheduled_runs: count("Scheduled runs that this server has begun."),
  unwritten_executions: count("Entries of the execution log that are not written yet."),
  unstored_grants: count("New tokens of users that are not stored yet; used from memory until then."),
  memory_bytes: count("Memory of the process (resident set)."),
  event_loop_delay_ms: Type.Optional(
    count("How late the event loop was at most in the last minute; absent if metrics are switched off."),
  ),
  open_files: Type.Optional(count("Open files and sockets of the process, where the system tells.")),
});

export const ServerResponse = Type.Object({
  version: Type.String(),
  commit: Type.Optional(Type.String()),
  build_date: Type.Optional(Type.String({ description: "The date of the commit." })),
  pid: Type.Integer(),
  started_at: time,
  uptime_seconds: count("Since it began to serve."),
  log: Type.Object({
    level: Type.Enum([...LOG_LEVELS]),
    level_until: Type.Optional(time),
    access: Type.Boolean({ description: "Whether it has an access log." }),
    access_until: Type.Optional(time),
  }),
  load: LoadResponse,
});
export type ServerState = Static<typeof ServerResponse>;

export const ServerStateRequest = Type.Object(
  {
    ...provenMembers,
    /** Whether the last lines of the log and the page of metrics are asked for. */
    details: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
export type ServerStateRequest = Static<typeof ServerStateRequest>;
export const ServerStateResponse = Type.Object({
  state: ServerResponse,
  /** The last lines of the log, without those at debug, which name users. */
  log: Type.Optional(Type.Array(Type.String())),
  /** The page of metrics; absent: they are switched off. */
  metrics: Type.Optional(Type.String()),
});
export type ServerStateResponse = Static<typeof ServerStateResponse>;

export const BackupStateResponse = Type.Object({
  made_at: Type.Optional(time),
  every_hours: count("How often a server makes one by itself; 0: never."),
});
export type BackupState = Static<typeof BackupStateResponse>;

/** What is needed of the metrics. */
interface MetricsPage {
  readonly isOn: boolean;
  /** How late the event loop was at most in the last minute. */
  readonly longestDelayMs: number;
  page(accept: string | undefined, viewer: string | undefined): Promise<{ text: string }>;
}

export interface OwnStateParts {
  /** The path of `backup.folder`. */
  backupFolder: string | undefined;
  executionLog: { readonly unwritten: number };
  connections: { readonly unstored: number };
}

export class OwnState {
  readonly log: LogControls;
  /** Set once it exists. */
  metrics: MetricsPage | undefined;
  readonly #core: Core;
  readonly #parts: OwnStateParts;
  /** When it began to serve, ms: of the clock for people, and of the one that is never set. */
  #started: { at: number; monotonic: number } | undefined;

  constructor(core: Core, parts: OwnStateParts) {
    this.#core = core;
    this.#parts = parts;
    this.log = new LogControls(core);
  }

  /** Called when this process begins to answer requests. */
  begin(): void {
    const { clock } = this.#core;
    this.#started ??= { at: clock.now(), monotonic: clock.monotonic() };
  }

  /** Undefined in a process that does not serve. */
  get server(): ServerState | undefined {
    const started = this.#started;
    if (started === undefined) return undefined;
    const { clock, work } = this.#core;
    const { executionLog, connections } = this.#parts;
    const openFiles = openFileCount();
    return {
      ...VERSION,
      pid: process.pid,
      started_at: timestamp(started.at),
      uptime_seconds: Math.max(0, Math.floor((clock.monotonic() - started.monotonic) / 1000)),
      log: this.log.state,
      load: {
        ...work.counts,
        unwritten_executions: executionLog.unwritten,
        unstored_grants: connections.unstored,
        memory_bytes: process.memoryUsage.rss(),
        ...(this.metrics?.isOn === true
          ? { event_loop_delay_ms: Math.round(this.metrics.longestDelayMs) }
          : {}),
        ...(openFiles === undefined ? {} : { open_files: openFiles }),
      },
    };
  }

  /** For a command on the data folder. Throws what `requireProof` throws. */
  async tell(request: ServerStateRequest): Promise<ServerStateResponse> {
    await requireProof(this.#core, "server state", request);
    const { server } = this;
    if (server === undefined) throw new Error("a process that does not serve was asked");
    if (request.details !== true) return { state: server };
    const { metrics } = this;
    const page = metrics?.isOn === true ? await metrics.page(undefined, undefined) : undefined;
    const log = [...this.#core.log.lastLines];
    return page === undefined ? { state: server, log } : { state: server, log, metrics: page.text };
  }

  /** The newest backup in `backup.folder`; a folder that cannot be read has none. */
  get backup(): BackupState {
    const { backupFolder: folder } = this.#parts;
    const every_hours = this.#core.settings["backup.hours"];
    const newest = folder === undefined ? undefined : newestIn(folder, this.#core.clock.now());
    return newest === undefined ? { every_hours } : { every_hours, made_at: timestamp(newest) };
  }

  close(): void {
    this.log.close();
  }
}

function newestIn(folder: string, now: number): number | undefined {
  try {
    return existsSync(folder) ? ownBackups(folder, now).made[0]?.at : undefined;
  } catch {
    return undefined;
  }
}

function openFileCount(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return undefined;
  }
}
