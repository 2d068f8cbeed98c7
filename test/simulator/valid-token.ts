// Whether a process has a token of a user that works, by its own clock.
import type { Checked } from "./invariants";
import type { SimulatedProcess } from "./simulated-process";

export function isTokenValid(
  { world, observer, operations }: Checked,
  { clock, life }: SimulatedProcess,
  user: string,
): boolean {
  const row = observer.connection(user);
  if (row?.status !== "active") return false;
  // The process has received newer tokens, which may not be stored yet.
  const grant = world.provider.grants.findLast((each) => each.user === user);
  const isNewest = grant?.received.get(life) === grant?.newest && grant?.revoked === false;
  const received = isNewest ? grant?.valid.get(life) : undefined;
  const isReplaced = operations.some(
    ({ step, endedAt = Infinity }) =>
      (step.kind === "consent" || step.kind === "browse") &&
      step.user === user &&
      endedAt >= (received?.at ?? 0),
  );
  const until = isReplaced ? 0 : (received?.until ?? 0);
  return Math.max(row.expires_at ?? 0, until) > clock.now();
}
