// Draws the steps of a seed. Some situations are too rare among steps that are drawn one by one, so they are drawn together.
import { randomOf } from "../support/long";
import { HOOK_FATES, PLATFORM_FATES } from "./platform";
import { REVOCATION_FATES, TOKEN_FATES } from "./provider";
import { STORE_FAULTS } from "./simulated-database";
import { type Action, SERVERS, type Step, TERMINAL, USERS, type Visit } from "./steps";

const KEYS = 3;
const PASSES = [1000, 4000, 12_000, 20_000, 35_000, 70_000];
const JUMPS = [-86_400_000, -600_000, -20_000, 20_000, 660_000, 8_640_000_000];
const RATES = [0.98, 0.995, 1, 1, 1.005, 1.02];
const VISITS: readonly Visit[] = ["write", "list", "schedule", "call"];

interface Draw {
  below(count: number): number;
  of<T>(values: readonly T[]): T;
}

const ACTIONS: readonly [weight: number, draw: (draw: Draw) => Action | Action[]][] = [
  [4, changeDuringRefresh],
  [2, narrowedDuringRefresh],
  [2, rotationsAtOnce],
  [2, projectAgain],
  [1, damagedProject],
  [0.3, manySecrets],
  [0.7, abandonedConsent],
  [14, (draw) => ({ kind: "call", ...place(draw), tool: draw.of(["Read", "Write"]) })],
  [12, (draw) => ({ kind: "call", ...place(draw), tool: "Write", key: draw.below(KEYS) })],
  [6, (draw) => ({ kind: "schedule", ...place(draw) })],
  [7, (draw) => ({ kind: "script", to: "token", fate: draw.of([...TOKEN_FATES, "hang", "hang_after"]) })],
  [9, (draw) => ({ kind: "script", to: "platform", fate: draw.of(PLATFORM_FATES) })],
  [2, (draw) => ({ kind: "script", to: "hooks", fate: draw.of(HOOK_FATES) })],
  [2, (draw) => ({ kind: "script", to: "revocation", fate: draw.of(REVOCATION_FATES) })],
  [8, () => ({ kind: "release" })],
  [16, (draw) => ({ kind: "pass", ms: draw.of(PASSES) })],
  [3, (draw) => ({ kind: "jump", process: server(draw), ms: draw.of(JUMPS) })],
  [2, (draw) => ({ kind: "drift", process: server(draw), rate: draw.of(RATES) })],
  [7, (draw) => ({ kind: "consent", ...place(draw), again: draw.below(3) === 0 })],
  [5, (draw) => ({ kind: "browse", ...place(draw), choice: draw.below(6) === 0 ? "decline" : "go" })],
  [1, (draw) => ({ kind: "delete", user: draw.of(USERS), process: any(draw) })],
  [1, (draw) => ({ kind: "end grant", user: draw.of(USERS) })],
  [4, (draw) => ({ kind: "secret", process: any(draw) })],
  [1, (draw) => ({ kind: "hooks", process: any(draw), on: draw.below(3) > 0 })],
  [1, (draw) => ({ kind: "rotate", process: any(draw), what: draw.of(["root", "data"]) })],
  [1, (draw) => ({ kind: "health", process: server(draw) })],
  [4, (draw) => ({ kind: "fault", process: any(draw), fault: draw.of(STORE_FAULTS) })],
  [5, (draw) => ({ kind: "freeze", process: any(draw), gates: draw.below(30) })],
  [7, (draw) => ({ kind: "repair", process: any(draw) })],
  [7, (draw) => ({ kind: "thaw", process: any(draw) })],
  [2, (draw) => ({ kind: draw.of(["crash", "close"]), process: server(draw) })],
  [5, (draw) => ({ kind: "open", process: server(draw) })],
  [0.5, () => ({ kind: "power loss" })],
];
const TOTAL = ACTIONS.reduce((sum, [weight]) => sum + weight, 0);

/** The same steps for the same seed. A longer list begins with the shorter one. */
export function stepsOf(seed: number, count: number): Step[] {
  const random = randomOf(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const of = <T>(values: readonly T[]): T => {
    const value = values[below(values.length)];
    if (value === undefined) throw new Error("nothing to draw from");
    return value;
  };
  const draw = { below, of };
  const actions: Action[] = [];
  while (actions.length < count) actions.push(...[action(draw, random)].flat());
  return actions.slice(0, count).map((each, number) => ({ ...each, number }));
}

function action(draw: Draw, random: () => number): Action | Action[] {
  let left = random() * TOTAL;
  for (const [weight, make] of ACTIONS) {
    if (left < weight) return make(draw);
    left -= weight;
  }
  throw new Error("the weights do not add up");
}

function server(draw: Draw): number {
  return draw.below(SERVERS);
}

/** A server or the terminal. */
function any(draw: Draw): number {
  return draw.below(SERVERS + 1);
}

function place(draw: Draw): { process: number; user: string } {
  return { process: server(draw), user: draw.of(USERS) };
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
  return [
    { kind: "freeze", process: first, gates: draw.below(30) },
    { kind: "rotate", process: first, what },
    { kind: "rotate", process: second, what },
    // The second one must see for some seconds that the first one does nothing.
    { kind: "pass", ms: draw.of([1000, 14_500]) },
    { kind: "freeze", process: second, gates: draw.below(30) },
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
    { kind: "freeze", process: slow, gates: draw.below(6) },
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
    { kind: "freeze", process: rotating, gates: 10 + draw.below(20) },
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
