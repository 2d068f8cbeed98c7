// Bun's executables for other systems: the packages of the registry that npm is configured for, or of a folder.
import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";

/** A package that contains Bun's executable for one system, with the SHA-512 of its archive. */
export interface RuntimePackage {
  name: string;
  integrity: string;
}

/** The version that the hashes of the packages belong to. */
export const RUNTIME_VERSION = "1.4.5";

/**
 * Unpacks the executable of a runtime package into `folder` and returns its path.
 *
 * @param tarballs a folder with the archives of the packages, as `npm pack` names them; without it, npm gets the archive.
 * @throws Error if the archive is missing or is not the one whose hash is known.
 */
export async function runtimeOf(runtime: RuntimePackage, folder: string, tarballs?: string): Promise<string> {
  if (Bun.version !== RUNTIME_VERSION)
    throw new Error(
      `This is Bun ${Bun.version}; the hashes of its packages are those of ${RUNTIME_VERSION}.`,
    );
  mkdirSync(folder, { recursive: true });
  const tarball = tarballs === undefined ? await download(runtime, folder) : stored(runtime, tarballs);
  const bytes = await Bun.file(tarball).bytes();
  const found = `sha512-${new Bun.CryptoHasher("sha512").update(bytes).digest("base64")}`;
  if (found !== runtime.integrity)
    throw new Error(`${tarball} is not ${runtime.name} ${RUNTIME_VERSION}: its hash is ${found}.`);
  const executable = (await new Bun.Archive(bytes).files()).get("package/bin/bun");
  if (executable === undefined) throw new Error(`${tarball} has no package/bin/bun.`);
  const path = join(folder, basename(tarball, ".tgz"));
  await Bun.write(path, executable);
  chmodSync(path, 0o755);
  return path;
}

/** The name that `npm pack` gives to the archive of a package. */
export function tarballName(runtime: RuntimePackage): string {
  return `${runtime.name.replace("@", "").replace("/", "-")}-${RUNTIME_VERSION}.tgz`;
}

function stored(runtime: RuntimePackage, tarballs: string): string {
  const path = join(tarballs, tarballName(runtime));
  if (!existsSync(path))
    throw new Error(`${path} is missing: run npm pack ${runtime.name}@${RUNTIME_VERSION} there.`);
  return path;
}

// npm keeps what it downloaded, so that a second time needs no network.
async function download(runtime: RuntimePackage, folder: string): Promise<string> {
  const name = `${runtime.name}@${RUNTIME_VERSION}`;
  const options = ["--pack-destination", folder, "--prefer-offline", "--ignore-scripts", "--silent"];
  const child = Bun.spawn(["npm", "pack", name, ...options], { stdout: "ignore", stderr: "pipe" });
  const complaint = await child.stderr.text();
  if ((await child.exited) !== 0)
    throw new Error(`npm could not get ${name}; --runtimes DIR takes it from a folder. ${complaint.trim()}`);
  return join(folder, tarballName(runtime));
}
