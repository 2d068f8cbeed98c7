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
  io.note(`${io.notePaint.red("error:")} ${printable(record.message)}`);
  if (record.name === "internal_error" && io.env["RUNTIME_LOG_LEVEL"] === "debug") noteStack(io, error);
  if (error instanceof OutputError) return code;
  try {
    print(io, format, record, () => "");
  } catch (failure) {
    // Standard error has told it, and the exit code tells it: what went wrong first counts.
    if (!(failure instanceof OutputError)) throw failure;
  }
  return code;
}

// Without the message, which may hold anything.
function noteStack(io: Io, error: unknown): void {
  const lines = error instanceof Error ? (error.stack ?? "").split("\n") : [];
  for (const line of lines) if (line.startsWith("    at ")) io.note(printable(line));
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
  const place = refusedPlace(error);
  if (place !== undefined) return { name: "configuration", message: place };
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

const REFUSED: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left",
  EDQUOT: "the quota is used up",
};

/** Which file or folder may not be used, and why, where that is what the system said. */
function refusedPlace(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("path" in error)) return undefined;
  const reason = REFUSED[String(error.code)];
  // What is written whole or not at all has another name until then.
  const path = String(error.path).replace(/\.\d+\.new$/, "");
  return reason === undefined ? undefined : `${path} cannot be read or written: ${reason}.`;
}
