// What must hold whatever happens. Each invariant answers with the violation in words, or with nothing.
import type { Observer } from "./observer";
import type { SimulatedProcess } from "./simulated-process";
import type { Operation } from "./simulation";
import type { VirtualTime } from "./virtual-time";
import type { Effect, Grant, World } from "./world";

export interface Violation {
  readonly invariant: string;
  readonly detail: string;
}

/** What the invariants look at. */
export interface Checked {
  readonly time: VirtualTime;
  readonly world: World;
  readonly observer: Observer;
  readonly processes: readonly SimulatedProcess[];
  readonly operations: readonly Operation[];
  readonly runs: ReadonlyMap<string, string>;
  readonly secret: string | undefined;
  readonly found: Violation[];
}

type Check = (checked: Checked) => string | undefined | Promise<string | undefined>;

/** How long Idempotency-Keys count. */
const KEY_MS = 10 * 60_000;
/** How long after a disturbance what could not be stored must be stored. */
const REPAIRED_MS = 15_000;

async function acknowledgedWritesReadable({ secret, processes }: Checked): Promise<string | undefined> {
  if (secret === undefined) return undefined;
  for (const process of processes) {
    const value = await process.observe((runtime) => runtime.secrets.value("default", "WORD"));
    if (process.runtime === undefined || process.isFrozen) continue;
    if (value !== secret) return `${process.name} read ${value} after ${secret} had been acknowledged`;
  }
  return undefined;
}

function oneEffectPerCall({ world }: Checked): string | undefined {
  const calls = new Set<string>();
  for (const { label, call } of world.effects) {
    if (calls.has(call)) return `one call of a tool (${label}) had two effects`;
    calls.add(call);
  }
  return undefined;
}

function oneEffectPerKey({ world }: Checked): string | undefined {
  const latest = new Map<string, Effect>();
  for (const effect of world.effects) {
    const { label, call, at } = effect;
    const before = latest.get(label);
    latest.set(label, effect);
    if (!label.startsWith("key ") || before === undefined || before.call === call) continue;
    if (at - before.at <= KEY_MS) return `two calls with ${label} had an effect, ${at - before.at} ms apart`;
  }
  return undefined;
}

function oneEffectPerRun({ world }: Checked): string | undefined {
  const first = new Map<string, string>();
  for (const { label, call } of world.effects) {
    if (!label.startsWith("schedule ")) continue;
    if (first.has(label) && first.get(label) !== call) return `two attempts of ${label} had an effect`;
    first.set(label, call);
  }
  return undefined;
}

function liveRunNotGivenUp({ world, runs, observer }: Checked): string | undefined {
  for (const { label, process, life, since } of world.held) {
    const id = runs.get(label);
    if (id === undefined || !life.isAlive || process.troubledAt >= since) continue;
    const run = observer.run(id);
    if (run?.cut_off === 1) return `${label} was given up while ${process.name} ran it`;
  }
  return undefined;
}

function liveCallNotLost({ operations }: Checked): string | undefined {
  for (const { label, execution, endedAt, process } of operations) {
    if (endedAt === undefined || execution?.output?.error?.message.includes("was interrupted") !== true)
      continue;
    const first = operations.find(
      (other) =>
        other.label === label &&
        other.endedAt === undefined &&
        other.life.isAlive &&
        other.process.troubledAt < other.since &&
        other.since < endedAt,
    );
    if (first !== undefined)
      return `a repeat of ${label} in ${process.name} was told that the first call, which ${first.process.name} still runs, was interrupted`;
  }
  return undefined;
}

async function expiresOnlyByRefusal({ world, observer }: Checked): Promise<string | undefined> {
  for (const row of observer.connections()) {
    if (row.status !== "expired") continue;
    const token = await observer.refreshTokenOf(row);
    const own = token === undefined ? undefined : world.find(token);
    if (own === undefined || own.grant.revoked || own.grant.refused.has(own.pair)) continue;
    return `the connection of ${row.user_id} expired, but its refresh token ${own.grant.name}-${own.pair} was never refused`;
  }
  return undefined;
}

/** The newest pair works and was received by a runtime that is still there. */
function isHeld(grant: Grant): boolean {
  if (grant.revoked || grant.superseded || !grant.isAcknowledged) return false;
  // Whoever is refused with the newest pair may take the grant for dead.
  if (grant.refused.has(grant.newest)) return false;
  return [...grant.received].some(([life, pair]) => life.isAlive && pair === grant.newest);
}

function isAtRest({ time, processes, operations }: Checked): boolean {
  const isCalm = processes.every(
    ({ fault, isFrozen, troubledAt }) =>
      fault === undefined && !isFrozen && time.now - troubledAt > REPAIRED_MS,
  );
  return isCalm && operations.every(({ endedAt, life }) => endedAt !== undefined || !life.isAlive);
}

