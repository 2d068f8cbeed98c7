// The filter of system calls: what Landlock does not cover. It refuses to read or control other processes, to open a way
// around the filter (other calling conventions, io_uring), and interfaces of the kernel that a tool does not need and that
// had many faults. The network stays open.
import { libc, prctl, ptr } from "../libc";
import type { Call, Calls } from "./architecture";

const EPERM = 1;
const EACCES = 13;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

// linux/seccomp.h and linux/bpf_common.h
const KILL_PROCESS = 0x8000_0000;
const RETURN_ERROR = 0x0005_0000;
const ALLOW = 0x7fff_0000;
const PR_SET_SECCOMP = 22;
const SECCOMP_MODE_FILTER = 2;
const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;

/** Offsets in `struct seccomp_data`. Arguments are 64 bits wide; the lower half comes first. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;
const SECOND_ARGUMENT = 24;
const THIRD_ARGUMENT = 32;
const FOURTH_ARGUMENT = 40;

/** Calls of the x32 convention have this bit, and would pass by a filter that knows only the other numbers. */
const X32 = 0x4000_0000;

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
/** They put text into a terminal as if it had been typed. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
/** All CLONE_NEW flags: mounts, groups of processes, names, messages, users, processes, network, time. */
const NAMESPACES = 0x7e02_0080;
const IOPRIO_WHO_PROCESS = 1;
/** A process that runs such a file gets the rights of its owner, so of the user of this server. */
const SET_ID_MODES = 0o6000;
/** The flags with which a file is opened that may not exist yet: only then is there a mode. */
const CREATING = 0o100 | 0o20000000;

type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, value: number];

const fail = (error: number): Instruction => [RETURN, 0, 0, RETURN_ERROR | error];
const allow: Instruction = [RETURN, 0, 0, ALLOW];
const load = (offset: number): Instruction => [LOAD, 0, 0, offset];

/** Runs the block if the loaded word is `value`, else goes on after it. */
function when(value: number, block: readonly Instruction[]): Instruction[] {
  return [[JUMP_EQUAL, 0, block.length, value], ...block];
}

const REFUSED: Readonly<Partial<Record<Call, number>>> = {
  ptrace: EPERM,
  process_vm_readv: EPERM,
  process_vm_writev: EPERM,
  process_madvise: EPERM,
  process_mrelease: EPERM,
  pidfd_getfd: EPERM,
  kcmp: EPERM,
  add_key: EPERM,
  request_key: EPERM,
  keyctl: EPERM,
  bpf: EPERM,
  perf_event_open: EPERM,
  userfaultfd: EPERM,
  mount: EPERM,
  umount2: EPERM,
  pivot_root: EPERM,
  chroot: EPERM,
  open_tree: EPERM,
  open_tree_attr: EPERM,
  move_mount: EPERM,
  fsopen: EPERM,
  fsconfig: EPERM,
  fsmount: EPERM,
  fspick: EPERM,
  mount_setattr: EPERM,
  setns: EPERM,
  swapon: EPERM,
  swapoff: EPERM,
  acct: EPERM,
  quotactl: EPERM,
  quotactl_fd: EPERM,
  name_to_handle_at: EPERM,
  open_by_handle_at: EPERM,
  // Programs that find these missing use what they replace, which the filter can read.
  io_uring_setup: ENOSYS,
  io_uring_enter: ENOSYS,
  io_uring_register: ENOSYS,
  clone3: ENOSYS,
  openat2: ENOSYS,
};

const only = (offset: number, value: number): Instruction[] => [load(offset), ...when(value, [allow])];
const ownOnly = [...only(FIRST_ARGUMENT, 0), fail(EPERM)];
const noNamespaces: Instruction[] = [
  load(FIRST_ARGUMENT),
  [JUMP_ANY_BIT, 0, 1, NAMESPACES],
  fail(EPERM),
  allow,
];
const ownPriority = (process: number): Instruction[] => [
  load(FIRST_ARGUMENT),
  ...when(process, [...only(SECOND_ARGUMENT, 0), fail(EPERM)]),
  fail(EPERM),
];

