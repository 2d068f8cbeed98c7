// Root keys that are kept outside: a command prints the key (the client of a KMS or a vault, the tool of an HSM), or systemd
// passes it as a credential. This program cannot write such a key, so a rotation needs a second source with the next key.
import { readFileSync } from "node:fs";
import { complaintOf, environmentForOthers } from "../base";
import { configurationError } from "../errors";

/** Where a root key comes from. */
export interface RootKeySource {
  /** The setting, for messages. */
  name: string;
  /** The text or the 32 bytes of the key. Throws `configuration` naming the setting and what to do. */
  read(): Uint8Array;
}

/** The sources of the current root key and of the one that the next rotation makes current. */
export interface RootKeySources {
  current: RootKeySource;
  next: RootKeySource | undefined;
  /** The setting of the next source, for messages. */
  nextName: string;
}

const MOST_BYTES = 4096;

/** A program with its arguments, started without a shell. It may print at most 4 KiB, and is ended after `timeoutMs`. */
export function commandSource(name: string, argv: readonly string[], timeoutMs: number): RootKeySource {
  return { name, read: () => outputOf(name, argv, timeoutMs) };
}

/** A file that systemd makes for the service (systemd.exec(5), LoadCredential= and LoadCredentialEncrypted=). */
export function credentialSource(name: string, id: string, file: string | undefined): RootKeySource {
  return {
    name,
    read: () => {
      if (file === undefined) throw noCredentials(name, id);
      try {
        return readFileSync(file);
      } catch (cause) {
        throw configurationError(
          `${name}: the credential ${id} cannot be read. Add LoadCredentialEncrypted=${id} to the systemd unit.`,
          { cause },
        );
      }
    },
  };
}

function noCredentials(name: string, id: string): Error {
  return configurationError(
    `${name} is set, but CREDENTIALS_DIRECTORY is not. Start runtime as a systemd service with ` +
      `LoadCredentialEncrypted=${id}, and run commands through systemd-run with the same property.`,
  );
}

function outputOf(name: string, argv: readonly string[], timeoutMs: number): Uint8Array {
  const [program = ""] = argv;
  let ended: Bun.SyncSubprocess<"pipe", "pipe">;
  try {
    ended = Bun.spawnSync([...argv], {
      env: environmentForOthers(process.env),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      timeout: timeoutMs,
      killSignal: "SIGKILL",
      maxBuffer: MOST_BYTES,
    });
  } catch (cause) {
    throw configurationError(`${name}: ${program} cannot be started. Use its absolute path.`, { cause });
  }
  const { exitCode, stdout, stderr } = ended;
  const run = `Run it by hand as the user that runs runtime.`;
  const said = complaintOf(stderr);
  if (ended.exitedDueToTimeout)
    throw configurationError(`${name}: ${program} did not end within ${timeoutMs / 1000} s. ${run}${said}`);
  if (stdout.length > MOST_BYTES || ended.exitedDueToMaxBuffer)
    throw configurationError(`${name}: ${program} printed more than a root key. ${run}`);
  if (exitCode !== 0)
    throw configurationError(`${name}: ${program} failed with the exit code ${exitCode}. ${run}${said}`);
  if (stdout.length === 0) throw configurationError(`${name}: ${program} printed nothing. ${run}${said}`);
  return stdout;
}
