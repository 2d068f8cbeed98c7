// The installation: health, backups, the certificate, and the queues in the database.
import { ownBackups } from "../../backup";
import type { Core } from "../../core";
import type { Health } from "../../health";
import type { Family } from "../families";
import { depthsOf, MOST_COUNTED } from "../repository";
import { gauge } from "./gauge";
import { Remembered } from "./remembered";

export interface InstallationParts {
  health(): Promise<Health>;
  /** The folder of scheduled backups. */
  backupFolder: string | undefined;
  /** Expiry of the certificate, milliseconds since the epoch. */
  certificateEndsAt(): number | undefined;
}

export function installationFamilies(core: Core, parts: InstallationParts): Family[] {
  const { store, clock } = core;
  // Scrapers that come at the same time share what is read of the database.
  const depths = new Remembered(clock, () => depthsOf(store, clock.now()));
  const health = new Remembered(clock, parts.health);
  const most = `At most ${MOST_COUNTED} are counted.`;
  return [
    gauge(
      {
        name: "runtime_healthy",
        help: "1 if the databases can be read and written and the root key can be used, otherwise 0.",
      },
      async () => ((await health.get()).healthy ? 1 : 0),
    ),
    gauge(
      {
        name: "runtime_scheduled_runs",
        help: `Scheduled runs of all projects by state: due, running, or waiting for their time. ${most}`,
        labels: ["state"],
      },
      async () => {
        const { due, running, waiting } = await depths.get();
        return [
          [["due"], due],
          [["running"], running],
          [["waiting"], waiting],
        ];
      },
    ),
    gauge(
      {
        name: "runtime_revocations_pending",
        help: `Grants that must be revoked at their providers. ${most}`,
      },
      async () => (await depths.get()).revocations,
    ),
    gauge(
      { name: "runtime_consents_pending", help: `Consents that wait for a person. ${most}` },
      async () => (await depths.get()).consents,
    ),
    gauge(
      {
        name: "runtime_last_backup_timestamp_seconds",
        help: "When the newest scheduled backup was made, in seconds since 1970; missing if there is none.",
        unit: "seconds",
      },
      () => lastBackup(parts.backupFolder, clock.now()),
    ),
    gauge(
      {
        name: "runtime_certificate_expiry_timestamp_seconds",
        help: "When the certificate of the server expires, in seconds since 1970; missing without TLS.",
        unit: "seconds",
      },
      () => {
        const endsAt = parts.certificateEndsAt();
        return endsAt === undefined ? undefined : endsAt / 1000;
      },
    ),
  ];
}

function lastBackup(folder: string | undefined, now: number): number | undefined {
  if (folder === undefined) return undefined;
  try {
    const [newest] = ownBackups(folder, now).made;
    return newest === undefined ? undefined : newest.at / 1000;
  } catch {
    // The folder does not exist before the first backup.
    return undefined;
  }
}
