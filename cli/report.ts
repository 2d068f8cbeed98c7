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

/** Why the file system refuses, by the code of its error. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EBUSY: "in use",
  EDQUOT: "quota exceeded. Free space there, and try again",
  EEXIST: "it exists already",
  EFBIG: "the file would be too large",
  EIO: "the disk reports an error",
  EISDIR: "it is a folder, not a file",
  ELOOP: "too many symbolic links",
  EMFILE: "too many open files. Raise the limit with: ulimit -n",
  ENAMETOOLONG: "the name is too long",
  ENFILE: "too many open files on this machine",
  ENODEV: "the device does not exist",
  ENOENT: "it does not exist",
  ENOSPC: "no space left. Free space there, and try again",
  ENOTDIR: "a part of the path is not a folder",
  ENOTEMPTY: "the folder is not empty",
  ENXIO: "it is not a file that can be read or written",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  ESTALE: "the network file system no longer has it",
  ETXTBSY: "it is a program that is running",
  EXDEV: "it cannot be moved to another file system",
};

const OF_DATABASE = /^SQLITE_(?:FULL|IOERR|READONLY|CANTOPEN|NOTADB|CORRUPT)/;

/** Drafts of files, and work folders of backups. */
const TEMPORARY_NAME = /\.\d+\.new$|\/\.runtime-backup-\w{6}(?:\/[^/]*)?$/;

/** The file or folder that cannot be used, and why, for an error of the file system. */
export function fileProblem(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  const code = String(error.code);
  // What SQLite says of these contains no values.
  if (OF_DATABASE.test(code)) return `A database cannot be read or written: ${error.message}.`;
  const reason = REASONS[code];
  if (reason === undefined) return undefined;
  return `${fileOf(error) ?? "A file"} cannot be read or written: ${reason}.`;
}

/** Undefined: the error does not say, as those of open files. */
function fileOf(error: Error): string | undefined {
  if (!("path" in error) || typeof error.path !== "string") return undefined;
  // A file that is put in place under another name has a temporary one before.
  const path = "dest" in error && typeof error.dest === "string" ? error.dest : error.path;
  return path.replace(TEMPORARY_NAME, "");
}
