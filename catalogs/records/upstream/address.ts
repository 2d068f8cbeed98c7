// Builds the address from a tool's input: each parameter fills exactly one segment or one query value.
import { fillAddress, type Operation, pathParameters } from "../operation";

type Input = Readonly<Record<string, unknown>>;

/** Why the address cannot be built, by parameter; empty if it can. */
export function addressProblems(operation: Operation, input: Input): string[] {
  const privateLink = operation.query?.privatelink;
  return [
    ...(privateLink === undefined ? [] : keyProblems(privateLink, input[privateLink])),
    ...pathParameters(operation).flatMap((name) => segmentProblems(name, input[name])),
    ...queryTexts(operation, input).flatMap(([, name, text]) =>
      text.isWellFormed() ? [] : [malformed(name)],
    ),
  ];
}

/** Path and query of an input without problems. */
export function addressOf(operation: Operation, input: Input): string {
  const path = fillAddress(operation, (name) => encodeURIComponent(String(input[name])));
  const query = queryTexts(operation, input).map(([sent, , text]) => `${sent}=${encodeURIComponent(text)}`);
  return query.length === 0 ? path : `${path}?${query.join("&")}`;
}

function segmentProblems(name: string, value: unknown): string[] {
  const blank = blankProblem(name, value);
  if (blank !== undefined) return [blank];
  // URL parsers resolve these two even where they are percent-encoded.
  if (value === "." || value === "..") return [`\`${name}\` must not be "${value}"`];
  return String(value).isWellFormed() ? [] : [malformed(name)];
}

function keyProblems(name: string, value: unknown): string[] {
  const blank = blankProblem(name, value);
  if (blank !== undefined) return [blank];
  return /[/?#\s]|^https?:/i.test(String(value))
    ? [`\`${name}\` must be only the key of the private link, not the whole address`]
    : [];
}

function blankProblem(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return `\`${name}\` is missing`;
  return typeof value === "string" && value.trim() !== "" ? undefined : `\`${name}\` is empty`;
}

function malformed(name: string): string {
  return `\`${name}\` contains invalid characters`;
}

/** The given query values: name at the platform, name of the parameter, text. Empty texts are not sent. */
function queryTexts({ query = {} }: Operation, input: Input): [string, string, string][] {
  return Object.entries(query).flatMap(([sent, name]): [string, string, string][] => {
    const value = input[name];
    const text =
      typeof value === "string" || typeof value === "number" || typeof value === "boolean"
        ? String(value)
        : "";
    return text.trim() === "" ? [] : [[sent, name, text]];
  });
}
