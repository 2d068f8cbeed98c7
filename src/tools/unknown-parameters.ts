// The error for parameters that a tool does not have.
import { nearest } from "../base";
import { badInput } from "./tool-error";

export type Input = { [key: string]: unknown };

/** More of them in one error would not help. */
const MOST_UNKNOWN = 20;

export function unknownParameters(names: readonly string[], known: string[]): Error {
  const sentences = names.slice(0, MOST_UNKNOWN).map((name) => {
    const shown = /^[\w.-]{1,60}$/.test(name) ? `"${name}"` : "with this name";
    const guess = nearest(name, known);
    const advice = guess === undefined ? "Leave it out." : `Did you mean "${guess}"?`;
    return `There is no parameter ${shown}. ${advice}`;
  });
  const takes = known.length === 0 ? "The tool takes no parameters." : `The tool takes: ${known.join(", ")}.`;
  return badInput(`${sentences.join(" ")} ${takes}`, {
    additionalPromptContent: "Rename or leave out these parameters and call again.",
  });
}
