// What must hold whatever happens. Each invariant answers with the violation in words, or with nothing.
import type { Listener } from "../world";
import { isOver, type Operation } from "../operation";
import { type Check, type Checked, underWay } from "./checked";
import * as effects from "./effects";
import * as grants from "./grants";
import * as liveness from "./liveness";
import * as storage from "./storage";

export { type Checked, type History, newHistory, type Violation } from "./checked";

/** `at`: checked after every step, or only when everything has ended. */
export const INVARIANTS: Readonly<Record<string, { at: "step" | "end"; check: Check }>> = {
  acknowledgedWritesReadable: { at: "step", check: storage.acknowledgedWritesReadable },
  oneEffectPerCall: { at: "step", check: effects.oneEffectPerCall },
  oneEffectPerKey: { at: "step", check: effects.oneEffectPerKey },
  oneEffectPerRun: { at: "step", check: effects.oneEffectPerRun },
  liveRunNotGivenUp: { at: "step", check: effects.liveRunNotGivenUp },
  liveCallNotLost: { at: "step", check: effects.liveCallNotLost },
  deniedCallHasNoEffect: { at: "step", check: effects.deniedCallHasNoEffect },
  endedRunBeginsNoEffect: { at: "step", check: underWay("endedRunBeginsNoEffect") },
  removedAdmitsNothing: { at: "step", check: underWay("removedAdmitsNothing") },
  hooksApplyAtOnce: { at: "step", check: underWay("hooksApplyAtOnce") },
  expiresOnlyByRefusal: { at: "step", check: grants.expiresOnlyByRefusal },
  liveGrantIsStored: { at: "step", check: grants.liveGrantIsStored },
  everyGrantIsOwned: { at: "step", check: grants.everyGrantIsOwned },
  lostScopeStaysLost: { at: "step", check: grants.lostScopeStaysLost },
  noOldRefreshToken: { at: "step", check: underWay("noOldRefreshToken") },
  noneRevokedThatIsNeeded: { at: "step", check: underWay("noneRevokedThatIsNeeded") },
  revocationsEnd: { at: "end", check: grants.revocationsEnd },
  sealedValuesOpen: { at: "step", check: storage.sealedValuesOpen },
  sealedValuesNameKeys: { at: "step", check: storage.sealedValuesNameKeys },
  rootKeyIsReadable: { at: "step", check: storage.rootKeyIsReadable },
  serverStarts: { at: "step", check: underWay("serverStarts") },
  auditInOrder: { at: "step", check: storage.auditInOrder },
  projectsAreApart: { at: "step", check: storage.projectsAreApart },
  resultsAreRight: { at: "step", check: storage.resultsAreRight },
  logKeepsEntries: { at: "step", check: storage.logKeepsEntries },
  oneLogEntry: { at: "end", check: storage.oneLogEntry },
  walIsBounded: { at: "end", check: storage.walIsBounded },
  validTokenNeverWaits: { at: "step", check: liveness.validTokenNeverWaits },
  writesDoNotWaitForOthers: { at: "step", check: liveness.writesDoNotWaitForOthers },
  healthTellsTheTruth: { at: "step", check: liveness.healthTellsTheTruth },
  serversAreAnnounced: { at: "step", check: liveness.serversAreAnnounced },
  acknowledgedIsStored: { at: "step", check: underWay("acknowledgedIsStored") },
  refusedIsNotStored: { at: "step", check: underWay("refusedIsNotStored") },
  storedOnce: { at: "step", check: underWay("storedOnce") },
  failuresAreUnavailable: { at: "step", check: underWay("failuresAreUnavailable") },
  generationIsCurrent: { at: "step", check: underWay("generationIsCurrent") },
  oneWriter: { at: "step", check: underWay("oneWriter") },
  everythingEnds: { at: "end", check: liveness.everythingEnds },
};

/** Looks at the database after each write: a rotation may be in the middle of its work. */
export function wrote(checked: Checked): void {
  const isRotating = checked.operations.some((each) => isRootRotation(each) && !isOver(each));
  const detail = isRotating ? storage.unreadableRootKey(checked) : undefined;
  if (detail !== undefined) checked.history.found.push({ invariant: "rootKeyIsReadable", detail });
}

function isRootRotation({ step }: Operation): boolean {
  return step.kind === "rotate" && step.what === "root";
}

/** Looks at requests as they arrive in the world. */
export function watchers(checked: Checked): Listener {
  return {
    refreshes: (grant, pair, life) => grants.refreshes(checked, grant, pair, life),
    revokes: (grant) => grants.revokes(checked, grant),
    begins: (effect) => void checked.history.found.push(...effects.violationsOf(checked, effect)),
  };
}
