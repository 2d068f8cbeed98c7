// What a failed command tells: one line on standard error, the Error record on standard output where the output is a
// record, and an exit code by the error's name.
import { type FieldError, RuntimeError } from "../src/errors";
import { ConsentOwed, EXIT, exitCodeOf, OutputError, UsageError } from "./errors";
import type { Io } from "./io";
import { type Format, print } from "./output";
import { printable } from "./printable";

/** Tells what went wrong and answers the exit code. */
export function report(io: Io, format: Format, error: unknown): number {
  const code = exitCodeOf(error);
  if (code === EXIT.interrupted) return code;
  const record = recordOf(error);
  if (!(error instanceof OutputError)) print(io, format, record, () => "");
  io.note(`${io.notePaint.red("error:")} ${printable(record.message)}`);
  return code;
}

interface ErrorRecord {
  name: string;
  message: string;
  field_errors?: FieldError[];
  authorization?: ConsentOwed["authorization"];
}

function recordOf(error: unknown): ErrorRecord {
  if (error instanceof UsageError || error instanceof OutputError) {
    return { name: error.name, message: error.message };
  }
  if (error instanceof ConsentOwed) {
    const { name, message, authorization } = error;
    return { name, message, authorization };
  }
  if (!(error instanceof RuntimeError)) {
    const reason = error instanceof Error ? ` (${error.name})` : "";
    const hint = "Run it again with RUNTIME_LOG_LEVEL=debug to see where.";
    return {
      name: "internal_error",
      message: `The command failed in a way that it should not${reason}. ${hint}`,
    };
  }
  const { name, message, fieldErrors } = error;
  return { name, message, ...(fieldErrors === undefined ? {} : { field_errors: fieldErrors }) };
}
