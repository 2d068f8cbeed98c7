// What the invariants look at, and how they answer.
import type { Operation } from "../operation";
import type { Observer } from "../observer";
import type { Grant } from "../provider";
import type { SimulatedProcess } from "../simulated-process";
import type { VirtualTime } from "../virtual-time";
import type { World } from "../world";

export interface Violation {
  readonly invariant: string;
  readonly detail: string;
}

export interface Checked {
  readonly time: VirtualTime;
  readonly world: World;
  readonly observer: Observer;
  readonly processes: readonly SimulatedProcess[];
  readonly operations: readonly Operation[];
  readonly work: {
    /** The value of the secret that was acknowledged last; undefined while a write has an unknown outcome. */
    readonly secret: string | undefined;
    /** Scheduled runs: the id by the label. */
    readonly runs: ReadonlyMap<string, string>;
    /** The labels of runs that had not begun when the key of their caller was deleted. */
    readonly barred: ReadonlySet<string>;
  };
  readonly history: History;
}

/** What has been seen so far. */
export interface History {
  /** Found while a request was under way. */
  readonly found: Violation[];
  /** The incarnation of the project whose data key was damaged. */
  damaged: string | undefined;
  /** The number of entries that the execution log has had. */
  logged: number;
  powerLostAt: number;
  /** Users whose connection has lost a scope. */
  readonly narrowed: Map<string, Narrowed>;
  /** Grants that were left when their user had another connection. */
  readonly replaced: Set<Grant>;
  /** Operations whose results were checked. */
  readonly checked: Set<Operation>;
}

export interface Narrowed {
  /** The number of the provider's requests before the scope was lost. */
  after: number;
  /** Consents that could not give the scope back. */
  readonly consents: ReadonlySet<Operation>;
}

export function newHistory(): History {
  return {
    found: [],
    damaged: undefined,
    logged: 0,
    powerLostAt: -1,
    narrowed: new Map(),
    replaced: new Set(),
    checked: new Set(),
  };
}

/** The violation in words; undefined if there is none. */
export type Check = (checked: Checked) => string | undefined | Promise<string | undefined>;

/** How long after a disturbance what could not be stored must be stored. */
const REPAIRED_MS = 15_000;

/** Nothing is going on, and the last disturbance was some time ago. */
export function isAtRest({ time, processes, operations }: Checked): boolean {
  const isCalm = processes.every(
    ({ trouble, isFrozen, troubledAt, life }) =>
      (!life.isAlive || trouble.fault === undefined) && !isFrozen && time.now - troubledAt > REPAIRED_MS,
  );
  return isCalm && operations.every(({ endedAt, life }) => endedAt !== undefined || !life.isAlive);
}

/** The operations that have ended since they were last asked for. */
export function newlyEnded({ operations, history }: Checked): Operation[] {
  const ended = operations.filter((each) => each.ended !== undefined && !history.checked.has(each));
  for (const each of ended) history.checked.add(each);
  return ended;
}

/** For what is found while a request is under way. */
export function underWay(name: string): Check {
  return ({ history }) => history.found.find(({ invariant }) => invariant === name)?.detail;
}
