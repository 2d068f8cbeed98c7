// Nothing waits for long: not for others, not for a clock, not for a damaged row. What cannot go on says so.
import { isUnavailable } from "../../../src/errors";
import { late } from "../../../src/store/postgres/failures";
import type { Check } from "./checked";

/** How long a call may take while its token is valid and the platform answers. */
const CALL_MS = 2000;
/** How long a write may take in a process without trouble of its own. */
const WRITE_MS = 15_000;
/** With a database server, a write that waits too long is refused. */
const LATE = late().message;
/** How long writes may fail before a process says that it is not healthy. */
const UNHEALTHY_MS = 6000;
/** How long it may take until a server that was taken for dead is announced again. */
const ANNOUNCED_AGAIN_MS = 70_000;

export const everythingEnds: Check = ({ operations, work, observer }) => {
  const open = operations.find(({ endedAt, life }) => endedAt === undefined && life.isAlive);
  if (open !== undefined) return `${open.label} in ${open.process.name} has not ended`;
  for (const [label, id] of work.runs) {
    const status = observer.run(id)?.status;
    if (status === "pending" || status === "running") return `${label} is still ${status}`;
  }
  return undefined;
};

/** While a token is valid, a call waits neither for the token endpoint nor for the write lock. */
export const validTokenNeverWaits: Check = ({ time, operations, world }) => {
  for (const { step, label, isTokenValid, life, process, since, endedAt } of operations) {
    if (step.kind !== "call" || step.key !== undefined || !isTokenValid || !life.isAlive) continue;
    const took = (endedAt ?? time.now) - since;
    if (took <= CALL_MS || process.delayedAt >= since) continue;
    if (world.held.labels.has(label) || world.platform.refused.has(label)) continue;
    return `${label} in ${process.name} took ${took} ms although its token was valid`;
  }
  return undefined;
};

export const writesDoNotWaitForOthers: Check = ({ time, operations }) => {
  for (const { step, label, life, process, since, endedAt, error } of operations) {
    if (step.kind !== "secret" || !life.isAlive || process.troubledAt >= since) continue;
    if (process.trouble.fault !== undefined) continue;
    const took = (endedAt ?? time.now) - since;
    if (took > WRITE_MS) return `${label} in ${process.name} took ${took} ms`;
    if (isUnavailable(error) && error.message === LATE)
      return `${label} in ${process.name} was refused: ${error.message}`;
  }
  return undefined;
};

export const healthTellsTheTruth: Check = ({ operations }) => {
  for (const { label, process, health, since } of operations) {
    if (health?.healthy !== true || health.failingSince === undefined) continue;
    const failing = since - health.failingSince;
    if (failing > UNHEALTHY_MS && process.trouble.failingSince === health.failingSince)
      return `${process.name} said in ${label} that it was healthy when its writes had failed for ${failing} ms`;
  }
  return undefined;
};

/** A server that could not run or write for long was taken for dead. It announces itself again soon after. */
export const serversAreAnnounced: Check = ({ time, processes, observer }) => {
  const announced = observer.announced();
  const missing = processes.find((process) => {
    const hadTrouble = process.trouble.fault !== undefined || process.isFrozen;
    const last = Math.max(process.delayedAt, process.troubledAt);
    const isExcused = hadTrouble || time.now - last < ANNOUNCED_AGAIN_MS;
    return process.isServing && !isExcused && !announced.includes(process.address);
  });
  return missing && `${missing.name} serves and is not announced`;
};
