// Databases that are not encrypted, which backups, checks and restorations have left behind.
import { leftWorkFolders, workPlaces } from "../backup";
import type { Config } from "../config";
import { type Finding, warning } from "./finding";

export function workFolderFindings(config: Config): Finding[] {
  const left = workPlaces(config).flatMap(leftWorkFolders);
  if (left.length === 0) return [];
  const named = left.map(({ path }) => path).join(", ");
  return [
    warning(
      "interrupted backups",
      `An interrupted backup, check or restoration has left copies of databases, which are not encrypted: ${named}.`,
      left.every(({ isSwept }) => isSwept)
        ? "A server removes them when it starts. Or delete them now."
        : "If no backup, check or restoration is running, delete them.",
    ),
  ];
}
