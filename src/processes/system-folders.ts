// What every program needs of the system: programs, libraries, settings, certificates, time zones, devices without content.
import type { CageRule } from "./plan";

/** Programs and libraries. */
const PROGRAMS = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store"];

/** Folders of settings. What is not for every user of the machine is left out of them. */
export const SETTINGS = ["/etc"];

const FACTS = [
  // `/proc/PID/environ`, `mem`, `fd` and `root` of other processes are closed by Landlock's rule about tracing.
  "/proc",
  "/sys/devices/system",
  "/sys/fs/cgroup",
  "/sys/kernel/mm/transparent_hugepage",
  // The files behind `/etc/resolv.conf` and `/etc/localtime` on many systems.
  "/run/systemd/resolve",
  "/run/resolvconf",
  "/run/NetworkManager/resolv.conf",
  "/run/NetworkManager/no-stub-resolv.conf",
  "/run/current-system/sw",
  "/var/lib/ca-certificates",
  "/var/cache/fontconfig",
];

const DEVICES = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

const as =
  (access: CageRule["access"]) =>
  (path: string): CageRule => ({ path, access });

export const SYSTEM_RULES: readonly CageRule[] = [
  ...PROGRAMS.map(as("run")),
  ...SETTINGS.map(as("read")),
  ...FACTS.map(as("read")),
  ...DEVICES.map(as("device")),
];
