// Grants: none is lost, none is left without an owner, none is ended that is needed.
import { isOver, type Operation } from "../operation";
import type { Grant } from "../provider";
import type { Life } from "../life";
import { type Check, type Checked, isAtRest } from "./checked";

export const expiresOnlyByRefusal: Check = async ({ world, observer }) => {
  for (const row of observer.connections()) {
    if (row.status !== "expired") continue;
    const token = await observer.refreshTokenOf(row);
    const own = token === undefined ? undefined : world.provider.find(token);
    if (own === undefined || own.grant.revoked || own.grant.refused.has(own.pair)) continue;
    return `the connection of ${row.user_id} expired, but its refresh token ${own.grant.name}-${own.pair} was never refused`;
  }
  return undefined;
};

/** The newest pair works, and a runtime that is still there has received it. */
function isHeld(grant: Grant): boolean {
  // Whoever is refused with the newest pair may take the grant for dead.
  if (grant.revoked || grant.refused.has(grant.newest)) return false;
  return [...grant.received].some(([life, pair]) => life.isAlive && pair === grant.newest);
}

export const liveGrantIsStored: Check = async (checked) => {
  if (!isAtRest(checked)) return undefined;
  const { world, observer } = checked;
  for (const grant of world.provider.grants.filter(isHeld)) {
    if (!grant.isAcknowledged || grant.superseded || !isLastConnected(checked, grant.user)) continue;
    const row = observer.connection(grant.user);
    const token = row === undefined ? undefined : await observer.refreshTokenOf(row);
    const stored = token === undefined ? undefined : world.provider.find(token)?.grant;
    if (stored !== undefined && isLater(checked, stored, grant)) continue;
    if (row?.status !== "active" || token !== `refresh-of-${grant.name}-${grant.newest}`)
      return `${grant.name}-${grant.newest} works and was received, but the connection of ${grant.user} is ${row?.status ?? "gone"} with ${token}`;
  }
  return undefined;
};

function isLater({ world }: Checked, grant: Grant, other: Grant): boolean {
  const { grants } = world.provider;
  return grants.indexOf(grant) > grants.indexOf(other);
}

/** The last change of the user's connection was a consent that connected, as far as anybody can tell. */
function isLastConnected({ operations }: Checked, user: string): boolean {
  const changes = operations.filter((each) => mayChange(each, user));
  const end = ({ ended }: Operation): number => ended ?? Infinity;
  const last = changes.toSorted((a, b) => end(a) - end(b)).at(-1);
  if (last === undefined) return true;
  const isAlone = changes.every((other) => other === last || end(other) < last.began);
  return isAlone && last.isConnected === true;
}

/** Most requests of a browser change nothing. One that failed may have. */
function mayChange({ step, isConnected }: Operation, user: string): boolean {
  if (step.kind === "browse") return step.user === user && isConnected !== false;
  return (step.kind === "consent" || step.kind === "delete") && step.user === user;
}

export const everyGrantIsOwned: Check = async (checked) => {
  const { world, observer, history } = checked;
  const held = world.provider.grants.filter(isHeld);
  for (const grant of held) if (await isReplaced(checked, grant)) history.replaced.add(grant);
  if (!isAtRest(checked)) return undefined;
  if (held.length === 0) return undefined;
  const [pending, toRevoke] = [await observer.heldTokens(), await observer.tokensToRevoke()];
  for (const grant of held) {
    const row = observer.connection(grant.user);
    const stored = row === undefined ? undefined : await observer.refreshTokenOf(row);
    const token = `refresh-of-${grant.name}-${grant.newest}`;
    if (stored === token) continue;
    if (grant.superseded || history.replaced.has(grant)) continue;
    if (pending.includes(token) || toRevoke.includes(token)) continue;
    return `${grant.name}-${grant.newest} works and was received, and is neither stored nor pending nor to be revoked`;
  }
  return undefined;
};

/** A revocation would end the grant of the connection as well, which is of the same account. */
async function isReplaced({ world, observer }: Checked, grant: Grant): Promise<boolean> {
  const row = observer.connection(grant.user);
  if (row?.status !== "active") return false;
  const token = await observer.refreshTokenOf(row);
  return token === undefined || world.provider.find(token)?.grant !== grant;
}

export const revocationsEnd: Check = async ({ world, observer }) => {
  for (const token of await observer.tokensToRevoke()) {
    const found = world.provider.find(token);
    if (found === undefined || found.grant.revoked || found.pair !== found.grant.newest) continue;
    const { user } = found.grant;
    if (observer.connection(user)?.status === "active" || observer.isConsenting(user)) continue;
    return `${token} was to be revoked, and still works`;
  }
  return undefined;
};

/** A scope that was lost stays lost until a consent, or a refresh that began afterwards. */
export const lostScopeStaysLost: Check = async ({ world, observer, operations, history }) => {
  for (const row of observer.connections()) {
    const { user_id: user } = row;
    const hasScope = JSON.parse(row.scopes).includes("b");
    const lost = history.narrowed.get(user);
    if (!hasScope) {
      const last = world.platform.narrowed.findLast((each) => each.user === user);
      const consents = new Set(consentsOf(operations, user).filter(isOver));
      if (last !== undefined) history.narrowed.set(user, { after: last.after, consents });
    } else if (lost !== undefined) {
      history.narrowed.delete(user);
      if (consentsOf(operations, user).some((each) => !lost.consents.has(each))) continue;
      const token = await observer.refreshTokenOf(row);
      const own = token === undefined ? undefined : world.provider.find(token);
      if (own === undefined || (own.grant.requested[own.pair] ?? Infinity) > lost.after) continue;
      return `the connection of ${user} has the scope b again, which it had lost after ${own.grant.name}-${own.pair} was requested`;
    }
  }
  return undefined;
};

function consentsOf(operations: readonly Operation[], user: string): Operation[] {
  return operations.filter(
    ({ step }) => (step.kind === "consent" || step.kind === "browse") && step.user === user,
  );
}

/** Called when a refresh token arrives at the provider. */
export async function refreshes(
  { world, observer, history }: Checked,
  grant: Grant,
  pair: number,
  life: Life,
): Promise<void> {
  const row = observer.connection(grant.user);
  const token = row === undefined ? undefined : await observer.refreshTokenOf(row);
  const stored = token === undefined ? undefined : world.provider.find(token);
  const newestStored = stored?.grant === grant ? stored.pair : -1;
  const newest = Math.max(newestStored, grant.received.get(life) ?? -1);
  if (pair >= newest) return;
  const detail = `refresh token ${grant.name}-${pair} was sent after ${grant.name}-${newest} had been received`;
  history.found.push({ invariant: "noOldRefreshToken", detail });
}

/** Called when the provider revokes a grant. */
export async function revokes({ world, observer, history }: Checked, grant: Grant): Promise<void> {
  const row = observer.connection(grant.user);
  if (row?.status !== "active") return;
  const token = await observer.refreshTokenOf(row);
  if (token === undefined || world.provider.find(token)?.grant !== grant) return;
  history.found.push({
    invariant: "noneRevokedThatIsNeeded",
    detail: `grant ${grant.name} was revoked while the connection of ${grant.user} used it`,
  });
}
