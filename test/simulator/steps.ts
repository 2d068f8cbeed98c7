// The steps of a simulation: plain data, drawn from a seed, that can be printed and left out one by one.
import { randomOf } from "../support/long";
import type { StoreFault } from "./simulated-process";
import { type Fate, PLATFORM_FATES, TOKEN_FATES } from "./world";

export type Action =
  /** A call of a tool; `key`: the number of its Idempotency-Key. */
  | { kind: "call"; process: number; user: string; tool: "Read" | "Write"; key?: number }
  | { kind: "schedule"; process: number; user: string }
  | { kind: "script"; to: "token" | "platform"; fate: Fate }
  | { kind: "release" }
  | { kind: "pass"; ms: number }
  | { kind: "jump"; process: number; ms: number }
  | { kind: "consent"; process: number; user: string; again: boolean }
  | { kind: "delete"; process: number; user: string }
  | { kind: "secret"; process: number }
  | { kind: "fault"; process: number; fault: StoreFault }
  | { kind: "freeze"; process: number; gates: number }
  | { kind: "repair" | "thaw" | "crash" | "close" | "open"; process: number };

/** `number` stays the same when other steps are left out. */
export type Step = Action & { readonly number: number };

export const PROCESSES = 3;
export const USERS = ["ann", "ben"] as const;
const KEYS = 3;
const PASSES = [1000, 4000, 12_000, 20_000, 35_000, 70_000];
const JUMPS = [-86_400_000, -600_000, -20_000, 20_000, 660_000, 8_640_000_000];

type Draw = { below(count: number): number; of<T>(values: readonly T[]): T };

const ACTIONS: readonly [weight: number, draw: (draw: Draw) => Action | Action[]][] = [
  [4, duringRefresh],
  [14, (draw) => ({ ...place(draw), kind: "call", tool: draw.of(["Read", "Write"]) })],
  [12, (draw) => ({ ...place(draw), kind: "call", tool: "Write", key: draw.below(KEYS) })],
  [6, (draw) => ({ ...place(draw), kind: "schedule" })],
  [9, (draw) => ({ kind: "script", to: "token", fate: draw.of(TOKEN_FATES) })],
  [9, (draw) => ({ kind: "script", to: "platform", fate: draw.of(PLATFORM_FATES) })],
  [8, () => ({ kind: "release" })],
  [16, (draw) => ({ kind: "pass", ms: draw.of(PASSES) })],
  [3, (draw) => ({ kind: "jump", process: draw.below(PROCESSES), ms: draw.of(JUMPS) })],
  [6, (draw) => ({ ...place(draw), kind: "consent", again: draw.below(3) === 0 })],
  [2, (draw) => ({ ...place(draw), kind: "delete" })],
  [4, (draw) => ({ kind: "secret", process: draw.below(PROCESSES) })],
  [4, (draw) => ({ kind: "fault", process: draw.below(PROCESSES), fault: draw.of(["full", "locked"]) })],
  [5, (draw) => ({ kind: "freeze", process: draw.below(PROCESSES), gates: draw.below(30) })],
  [7, (draw) => ({ kind: "repair", process: draw.below(PROCESSES) })],
  [7, (draw) => ({ kind: "thaw", process: draw.below(PROCESSES) })],
  [2, (draw) => ({ kind: draw.of(["crash", "close"]), process: draw.below(PROCESSES) })],
  [5, (draw) => ({ kind: "open", process: draw.below(PROCESSES) })],
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
  const consents = USERS.map((user): Action => ({ kind: "consent", process: 0, user, again: false }));
  const actions = [...consents];
  while (actions.length < count) actions.push(...[action(draw)].flat());
  return actions.slice(0, count).map((each, number) => ({ ...each, number }));
}

/** A refresh that is held while the connection changes: too rare among steps that are drawn one by one. */
function duringRefresh(draw: Draw): Action[] {
  const { process, user } = place(draw);
  const other = place(draw).process;
  const changes: Action[] = [
    { kind: "delete", process: other, user },
    { kind: "consent", process: other, user, again: true },
    { kind: "consent", process: other, user, again: false },
  ];
  return [
    { kind: "pass", ms: 35_000 },
    { kind: "script", to: "token", fate: draw.of(["hang", "hang_after"]) },
    { kind: "call", process, user, tool: "Read" },
    draw.of(changes),
    { kind: "release" },
  ];
}

function action(draw: Draw): Action | Action[] {
  let left = draw.below(TOTAL);
  for (const [weight, make] of ACTIONS) {
    if (left < weight) return make(draw);
    left -= weight;
  }
  throw new Error("the weights do not add up");
}

function place(draw: Draw): { process: number; user: string } {
  return { process: draw.below(PROCESSES), user: draw.of(USERS) };
}

/** A step in words. */
export function sentenceOf({ number, ...step }: Step): string {
  const { kind, ...rest } = step;
  const details = Object.entries(rest).map(([name, value]) =>
    name === "process" ? `P${String(value)}` : `${name} ${String(value)}`,
  );
  return `${String(number).padStart(4)}  ${kind} ${details.join(", ")}`.trimEnd();
}
