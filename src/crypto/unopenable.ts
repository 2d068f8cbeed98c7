import { RuntimeError } from "../errors";

/**
 * A stored value that no key of ours opens any more: damaged, or sealed with a key that is gone. It stays so, unlike a
 * database that cannot be read just now. One such value must hurt nobody but its own record.
 */
export class Unopenable extends RuntimeError {
  constructor(message: string, cause?: unknown) {
    super("internal_error", 500, message, cause === undefined ? {} : { cause });
  }
}

/** Of the value at this place. The names say where it stands and nothing of what it is. */
export function unopenable(
  { table, row, field }: { table: string; row: string; field: string },
  cause?: unknown,
): Unopenable {
  return new Unopenable(
    `A stored value cannot be opened (${field} of ${row} in ${table}): it is damaged, or its data key is gone. Set it anew.`,
    cause,
  );
}
