// What a program in the cage cannot do to this server, to the machine and to other programs. The control runs the same
// attempts without the cage: there each of them succeeds, or fails for another reason.
import { expect, onTestFinished, test } from "bun:test";
import { chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsOf } from "../../src/processes/cage/architecture";
import { cageSupport } from "../../src/processes";
import { testIfAllowed } from "../support/require";
import { temporaryFolder } from "../support/temporary";
import { printFigure } from "../threats/figure";
import type { Attempt } from "./support/probe";
import { hostForTest, outcomes, outputOf, probe, shell } from "./support/programs";

const isRoot = process.getuid?.() === 0;
const testInCage = testIfAllowed("Landlock with signals (Linux 6.12)", cageSupport().supported);
const testAsRoot = testIfAllowed("running as root", isRoot && cageSupport().supported);
const calls = callsOf(process.arch);
const call = (name: Parameters<NonNullable<typeof calls>["number"]>[0], ...words: (number | "bytes")[]) => ({
  call: calls?.number(name) ?? -1,
  with: words,
});

const PTRACE_SEIZE = 0x4206;
const RLIMIT_NOFILE = 7;
const CLONE_NEWUSER = 0x1000_0000;
const [AF_UNIX, AF_VSOCK, SOCK_STREAM] = [1, 40, 1];
const REFUSALS = ["EACCES", "EPERM", "ENOSYS", "EAFNOSUPPORT"];

/** A process of the same user and without special rights, as a server usually is. */
function ordinaryProcess(): number {
  const as = isRoot ? ["setpriv", "--bounding-set", "-all"] : [];
  const child = Bun.spawn([...as, "sleep", "60"], { stdio: ["ignore", "ignore", "ignore"] });
  onTestFinished(() => child.kill("SIGKILL"));
  return child.pid;
}

function installation() {
  const folder = join(temporaryFolder(), "data");
  mkdirSync(join(folder, "configuration"), { recursive: true, mode: 0o700 });
  for (const name of ["root.key", "runtime.db", "configuration/runtime.yaml", "spare"])
    writeFileSync(join(folder, name), "secret", { mode: 0o600 });
  return (name: string) => join(folder, name);
}

function attemptsOn(home: string): Record<string, Attempt> {
  const ours = installation();
  const pid = ordinaryProcess();
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "own"), "");
  return {
    "read the root key": { read: ours("root.key") },
    "read the database": { read: ours("runtime.db") },
    "list the configuration folder": { list: ours("configuration") },
    "read the configuration": { read: ours("configuration/runtime.yaml") },
    "write into the database": { append: ours("runtime.db") },
    "add a file to the data folder": { create: ours("new"), mode: 0o600 },
    "delete a file of the data folder": { remove: ours("spare") },
    "list the root": { list: "/" },
    "list the temporary folder of the system": { list: "/tmp" },
    "read the environment of another process": { read: `/proc/${pid}/environ` },
    "open the memory of another process": { memoryOf: pid },
    "use an open file of another process": { read: `/proc/${pid}/fd/0` },
    "list the working folder of another process": { list: `/proc/${pid}/cwd` },
    "signal another process": { signal: pid },
    "signal the process that started it": { signal: process.pid },
    "trace another process": call("ptrace", PTRACE_SEIZE, pid),
    "read memory of another process": call("process_vm_readv", pid, "bytes", 1, "bytes", 1),
    "write memory of another process": call("process_vm_writev", pid, "bytes", 1, "bytes", 1),
    "take an open file of another process": call("pidfd_getfd", 0, 0),
    "change the limits of another process": call("prlimit64", pid, RLIMIT_NOFILE, 0, "bytes"),
    "slow another process down": call("setpriority", 0, pid, 1),
    "slow all processes of the user down": call("setpriority", 2, 0x7fff_ffff, 1),
    "move another process to a processor": call("sched_setaffinity", pid, 8, "bytes"),
    "use io_uring": call("io_uring_setup", 1, "bytes"),
    "use the kernel's keys": call("keyctl", 0, -3, 0),
    "add a key to the kernel": call("add_key", "bytes", "bytes", "bytes", 1, -3),
    "load a program into the kernel": call("bpf", 0, "bytes", 1),
    "measure the processor": call("perf_event_open", "bytes", 0, -1, -1, 0),
    "mount a file system": call("mount", "bytes", "bytes", "bytes", 0, 0),
    "handle page faults": call("userfaultfd", 1),
    "open a Unix socket": call("socket", AF_UNIX, SOCK_STREAM, 0),
    "open a socket to the host of the machine": call("socket", AF_VSOCK, SOCK_STREAM, 0),
    "type into the terminal": call("ioctl", 0, 0x5412, "bytes"),
    "make a program that runs as its owner": { chmod: join(home, "own"), mode: 0o4755 },
    "create a program that runs as its owner": { create: join(home, "other"), mode: 0o4755 },
    // Last: it changes what the others could do.
    "become root of a world of its own": call("unshare", CLONE_NEWUSER),
  };
}

