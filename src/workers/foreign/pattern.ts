// Regular expressions from outside run without a time limit, so only those are used that cannot take long.

const LONGEST = 1000;

/** Whether the pattern compiles as the check does it, and has no repeated group with a repetition inside of it. */
export function isSafePattern(pattern: unknown): boolean {
  if (typeof pattern !== "string" || pattern.length > LONGEST) return false;
  try {
    new RegExp(pattern, "u");
  } catch {
    return false;
  }
  return !/\)[*+{]/.test(pattern);
}
