// Functions that load something from outside show an error until a person allows it in the file, once and for all of them.

/** https://gist.github.com/tanaikech/627d86bdea4028c301431443f82f0ac1, https://support.google.com/docs/answer/3093340 */
export const EXTERNAL_FUNCTIONS: readonly string[] = [
  "IMAGE",
  "IMPORTDATA",
  "IMPORTFEED",
  "IMPORTHTML",
  "IMPORTRANGE",
  "IMPORTXML",
];

/** What such a cell shows until then. */
export const BLOCKED = "#REF!";

const CALLED = new RegExp(`\\b(?:${EXTERNAL_FUNCTIONS.join("|")})\\s*\\(`, "i");

/** Whether a formula loads something from outside. Text in quotes does not count. */
export function loadsFromOutside(formula: string): boolean {
  return CALLED.test(formula.replaceAll(/"(?:[^"]|"")*"/g, '""'));
}
