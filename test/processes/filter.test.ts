// The filter of system calls, run instruction by instruction for both architectures: this machine has only one of them.
import { describe, expect, test } from "bun:test";
import { type Call, callsOf } from "../../src/processes/cage/architecture";
import { filterOf } from "../../src/processes/cage/seccomp";

const ALLOW = 0x7fff_0000;
const KILL = 0x8000_0000;
const refused = (error: number): number => 0x0005_0000 | error;
const [EPERM, EACCES, ENOSYS, EAFNOSUPPORT] = [1, 13, 38, 97].map(refused);

interface Data {
  number: number;
  audit: number;
  arguments: readonly number[];
}

/** The classic machine of bpf(4), as far as the filter uses it. */
function run(program: ReturnType<typeof filterOf>, data: Data): number {
  const words = [data.number, data.audit, 0, 0, ...data.arguments.flatMap((value) => [value, 0])];
  let loaded = 0;
  for (let at = 0; at < program.length; at++) {
    const [code, whenTrue, whenFalse, value] = program[at] ?? [0, 0, 0, 0];
    if (code === 0x06) return value;
    if (code === 0x20) loaded = (words[value / 4] ?? 0) >>> 0;
    else if (code === 0x15) at += loaded === value ? whenTrue : whenFalse;
    else if (code === 0x35) at += loaded >= value ? whenTrue : whenFalse;
    else if (code === 0x45) at += (loaded & value) !== 0 ? whenTrue : whenFalse;
    else throw new Error(`instruction ${code}`);
  }
  throw new Error("the program has no end");
}

describe.each(["x64", "arm64"])("on %s", (architecture) => {
  const calls = callsOf(architecture);
  if (calls === undefined) throw new Error("unknown architecture");
  const result = (call: Call, words: readonly number[] = [], unixSockets = false): number =>
    run(filterOf(calls, unixSockets), { number: calls.number(call), audit: calls.audit, arguments: words });

  test.each<[Call, readonly number[], number | undefined]>([
    ["ptrace", [], EPERM],
    ["process_vm_readv", [], EPERM],
    ["process_vm_writev", [], EPERM],
    ["io_uring_setup", [], ENOSYS],
    ["keyctl", [], EPERM],
    ["bpf", [], EPERM],
    ["perf_event_open", [], EPERM],
    ["mount", [], EPERM],
    ["move_mount", [], EPERM],
    ["clone3", [], ENOSYS],
    ["socket", [1, 1], EACCES],
    ["socket", [2, 1], ALLOW],
    ["socket", [10, 2], ALLOW],
    ["socket", [16, 3], ALLOW],
    ["socket", [40, 1], EAFNOSUPPORT],
    ["ioctl", [0, 0x5412], EPERM],
    ["ioctl", [0, 0x541c], EPERM],
    ["ioctl", [0, 0x5401], ALLOW],
    ["clone", [0x1000_0000], EPERM],
    ["clone", [0x003d_0f00], ALLOW],
    ["unshare", [0x0002_0000], EPERM],
    ["prlimit64", [0, 7], ALLOW],
    ["prlimit64", [1234, 7], EPERM],
    ["setpriority", [0, 0, 5], ALLOW],
    ["setpriority", [0, 1234, 5], EPERM],
    ["setpriority", [2, 0, 5], EPERM],
    ["ioprio_set", [1, 0], ALLOW],
    ["ioprio_set", [3, 0], EPERM],
    ["openat", [0, 0, 0o1101, 0o644], ALLOW],
    ["openat", [0, 0, 0o1101, 0o4755], EPERM],
    // Without O_CREAT the last argument is left from something else.
    ["openat", [0, 0, 0o1, 0o7777], ALLOW],
    ["fchmodat", [0, 0, 0o755], ALLOW],
    ["fchmodat", [0, 0, 0o2755], EPERM],
    ["fchmod", [0, 0o4755], EPERM],
    ["close_range", [], ALLOW],
  ])("%s %p", (call, words, expected) => {
    expect(result(call, words)).toBe(expected ?? 0);
  });

  test("Unix sockets are allowed on request", () => {
    expect(result("socket", [1, 1], true)).toBe(ALLOW);
  });

  test("other ways to number calls are refused", () => {
    const program = filterOf(calls, false);
    const { audit } = calls;

    expect(run(program, { number: 0x4000_0000 + 101, audit, arguments: [] })).toBe(ENOSYS ?? 0);
    expect(run(program, { number: 26, audit: 0x4000_0003, arguments: [] })).toBe(KILL);
  });
});
