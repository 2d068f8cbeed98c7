import { RuntimeError } from "../errors";

/** A file that is not a backup, or was changed or cut off. The message is a sentence for the operator. */
export class BackupFault extends RuntimeError {
  constructor(message: string, cause?: unknown) {
    super("malformed_request", 400, message, cause === undefined ? {} : { cause });
  }
}
