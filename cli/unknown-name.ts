// Names that commands take and that belong to nothing: an error that suggests the nearest one.
import { nearest } from "../src/base/nearest";
import { conflict, notFound, type RuntimeError } from "../src/errors";

/** `what`: toolkit. `list`: the command that lists the known names. */
export function unknownName(
  what: string,
  given: string,
  known: readonly string[],
  list: string,
): RuntimeError {
  const near = nearest(given, known);
  const advice = near === undefined ? "" : ` Did you mean ${near}?`;
  return notFound(`The ${what} ${given} does not exist.${advice} To see all: ${list}`);
}

/** One of several records by its id or its name. Throws `not_found`, and `conflict` for a name that several have. */
export function recordNamed<T extends { id: string; name: string }>(
  what: string,
  given: string,
  records: readonly T[],
  list: string,
): T {
  const [found, another] = [
    ...records.filter(({ id }) => id === given),
    ...records.filter(({ name }) => name === given),
  ];
  if (found === undefined) {
    const known = records.flatMap(({ id, name }) => [name, id]);
    throw unknownName(what, given, known, list);
  }
  if (found.id === given || another === undefined) return found;
  const ids = records.filter(({ name }) => name === given).map(({ id }) => id);
  throw conflict(`Several ${what}s are called ${given}. Use an id: ${ids.join(", ")}.`);
}
