// Runs interleavings at random, each from its own seed, one after the other in one deployment, and counts what the
// platforms saw.
import { randomOf } from "../../support/long";
import { type Actions, type Actor, consent, execute, type Front, once, remove, type Served } from "./actors";
import { OWNERS, STRANGERS } from "./owners";
import { startWorld, type World } from "./world";

export interface Figures {
  readonly interleavings: number;
  readonly steps: number;
  readonly platformCalls: number;
  /** Calls that bore the token of anybody but the one they were for. */
  readonly foreign: number;
  readonly served: number;
  readonly refreshes: number;
  /** Commands of the terminal front in this process, and as processes of their own. */
  readonly commands: number;
  readonly processes: number;
  /** Every fault, with the seed of its interleaving and the step. The first fifty. */
  readonly faults: readonly string[];
}

export interface Options {
  readonly interleavings: number;
  readonly seed: number;
  /** Share of the calls that the terminal makes. */
  readonly terminalShare: number;
  /** In every so manieth interleaving three more calls come from processes of their own. */
  readonly processesEvery: number;
  /** The URL of an empty PostgreSQL database; absent: SQLite. */
  readonly database?: string;
  /** Which the requests go to in turn; default 1. */
  readonly servers?: number;
}

type Draw = (limit: number) => number;

/** The sentence that is printed. */
export function sentenceOf(figures: Figures): string {
  const { interleavings, platformCalls, foreign, steps, served, refreshes, commands, processes } = figures;
  return (
    `${interleavings} interleavings, ${platformCalls} platform calls, ${foreign} foreign tokens ` +
    `(${steps} steps, ${commands} commands, ${processes} processes, ${served} served, ${refreshes} refreshes)\n`
  );
}

export async function interleave(options: Options): Promise<Figures> {
  const { interleavings, seed, terminalShare, processesEvery } = options;
  await using world = await startWorld(options);
  const faults: string[] = [];
  const counted = { steps: 0, served: 0, commands: 0, processes: 0, foreign: 0 };
  let seen = 0;
  for (let index = 0; index < interleavings; index++) {
    // A platform allows a connection so many calls a minute. Thousands of interleavings happen in one: without this,
    // a connection that outlives some of them is refused for the calls that earlier ones made.
    world.passMinute();
    const random = randomOf(seed + index);
    const draw: Draw = (limit) => Math.floor(random() * limit);
    let step = 0;
    const fault = (words: string): void => {
      if (faults.length < 50) faults.push(`seed ${seed + index}, step ${step}: ${words}`);
    };
    const story = newStory({ world, granted: await world.granted() }, draw, {
      fault,
      terminalShare,
      counted,
      processes: index % processesEvery === processesEvery - 1 ? 3 : 0,
    });
    while (story.actors.length > 0) {
      step++;
      const together = picked(story.actors, draw);
      const ends = await Promise.all(together.map((actor) => actor.next()));
      counted.steps += together.length;
      const over = together.filter((_, at) => ends[at]?.done === true);
      story.actors = story.actors.filter((actor) => !over.includes(actor));
      for (const { what, named, bearer } of world.platforms.calls.slice(seen)) {
        if (named === bearer || bearer === "nobody") continue;
        counted.foreign++;
        fault(`${what} for ${named} bore the token of ${bearer}`);
      }
      seen = world.platforms.calls.length;
    }
  }
  const { refreshes, calls } = world.platforms;
  return { interleavings, platformCalls: calls.length, refreshes, faults, ...counted };
}

/** Between one and three actors, whose next steps happen at once. */
function picked(actors: readonly Actor[], draw: Draw): Actor[] {
  const rest = [...actors];
  const count = Math.min(rest.length, 1 + draw(3));
  return Array.from({ length: count }, () => rest.splice(draw(rest.length), 1)).flat();
}

interface StoryParts {
  readonly fault: (words: string) => void;
  readonly terminalShare: number;
  readonly counted: { served: number; commands: number; processes: number };
  /** How many calls come from processes of their own. */
  readonly processes: number;
}

/** Three to eight actors over two or three owners, so that they meet. */
function newStory(
  { world, granted }: { world: World; granted: ReadonlySet<string> },
  draw: Draw,
  parts: StoryParts,
): { actors: Actor[] } {
  const { fault, terminalShare, counted, processes } = parts;
  const owners = Array.from({ length: 2 + draw(2) }, () => oneOf(OWNERS, draw));
  const touched = new Map<string, Served>();
  const ended = new Set<string>();
  const actions: Actions = {
    fault,
    served: () => void counted.served++,
    mayBeGranted: ({ name }) => {
      if (!granted.has(name)) touched.set(name, "may");
    },
    expected: ({ name }) => touched.get(name) ?? (granted.has(name) ? "must" : "never"),
  };
  const front = (): Front => {
    if (draw(1000) >= terminalShare * 1000) return "http";
    counted.commands++;
    return "terminal";
  };
  const newActor = (): Actor => {
    const owner = oneOf(owners, draw);
    const what = draw(20);
    if (what < 6) {
      const other = oneOf(OWNERS, draw);
      const foreign = draw(3) === 0 && other.name !== owner.name ? other : undefined;
      return consent(world, actions, owner, { front: front(), foreign, twice: draw(4) === 0 });
    }
    if (what < 14) {
      const how = { front: front(), telling: draw(2) === 0 };
      return once(() => execute(world, actions, owner, how));
    }
    if (what === 14) {
      const stranger = oneOf(STRANGERS, draw);
      const how = { front: front(), telling: false };
      return once(() => execute(world, actions, stranger, how));
    }
    if (what === 15) {
      if (granted.has(owner.name)) touched.set(owner.name, "may");
      return remove(world, actions, owner, { front: front() });
    }
    if (what < 19) return once(() => world.expireStored(owner));
    // Twice in one story may end the very token that the first end has brought: then a call may fail.
    if (ended.has(owner.name) && granted.has(owner.name)) touched.set(owner.name, "may");
    ended.add(owner.name);
    return once(() => world.platforms.expire(owner));
  };
  const actors = Array.from({ length: 3 + draw(6) }, newActor);
  for (let index = 0; index < processes; index++) {
    counted.processes++;
    const owner = oneOf(index === 0 ? STRANGERS : owners, draw);
    actors.push(once(() => execute(world, actions, owner, { front: "process", telling: index === 1 })));
  }
  return { actors };
}

function oneOf<T>(values: readonly T[], draw: Draw): T {
  const value = values[draw(values.length)];
  if (value === undefined) throw new Error("nothing to choose from");
  return value;
}
