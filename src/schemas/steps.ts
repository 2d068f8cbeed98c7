// What checking one value against one schema costs, not counting the schemas inside. Roughly: a step is one comparison.
import { isObject } from "../base";
import { judgedPattern } from "./pattern";
import type { Node } from "./references";

/** The input has too many parts, or the schema too many alternatives for them. */
export class TooComplex extends Error {}

/** Steps that are left. Nothing else runs during a check, so one for all of them is enough. */
export class Steps {
  #left: number;
  #hasUntested = false;

  constructor(most = 0) {
    this.#left = most;
  }

  start(most: number): void {
    this.#left = most;
    this.#hasUntested = false;
  }

  /** Whether a text was too long for a pattern since the start. */
  get hasUntested(): boolean {
    return this.#hasUntested;
  }

  leaveUntested(): true {
    this.#hasUntested = true;
    return this.spend(1);
  }

  /** Throws `TooComplex` if too few are left. */
  spend(steps: number): true {
    this.#left -= steps;
    if (this.#left < 0) throw new TooComplex("The check takes too many steps.");
    return true;
  }
}

const FOR_EACH_ENTRY = [
  "items",
  "additionalItems",
  "contains",
  "additionalProperties",
  "patternProperties",
  "propertyNames",
  "unevaluatedItems",
  "unevaluatedProperties",
];
/** Patterns of names are tested against names up to this length. */
export const LONGEST_NAME = 1000;
const FOR_EACH_CHARACTER = ["pattern", "minLength", "maxLength"];
const CHARACTERS_A_STEP = 50;
/** Steps of the engine of patterns that count as one of a check. */
export const ENGINE_STEPS_A_STEP = 250;
/** Entries that must differ are compared by hashes of all that is in them. */
const STEPS_A_HASH = 100;

const STEPS_A_COMPOUND = 5;

/** The cost of a value for this schema. Throws `TooComplex` for one that is too large to be counted. */
export function costFunction(schema: Node): (value: unknown, steps: Steps) => void {
  const fixed = fixedCost(schema);
  const each = FOR_EACH_ENTRY.some((keyword) => keyword in schema) ? 2 + membersOf(schema) : 0;
  const characters = FOR_EACH_CHARACTER.some((keyword) => keyword in schema);
  const hasPatterns = isObject(schema["patternProperties"]);
  const costOfName = namePatternCost(schema);
  const hasCompounds = hasCompoundValues(schema);
  const whole = schema["uniqueItems"] === true || hasCompounds;
  return (value, steps) => {
    steps.spend(hasCompounds ? STEPS_A_COMPOUND * fixed : fixed);
    if (typeof value === "string") {
      if (characters) steps.spend(value.length / CHARACTERS_A_STEP);
    } else if (each > 0 && typeof value === "object" && value !== null) {
      steps.spend(each * (Array.isArray(value) ? value.length : Object.keys(value).length));
      if (hasPatterns) spendNames(value, costOfName, steps);
    }
    if (whole) spendAll(value, steps);
  };
}

function spendNames(value: object, costOfName: (length: number) => number, steps: Steps): void {
  for (const name of Object.keys(value)) {
    if (name.length > LONGEST_NAME) throw new TooComplex("A name is too long for the patterns of names.");
    steps.spend(costOfName(name.length));
  }
}

/** Of the tests of a name of a length by all patterns: by each, and by all as one, which tells what is additional. */
function namePatternCost({ patternProperties }: Node): (length: number) => number {
  const patterns = Object.keys(Object(patternProperties)).map(judgedPattern);
  const known = new Map<number, number>();
  return (length) => {
    const cost = known.get(length) ?? patterns.reduce((sum, each) => sum + (each?.steps(length) ?? 0), 0);
    known.set(length, cost);
    return (2 * cost) / ENGINE_STEPS_A_STEP;
  };
}

/** A check of additional properties compares each name with all that are known. */
function membersOf({ properties, patternProperties }: Node): number {
  return [properties, patternProperties].reduce<number>(
    (sum, map) => sum + (isObject(map) ? Object.keys(map).length : 0),
    0,
  );
}

function fixedCost(schema: Node): number {
  let cost = 1;
  for (const value of Object.values(schema)) {
    cost += 1;
    if (Array.isArray(value)) cost += value.length;
    else if (isObject(value)) cost += Object.keys(value).length;
  }
  return cost;
}

function hasCompoundValues({ enum: values, const: only }: Node): boolean {
  return (Array.isArray(values) ? [...values, only] : [only]).some(
    (value) => typeof value === "object" && value !== null,
  );
}

function spendAll(value: unknown, steps: Steps): void {
  steps.spend(STEPS_A_HASH);
  if (typeof value === "string") steps.spend(value.length / CHARACTERS_A_STEP);
  else if (typeof value === "object" && value !== null)
    for (const inner of Object.values(value)) spendAll(inner, steps);
}
