// The field of the length limit of an answer: servers of chat completions take the older one, the newer one, or both.
import { invalidParameter } from "../errors";
import { removeField, renameField } from "./replace-field";

export type LimitField = "max_tokens" | "max_completion_tokens";

/** Fields of servers that refuse the other one, by host (their reference pages, 2026-11). */
const KNOWN: readonly [RegExp, LimitField][] = [
  [/^api\.openai\.com$/, "max_completion_tokens"],
  [/\.openai\.azure\.com$/, "max_completion_tokens"],
  [/^api\.mistral\.ai$/, "max_tokens"],
  [/^api\.deepseek\.com$/, "max_tokens"],
];

/** The field of a known server. */
export function limitFieldOf(baseUrl: string): LimitField | undefined {
  const host = URL.parse(baseUrl)?.hostname ?? "";
  return KNOWN.find(([pattern]) => pattern.test(host))?.[1];
}

type Limits = { readonly [field: string]: unknown };

/** Throws `invalid_parameter` if the request has two limits that differ. */
export function checkLimits({ max_tokens: older, max_completion_tokens: newer }: Limits): void {
  if (!isGiven(older) || !isGiven(newer) || older === newer) return;
  throw invalidParameter("max_tokens and max_completion_tokens differ. Send only one of them.");
}

/** The request with its limit in the field that the server takes. Throws `invalid_parameter`. */
export function withLimitField<T extends Limits>(request: T, field: LimitField | undefined): T {
  if (field === undefined) return request;
  const other = otherThan(field);
  if (!(other in request)) return request;
  checkLimits(request);
  const { [other]: limit, ...rest } = request;
  // The other field is optional.
  return (isGiven(limit) ? { ...rest, [field]: limit } : rest) as T;
}

/** The same for the text of the request, which stays as it is otherwise. */
export function withLimitFieldText(text: string, request: Limits, field: LimitField | undefined): string {
  if (field === undefined) return text;
  const other = otherThan(field);
  if (!(other in request)) return text;
  checkLimits(request);
  return field in request ? removeField(text, other) : renameField(text, other, field);
}

function otherThan(field: LimitField): LimitField {
  return field === "max_tokens" ? "max_completion_tokens" : "max_tokens";
}

function isGiven(limit: unknown): boolean {
  return limit !== undefined && limit !== null;
}
