// Makes a release: `bun run release [--only TARGET…] [--out DIR]`. docs/releasing.md describes it.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import manifest from "../package.json";
import { type Entry, writeArchive } from "./archive";
import { dateOfRelease, hasUncommittedChanges } from "./commit";
import { checkHeaders } from "./headers-of-targets";
import { type Contents, contentsOf, licenceFile } from "./licence-file";
import { manualPage } from "./debian/man";
import { type NpmRelease, writeMainPackage, writeTargetPackage } from "./npm";
import { writePackages } from "./packages";
import { archiveReadme, wasRun } from "./readme";
import { billOfMaterials } from "./sbom";
import { SUMS, writeSums } from "./sums";
import { buildExecutable, type Target, TARGETS, targetOf } from "./targets";

const ROOT = join(import.meta.dir, "..");
const { version } = manifest;
const product = {
  name: manifest.name,
  version,
  description: manifest.description,
  dependencies: Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }),
};

const { values, positionals } = parseArgs({
  options: {
    /** A target, or several after each other; by default all. */
    only: { type: "string", multiple: true },
    out: { type: "string", default: join(ROOT, "dist/release", version) },
    /** A folder with the archives of Bun's packages; by default npm gets them. */
    runtimes: { type: "string" },
    /** A folder with the packages of Debian that the images contain; by default apt gets them. */
    debian: { type: "string" },
    /** The name on npm, once the owner has decided on it. */
    "npm-name": { type: "string" },
    /** Build although the checkout has changes that its commit does not have. */
    uncommitted: { type: "boolean", default: false },
  },
  allowPositionals: true,
});

/** What all files of a release have in common. */
interface Release {
  folder: string;
  date: Date;
  npm: Omit<NpmRelease, "licences">;
  /** Files that each archive contains. */
  shared: Entry[];
}

await makeRelease();

async function makeRelease(): Promise<void> {
  const targets = chosenTargets();
  if (hasUncommittedChanges(ROOT) && !values.uncommitted)
    throw new Error("The checkout has changes that are not committed: commit them, or add --uncommitted.");
  const out = resolve(values.out);
  checkReplaceable(out);
  const release = await begin(`${out}.partial`);
  const contents = await writeTargets(release, targets);
  const licences = licenceFile(product, contents);
  await writeMainPackage(release.folder, { ...release.npm, licences });
  await Bun.write(
    join(release.folder, `${product.name}-${version}.cdx.json`),
    billOfMaterials(product, contents, targets, release.date, ROOT),
  );
  const install = await Bun.file(join(import.meta.dir, "install.sh")).text();
  await Bun.write(join(release.folder, "install.sh"), install.replace("@VERSION@", version));
  await writeSums(release.folder);
  rmSync(out, { recursive: true, force: true });
  renameSync(release.folder, out);
  process.stdout.write(`${out}\n`);
}

/** `--only a b` and `--only a --only b`. */
function chosenTargets(): readonly Target[] {
  const names = [...(values.only ?? []), ...positionals];
  return names.length === 0 ? TARGETS : names.map(targetOf);
}

// A release replaces an earlier one, and nothing else.
function checkReplaceable(out: string): void {
  if (existsSync(out) && readdirSync(out).length > 0 && !existsSync(join(out, SUMS)))
    throw new Error(`${out} has files that are not of a release: name another folder with --out.`);
}

async function begin(folder: string): Promise<Release> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const date = dateOfRelease(ROOT);
  const name = values["npm-name"];
  return {
    folder,
    date,
    npm: { ...product, name: name ?? product.name, decided: name !== undefined, date },
    shared: [
      { name: "man/runtime.1", content: await manualPage({ version, date }) },
      ...(await completions()),
      ...(await documents()),
    ],
  };
}

/** One target after the other, because each executable has more than 100 MB. */
async function writeTargets(release: Release, targets: readonly Target[]): Promise<Contents> {
  let contents: Contents | undefined;
  for (const target of targets) {
    const executable = join(release.folder, "executable");
    const { inputs } = await buildExecutable({ ...values, target: target.name, outfile: executable });
    contents = contentsOf(inputs, ROOT);
    await writeFiles(release, target, executable, contents);
    rmSync(executable);
    process.stdout.write(`${target.name}${wasRun(target) ? "" : ": built, not run here"}\n`);
  }
  if (contents === undefined) throw new Error("Name at least one target.");
  return contents;
}

async function writeFiles(
  { folder, date, npm, shared }: Release,
  target: Target,
  executable: string,
  contents: Contents,
): Promise<void> {
  const headers = checkHeaders(target, executable);
  const content = await Bun.file(executable).bytes();
  const licences = licenceFile(product, contents);
  const base = `${product.name}-${version}-${target.name}`;
  const entries: Entry[] = [
    { name: "runtime", content, executable: true },
    { name: "LICENSES.txt", content: licences },
    { name: "README.md", content: archiveReadme(product, target, headers) },
    ...shared,
  ];
  const inFolder = entries.map((entry) => ({ ...entry, name: `${base}/${entry.name}` }));
  await writeArchive(join(folder, `${base}.tar.gz`), inFolder, date);
  await writeTargetPackage(folder, { ...npm, licences }, target, content);
  const { debian } = values;
  await writePackages({ product, target, executable, headers, contents, date, folder, debian });
}

async function completions(): Promise<Entry[]> {
  const files = { bash: "runtime.bash", zsh: "_runtime", fish: "runtime.fish" };
  return Promise.all(
    Object.entries(files).map(async ([shell, name]) => {
      const child = Bun.spawn([process.execPath, "cli/main.ts", "completion", shell], { cwd: ROOT });
      const content = await child.stdout.text();
      if ((await child.exited) !== 0) throw new Error(`The completions for ${shell} cannot be printed.`);
      return { name: `completions/${name}`, content };
    }),
  );
}

async function documents(): Promise<Entry[]> {
  const names = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md"));
  return Promise.all(
    names.map(async (name) => ({
      name: `docs/${name}`,
      content: await Bun.file(join(ROOT, "docs", name)).text(),
    })),
  );
}
