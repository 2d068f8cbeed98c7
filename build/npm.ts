// The packages for npm: one with a small script, and one for each system, of which npm installs the one that fits.
import { join } from "node:path";
import { type Entry, writeArchive } from "./archive";
import { type Target, TARGETS } from "./targets";

export interface NpmRelease {
  /** Of the package with the script; those of the systems have the name of the target added. */
  name: string;
  /** Whether the owner has decided on the name. Until then npm refuses to publish the packages. */
  decided: boolean;
  version: string;
  description: string;
  licences: string;
  date: Date;
}

/** Writes `NAME-VERSION.tgz`. */
export async function writeMainPackage(folder: string, release: NpmRelease): Promise<string> {
  const names = TARGETS.map((target) => packageName(release, target));
  const manifest = {
    ...manifestOf(release.name, release),
    bin: { runtime: "bin/runtime.js" },
    files: ["bin", "LICENSES.txt"],
    engines: { node: ">=18" },
    optionalDependencies: Object.fromEntries(names.map((name) => [name, release.version])),
  };
  const script = await Bun.file(join(import.meta.dir, "npm-start.js")).text();
  return write(folder, release, release.name, manifest, [
    {
      name: "package/bin/runtime.js",
      content: script
        .replace('"NAME"', JSON.stringify(release.name))
        .replace('"TARGETS"', JSON.stringify(TARGETS.map(({ name }) => name))),
      executable: true,
    },
  ]);
}

/** Writes `NAME-TARGET-VERSION.tgz`, with the executable. */
export async function writeTargetPackage(
  folder: string,
  release: NpmRelease,
  target: Target,
  executable: Uint8Array,
): Promise<string> {
  const name = packageName(release, target);
  const manifest = {
    ...manifestOf(name, release),
    os: [target.os],
    cpu: [target.arch],
    ...(target.libc === undefined ? {} : { libc: [target.libc] }),
    files: ["bin", "LICENSES.txt"],
    // It is started from where it is, so a package manager must not leave it in an archive.
    preferUnplugged: true,
  };
  return write(folder, release, name, manifest, [
    { name: "package/bin/runtime", content: executable, executable: true },
  ]);
}

function packageName(release: NpmRelease, target: Target): string {
  return `${release.name}-${target.name}`;
}

function manifestOf(name: string, { version, description, decided }: NpmRelease): Record<string, unknown> {
  return {
    name,
    version,
    description,
    // npm's word for: no rights are granted.
    license: "UNLICENSED",
    ...(decided ? {} : { private: true }),
  };
}

function readmeOf(name: string, release: NpmRelease): string {
  const main = release.name;
  const role =
    name === main ? "" : `\nThe executable of \`${main}\` for one system, which npm installs with it.\n`;
  return `# ${name}

${release.description}.
${role}
\`npx ${main} sandbox\` tries it out, \`npx ${main} help\` lists the commands. \`LICENSES.txt\` has the licences of everything inside. The owner has not chosen a licence for the product itself yet.
`;
}

async function write(
  folder: string,
  release: NpmRelease,
  name: string,
  manifest: unknown,
  entries: readonly Entry[],
): Promise<string> {
  const { licences, date, version } = release;
  const file = `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
  const all = [
    { name: "package/package.json", content: `${JSON.stringify(manifest, null, 2)}\n` },
    { name: "package/LICENSES.txt", content: licences },
    { name: "package/README.md", content: readmeOf(name, release) },
    ...entries,
  ];
  await writeArchive(join(folder, file), all, date);
  return file;
}
