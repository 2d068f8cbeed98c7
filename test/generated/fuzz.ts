// Requests at random, each from a plan, against a whole deployment. Every answer must be one of the declared ones, show
// nothing of another project, and repeat no submitted text that may be a secret, in the answer or in the log.
import fc from "fast-check";
import { type ApiAnswer, type ApiCall, at } from "../support/api";
import { found } from "../support/canaries";
import { servedOperations } from "../support/described";
import { type Place, plant } from "./canary";
import { differenceOf } from "./read-back";
import { type Plan, plans, requestOf } from "./plans";
import { validRequest } from "./requests";
import { standing, sweep } from "./sweep";
import { startWorld, type World } from "./world";

export interface Figures {
  readonly requests: number;
  readonly succeeded: number;
  /** How many answers of each status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** How many operations there are. */
  readonly operations: number;
  /** Ids of those that never succeeded. */
  readonly neverSucceeded: readonly string[];
  readonly planted: number;
  /** How tool runs ended: `completed`, or the kind of their error. */
  readonly runs: Readonly<Record<string, number>>;
}

export interface Options {
  requests: number;
  seed: number;
}

/** No answer may take longer. */
const LONGEST_MS = 15_000;
const SWEEP_EVERY = 50;

/** Throws the smallest plan that it finds to break a rule, with its request and its answer. */
export async function fuzz({ requests, seed }: Options): Promise<Figures> {
  await using world = await startWorld();
  const stay = await standing(world);
  const counts = { requests: 0, succeeded: 0, planted: 0 };
  const statuses: { [status: number]: number } = {};
  const runs: { [end: string]: number } = {};
  const succeeded = new Set<string>();
  const property = fc.asyncProperty(plans, async (plan) => {
    const { answer, planted } = await run(world, plan);
    if (++counts.requests % SWEEP_EVERY === 0) await sweep(world, stay);
    if (planted) counts.planted++;
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    if (answer.status >= 300) return;
    counts.succeeded++;
    succeeded.add(plan.operation);
    if (plan.operation !== "tool-execute") return;
    const end = String(at(answer.body, "output.error.kind") ?? at(answer.body, "status"));
    runs[end] = (runs[end] ?? 0) + 1;
  });
  await fc.assert(property, { numRuns: requests, seed, timeout: LONGEST_MS });
  const neverSucceeded = servedOperations.map(({ id }) => id).filter((id) => !succeeded.has(id));
  return { ...counts, statuses, runs, operations: servedOperations.length, neverSucceeded };
}

async function run(world: World, plan: Plan): Promise<{ answer: ApiAnswer; planted: boolean }> {
  const operation = servedOperations.find(({ id }) => id === plan.operation);
  if (operation === undefined) throw new Error(`no operation ${plan.operation}`);
  const valid = await validRequest(world, world.own, operation);
  const canary = `c4nary${world.count()}x${crypto.randomUUID().slice(0, 8)}`;
  const { request, place } = plant(
    requestOf(plan, valid, world.credentials[plan.credential]),
    canary,
    plan.planted,
    plan.body === "valid" ? "secrets" : "any",
  );
  const logged = world.logLines.length;
  const answer = await world.send(request);
  const fault =
    faultOf(answer, place, canary, world.logLines.slice(logged).join("\n")) ??
    // Another path names another record, and the admin key reads what only the admin key writes.
    (Object.keys(plan.path).length > 0 || plan.credential !== "an admin key"
      ? undefined
      : await differenceOf(world, world.own, valid, answer));
  if (fault !== undefined) throw new Error(`${fault}\n${shown(request)}\n${answer.status} ${answer.text}`);
  return { answer, planted: place !== undefined };
}

function faultOf(
  { status, text }: ApiAnswer,
  place: Place | undefined,
  canary: string,
  log: string,
): string | undefined {
  if (status >= 500) return "the server failed";
  if (place === undefined) return undefined;
  // What was stored may be shown, unless it is a secret; what was refused is not said again.
  const silent = status >= 400 ? !place.name : place.secret;
  if (silent && found({ canary }, text).length > 0) return "the answer repeats a submitted value";
  if (place.secret && found({ canary }, log).length > 0) return "the log repeats a submitted secret";
  return undefined;
}

function shown({ method, path, body, raw, headers }: ApiCall): string {
  return `${method} ${path} ${JSON.stringify(headers)} ${String(raw ?? JSON.stringify(body))}`.slice(0, 3000);
}