async function refusedIn(sandbox: "cage" | "none") {
  const home = join(temporaryFolder(), "home");
  const attempts = attemptsOn(home);
  const host = hostForTest();
  const results = await outcomes(host, probe(Object.values(attempts), { sandbox, home }));
  const named = Object.keys(attempts).map((name, index): [string, string] => [name, results[index] ?? ""]);
  return {
    all: Object.keys(attempts),
    refused: named.filter(([, result]) => REFUSALS.includes(result)).map(([name]) => name),
  };
}

testInCage("a caged program is refused everything that would reach us or the machine", async () => {
  const { all, refused } = await refusedIn("cage");

  expect(refused).toEqual(all);
  printFigure("programs in the cage", `${all.length} attempts: 0 succeed`);
});

testAsRoot("without the cage nothing of it is refused", async () => {
  const { refused } = await refusedIn("none");

  expect(refused).toEqual([]);
});

testAsRoot("a caged program of root has no special rights", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "of-another-user");
  writeFileSync(file, "secret", { mode: 0o600 });
  chownSync(file, 65_534, 65_534);
  const attempts = [{ read: file }, { read: "/etc/shadow" }];
  const host = hostForTest();

  const caged = await outcomes(host, probe(attempts, { read: [folder] }));

  expect(caged).toEqual(["EACCES", "EACCES"]);
});

testInCage("a caged program uses its home, the system's programs and the network", async () => {
  const home = join(temporaryFolder(), "home");
  const attempts: Attempt[] = [
    { create: join(home, "file"), mode: 0o600 },
    { read: "/etc/passwd" },
    { read: "/dev/urandom" },
    { append: "/dev/null" },
    { list: "/usr/share" },
    { read: "/proc/self/status" },
    { read: "/proc/meminfo" },
    { run: "/bin/true" },
    call("socket", 2, SOCK_STREAM, 0),
    call("socket", 10, SOCK_STREAM, 0),
  ];

  const results = await outcomes(hostForTest(), probe(attempts, { home }));

  expect(results).toEqual(attempts.map(() => "ok"));
});

testInCage("a caged program changes only the paths that it may write", async () => {
  const [readable, writable] = [temporaryFolder(), temporaryFolder()];
  for (const folder of [readable, writable]) writeFileSync(join(folder, "file"), "text");
  const attempts: Attempt[] = [
    { read: join(readable, "file") },
    { append: join(readable, "file") },
    { append: join(writable, "file") },
    { remove: join(writable, "file") },
  ];

  const results = await outcomes(hostForTest(), probe(attempts, { read: [readable], write: [writable] }));

  expect(results).toEqual(["ok", "EACCES", "ok", "ok"]);
});

testInCage("two caged programs cannot reach each other", async () => {
  const host = hostForTest();
  const other = await host.start(shell("echo ready; exec sleep 60"));
  await other.output.getReader().read();
  const attempts = [
    { signal: other.pid },
    { read: `/proc/${other.pid}/environ` },
    { memoryOf: other.pid },
    { list: `/proc/${other.pid}/cwd` },
  ];

  const results = await outcomes(host, probe(attempts));

  expect(results).toEqual(["EPERM", "EACCES", "EACCES", "EACCES"]);
});

testInCage("a socket in the list of paths to write allows Unix sockets", async () => {
  const path = join(temporaryFolder(), "socket");
  const listener = Bun.listen({ unix: path, socket: { data: () => undefined } });
  onTestFinished(() => listener.stop(true));

  const results = await outcomes(
    hostForTest(),
    probe([call("socket", AF_UNIX, SOCK_STREAM, 0)], { write: [path] }),
  );

  expect(results).toEqual(["ok"]);
});

testInCage("a program starts with the usual signals, no open files of ours and no core dump", async () => {
  const script = "cat /proc/self/status; ulimit -c; ls /proc/self/fd | wc -l";
  const running = await hostForTest().start(shell(script));

  const text = await outputOf(running);

  expect(text).toMatch(/^SigBlk:\s+0+$/m);
  expect(text).toMatch(/^SigIgn:\s+0+$/m);
  expect(text).toMatch(/^NoNewPrivs:\s+1$/m);
  // Standard input, output and error, and the list that is being read.
  expect(text).toMatch(/^0\n4\n$/m);
});

test("the server keeps its rights", () => {
  expect(readFileSync("/proc/self/status", "utf8")).toMatch(/^Seccomp:\s+0$/m);
});
