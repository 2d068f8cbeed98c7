// What an imported program must reach outside of the folders that every program reads: itself, what it runs, and the folders
// and files that its arguments and variables name.
import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, sep } from "node:path";

/** Folders that every program may read. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/dev", "/proc", "/sys"];
/** What a program finds by itself. */
const USUAL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const SOURCE = /\.(?:[cm]?[jt]sx?|py|rb|php|jar|sh|exs?|pl|lua)$/;
const PROJECT_MARKS = ["package.json", "pyproject.toml", "node_modules", "Gemfile", "go.mod", ".git"];

export interface Reached {
  /** The program, as the worker must name it. */
  command: string;
  /** The folder of the program, if programs do not look there by themselves. */
  path: string | undefined;
  read: string[];
  write: string[];
  /** Paths that are not opened, because they contain what no program may read. */
  kept: string[];
}

export interface Sought {
  command: string;
  texts: readonly string[];
  /** The folder in which it starts. */
  folder: string | undefined;
  /** PATH of this command. */
  searched: string;
  /** Folders of this installation, which no program may read. */
  own: readonly string[];
}

/** Undefined: the program does not exist. */
export function reachedBy({ command, texts, folder, searched, own }: Sought): Reached | undefined {
  const found = programOf(command, folder, searched);
  if (found === undefined) return undefined;
  const isUsual = USUAL_PATH.split(":").includes(dirname(found)) && !command.includes("/");
  const read = new Set<string>();
  const write = new Set<string>();
  for (const path of [found, realpathSync(found)]) if (!isSystem(path)) read.add(installationOf(path));
  if (folder !== undefined && !isSystem(folder)) read.add(folder);
  for (const path of texts.flatMap((text) => pathsIn(text, folder))) {
    if (isSystem(path)) continue;
    if (statSync(path).isFile() && SOURCE.test(path)) read.add(projectOf(path));
    else write.add(path);
  }
  const isOpen = (path: string): boolean =>
    !own.some((place) => isWithin(place, path) || isWithin(path, place));
  const all = [...read, ...write];
  return {
    command: isUsual ? command : found,
    path: isUsual || isSystem(found) ? undefined : `${dirname(found)}:${USUAL_PATH}`,
    read: [...read].filter((path) => isOpen(path) && !write.has(path)),
    write: [...write].filter(isOpen),
    kept: all.filter((path) => !isOpen(path)),
  };
}

function programOf(command: string, folder: string | undefined, searched: string): string | undefined {
  if (!command.includes("/")) return Bun.which(command, { PATH: searched }) ?? undefined;
  const path = isAbsolute(command) ? command : join(folder ?? process.cwd(), command);
  return existsSync(path) ? path : undefined;
}

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
const isSystem = (path: string): boolean => SYSTEM.some((folder) => isWithin(path, folder));

/** `…/bin/program` → the folder with its libraries. */
function installationOf(path: string): string {
  const folder = dirname(path);
  return basename(folder) === "bin" ? dirname(folder) : projectOf(path);
}

/** The folder of the project that a source belongs to, as far as its own folder. */
function projectOf(path: string): string {
  const own = dirname(path);
  for (let folder = own; dirname(folder) !== folder; folder = dirname(folder))
    if (PROJECT_MARKS.some((mark) => existsSync(join(folder, mark)))) return folder;
  return own;
}

/** Existing paths in a text: all of it, or the value of a flag. A `:` separates several. */
function pathsIn(text: string, folder: string | undefined): string[] {
  const [, value = text] = /^--?[\w-]+=(.+)$/s.exec(text) ?? [];
  return value
    .split(":")
    .map((part) => part.replace(/^file:\/\//, ""))
    .map((part) =>
      folder !== undefined && /^\.{0,2}[\w-]*\//.test(part) && !isAbsolute(part) ? join(folder, part) : part,
    )
    .filter((part) => isAbsolute(part) && part !== "/" && existsSync(part));
}
