// The packages of a release for whole systems: of Debian, and images of containers. Both are for glibc.
import { join } from "node:path";
import { debianCopyright } from "./debian/copyright";
import { DEBIAN_ARCHITECTURES, writeDebianPackage } from "./debian/package";
import type { Headers } from "./headers";
import type { Contents } from "./licence-file";

export interface PackagedTarget {
  product: { name: string; version: string };
  arch: "x64" | "arm64";
  /** Path of the executable. */
  executable: string;
  headers: Headers;
  contents: Contents;
  date: Date;
  /** Of the release. */
  folder: string;
}

/** Writes `runtime_VERSION_ARCH.deb`. Returns its path. */
export async function writeDebian(target: PackagedTarget): Promise<string> {
  const { product, arch, executable, headers, contents, date, folder } = target;
  if (headers.glibc === undefined) throw new Error(`${executable} does not say which glibc it needs.`);
  const outfile = join(folder, `${product.name}_${product.version}_${DEBIAN_ARCHITECTURES[arch]}.deb`);
  const copyright = debianCopyright(product.name, contents);
  const { version } = product;
  await writeDebianPackage({ version, arch, executable, glibc: headers.glibc, copyright, date, outfile });
  return outfile;
}
