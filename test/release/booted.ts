// A root folder with systemd as its first process, in namespaces of its own: no network, no processes of the machine.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import { join } from "node:path";

export interface Booted extends AsyncDisposable {
  /** Runs a command in it. */
  run(...command: string[]): Promise<{ code: number; output: string; errors: string }>;
}

const NAMESPACES = ["--mount", "--pid", "--fork", "--cgroup", "--ipc", "--uts", "--net", "--kill-child"];

// `pivot_root`, because systemd mounts its credentials only below a root that is a mount.
const SCRIPT = `
set -e
mount --make-rprivate /
mount --bind "$1" "$1"
cd "$1"
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs tmpfs tmp
mount -t tmpfs -o mode=755 tmpfs dev
for name in null zero full random urandom tty; do touch dev/$name; mount --bind /dev/$name dev/$name; done
mkdir -p dev/pts dev/shm old
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts
ln -s pts/ptmx dev/ptmx
mount -t tmpfs tmpfs dev/shm
ip link set lo up
pivot_root . old
umount -l /old
mount --make-rshared /
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin \\
  /lib/systemd/systemd --show-status=no systemd.unit=multi-user.target
`;

/** The folder of cgroups in which groups can be made; undefined: systemd cannot run here. */
export function cgroups(): string | undefined {
  const line = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .find((each) => each.split(" ")[2] === "cgroup2" && each.split(" ")[3]?.startsWith("rw"));
  const folder = line?.split(" ")[1];
  const isAllowed =
    process.getuid?.() === 0 &&
    Bun.spawnSync(["unshare", ...NAMESPACES, "mount", "--make-rprivate", "/"]).success;
  return isAllowed ? folder : undefined;
}

/** Boots until the service manager answers. */
export async function boot(root: string, groups: string): Promise<Booted> {
  const group = join(groups, `runtime-test-${crypto.randomUUID()}`);
  mkdirSync(group);
  const enter = `echo $$ >"$2/cgroup.procs"; exec unshare ${NAMESPACES.join(" ")} bash -c "$0" bash "$1"`;
  const child = Bun.spawn(["bash", "-c", enter, SCRIPT, root, group], { stdin: "ignore", stdout: "ignore" });
  const first = await firstProcessOf(child);
  const inside = ["nsenter", "-t", String(first), "-m", "-p", "-C", "-i", "-u", "-n"];
  const place = [`--root=/proc/${first}/root`, `--wd=/proc/${first}/root`];
  const run: Booted["run"] = async (...command) => {
    const ran = Bun.spawn(
      [...inside, ...place, "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", ...command],
      {
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
        timeout: 60_000,
      },
    );
    const [output, errors] = await Promise.all([ran.stdout.text(), ran.stderr.text()]);
    return { code: await ran.exited, output, errors };
  };
  while (!/running|degraded/.test((await run("systemctl", "is-system-running")).output)) await Bun.sleep(200);
  return {
    run,
    [Symbol.asyncDispose]: async () => {
      process.kill(first, "SIGKILL");
      await child.exited;
      removeGroup(group);
    },
  };
}

async function firstProcessOf(child: Bun.Subprocess): Promise<number> {
  for (;;) {
    if (child.exitCode !== null) throw new Error("systemd could not be started in namespaces of its own");
    const [pid] = childrenOf(child.pid);
    if (pid !== undefined && /systemd/.test(commandOf(pid))) return pid;
    await Bun.sleep(50);
  }
}

function childrenOf(pid: number): number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  return existsSync(path) ? readFileSync(path, "latin1").split(" ").filter(Boolean).map(Number) : [];
}

function commandOf(pid: number): string {
  return existsSync(`/proc/${pid}/cmdline`)
    ? (readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0")[0] ?? "")
    : "";
}

// Files of a group cannot be deleted, and go with it.
function removeGroup(group: string): void {
  for (const entry of readdirSync(group, { withFileTypes: true }))
    if (entry.isDirectory()) removeGroup(join(group, entry.name));
  try {
    rmdirSync(group);
  } catch {
    // A process is still ending in it.
  }
}
