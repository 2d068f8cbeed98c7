// Reports a failed command: one line on standard error, an Error record on standard output for formats other than
// tables, and an exit code by the error's name.
import { type FieldError, RuntimeError } from "../src/errors";
import { ConsentRequired, DocumentError, EXIT, exitCodeOf, OutputError, UsageError } from "./errors";
import type { Io } from "./io";
import { type Format, print } from "./output";
import { printable } from "./printable";

/** Prints the error and returns the exit code. */
export function report(io: Io, format: Format, error: unknown): number {
  const code = exitCodeOf(error);
  if (code === EXIT.interrupted) return code;
  const record = recordOf(error);
  io.note(`${io.notePaint.red("error:")} ${printable(record.message)}`);
  if (record.name === "internal_error" && io.env["RUNTIME_LOG_LEVEL"] === "debug") noteStack(io, error);
  if (error instanceof DocumentError) for (const line of error.details) io.note(`  ${printable(line)}`);
  if (error instanceof OutputError) return code;
  try {
    print(io, format, record, () => "");
  } catch (failure) {
    // The first error counts; it is on standard error, and the exit code is its own.
    if (!(failure instanceof OutputError)) throw failure;
  }
  return code;
}

// Without the message, which may contain secrets.
function noteStack(io: Io, error: unknown): void {
  const lines = error instanceof Error ? (error.stack ?? "").split("\n") : [];
  for (const line of lines) if (line.startsWith("    at ")) io.note(printable(line));
}

interface ErrorRecord {
  name: string;
  message: string;
  field_errors?: FieldError[];
  authorization?: ConsentRequired["authorization"];
}

function recordOf(error: unknown): ErrorRecord {
  if (error instanceof UsageError || error instanceof OutputError) {
    return { name: error.name, message: error.message };
  }
  if (error instanceof ConsentRequired) {
    const { name, message, authorization } = error;
    return { name, message, authorization };
  }
  const problem = fileProblem(error);
  if (problem !== undefined) return { name: "configuration", message: problem };
  if (!(error instanceof RuntimeError)) {
    const reason = error instanceof Error ? ` (${error.name})` : "";
    const hint = "Run it again with RUNTIME_LOG_LEVEL=debug to see the stack trace.";
    return {
      name: "internal_error",
      message: `The command failed with an unexpected error${reason}. ${hint}`,
    };
  }
  const { name, message, fieldErrors } = error;
  return { name, message, ...(fieldErrors === undefined ? {} : { field_errors: fieldErrors }) };
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left",
  EDQUOT: "quota exceeded",
};

/** The file or folder that cannot be used, and why, for an error of the file system. */
function fileProblem(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("path" in error)) return undefined;
  const reason = REASONS[String(error.code)];
  // Atomic writes use a temporary name.
  const path = String(error.path).replace(/\.\d+\.new$/, "");
  return reason === undefined ? undefined : `${path} cannot be read or written: ${reason}.`;
}
