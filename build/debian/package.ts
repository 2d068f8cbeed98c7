// A Debian package, deb(5): an archive of ar with a version, the control files and the files of the system. It is written
// without dpkg-deb, so that every system can make a release, and so that the bytes depend on the content only.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tarOf, type TarEntry, withFolders } from "../tar";
import { arOf } from "./ar";
import { completions } from "./completions";
import { manualPage } from "./man";

export interface DebianOptions {
  version: string;
  arch: "x64" | "arm64";
  /** Path of the executable. */
  executable: string;
  /** The oldest version of glibc that the executable runs with. */
  glibc: string;
  /** /usr/share/doc/runtime/copyright, in Debian's machine-readable format. */
  copyright: string;
  /** Of all files. */
  date: Date;
  outfile: string;
}

export const DEBIAN_ARCHITECTURES = { x64: "amd64", arm64: "arm64" } as const;

const FILES = join(import.meta.dir, "files");
const CONFFILES = ["/etc/runtime/runtime.yaml"];
const ROOT: TarEntry = { path: ".", content: { folder: true } };
const SCRIPTS = ["postinst", "prerm", "postrm"];
const MAINTAINER = "Maintainers of runtime <maintainers@runtime.invalid>";
const DESCRIPTION = [
  "control and execution plane of an agent runtime",
  " One server that runs tools for agents: it keeps the grants and secrets of users",
  " encrypted, and offers an HTTP interface, MCP gateways and chat completions.",
];

/** Writes the package to `outfile`. */
export async function writeDebianPackage(options: DebianOptions): Promise<void> {
  const { date, outfile } = options;
  const files = await filesOf(options);
  const control = [
    { path: "control", content: controlOf(options, files) },
    { path: "md5sums", content: sumsOf(files) },
    { path: "conffiles", content: lines(CONFFILES) },
    ...SCRIPTS.map((name) => ({ path: name, content: file(name), mode: 0o755 })),
  ];
  const packed = async (entries: readonly TarEntry[]): Promise<Uint8Array> =>
    gzipped(await tarOf([ROOT, ...entries.map(dotted)], date), 6);
  const members = [
    { name: "debian-binary", content: new TextEncoder().encode("2.0\n") },
    { name: "control.tar.gz", content: await packed(control) },
    { name: "data.tar.gz", content: await packed(files) },
  ];
  await Bun.write(outfile, arOf(members, date));
}

// Names begin with `./`, as those of dpkg-deb do.
function dotted(entry: TarEntry): TarEntry {
  return { ...entry, path: `./${entry.path}` };
}

async function filesOf({ version, executable, copyright, date }: DebianOptions): Promise<TarEntry[]> {
  const doc = "usr/share/doc/runtime";
  return [
    { path: "usr/bin/runtime", content: await Bun.file(executable).bytes(), mode: 0o755 },
    { path: "lib/systemd/system/runtime.service", content: file("runtime.service") },
    { path: "etc/runtime/runtime.yaml", content: file("runtime.yaml") },
    { path: "usr/share/man/man1/runtime.1.gz", content: gzipped(await manualPage({ version, date })) },
    { path: `${doc}/copyright`, content: copyright },
    { path: `${doc}/changelog.gz`, content: gzipped(changelog(version, date)) },
    { path: "usr/share/lintian/overrides/runtime", content: file("lintian-overrides") },
    ...completions(),
  ];
}

function controlOf({ version, arch, glibc }: DebianOptions, files: readonly TarEntry[]): string {
  const bytes = files.reduce((sum, { content }) => sum + sizeOf(content), 0);
  const fields = {
    Package: "runtime",
    Version: version,
    Architecture: DEBIAN_ARCHITECTURES[arch],
    Maintainer: MAINTAINER,
    "Installed-Size": String(Math.ceil(bytes / 1024)),
    Depends: `libc6 (>= ${glibc}), adduser, init-system-helpers (>= 1.54~)`,
    Section: "net",
    Priority: "optional",
    Description: DESCRIPTION.join("\n"),
  };
  return Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join("");
}

function lines(values: readonly string[]): string {
  return values.map((value) => `${value}\n`).join("");
}

function sumsOf(files: readonly TarEntry[]): string {
  const sum = (bytes: Uint8Array): string => new Bun.CryptoHasher("md5").update(bytes).digest("hex");
  return withFolders(files)
    .filter(({ path }) => !CONFFILES.includes(`/${path}`))
    .map(({ path, content }) => ({ path, bytes: bytesOf(content) }))
    .flatMap(({ path, bytes }) => (bytes === undefined ? [] : [`${sum(bytes)}  ${path}\n`]))
    .join("");
}

function changelog(version: string, date: Date): string {
  return [
    `runtime (${version}) unstable; urgency=medium`,
    "",
    "  * Changes are listed in CHANGELOG.md of the sources.",
    "",
    ` -- ${MAINTAINER}  ${date.toUTCString().replace("GMT", "+0000")}`,
    "",
  ].join("\n");
}

function bytesOf(content: TarEntry["content"]): Uint8Array | undefined {
  if (typeof content === "string") return new TextEncoder().encode(content);
  return content instanceof Uint8Array ? content : undefined;
}

function sizeOf(content: TarEntry["content"]): number {
  return bytesOf(content)?.length ?? 0;
}

function file(name: string): string {
  return readFileSync(join(FILES, name), "utf8");
}

// Documents must be compressed as far as possible; for the executable that takes three times as long for nothing.
function gzipped(content: Uint8Array | string, level: 6 | 9 = 9): Uint8Array {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return Bun.gzipSync(Buffer.from(bytes), { level });
}
