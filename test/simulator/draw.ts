// Draws the steps of a seed: one by one, or as situations of several steps.
import { randomOf } from "../support/long";
import { HOOK_FATES, PLATFORM_FATES } from "./platform";
import { REVOCATION_FATES, TOKEN_FATES } from "./provider";
import { DATABASE_SITUATIONS } from "./postgres/situations";
import { STORE_FAULTS } from "./simulated-database";
import { any, type Draw, freeze, JUMPS, place, server, SITUATIONS } from "./situations";
import { type Action, type Engine, type Step, USERS } from "./steps";

const KEYS = 3;
const PASSES = [1000, 4000, 12_000, 20_000, 35_000, 70_000];
const RATES = [0.98, 0.995, 1, 1, 1.005, 1.02];

const ACTIONS: readonly [weight: number, draw: (draw: Draw) => Action | Action[]][] = [
  ...SITUATIONS,
  [14, (draw) => ({ kind: "call", ...place(draw), tool: draw.of(["Read", "Write"]) })],
  [12, (draw) => ({ kind: "call", ...place(draw), tool: "Write", key: draw.below(KEYS) })],
  [6, (draw) => ({ kind: "schedule", ...place(draw) })],
  [1, (draw) => ({ kind: "api key", process: any(draw), does: draw.of(["create", "delete"]) })],
  [2, (draw) => ({ kind: "client", ...place(draw), does: draw.of(["call", "call", "schedule"]) })],
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
  [5, (draw) => freeze(draw, any(draw))],
  [7, (draw) => ({ kind: "repair", process: any(draw) })],
  [7, (draw) => ({ kind: "thaw", process: any(draw) })],
  [2, (draw) => ({ kind: draw.of(["crash", "close"]), process: server(draw) })],
  [5, (draw) => ({ kind: "open", process: server(draw) })],
  [0.5, () => ({ kind: "power loss" })],
];

/** What can happen with each engine. */
const DRAWN: Readonly<Record<Engine, typeof ACTIONS>> = {
  sqlite: ACTIONS,
  postgres: [...DATABASE_SITUATIONS, ...ACTIONS],
};

/** The same steps for the same seed. A longer list begins with the shorter one. */
export function stepsOf(seed: number, count: number, engine: Engine = "sqlite"): Step[] {
  const actionsOfEngine = DRAWN[engine];
  const random = randomOf(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const of = <T>(values: readonly T[]): T => {
    const value = values[below(values.length)];
    if (value === undefined) throw new Error("nothing to draw from");
    return value;
  };
  const draw = { below, of };
  const actions: Action[] = [];
  while (actions.length < count) actions.push(...[action(actionsOfEngine, draw, random)].flat());
  return actions.slice(0, count).map((each, number) => ({ ...each, number }));
}

function action(drawn: typeof ACTIONS, draw: Draw, random: () => number): Action | Action[] {
  let left = random() * drawn.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, make] of drawn) {
    if (left < weight) return make(draw);
    left -= weight;
  }
  throw new Error("the weights do not add up");
}
