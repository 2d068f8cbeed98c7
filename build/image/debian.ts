// The parts of Debian in an image: files of its packages. They are fetched with apt, which checks their signatures, or come
// from a folder. Both need `dpkg-deb` to unpack them.
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { extract } from "tar-stream";
import type { TarEntry } from "../tar";

export interface DebianPackage {
  name: string;
  version: string;
  /** Its paragraph in the list of installed packages. */
  control: string;
  /** By path, without `/` at the beginning. */
  files: Map<string, TarEntry>;
}

export const SUITE = "bookworm";

export interface Source {
  architecture: "amd64" | "arm64";
  /** A folder with the packages, as `apt-get download` names them; without it, apt fetches them. */
  packages?: string | undefined;
  /** For the files of apt. */
  scratch: string;
}

/** The packages in this order. Throws an error that says what is missing. */
export async function debianPackages(names: readonly string[], source: Source): Promise<DebianPackage[]> {
  const { architecture, packages } = source;
  const folder = packages ?? (await download(names, source));
  return Promise.all(names.map((name) => read(fileOf(name, folder, architecture))));
}

function fileOf(name: string, folder: string, architecture: string): string {
  const pattern = new RegExp(`^${name}_.*_(?:${architecture}|all)\\.deb$`);
  const found = readdirSync(folder).filter((file) => pattern.test(file));
  if (found.length === 1) return join(folder, found[0] ?? "");
  throw new Error(`${folder} has ${found.length} packages ${name} for ${architecture}; it needs one.`);
}

// From the mirrors that this system is configured for, with state of its own: the architecture may be another one, and
// nothing of the system changes.
async function download(names: readonly string[], { architecture, scratch }: Source): Promise<string> {
  await checkSystem();
  const [root, folder] = [join(scratch, `apt-${architecture}`), join(scratch, `packages-${architecture}`)];
  for (const part of ["state/lists/partial", "cache/archives/partial"])
    mkdirSync(join(root, part), { recursive: true });
  mkdirSync(folder, { recursive: true });
  const options = {
    "Dir::State": join(root, "state"),
    "Dir::State::status": "/dev/null",
    "Dir::Cache": join(root, "cache"),
    "APT::Architecture": architecture,
    "APT::Architectures": architecture,
    "APT::Sandbox::User": "root",
  };
  const apt = [
    "apt-get",
    "-qq",
    ...Object.entries(options).flatMap(([name, value]) => ["-o", `${name}=${value}`]),
  ];
  await output([...apt, "update"]);
  await output([...apt, "download", ...names], folder);
  return folder;
}

async function checkSystem(): Promise<void> {
  const system = Bun.file("/etc/os-release");
  const suite = (await system.exists())
    ? /^VERSION_CODENAME=(.*)$/m.exec(await system.text())?.[1]
    : undefined;
  if (suite === SUITE && Bun.which("apt-get") !== null) return;
  throw new Error(
    `An image contains packages of Debian ${SUITE}: make the release there, or name a folder with the packages (--debian DIR).`,
  );
}

async function read(file: string): Promise<DebianPackage> {
  const control = new TextDecoder().decode(await output(["dpkg-deb", "--field", file]));
  const field = (name: string): string => new RegExp(`^${name}: (.*)$`, "m").exec(control)?.[1] ?? "";
  const files = await entriesOf(await output(["dpkg-deb", "--fsys-tarfile", file]));
  return { name: field("Package"), version: field("Version"), control, files };
}

async function entriesOf(tar: Uint8Array): Promise<Map<string, TarEntry>> {
  const files = new Map<string, TarEntry>();
  const archive = extract();
  archive.end(Buffer.from(tar));
  for await (const entry of archive) {
    const { name, type, linkname, mode } = entry.header;
    const chunks: Uint8Array[] = [];
    for await (const chunk of entry) chunks.push(chunk as Uint8Array);
    const path = name.replace(/^\.\//, "");
    if (type === "symlink") files.set(path, { path, content: { link: linkname ?? "" } });
    else if (type === "file") files.set(path, { path, content: Buffer.concat(chunks), mode: mode ?? 0o644 });
  }
  return files;
}

async function output(command: string[], cwd = "/"): Promise<Uint8Array> {
  const child = Bun.spawn(command, { cwd, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [bytes, complaint] = await Promise.all([
    new Response(child.stdout).bytes(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) === 0) return bytes;
  throw new Error(`${command[0]} failed: ${complaint.trim()}`);
}
