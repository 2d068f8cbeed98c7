// Of alternatives that all fail, which one was meant: only what is wrong with that one helps.
import type { Violation } from "../base";

export interface ForeignViolation extends Violation {
  schemaPath: string;
}

/** Of alternatives that differ in what they require. */
export const MISSING_CHOICE = "missing choice";

const CHOICES = ["anyOf", "oneOf"];
const VALUES = ["const", "enum"];

/** The violations without those of alternatives that were not meant. */
export function bestAlternatives(violations: readonly ForeignViolation[]): ForeignViolation[] {
  const choices = violations
    .filter(({ keyword }) => CHOICES.includes(keyword))
    // Inner ones first, so that outer ones compare what is left of them.
    .toSorted((left, right) => right.schemaPath.length - left.schemaPath.length);
  let rest = [...violations];
  for (const choice of choices) {
    const groups = groupsOf(choice, rest);
    if (groups.length === 0) continue;
    const inside = new Set(groups.flat());
    const kept = meant(choice.instancePath, groups);
    rest = [...rest.filter((one) => one !== choice && !inside.has(one)), ...kept];
  }
  return rest;
}

function groupsOf({ keyword, schemaPath }: ForeignViolation, violations: readonly ForeignViolation[]) {
  const prefix = `${schemaPath}/${keyword}/`;
  const inside = violations.filter((one) => one.schemaPath.startsWith(prefix));
  return [...Map.groupBy(inside, (one) => Number.parseInt(one.schemaPath.slice(prefix.length), 10)).values()];
}

function meant(path: string, groups: readonly ForeignViolation[][]): ForeignViolation[] {
  const isOfOtherType = (one: ForeignViolation): boolean =>
    one.keyword === "type" && one.instancePath === path;
  const fitting = groups.filter((group) => !group.some(isOfOtherType));
  // Of no alternative's type: all types together say what it may be.
  if (fitting.length === 0) return groups.flat().filter(isOfOtherType);
  // The name of a kind, such as `"type": "circle"`, tells which one is meant.
  const isOtherKind = ({ keyword, instancePath }: ForeignViolation): boolean =>
    VALUES.includes(keyword) && instancePath.split("/").length <= path.split("/").length + 1;
  const ofKind = fitting.filter((group) => !group.some(isOtherKind));
  if (ofKind.length === 0) return fitting.flat().filter(isOtherKind);
  const choices = ofKind.map((group) => missingIn(path, group));
  if (choices.length > 1 && choices.every((names) => names !== undefined))
    return [missingChoice(ofKind, choices)];
  const fewest = Math.min(...ofKind.map((group) => group.length));
  return ofKind.find((group) => group.length === fewest) ?? [];
}

/** What an alternative requires, if only that is missing. */
function missingIn(path: string, group: readonly ForeignViolation[]): string | undefined {
  const [only] = group;
  if (
    only === undefined ||
    group.length > 1 ||
    only.instancePath !== path ||
    !("requiredProperties" in only.params)
  )
    return undefined;
  return [only.params.requiredProperties].flat().join(" and ");
}

function missingChoice(groups: readonly ForeignViolation[][], choices: readonly unknown[]): ForeignViolation {
  const [first] = groups.flat();
  if (first === undefined) throw new TypeError("There are alternatives.");
  return { ...first, keyword: MISSING_CHOICE, params: { choices: [...new Set(choices)].join(", or ") } };
}
