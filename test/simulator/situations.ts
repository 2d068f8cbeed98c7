// Situations that are too rare among steps that are drawn one by one: several steps that belong together.
import { STORE_FAULTS } from "./simulated-database";
import { type Action, SERVERS, TERMINAL, USERS, type Visit } from "./steps";

export const VISITS: readonly Visit[] = ["write", "list", "schedule", "call"];
export const JUMPS = [-86_400_000, -600_000, -20_000, 20_000, 660_000, 8_640_000_000];

export interface Draw {
  below(count: number): number;
  of<T>(values: readonly T[]): T;
}

export type Situation = (draw: Draw) => Action[];

export function server(draw: Draw): number {
  return draw.below(SERVERS);
}

/** A server or the terminal. */
export function any(draw: Draw): number {
  return draw.below(SERVERS + 1);
}

export function place(draw: Draw): { process: number; user: string } {
  return { process: server(draw), user: draw.of(USERS) };
}

/** The process stops somewhere soon. */
export function freeze(draw: Draw, process: number): Action {
  const at = draw.of(["any", "any", "before a write", "after a write"] as const);
  return { kind: "freeze", process, at, gates: draw.below(at === "any" ? 30 : 6) };
}

/** A refresh that is held while the connection changes. */
function changeDuringRefresh(draw: Draw): Action[] {
  const { process, user } = place(draw);
  const changes: Action[] = [
    { kind: "delete", process: any(draw), user },
    { kind: "consent", process: server(draw), user, again: true },
    { kind: "consent", process: server(draw), user, again: false },
    { kind: "rotate", process: any(draw), what: "data" },
  ];
  return [
    { kind: "pass", ms: 35_000 },
    { kind: "script", to: "token", fate: draw.of(["hang", "hang_after"]) },
    { kind: "call", process, user, tool: "Read" },
    draw.of(changes),
    { kind: "release" },
  ];
}

/** A refresh that is held while the platform says that a scope is lost. */
function narrowedDuringRefresh(draw: Draw): Action[] {
  const { process, user } = place(draw);
  return [
    { kind: "pass", ms: 35_000 },
    { kind: "script", to: "token", fate: draw.of(["hang", "hang_after"]) },
    { kind: "call", process, user, tool: "Read" },
    { kind: "script", to: "platform", fate: "narrow" },
    { kind: "call", process: server(draw), user, tool: "Read" },
    { kind: "release" },
  ];
}

/** A rotation that is frozen for longer than its lease while another one runs. */
function rotationsAtOnce(draw: Draw): Action[] {
  const what = draw.of(["root", "root", "data"] as const);
  const [first, second] = [TERMINAL, server(draw)];
  const isAtWrite = draw.below(3) > 0;
  return [
    isAtWrite
      ? { kind: "freeze", process: first, at: "after a write", gates: draw.below(2) }
      : freeze(draw, first),
    { kind: "rotate", process: first, what },
    { kind: "rotate", process: second, what },
    // The second one must see for some seconds that the first one does nothing.
    { kind: "pass", ms: draw.of([1000, 14_500, 14_500]) },
    isAtWrite
      ? { kind: "freeze", process: second, at: "before a write", gates: draw.below(5) }
      : freeze(draw, second),
    { kind: "pass", ms: 4000 },
    { kind: "thaw", process: first },
    { kind: draw.of(["thaw", "thaw", "crash"] as const), process: second },
    { kind: "open", process: second },
  ];
}

/** The second project is deleted and created again while callers of the earlier one are under way. */
function projectAgain(draw: Draw): Action[] {
  const slow = server(draw);
  const visit = (isLate: boolean): Action => ({
    kind: "visit",
    process: server(draw),
    does: draw.of(VISITS),
    isLate,
  });
  return [
    { kind: "project", process: any(draw), does: "create" },
    visit(false),
    { kind: "freeze", process: slow, at: "any", gates: draw.below(6) },
    { kind: "visit", process: slow, does: draw.of(VISITS), isLate: false },
    { kind: "project", process: (slow + 1) % SERVERS, does: "delete" },
    { kind: "project", process: (slow + 2) % SERVERS, does: "create" },
    { kind: "thaw", process: slow },
    visit(true),
    visit(false),
    { kind: "visit", process: server(draw), does: "list", isLate: false },
  ];
}

