// Commands in a network namespace of their own, in which only this machine can be reached.
const UP = 'ip link set lo up && exec "$0" "$@"';

/** How a namespace is made: by root, or by a user who may be root in a namespace of users. */
const WAYS = [
  ["unshare", "--net"],
  ["unshare", "--map-root-user", "--net"],
];

const way = WAYS.find((words) => {
  const found = Bun.which("unshare") !== null && Bun.which("ip") !== null && Bun.which("sh") !== null;
  return found && Bun.spawnSync([...words, "sh", "-c", "ip link set lo up"]).exitCode === 0;
});

export const canBeAlone = way !== undefined;

/** The command that runs `command` with the loopback interface only. */
export function alone(command: readonly string[]): string[] {
  return [...(way ?? []), "sh", "-c", UP, ...command];
}
