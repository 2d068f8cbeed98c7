// Effects on the platform: at most once, and only of what may run.
import { isOver, type Operation } from "../operation";
import type { Effect } from "../platform";
import type { Check, Checked, Violation } from "./checked";

/** How long Idempotency-Keys count, by the slowest clock. */
const KEY_MS = 10 * 60_000 * 0.97;

export const oneEffectPerCall: Check = ({ world }) => {
  const calls = new Set<string>();
  for (const { label, call } of world.platform.effects) {
    if (calls.has(call)) return `one call of a tool (${label}) had two effects`;
    calls.add(call);
  }
  return undefined;
};

export const oneEffectPerKey: Check = ({ world }) => {
  const latest = new Map<string, Effect>();
  for (const effect of world.platform.effects) {
    const { label, call, at } = effect;
    const before = latest.get(label);
    latest.set(label, effect);
    if (!label.startsWith("key ") || before === undefined || before.call === call) continue;
    if (at - before.at <= KEY_MS) return `two calls with ${label} had an effect, ${at - before.at} ms apart`;
  }
  return undefined;
};

export const oneEffectPerRun: Check = ({ world, work }) => {
  const first = new Map<string, string>();
  for (const { label, call } of world.platform.effects) {
    if (!work.runs.has(label)) continue;
    if (first.has(label) && first.get(label) !== call) return `two attempts of ${label} had an effect`;
    first.set(label, call);
  }
  return undefined;
};

export const liveRunNotGivenUp: Check = ({ world, work, observer }) => {
  for (const { label, process, life, since } of world.held) {
    const id = work.runs.get(label);
    if (id === undefined || !life.isAlive || isTroubled(process, since)) continue;
    if (observer.run(id)?.cut_off === 1) return `${label} was given up while ${process.name} ran it`;
  }
  return undefined;
};

export const liveCallNotLost: Check = ({ world, operations }) => {
  for (const { label, execution, endedAt, process } of operations) {
    if (endedAt === undefined || execution?.output?.error?.message.includes("was interrupted") !== true)
      continue;
    // Other repeats wait as well. Only the call itself sends requests.
    const first = [...world.held].find(
      (request) =>
        request.label === label &&
        request.life.isAlive &&
        !isTroubled(request.process, request.since) &&
        request.since < endedAt,
    );
    if (first !== undefined)
      return `a repeat of ${label} in ${process.name} was told that the first call, which ${first.process.name} still runs, was interrupted`;
  }
  return undefined;
};

export const deniedCallHasNoEffect: Check = ({ world }) => {
  const { denied } = world.hooks;
  const effect = world.platform.effects.find(({ label }) => !label.startsWith("key ") && denied.has(label));
  return effect && `${effect.label} had an effect although a hook had refused it`;
};

/** A process that was frozen, or could not write, since then. */
function isTroubled({ troubledAt, trouble }: Operation["process"], since: number): boolean {
  return troubledAt >= since || (trouble.fault !== undefined && trouble.fault !== "slow");
}

/** Looks at an effect as it begins. */
export function violationsOf(checked: Checked, effect: Effect): Violation[] {
  const rules = { endedRunBeginsNoEffect, removedAdmitsNothing, hooksApplyAtOnce };
  return Object.entries(rules).flatMap(([invariant, rule]) => {
    const detail = rule(checked, effect);
    return detail === undefined ? [] : [{ invariant, detail }];
  });
}

function endedRunBeginsNoEffect({ work, observer }: Checked, { label, process }: Effect): string | undefined {
  const id = work.runs.get(label);
  const run = id === undefined ? undefined : observer.run(id);
  if (run?.status !== "failed" && run?.status !== "completed") return undefined;
  return `${label} began its effect in ${process.name} when it was ${run.status}`;
}

/** A connection, project or API key that was removed before a call began admits no effect of it. */
function removedAdmitsNothing(checked: Checked, effect: Effect): string | undefined {
  if (checked.work.barred.has(effect.label))
    return `${effect.label} had an effect although the API key of its caller had been deleted before it began`;
  const calls = callsOf(checked, effect);
  if (calls.length === 0) return undefined;
  if (
    calls.every(
      (call) =>
        isOfRemovedProject(call) || isOfRemovedConnection(checked, call) || isOfRemovedKey(checked, call),
    )
  )
    return `${effect.label} had an effect although its connection, project or API key had been removed before`;
  return undefined;
}

function isOfRemovedProject({ principal, incarnation }: Operation): boolean {
  return principal !== undefined && principal.incarnation !== incarnation;
}

function isOfRemovedConnection({ operations }: Checked, { step, began }: Operation): boolean {
  if (step.kind !== "call" && step.kind !== "client") return false;
  const { user } = step;
  const deletion = operations.findLast(
    (other) =>
      other.step.kind === "delete" &&
      other.step.user === user &&
      other.error === undefined &&
      (other.ended ?? Infinity) < began,
  );
  if (deletion === undefined) return false;
  return operations.every((other) => {
    const isConsent = other.step.kind === "consent" || other.step.kind === "browse";
    return !isConsent || other.step.user !== user || (other.ended ?? Infinity) < deletion.began;
  });
}

function isOfRemovedKey({ operations }: Checked, { step, keyId, began }: Operation): boolean {
  if (step.kind !== "client") return false;
  return operations.some(
    (other) =>
      other.step.kind === "api key" &&
      other.keyId === keyId &&
      other.error === undefined &&
      (other.ended ?? Infinity) < began,
  );
}

/** A call that begins after hooks were switched on asks them. */
function hooksApplyAtOnce(checked: Checked, effect: Effect): string | undefined {
  const switches = checked.operations.filter(({ step }) => step.kind === "hooks");
  const isOnFor = ({ began }: Operation): boolean => {
    const before = switches.filter(({ ended }) => (ended ?? Infinity) < began);
    // Of switches at the same time either may be the last.
    const last = before.at(-1);
    return (
      last?.step.kind === "hooks" &&
      last.step.on &&
      last.error === undefined &&
      switches.every((other) => other === last || (other.ended ?? Infinity) < last.began)
    );
  };
  // Hooks are of the default project.
  const calls = callsOf(checked, effect).filter(({ step }) => step.kind === "call" || step.kind === "client");
  if (calls.length === 0 || checked.world.hooks.asked.has(effect.label) || !calls.every(isOnFor))
    return undefined;
  return `${effect.label} had an effect without the hooks, which had been switched on before`;
}

/** The calls that may have had the effect. Repeats of a key share it. */
function callsOf({ operations }: Checked, { label, process }: Effect): Operation[] {
  return operations.filter((each) => each.label === label && each.process === process && !isOver(each));
}