/** The consent or deletion of the user that ended last. */
function latestChange({ operations }: Checked, user: string): Operation | undefined {
  return operations
    .filter(({ step }) => (step.kind === "consent" || step.kind === "delete") && step.user === user)
    .filter(({ endedAt }) => endedAt !== undefined)
    .toSorted((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0))
    .at(-1);
}

async function liveGrantIsStored(checked: Checked): Promise<string | undefined> {
  if (!isAtRest(checked)) return undefined;
  const { world, observer } = checked;
  for (const grant of world.grants.filter(isHeld)) {
    const change = latestChange(checked, grant.user);
    // A consent that failed was never acknowledged, and its grant is the browser's to repeat.
    if (change?.step.kind !== "consent" || change.error !== undefined) continue;
    const row = observer.connection(grant.user);
    const token = row === undefined ? undefined : await observer.refreshTokenOf(row);
    const isStored = row?.status === "active" && token === `refresh-of-${grant.name}-${grant.newest}`;
    if (!isStored)
      return `${grant.name}-${grant.newest} works and was received, but the connection of ${grant.user} is ${row?.status ?? "gone"} with ${token}`;
  }
  return undefined;
}

async function deletedGrantIsRevoked(checked: Checked): Promise<string | undefined> {
  if (!isAtRest(checked)) return undefined;
  const { world, observer } = checked;
  for (const grant of world.grants.filter(isHeld)) {
    const change = latestChange(checked, grant.user);
    if (change?.step.kind !== "delete" || change.error !== undefined) continue;
    if (observer.connection(grant.user) === undefined)
      return `the connection of ${grant.user} was deleted, and ${grant.name}-${grant.newest} still works`;
  }
  return undefined;
}

function oneLogEntry({ operations, observer }: Checked): string | undefined {
  for (const { execution, life, label } of operations) {
    // An answer without a duration is not the answer of a run.
    if (execution?.duration === undefined || !life.isAlive) continue;
    // The process that ran a call with this key may have been killed before it could write its log.
    if (operations.some((other) => other.label === label && !other.life.isAlive)) continue;
    const entries = observer.entries(execution.id);
    if (entries !== 1) return `${label} (${execution.id}) has ${entries} entries in the execution log`;
  }
  return undefined;
}

async function sealedValuesOpen({ observer }: Checked): Promise<string | undefined> {
  for (const row of observer.connections()) {
    try {
      await observer.refreshTokenOf(row);
    } catch (error) {
      return `the tokens of ${row.user_id} cannot be opened: ${String(error)}`;
    }
  }
  return undefined;
}

function everythingEnds({ operations, runs, observer }: Checked): string | undefined {
  const open = operations.find(({ endedAt, life }) => endedAt === undefined && life.isAlive);
  if (open !== undefined) return `${open.label} in ${open.process.name} has not ended`;
  for (const [label, id] of runs) {
    const status = observer.run(id)?.status;
    if (status === "pending" || status === "running") return `${label} is still ${status}`;
  }
  return undefined;
}

/** For what the observer finds while a request is under way. */
function underWay(name: string): Check {
  return ({ found }) => found.find(({ invariant }) => invariant === name)?.detail;
}

export const INVARIANTS: Readonly<Record<string, { at: "step" | "end"; check: Check }>> = {
  acknowledgedWritesReadable: { at: "step", check: acknowledgedWritesReadable },
  oneEffectPerCall: { at: "step", check: oneEffectPerCall },
  oneEffectPerKey: { at: "step", check: oneEffectPerKey },
  oneEffectPerRun: { at: "step", check: oneEffectPerRun },
  liveRunNotGivenUp: { at: "step", check: liveRunNotGivenUp },
  liveCallNotLost: { at: "step", check: liveCallNotLost },
  expiresOnlyByRefusal: { at: "step", check: expiresOnlyByRefusal },
  liveGrantIsStored: { at: "step", check: liveGrantIsStored },
  deletedGrantIsRevoked: { at: "step", check: deletedGrantIsRevoked },
  noOldRefreshToken: { at: "step", check: underWay("noOldRefreshToken") },
  noneRevokedThatIsNeeded: { at: "step", check: underWay("noneRevokedThatIsNeeded") },
  endedRunBeginsNoEffect: { at: "step", check: underWay("endedRunBeginsNoEffect") },
  sealedValuesOpen: { at: "step", check: sealedValuesOpen },
  oneLogEntry: { at: "end", check: oneLogEntry },
  everythingEnds: { at: "end", check: everythingEnds },
};
