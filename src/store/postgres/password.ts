// The password of the database user, from a file or a program, asked at each connect: both may change while a server runs,
// as passwords that a vault issues for an hour do.
import { readFile } from "node:fs/promises";
import { complaintOf, environmentForOthers, exposedMode, shellWord } from "../../base";
import { configurationError, unavailable } from "../../errors";

export interface PasswordSettings {
  /** Absolute. */
  passwordFile: string | undefined;
  passwordCommand: readonly string[] | undefined;
}

const FILE = "database.password_file";
const COMMAND = "database.password_command";
const COMMAND_MS = 30_000;
const MOST_BYTES = 4096;

/**
 * Reads the password; undefined if no setting says where it is. It throws `configuration` for a file that cannot be used and a
 * program that cannot be started, and `unavailable` if the program fails, as it does while a vault is restarted.
 */
export function passwordReader({
  passwordFile,
  passwordCommand,
}: PasswordSettings): (() => Promise<string>) | undefined {
  if (passwordFile !== undefined) return () => passwordInFile(passwordFile);
  if (passwordCommand !== undefined) return () => printedPassword(passwordCommand);
  return undefined;
}

async function passwordInFile(file: string): Promise<string> {
  const mode = exposedMode(file);
  if (mode !== undefined)
    throw configurationError(
      `Other users can read or replace the ${FILE} ${file} (mode ${mode}). Run: chmod 600 ${shellWord(file)}`,
    );
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    throw configurationError(
      `${FILE}: ${file} cannot be read. Put the password into a regular file that only the user that runs runtime can read.`,
      { cause },
    );
  }
  return checked(text, () =>
    configurationError(`${FILE}: ${file} must contain one line with the password and nothing else.`),
  );
}

async function printedPassword(argv: readonly string[]): Promise<string> {
  const [program = ""] = argv;
  const by = "Run it by hand as the user that runs runtime.";
  const child = started(argv);
  const stopped = setTimeout(() => child.kill("SIGKILL"), COMMAND_MS);
  try {
    const [text, stderr, exitCode] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).bytes(),
      child.exited,
    ]);
    const said = complaintOf(stderr);
    if (child.signalCode === "SIGKILL")
      throw unavailable(
        `${COMMAND}: ${program} did not end within ${COMMAND_MS / 1000} s or printed too much. ${by}${said}`,
      );
    if (exitCode !== 0)
      throw unavailable(`${COMMAND}: ${program} failed with the exit code ${exitCode}. ${by}${said}`);
    return checked(text, () =>
      configurationError(`${COMMAND}: ${program} must print one line with the password. ${by}`),
    );
  } finally {
    clearTimeout(stopped);
  }
}

function started(argv: readonly string[]): Bun.Subprocess<"ignore", "pipe", "pipe"> {
  try {
    return Bun.spawn([...argv], {
      env: environmentForOthers(process.env),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      killSignal: "SIGKILL",
      maxBuffer: MOST_BYTES,
    });
  } catch (cause) {
    throw configurationError(`${COMMAND}: ${argv[0] ?? ""} cannot be started. Use its absolute path.`, {
      cause,
    });
  }
}

/** Without the end of its line, which editors and programs add. */
function checked(text: string, fault: () => Error): string {
  const password = text.replace(/\r?\n$/, "");
  if (password === "" || /[\r\n\0]/.test(password)) throw fault();
  return password;
}
