// Which subjects of tokens belong to a workload. Subjects are segments between `:` and `/`, for example
// `repo:acme/app:ref:refs/heads/main`. A `*` never reaches over a separator, so that a pattern for one repository cannot match
// a subject in which others have chosen the text. One `*` in a segment is compared in linear time.
import { invalidParameter } from "../errors";

const SEPARATOR = /([:/])/;

/** Throws `invalid_parameter` for a pattern with two `*` in a segment, or with a `*` in every segment. */
export function checkSubjectPattern(pattern: string): void {
  const segments = pattern.split(SEPARATOR).filter((part) => !isSeparator(part));
  const fault = segments.some((segment) => segment.split("*").length > 2)
    ? "subject may have one * in each segment between : and /."
    : segments.every((segment) => segment === "" || segment.includes("*"))
      ? "subject must have a segment between : and / without a *: it would match the tokens of others."
      : undefined;
  if (fault === undefined) return;
  throw invalidParameter(fault, { fieldErrors: [{ field: "subject", rule: "pattern", message: fault }] });
}

/** Whether a subject is the pattern, character by character; `*` is one or more characters of a segment. */
export function matchesSubject(pattern: string, subject: string): boolean {
  const [wanted, given] = [pattern.split(SEPARATOR), subject.split(SEPARATOR)];
  return wanted.length === given.length && wanted.every((part, at) => matches(part, given[at] ?? ""));
}

function matches(part: string, text: string): boolean {
  const star = part.indexOf("*");
  if (star < 0) return part === text;
  const [start, end] = [part.slice(0, star), part.slice(star + 1)];
  return text.length > start.length + end.length && text.startsWith(start) && text.endsWith(end);
}

function isSeparator(part: string): boolean {
  return part === ":" || part === "/";
}
