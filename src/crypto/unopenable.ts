import { RuntimeError } from "../errors";

/**
 * A stored value that cannot be decrypted: it is damaged, or its data key no longer exists. This is permanent, unlike a
 * database that cannot be read at the moment. Such a value must only affect its own record.
 */
export class Unopenable extends RuntimeError {
  constructor(message: string, cause?: unknown) {
    super("internal_error", 500, message, cause === undefined ? {} : { cause });
  }
}

/**
 * The error for the value at this place. The message names the place and never the value. It may be logged, so a row that is
 * named by its user, as a list, is left out.
 */
export function unopenable(
  { table, row, field }: { table: string; row: string; field: string },
  cause?: unknown,
): Unopenable {
  const of = row.startsWith("[") ? "" : ` of ${row}`;
  return new Unopenable(
    `A stored value cannot be opened (${field}${of} in ${table}): it is damaged, or its data key no longer exists. Set it again.`,
    cause,
  );
}
