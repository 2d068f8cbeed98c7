// PostgreSQL's programs, the user that may run them, and the folder that contains everything they write.
import { chmodSync, chownSync, closeSync, existsSync, mkdirSync, mkdtempSync, openSync } from "node:fs";
import { readdirSync, readFileSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testWith } from "../require";

const DEBIAN = "/usr/lib/postgresql";
const newest = existsSync(DEBIAN)
  ? readdirSync(DEBIAN)
      .filter((version) => existsSync(join(DEBIAN, version, "bin", "initdb")))
      .toSorted((one, other) => Number(other) - Number(one))[0]
  : undefined;

/** Debian's programs of the newest installed version. */
export const PROGRAMS = join(DEBIAN, newest ?? "15", "bin");
export const hasPostgres = newest !== undefined;

/** `test`, or a skipped test where PostgreSQL is not installed. */
export const testOnPostgres = testWith("postgresql-15", hasPostgres);

const isRoot = process.getuid?.() === 0;

interface User {
  uid: number;
  gid: number;
}

// PostgreSQL refuses to run as root.
function userOf(name: string): User | undefined {
  const row = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((line) => line.startsWith(`${name}:`));
  const [, , uid, gid] = row?.split(":") ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}

const user = isRoot ? (userOf("postgres") ?? userOf("nobody")) : undefined;

/** The command, run by the user that owns the databases. */
export function asOwner(command: readonly string[]): string[] {
  if (user === undefined) return [...command];
  return ["setpriv", `--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups", ...command];
}

/** Gives a file or folder to the user that owns the databases. */
export function giveToOwner(path: string, mode: number): void {
  chmodSync(path, mode);
  if (user !== undefined) chownSync(path, user.uid, user.gid);
}

/** The environment of these programs: nothing of a `PGHOST` or a locale of the machine. */
export const ENVIRONMENT = { PATH: process.env["PATH"] ?? "", LC_ALL: "C", TZ: "UTC" };

/** Runs a program as the owner to its end; its standard output. Throws what it printed if it fails. */
export async function runAsOwner(command: readonly string[], input = ""): Promise<string> {
  const child = Bun.spawn(asOwner(command), {
    cwd: "/",
    env: ENVIRONMENT,
    stdin: new TextEncoder().encode(input),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(`${command[0]} ended with ${code}: ${stderr}${stdout}`);
  return stdout;
}

const GUARD = join(import.meta.dir, "guard.sh");
const roots = new Map<string, string>();
let made = 0;

/**
 * Where files are that need not survive anything: in memory if it has room, so that tests do not wait for a busy disk.
 * Programs may not be executable there.
 */
export const MEMORY = isRoomy("/dev/shm") ? "/dev/shm" : tmpdir();

function isRoomy(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > 4 * 2 ** 30;
}

/**
 * A new folder that the owner of the databases may write to. Processes whose working folder is in it are ended, mounts
 * in it are unmounted and it is removed when the test process ends, even if that is killed.
 */
export function guardedFolder(name: string, parent = tmpdir()): string {
  const root = roots.get(parent) ?? startGuard(parent);
  roots.set(parent, root);
  const folder = join(root, `${++made}-${name}`);
  mkdirSync(folder);
  giveToOwner(folder, 0o755);
  return folder;
}

function startGuard(parent: string): string {
  const folder = mkdtempSync(join(parent, "runtime-postgres-"));
  chmodSync(folder, 0o755);
  const pipe = join(folder, "alive");
  if (!Bun.spawnSync(["mkfifo", pipe]).success) throw new Error(`mkfifo ${pipe} failed`);
  // The end that is written to stays open until this process ends, in whatever way.
  openSync(pipe, "r+");
  const input = openSync(pipe, "r");
  // In the background of a shell, because a test that takes too long ends all children of the test process.
  const command = ["sh", "-c", 'exec 3<&0; setsid sh "$0" "$1" <&3 3<&- &', GUARD, folder];
  const started = Bun.spawnSync(command, { cwd: "/", stdin: input, stdout: "ignore", stderr: "ignore" });
  closeSync(input);
  if (!started.success) throw new Error(`${GUARD} did not start`);
  return folder;
}

/**
 * A port of 127.0.0.1 that is free now and that the system does not give to anybody: it is outside the range of ports
 * for outgoing connections, so that a server can be restarted on it.
 */
export function stablePort(): number {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 17_000);
    try {
      Bun.listen({ hostname: "127.0.0.1", port, socket: { data: () => {} } }).stop(true);
      return port;
    } catch {
      // In use: another one.
    }
  }
}