/** The data key of the second project is damaged while its runs are due. */
function damagedProject(draw: Draw): Action[] {
  const process = server(draw);
  const run: Action = { kind: "visit", process, does: "schedule", isLate: false };
  return [
    { kind: "project", process: TERMINAL, does: "create" },
    { kind: "script", to: "platform", fate: "hang" },
    run,
    { kind: "pass", ms: 1000 },
    run,
    { kind: "damage" },
    ...(draw.below(2) === 0 ? [{ kind: "crash", process } as const] : []),
    { kind: "release" },
    { kind: "open", process },
  ];
}

/** A rotation of a data key while the values that it seals again are deleted. */
function manySecrets(draw: Draw): Action[] {
  const [rotating, other] = [TERMINAL, server(draw)];
  return [
    { kind: "project", process: other, does: "create" },
    { kind: "secrets", process: other, does: "store" },
    { kind: "freeze", process: rotating, at: "before a write", gates: draw.below(3) },
    { kind: "rotate", process: rotating, what: "data of the second project" },
    { kind: "secrets", process: other, does: "delete" },
    { kind: "thaw", process: rotating },
  ];
}

/** A user who is not sure about a consent, or does not come back. */
function abandonedConsent(draw: Draw): Action[] {
  const { user } = place(draw);
  const browse = (choice: "go" | "decline"): Action => ({
    kind: "browse",
    process: server(draw),
    user,
    choice,
  });
  return [
    { kind: "delete", process: server(draw), user },
    browse("go"),
    browse("go"),
    browse("go"),
    draw.of<Action>([browse("decline"), browse("go"), { kind: "pass", ms: 70_000 }]),
  ];
}

/** New tokens arrive when the database fails. */
function tokensUnderFault(draw: Draw): Action[] {
  const { process, user } = place(draw);
  return [
    { kind: "pass", ms: draw.of([35_000, 70_000]) },
    { kind: "script", to: "token", fate: "hang_after" },
    { kind: "call", process, user, tool: "Read" },
    { kind: "fault", process, fault: draw.of(STORE_FAULTS) },
    { kind: "release" },
    { kind: "call", process, user, tool: "Read" },
    { kind: "pass", ms: draw.of([1000, 4000, 35_000]) },
    { kind: "repair", process },
    { kind: "pass", ms: 20_000 },
  ];
}

/** A process is frozen with new tokens while another one refreshes. */
function tokensAfterFreeze(draw: Draw): Action[] {
  const { process, user } = place(draw);
  return [
    { kind: "pass", ms: 70_000 },
    freeze(draw, process),
    { kind: "call", process, user, tool: "Read" },
    { kind: "pass", ms: 70_000 },
    { kind: "call", process: (process + 1) % SERVERS, user, tool: "Read" },
    { kind: "pass", ms: 20_000 },
    { kind: "thaw", process },
    { kind: "pass", ms: 4000 },
  ];
}

/** The effect of a call or a run has begun, and its end cannot be stored. */
function endUnderFault(draw: Draw): Action[] {
  const { process, user } = place(draw);
  const call: Action = { kind: "call", process, user, tool: "Write", key: draw.below(3) };
  const isCall = draw.below(2) === 0;
  return [
    { kind: "script", to: "platform", fate: draw.of(["hang", "hang", "refuse_after"]) },
    isCall ? call : { kind: "schedule", process, user },
    { kind: "pass", ms: 1000 },
    { kind: "fault", process, fault: draw.of(STORE_FAULTS) },
    { kind: "release" },
    { kind: "pass", ms: draw.of([1000, 12_000, 35_000]) },
    ...(draw.below(3) === 0 ? [{ ...call, process: server(draw) }] : []),
    { kind: "repair", process },
    { kind: "pass", ms: 12_000 },
    ...(isCall ? [{ ...call, process: server(draw) }] : []),
  ];
}