const noSetId = (mode: number): Instruction[] => [
  load(mode),
  [JUMP_ANY_BIT, 0, 1, SET_ID_MODES],
  fail(EPERM),
  allow,
];
const noSetIdWhenCreating = (flags: number, mode: number): Instruction[] => [
  load(flags),
  [JUMP_ANY_BIT, 1, 0, CREATING],
  allow,
  ...noSetId(mode),
];

/** Calls that are allowed with some arguments only. */
function conditional(unixSockets: boolean): Partial<Record<Call, Instruction[]>> {
  const families = [AF_INET, AF_INET6, AF_NETLINK].flatMap((family) => when(family, [allow]));
  const unix = when(AF_UNIX, [unixSockets ? allow : fail(EACCES)]);
  return {
    socket: [load(FIRST_ARGUMENT), ...families, ...unix, fail(EAFNOSUPPORT)],
    ioctl: [load(SECOND_ARGUMENT), ...when(TIOCSTI, [fail(EPERM)]), ...when(TIOCLINUX, [fail(EPERM)]), allow],
    clone: noNamespaces,
    unshare: noNamespaces,
    // Processes of one user may change each other's limits and priorities, so also ours.
    prlimit64: ownOnly,
    sched_setparam: ownOnly,
    sched_setscheduler: ownOnly,
    sched_setaffinity: ownOnly,
    sched_setattr: ownOnly,
    setpriority: ownPriority(0),
    ioprio_set: ownPriority(IOPRIO_WHO_PROCESS),
    open: noSetIdWhenCreating(SECOND_ARGUMENT, THIRD_ARGUMENT),
    openat: noSetIdWhenCreating(THIRD_ARGUMENT, FOURTH_ARGUMENT),
    creat: noSetId(SECOND_ARGUMENT),
    chmod: noSetId(SECOND_ARGUMENT),
    fchmod: noSetId(SECOND_ARGUMENT),
    fchmodat: noSetId(THIRD_ARGUMENT),
    fchmodat2: noSetId(THIRD_ARGUMENT),
    mknod: noSetId(SECOND_ARGUMENT),
    mknodat: noSetId(THIRD_ARGUMENT),
  };
}

/** The program of the filter. */
export function filterOf(calls: Calls, unixSockets: boolean): Instruction[] {
  const callsIn = <T>(table: Partial<Record<Call, T>>) =>
    (Object.entries(table) as [Call, T][]).filter(([call]) => calls.number(call) >= 0);
  return [
    load(ARCHITECTURE),
    [JUMP_EQUAL, 1, 0, calls.audit],
    [RETURN, 0, 0, KILL_PROCESS],
    load(NUMBER),
    [JUMP_AT_LEAST, 0, 1, X32],
    fail(ENOSYS),
    ...callsIn(REFUSED).flatMap(([call, error]) => when(calls.number(call), [fail(error)])),
    ...callsIn(conditional(unixSockets)).flatMap(([call, block]) => when(calls.number(call), block)),
    allow,
  ];
}

/** Applies the filter to this thread and to every program that it becomes or starts. Needs `no_new_privs`. */
export function applyFilter(program: readonly Instruction[]): boolean {
  const bytes = new DataView(new ArrayBuffer(program.length * 8));
  program.forEach(([code, whenTrue, whenFalse, value], index) => {
    bytes.setUint16(index * 8, code, true);
    bytes.setUint8(index * 8 + 2, whenTrue);
    bytes.setUint8(index * 8 + 3, whenFalse);
    bytes.setUint32(index * 8 + 4, value >>> 0, true);
  });
  const content = new Uint8Array(bytes.buffer);
  // `struct sock_fprog`: the number of instructions, then their address.
  const header = new BigUint64Array([BigInt(program.length), BigInt(ptr(content))]);
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ptr(header)) === 0;
}

const SECCOMP_GET_ACTION_AVAIL = 2n;

/** Whether this kernel has filters. */
export function hasFilters(calls: Calls): boolean {
  const action = new Uint32Array([RETURN_ERROR]);
  const address = BigInt(ptr(action));
  return (
    libc().syscall(BigInt(calls.number("seccomp")), SECCOMP_GET_ACTION_AVAIL, 0n, address, 0n, 0n) === 0n
  );
}
