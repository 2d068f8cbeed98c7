// The steps of a simulation: plain data that can be printed and left out one by one. `draw.ts` draws them from a seed.
import type { Choice } from "./browser";
import type { DatabaseFate, DatabaseName } from "./postgres/fates";
import type { StoreFault } from "./simulated-database";
import type { GateKind } from "./simulated-store";
import type { Script } from "./world";

/** What a process does. A terminal command is started for it, and ends with it. */
export type Work =
  /** A call of a tool; `key`: the number of its Idempotency-Key. */
  | { kind: "call"; process: number; user: string; tool: "Read" | "Write"; key?: number }
  | { kind: "schedule"; process: number; user: string }
  /** Creates an API key, or deletes the newest. */
  | { kind: "api key"; process: number; does: "create" | "delete" }
  /** A call or a scheduled run of a client with the newest API key, which may have been deleted. */
  | { kind: "client"; process: number; user: string; does: "call" | "schedule" }
  /** A whole consent; `again`: the provider sends no refresh token because there is a grant already. */
  | { kind: "consent"; process: number; user: string; again: boolean }
  /** The next request of the user's browser. */
  | { kind: "browse"; process: number; user: string; choice: Choice }
  | { kind: "delete"; process: number; user: string }
  | { kind: "secret"; process: number }
  /** Many secrets are stored in the second project, or all of them deleted. */
  | { kind: "secrets"; process: number; does: "store" | "delete" }
  | { kind: "hooks"; process: number; on: boolean }
  | { kind: "rotate"; process: number; what: "root" | "data" | "data of the second project" }
  /** Creates or deletes the second project. */
  | { kind: "project"; process: number; does: "create" | "delete" }
  /** Uses the second project as a caller of its newest incarnation, or of the one before. */
  | { kind: "visit"; process: number; does: Visit; isLate: boolean }
  | { kind: "health"; process: number };

export type Visit = "write" | "list" | "schedule" | "call";

/** What happens to a process. */
export type Event =
  | { kind: "jump"; process: number; ms: number }
  | { kind: "drift"; process: number; rate: number }
  | { kind: "fault"; process: number; fault: StoreFault }
  /** Stops the process after it has passed this many gates of the kind. */
  | { kind: "freeze"; process: number; at: GateKind; gates: number }
  | { kind: "repair" | "thaw" | "crash" | "close" | "open"; process: number };

/** What happens outside of the processes. */
export type Outside =
  | ({ kind: "script" } & Script)
  | { kind: "release" }
  | { kind: "pass"; ms: number }
  /** The user ends the grant at the provider. */
  | { kind: "end grant"; user: string }
  /** All processes end, and what was not synced is lost. The servers start again. */
  | { kind: "power loss" }
  /** The data key of the second project is damaged. */
  | { kind: "damage" }
  /** What becomes of the next transaction, or of the next answer, of a database server. */
  | { kind: "database"; name: DatabaseName; fate: DatabaseFate }
  /** The database server restarts, and accepts no connection for a while. */
  | { kind: "restart"; downMs: number };

export type Action = Work | Event | Outside;

/** `number` stays the same when other steps are left out. */
export type Step = Action & { readonly number: number };

/** `sqlite`: a data folder; `postgres`: the engine for many servers, on a scripted database server. */
export const ENGINES = ["sqlite", "postgres"] as const;
export type Engine = (typeof ENGINES)[number];

/** Servers have the numbers below. */
export const SERVERS = 3;
/** The number of the terminal, in which one command at a time runs. */
export const TERMINAL = 3;
export const USERS = ["ann", "ben"] as const;

/** A step in words. */
export function sentenceOf({ number, ...step }: Step): string {
  const { kind, ...rest } = step;
  const details = Object.entries(rest).map(([name, value]) => {
    if (name === "process") return value === TERMINAL ? "terminal" : `P${String(value)}`;
    return `${name} ${String(value)}`;
  });
  return `${String(number).padStart(4)}  ${kind} ${details.join(", ")}`.trimEnd();
}

/** Whether the process does it, in contrast to what happens to it. */
export function isWork(step: Step): step is Step & Work {
  return WORK.has(step.kind);
}

const WORK = new Set<string>([
  "call",
  "schedule",
  "api key",
  "client",
  "consent",
  "browse",
  "delete",
  "secret",
  "secrets",
  "hooks",
  "rotate",
  "project",
  "visit",
  "health",
] satisfies Work["kind"][]);
