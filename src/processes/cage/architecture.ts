// The numbers of system calls, which differ between architectures: arch/x86/entry/syscalls/syscall_64.tbl and
// scripts/syscall.tbl (arm64) of Linux. From 424 on they are the same.

interface Architecture {
  /** AUDIT_ARCH of linux/audit.h. */
  audit: number;
  /** A call that is missing does not exist there. */
  numbers: Readonly<Partial<Record<OldCall, number>>>;
}

type OldCall =
  | "socket"
  | "ioctl"
  | "clone"
  | "unshare"
  | "setns"
  | "ptrace"
  | "process_vm_readv"
  | "process_vm_writev"
  | "kcmp"
  | "add_key"
  | "request_key"
  | "keyctl"
  | "bpf"
  | "perf_event_open"
  | "userfaultfd"
  | "mount"
  | "umount2"
  | "pivot_root"
  | "chroot"
  | "swapon"
  | "swapoff"
  | "acct"
  | "quotactl"
  | "name_to_handle_at"
  | "open_by_handle_at"
  | "prlimit64"
  | "setpriority"
  | "sched_setparam"
  | "sched_setscheduler"
  | "sched_setaffinity"
  | "sched_setattr"
  | "ioprio_set"
  | "open"
  | "openat"
  | "creat"
  | "chmod"
  | "fchmod"
  | "fchmodat"
  | "mknod"
  | "mknodat"
  | "seccomp";

const X64: Architecture = {
  audit: 0xc000_003e,
  numbers: {
    socket: 41,
    ioctl: 16,
    clone: 56,
    unshare: 272,
    setns: 308,
    ptrace: 101,
    process_vm_readv: 310,
    process_vm_writev: 311,
    kcmp: 312,
    add_key: 248,
    request_key: 249,
    keyctl: 250,
    bpf: 321,
    perf_event_open: 298,
    userfaultfd: 323,
    mount: 165,
    umount2: 166,
    pivot_root: 155,
    chroot: 161,
    swapon: 167,
    swapoff: 168,
    acct: 163,
    quotactl: 179,
    name_to_handle_at: 303,
    open_by_handle_at: 304,
    prlimit64: 302,
    setpriority: 141,
    sched_setparam: 142,
    sched_setscheduler: 144,
    sched_setaffinity: 203,
    sched_setattr: 314,
    ioprio_set: 251,
    open: 2,
    openat: 257,
    creat: 85,
    chmod: 90,
    fchmod: 91,
    fchmodat: 268,
    mknod: 133,
    mknodat: 259,
    seccomp: 317,
  },
};

const ARM64: Architecture = {
  audit: 0xc000_00b7,
  numbers: {
    socket: 198,
    ioctl: 29,
    clone: 220,
    unshare: 97,
    setns: 268,
    ptrace: 117,
    process_vm_readv: 270,
    process_vm_writev: 271,
    kcmp: 272,
    add_key: 217,
    request_key: 218,
    keyctl: 219,
    bpf: 280,
    perf_event_open: 241,
    userfaultfd: 282,
    mount: 40,
    umount2: 39,
    pivot_root: 41,
    chroot: 51,
    swapon: 224,
    swapoff: 225,
    acct: 89,
    quotactl: 60,
    name_to_handle_at: 264,
    open_by_handle_at: 265,
    prlimit64: 261,
    setpriority: 140,
    sched_setparam: 118,
    sched_setscheduler: 119,
    sched_setaffinity: 122,
    sched_setattr: 274,
    ioprio_set: 30,
    openat: 56,
    fchmod: 52,
    fchmodat: 53,
    mknodat: 33,
    seccomp: 277,
  },
};

const NEW_CALLS = {
  pidfd_send_signal: 424,
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  clone3: 435,
  close_range: 436,
  openat2: 437,
  pidfd_getfd: 438,
  process_madvise: 440,
  mount_setattr: 442,
  quotactl_fd: 443,
  landlock_create_ruleset: 444,
  landlock_add_rule: 445,
  landlock_restrict_self: 446,
  process_mrelease: 448,
  fchmodat2: 452,
  open_tree_attr: 467,
} as const;

export type Call = OldCall | keyof typeof NEW_CALLS;

export interface Calls {
  audit: number;
  /** -1 for a call that does not exist on this architecture: the kernel refuses it. */
  number(call: Call): number;
}

/** Undefined for other architectures. */
export function callsOf(architecture: string): Calls | undefined {
  const found = architecture === "x64" ? X64 : architecture === "arm64" ? ARM64 : undefined;
  if (found === undefined) return undefined;
  const all: Readonly<Partial<Record<Call, number>>> = { ...found.numbers, ...NEW_CALLS };
  return { audit: found.audit, number: (call) => all[call] ?? -1 };
}