/** A clock is set while a call or a run is under way, and perhaps set back. */
function jumpDuringRun(draw: Draw): Action[] {
  const { process, user } = place(draw);
  const [jumped, ms] = [draw.of([process, server(draw)]), draw.of(JUMPS)];
  const call: Action = { kind: "call", process, user, tool: "Write", key: draw.below(3) };
  const isCall = draw.below(2) === 0;
  return [
    { kind: "script", to: "platform", fate: "hang" },
    isCall ? call : { kind: "schedule", process, user },
    { kind: "pass", ms: draw.of([1000, 4000]) },
    { kind: "jump", process: jumped, ms },
    ...(isCall ? [{ ...call, process: server(draw) }] : []),
    { kind: "pass", ms: draw.of([4000, 12_000]) },
    ...(draw.below(2) === 0 ? [{ kind: "crash", process } as const] : []),
    ...(draw.below(2) === 0 ? [{ kind: "jump", process: jumped, ms: -ms } as const] : []),
    { kind: "release" },
    ...(isCall ? [{ ...call, process: server(draw) }] : []),
    { kind: "open", process },
  ];
}

/** The holder of a run is frozen until others have given it up. */
function frozenRun(draw: Draw): Action[] {
  const { process, user } = place(draw);
  return [
    { kind: "schedule", process, user },
    freeze(draw, process),
    { kind: "pass", ms: 35_000 },
    { kind: "thaw", process },
    { kind: "pass", ms: 4000 },
  ];
}

/** Writes fail for a while, and the process is asked how it is. */
function healthUnderFault(draw: Draw): Action[] {
  const process = server(draw);
  return [
    { kind: "fault", process, fault: draw.of(["locked", "full", "refused"]) },
    { kind: "secret", process },
    { kind: "pass", ms: 12_000 },
    { kind: "health", process },
    { kind: "pass", ms: 1000 },
    { kind: "repair", process },
  ];
}

/** A slow revocation, and a consent meanwhile. */
function slowRevocation(draw: Draw): Action[] {
  const { user } = place(draw);
  return [
    { kind: "script", to: "revocation", fate: draw.of(["hang", "hang", "error500"]) },
    { kind: "delete", process: server(draw), user },
    { kind: "consent", process: server(draw), user, again: false },
    { kind: "release" },
    { kind: "pass", ms: 12_000 },
  ];
}

/** An API key is deleted while its client calls, or before its runs are due. */
function deletedKey(draw: Draw): Action[] {
  const { process, user } = place(draw);
  const client = (does: "call" | "schedule"): Action => ({ kind: "client", process, user, does });
  const other = (process + 1) % SERVERS;
  return [
    { kind: "api key", process: other, does: "create" },
    client("call"),
    freeze(draw, process),
    client(draw.of(["call", "schedule"] as const)),
    { kind: "api key", process: other, does: "delete" },
    { kind: "thaw", process },
    client(draw.of(["call", "schedule"] as const)),
    { kind: "pass", ms: 4000 },
  ];
}

/** Situations with the weight of each. */
export const SITUATIONS: readonly [weight: number, draw: Situation][] = [
  [4, changeDuringRefresh],
  [1.5, narrowedDuringRefresh],
  [1.5, rotationsAtOnce],
  [1.5, projectAgain],
  [1, damagedProject],
  [0.3, manySecrets],
  [0.7, abandonedConsent],
  [1.5, tokensUnderFault],
  [1, tokensAfterFreeze],
  [1.5, endUnderFault],
  [1.5, jumpDuringRun],
  [1.5, frozenRun],
  [0.5, healthUnderFault],
  [0.7, slowRevocation],
  [0.7, deletedKey],
];
