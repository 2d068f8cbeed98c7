// A machine with nothing but the executable: a root folder with it, the C library, certificates and a static shell, in
// namespaces of its own without a network. `nsenter` runs programs of this machine there, as its neighbours.
import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { testIfAllowed } from "../../support/require";
import { temporaryFolder } from "../../support/temporary";

const BUSYBOX = "/bin/busybox";
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";

/** `test`, or a skipped test where the namespaces cannot be made. */
export const testInEmptyRoot = testIfAllowed(
  "making namespaces, with Debian's busybox-static",
  Bun.spawnSync(["unshare", "-n", "-m", "-p", "-f", BUSYBOX, "true"], { stderr: "ignore" }).success,
);

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

export interface EmptyRoot extends AsyncDisposable {
  readonly folder: string;
  /** Puts a command into the machine; it sees `folder` as its root. `user`: its numeric id. */
  inside(command: readonly string[], user?: number): string[];
  /** A program of this machine in the network of the other one. */
  beside(command: readonly string[]): string[];
  /** Runs a script in the shell of the machine. */
  shell(script: string, environment?: Record<string, string>, user?: number): Promise<Ran>;
  /** From now on, only these folders can be written. */
  freeze(writable: readonly string[]): void;
  /** Everything can be written again. */
  thaw(): void;
  /** All files and folders, without what the system shows in them. */
  contents(): string[];
}

/** What every system has. */
const FOLDERS = "bin etc proc dev usr/local/bin usr/local/share/doc var/lib var/log var/backups".split(" ");

/** The libraries that the executable loads, with their loader. */
function librariesOf(executable: string): string[] {
  const { stdout } = Bun.spawnSync(["ldd", executable]);
  return [...stdout.toString().matchAll(/(?:=> )?(\/[^\s()]+) \(0x/g)].map(([, path = ""]) => path);
}

export interface EmptyRootOptions {
  /** The executable whose libraries it gets. */
  librariesFrom: string;
  /** Is put into `/bin`. */
  executable?: string;
  /** A machine in whose network it is; default: one of its own. */
  neighbour?: EmptyRoot | undefined;
}

export async function startEmptyRoot({
  librariesFrom,
  executable,
  neighbour,
}: EmptyRootOptions): Promise<EmptyRoot> {
  const folder = join(temporaryFolder(), "root");
  for (const path of [...FOLDERS, dirname(CERTIFICATES)]) mkdirSync(join(folder, path), { recursive: true });
  for (const library of librariesOf(librariesFrom)) copy(library, folder);
  copy(CERTIFICATES, folder);
  cpSync(BUSYBOX, join(folder, "bin/busybox"), { dereference: true });
  const applets = Bun.spawnSync([BUSYBOX, "--list"]).stdout.toString().trim().split("\n");
  for (const applet of applets.filter((name) => name !== "busybox"))
    symlinkSync("busybox", join(folder, "bin", applet));
  if (executable !== undefined) {
    cpSync(executable, join(folder, "bin/runtime"));
    chmodSync(join(folder, "bin/runtime"), 0o755);
  }
  writeFileSync(join(folder, "dev/null"), "");
  const before = new Set(readdirSync(folder));
  const { pid, end } = await startNamespaces(folder, neighbour);
  const enter = (what: string): string[] => ["nsenter", "-t", String(pid), ...what.split(" "), "--"];
  const inside = (command: readonly string[], user = 0): string[] => {
    const chroot = ["/usr/sbin/chroot", `--userspec=${user}:${user}`, "--groups=", folder];
    return [...enter("-n -m -p"), ...chroot, ...command];
  };
  const inMounts = (lines: readonly string[]): void =>
    mustSucceed([...enter("-m"), "sh", "-ec", lines.join("\n")]);
  let mounted: string[] = [];
  return {
    folder,
    inside,
    beside: (command) => [...enter("-n"), ...command],
    shell: async (script, environment = {}, user = 0) => {
      const child = Bun.spawn(inside(["/bin/sh", "-c", script], user), {
        env: { PATH: "/bin:/usr/local/bin", ...environment },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      });
      const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
      return { code: await child.exited, stdout, stderr };
    },
    freeze: (writable) => {
      mounted = writable.map((path) => `${folder}${path}`);
      const binds = mounted.map((path) => `mount --bind ${path} ${path}`);
      inMounts([...binds, `mount -o remount,bind,ro ${folder}`]);
    },
    thaw: () => {
      inMounts([`mount -o remount,bind,rw ${folder}`, ...mounted.map((path) => `umount -l ${path}`)]);
      mounted = [];
    },
    contents: () =>
      [...before, ...readdirSync(folder)]
        .filter((name, index, all) => all.indexOf(name) === index && name !== "proc")
        .flatMap((name) => [name, ...below(folder, name)])
        .toSorted(),
    [Symbol.asyncDispose]: async () => {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function copy(path: string, folder: string): void {
  mkdirSync(join(folder, dirname(path)), { recursive: true });
  cpSync(path, join(folder, path), { dereference: true });
}

function below(folder: string, name: string): string[] {
  const path = join(folder, name);
  try {
    return readdirSync(path, { recursive: true }).map((one) => join(name, String(one)));
  } catch {
    // Not a folder.
    return [];
  }
}

/** The first process of the namespaces: all others end with it. */
async function startNamespaces(
  folder: string,
  neighbour: EmptyRoot | undefined,
): Promise<{ pid: number; end(): Promise<void> }> {
  const script = [
    ...(neighbour === undefined ? ["ip link set lo up"] : []),
    `mount --bind ${folder} ${folder}`,
    `mount -t proc proc ${folder}/proc`,
    `mount --bind /dev/null ${folder}/dev/null`,
    "echo ready",
    "exec sleep infinity",
  ].join("\n");
  const first = ["unshare", "-m", "-p", "-f", "--kill-child", "sh", "-ec", script];
  const command = neighbour === undefined ? ["unshare", "-n", ...first.slice(1)] : neighbour.beside(first);
  const holder = Bun.spawn(command, { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const { value } = await holder.stdout.getReader().read();
  const children = await Bun.file(`/proc/${holder.pid}/task/${holder.pid}/children`).text();
  if (value === undefined) throw new Error(`the namespaces were not made: ${await holder.stderr.text()}`);
  return {
    pid: Number(children.trim()),
    end: async () => {
      holder.kill("SIGKILL");
      await holder.exited;
    },
  };
}

function mustSucceed(command: string[]): void {
  const { success, stderr } = Bun.spawnSync(command);
  if (!success) throw new Error(`${command.join(" ")}: ${stderr.toString()}`);
}
