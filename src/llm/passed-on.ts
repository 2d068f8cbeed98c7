// Objects of requests that are passed on to the server of a model, which knows more fields than this server. A field that this
// server reads must not be missed because its name was mistyped.
import type { PassesOn } from "../base";

/**
 * Options of a schema whose other fields are passed on. A name that is very likely a mistyped one of `reads` is refused, except
 * for `others`: fields that servers of models really have.
 */
export function passedOn(reads: readonly string[], others: readonly string[] = []) {
  const passesOn: PassesOn = { reads, others };
  return { shown: { additionalProperties: true }, passesOn };
}
