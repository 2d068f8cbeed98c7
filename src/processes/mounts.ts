// The other paths of a folder. With a bind mount the same files are at two places, and Landlock judges the path.
import { readFileSync } from "node:fs";
import { isWithin } from "./within";

interface Mount {
  device: string;
  /** The folder of the file system that is mounted. */
  root: string;
  point: string;
}

/** The paths under which the files of `path` can also be reached, without itself. `table` is `/proc/self/mountinfo`. */
export function otherPathsOf(path: string, table: string = mountTable()): string[] {
  const mounts = mountsIn(table);
  // Of several mounts at one place the last one counts.
  const own = mounts
    .filter(({ point }) => isWithin(path, point))
    .reduce<Mount | undefined>(
      (best, mount) => (best === undefined || mount.point.length >= best.point.length ? mount : best),
      undefined,
    );
  if (own === undefined) return [];
  const inside = moved(path, own.point, own.root);
  return mounts
    .filter((mount) => mount.device === own.device && mount !== own)
    .flatMap(({ root, point }) => {
      if (isWithin(inside, root)) return [moved(inside, root, point)];
      return isWithin(root, inside) ? [point] : [];
    })
    .filter((other) => other !== path);
}

/** A path below `from`, as the same path below `to`. */
function moved(path: string, from: string, to: string): string {
  const rest = from === "/" ? path : path.slice(from.length);
  const joined = to === "/" ? rest : `${to}${rest}`;
  return joined.length > 1 && joined.endsWith("/") ? joined.slice(0, -1) : joined || "/";
}

// proc_pid_mountinfo(5): id, parent, device, root, mount point, and more.
function mountsIn(table: string): Mount[] {
  return table.split("\n").flatMap((line) => {
    const [, , device, root, point] = line.split(" ");
    if (device === undefined || root === undefined || point === undefined) return [];
    return [{ device, root: unescaped(root), point: unescaped(point) }];
  });
}

function unescaped(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)));
}

function mountTable(): string {
  try {
    return readFileSync("/proc/self/mountinfo", "utf8");
  } catch {
    return "";
  }
}
