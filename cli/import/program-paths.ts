// What an imported program must reach outside of the folders that every program reads: itself, what it runs, and the folders
// and files that its arguments and variables name.
import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { withoutTrailingSlashes } from "../../src/base";

/** Folders that every program may read. */
const SYSTEM = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/opt",
  "/nix/store",
  "/etc",
  "/dev",
  "/proc",
  "/sys",
];
/** Where a program is found by its name. */
const USUAL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const SOURCE = /\.(?:[cm]?[jt]sx?|py|rb|php|jar|sh|exs?|pl|lua)$/;
/** Files that a program reads only, such as settings and keys. */
const SETTINGS = /\.(?:json[5c]?|ya?ml|toml|ini|cfg|conf|env|pem|key|crt|cer|p12|pfx)$/;
const PROJECT_MARKS = ["package.json", "pyproject.toml", "Gemfile", "go.mod", ".git"];
/** Variables with folders of programs and libraries. */
const SEARCHED =
  /^(?:PATH|PYTHONPATH|NODE_PATH|LD_LIBRARY_PATH|CLASSPATH|GOPATH|VIRTUAL_ENV|NVM_DIR|JAVA_HOME)$/;

export interface Reached {
  /** The program, as the worker must name it. */
  command: string;
  /** `PATH`, if the program is not where programs are found by their names. */
  path: string | undefined;
  read: string[];
  write: string[];
  /** Paths that are not opened, because they contain what no program may read. */
  kept: string[];
}

export interface Sought {
  command: string;
  arguments: readonly string[];
  environment: Readonly<Record<string, string>>;
  /** The folder in which it starts. */
  folder: string | undefined;
  /** PATH and HOME of this command. */
  searched: string;
  home: string;
  /** Folders and files of this installation, which no program may read. */
  own: readonly string[];
}

/** Undefined: the program does not exist. */
export function reachedBy(sought: Sought): Reached | undefined {
  const { command, folder, searched, home, own } = sought;
  const found = programOf(command, folder, searched);
  if (found === undefined) return undefined;
  const isUsual = USUAL_PATH.split(":").includes(dirname(found)) && !command.includes("/");
  const named = namedPaths(sought);
  const read = [
    dirname(found),
    installationOf(realpathSync(found), home),
    ...(folder === undefined ? [] : [folder]),
    ...named.read,
  ];
  const write = outermost(named.write.filter((path) => !isSystem(path)));
  const only = outermost(
    read.filter((path) => !isSystem(path) && !write.some((open) => isWithin(path, open))),
  );
  const isOpen = (path: string): boolean =>
    !own.some((place) => isWithin(place, path) || isWithin(path, place));
  return {
    command: isUsual ? command : found,
    path: isUsual || isSystem(found) ? undefined : `${dirname(found)}:${USUAL_PATH}`,
    read: only.filter(isOpen),
    write: write.filter(isOpen),
    kept: [...only, ...write].filter((path) => !isOpen(path)),
  };
}

function programOf(command: string, folder: string | undefined, searched: string): string | undefined {
  if (!command.includes("/")) return Bun.which(command, { PATH: searched }) ?? undefined;
  const path = isAbsolute(command) ? command : join(folder ?? process.cwd(), command);
  return existsSync(path) ? path : undefined;
}

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
const isSystem = (path: string): boolean => SYSTEM.some((folder) => isWithin(path, folder));

/** Each once, without those within others. */
function outermost(paths: readonly string[]): string[] {
  return [...new Set(paths)].filter(
    (path, _at, all) => !all.some((other) => other !== path && isWithin(path, other)),
  );
}

/** `…/bin/program` → the folder with its libraries. */
function installationOf(path: string, home: string): string {
  const folder = dirname(path);
  const prefix = dirname(folder);
  const isPrefix = basename(folder) === "bin" && ![home, join(home, ".local"), "/"].includes(prefix);
  return isPrefix ? prefix : basename(folder) === "bin" ? folder : projectOf(path, home);
}

/** The folder of the project that a source belongs to, with its packages; its own folder if there is none. */
function projectOf(path: string, home: string): string {
  const [packages] = /^.*?\/node_modules(?=\/)/.exec(path) ?? [];
  if (packages !== undefined) return packages;
  const own = dirname(path);
  for (let folder = own; dirname(folder) !== folder && !isWithin(home, folder); folder = dirname(folder))
    if (PROJECT_MARKS.some((mark) => existsSync(join(folder, mark)))) return folder;
  return own;
}

function namedPaths({ arguments: words, environment, folder, home }: Sought): {
  read: string[];
  write: string[];
} {
  const read: string[] = [];
  const write: string[] = [];
  const values = Object.entries(environment).filter(([name]) => !SEARCHED.test(name));
  for (const path of [...words, ...values.map(([, value]) => value)].flatMap((text) =>
    pathsIn(text, folder),
  )) {
    const isFile = existsSync(path) && statSync(path).isFile();
    if (isFile && SOURCE.test(path)) read.push(projectOf(path, home), projectOf(realpathSync(path), home));
    else if (isFile && SETTINGS.test(path)) read.push(path);
    else if (existsSync(path)) write.push(path);
    // A file that the program is about to create.
    else if (dirname(path) !== "/" && dirname(path) !== home && existsSync(dirname(path)))
      write.push(dirname(path));
  }
  for (const [name, value] of Object.entries(environment))
    if (SEARCHED.test(name)) read.push(...pathsIn(value, folder).filter((path) => existsSync(path)));
  return { read, write };
}

/** Absolute paths in a text: all of it, or the value of a flag. A `:` separates several. */
function pathsIn(text: string, folder: string | undefined): string[] {
  const [, value = text] = /^--?[\w-]+=(.+)$/s.exec(text) ?? [];
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(value) && !value.startsWith("file://")) return [];
  return value
    .replace(/^file:\/\//, "")
    .split(":")
    .flatMap((part) => {
      if (isAbsolute(part)) return withoutTrailingSlashes(part) === "" ? [] : [withoutTrailingSlashes(part)];
      const path =
        folder === undefined || part === "" || part.startsWith("-") ? undefined : join(folder, part);
      return path !== undefined && existsSync(path) ? [path] : [];
    });
}
