// The packages of a release for whole systems: of Debian, and images for containers. Both are for glibc.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { commitOf } from "./commit";
import { debianCopyright } from "./debian/copyright";
import { DEBIAN_ARCHITECTURES, writeDebianPackage } from "./debian/package";
import type { Headers } from "./headers";
import { writeImage } from "./image/image";
import { type Contents, licenceFile } from "./licence-file";
import type { Target } from "./targets";

export interface PackagedTarget {
  product: { name: string; version: string; description: string };
  target: Target;
  /** Path of the executable. */
  executable: string;
  headers: Headers;
  contents: Contents;
  /** Of all files. */
  date: Date;
  /** Of the release. */
  folder: string;
  /** A folder with the packages of Debian that an image contains; without it, apt fetches them. */
  debian?: string | undefined;
}

/** Writes `NAME_VERSION_ARCH.deb` and `NAME-VERSION-image-ARCH.oci.tar` if the target is one for glibc. */
export async function writePackages(options: PackagedTarget): Promise<void> {
  const { product, target, executable, headers, contents, date, folder, debian } = options;
  if (target.libc !== "glibc") return;
  const { name, version } = product;
  const { arch } = target;
  const architecture = DEBIAN_ARCHITECTURES[arch];
  if (headers.glibc === undefined) throw new Error(`${executable} does not say which glibc it needs.`);
  await writeDebianPackage({
    version,
    arch,
    executable,
    glibc: headers.glibc,
    copyright: debianCopyright(name, contents),
    date,
    outfile: join(folder, `${name}_${version}_${architecture}.deb`),
  });
  const scratch = join(folder, "scratch");
  await writeImage({
    product,
    architecture,
    executable,
    headers,
    licences: licenceFile(product, contents),
    revision: commitOf(join(import.meta.dir, ".."))?.commit,
    date,
    outfile: join(folder, `${name}-${version}-image-${architecture}.oci.tar`),
    debian: { packages: debian, scratch },
  });
  rmSync(scratch, { recursive: true, force: true });
}
