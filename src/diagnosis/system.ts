// The machine and the process in the bundle. Of the environment only which of a few known variables are set.
import { readdirSync, readFileSync, statfsSync, statSync } from "node:fs";
import * as os from "node:os";
import { join } from "node:path";

const VARIABLES = [
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "TZ",
  "LANG",
  "NOTIFY_SOCKET",
  "INVOCATION_ID",
  "CREDENTIALS_DIRECTORY",
  "container",
  "KUBERNETES_SERVICE_HOST",
];
/** Files of ours in the data folder. */
const OURS = /^(?:runtime|executions)\.db/;

export function systemFacts(environment: { readonly [name: string]: string | undefined }): object {
  const cores = os.cpus();
  return {
    platform: `${process.platform}-${process.arch}`,
    kernel: os.release(),
    system: nameOfSystem(),
    bun: Bun.version,
    cores: cores.length,
    core: cores[0]?.model,
    memory_bytes: os.totalmem(),
    free_memory_bytes: os.freemem(),
    load: os.loadavg(),
    uptime_seconds: Math.round(os.uptime()),
    is_root: process.getuid?.() === 0,
    time_zone_minutes: -new Date().getTimezoneOffset(),
    open_file_limit: openFileLimit(),
    variables_set: VARIABLES.filter((name) => (environment[name] ?? "") !== ""),
  };
}

/** Room, and who may read what. */
export function folderFacts(folder: string): object {
  const { type, bsize, blocks, bavail, files, ffree } = statfsSync(folder);
  return {
    file_system: type,
    bytes: blocks * bsize,
    free_bytes: bavail * bsize,
    files,
    free_files: ffree,
    mode: modeOf(folder),
    is_own: statSync(folder).uid === process.getuid?.(),
    contents: readdirSync(folder)
      .filter((name) => OURS.test(name))
      .map((name) => ({ name, mode: modeOf(join(folder, name)), bytes: statSync(join(folder, name)).size })),
  };
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o7777).toString(8).padStart(4, "0");
}

function nameOfSystem(): string | undefined {
  return lineOf("/etc/os-release", "PRETTY_NAME=")?.replaceAll('"', "");
}

function openFileLimit(): string | undefined {
  return lineOf("/proc/self/limits", "Max open files")?.trim().split(/ +/).slice(0, 2).join(" of ");
}

function lineOf(file: string, start: string): string | undefined {
  try {
    const line = readFileSync(file, "utf8")
      .split("\n")
      .find((each) => each.startsWith(start));
    return line?.slice(start.length);
  } catch {
    // Not on every system.
    return undefined;
  }
}
