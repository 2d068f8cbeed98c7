// The environment of programs that this one starts.

/** How a service manager reaches this process, sd_notify(3): a program of others must not report for it. */
const OF_THE_SERVICE_MANAGER = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"];
const EXCLUDED = new Set(["NODE_OPTIONS", ...OF_THE_SERVICE_MANAGER]);

/**
 * Variables without the secrets of this program, without options that make a program load code, and without the socket of a
 * service manager.
 */
export function environmentForOthers(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && !entry[0].startsWith("RUNTIME_") && !EXCLUDED.has(entry[0]),
    ),
  );
}
