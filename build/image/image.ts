// The image of the server: the executable, the C library, certificates, and nothing else. It has no shell.
import { basename } from "node:path";
import type { Headers } from "../headers";
import type { TarEntry } from "../tar";
import { type DebianPackage, debianPackages, type Source, SUITE } from "./debian";
import { ociArchive } from "./oci";

export interface ImageOptions {
  product: { name: string; version: string; description: string };
  architecture: Source["architecture"];
  /** Path of the executable. */
  executable: string;
  headers: Headers;
  /** The text of LICENSES.txt. */
  licences: string;
  /** The commit that was built. */
  revision: string | undefined;
  date: Date;
  outfile: string;
  debian: Pick<Source, "packages" | "scratch">;
}

/** A number, so that Kubernetes can see that it is not root (`runAsNonRoot`). */
const USER = 65_532;
const DATA = "/var/lib/runtime";
const SETTINGS = "/etc/runtime";
const PORT = 9099;
const SECOND = 1_000_000_000;

/** Writes the image as an archive of its layout. */
export async function writeImage(options: ImageOptions): Promise<void> {
  const { architecture, date, debian, executable, headers, licences, outfile, product, revision } = options;
  const [library, certificates] = await debianPackages(["libc6", "ca-certificates"], {
    architecture,
    ...debian,
  });
  if (library === undefined || certificates === undefined) throw new Error("A package of Debian is missing.");
  const base = [...filesOfLibrary(library, headers), ...filesOfCertificates(certificates), ...systemFiles()];
  const own: TarEntry[] = [
    { path: "usr/bin/runtime", content: await Bun.file(executable).bytes(), mode: 0o755 },
    { path: "usr/share/doc/runtime/LICENSES.txt", content: licences },
    { path: SETTINGS.slice(1), content: { folder: true } },
    { path: DATA.slice(1), content: { folder: true }, mode: 0o700, owner: USER },
  ];
  const annotations = {
    "org.opencontainers.image.title": product.name,
    "org.opencontainers.image.description": product.description,
    "org.opencontainers.image.version": product.version,
    ...(revision === undefined ? {} : { "org.opencontainers.image.revision": revision }),
  };
  const archive = await ociArchive({
    architecture,
    layers: [
      { entries: base, createdBy: `Debian ${SUITE}: ${[library, certificates].map(named).join(", ")}` },
      { entries: own, createdBy: `${product.name} ${product.version}` },
    ],
    config: { ...CONFIG, Labels: annotations },
    annotations,
    tag: product.version,
    date,
  });
  await Bun.write(outfile, archive);
}

const CONFIG = {
  User: `${USER}:${USER}`,
  ExposedPorts: { [`${PORT}/tcp`]: {} },
  Env: [
    "PATH=/usr/local/bin:/usr/bin:/bin",
    `HOME=${DATA}`,
    // The folder of runtime.yaml, root.key and audit.key is /etc/runtime.
    "XDG_CONFIG_HOME=/etc",
    `RUNTIME_DATA_DIR=${DATA}`,
    "RUNTIME_HOST=0.0.0.0",
    // A port of a container is reachable only where its operator publishes it, which is the place for TLS.
    "RUNTIME_BEHIND_PROXY=true",
  ],
  Entrypoint: ["/usr/bin/runtime"],
  Cmd: ["serve"],
  Volumes: { [DATA]: {} },
  WorkingDir: "/",
  StopSignal: "SIGTERM",
  // Not part of the specification: Docker reads it here, other engines ignore it.
  Healthcheck: {
    Test: ["CMD", "/usr/bin/runtime", "api", "GET", "/v1/health", "--server", `http://127.0.0.1:${PORT}`],
    Interval: 30 * SECOND,
    Timeout: 5 * SECOND,
    StartPeriod: 30 * SECOND,
    Retries: 3,
  },
} as const;

// The libraries that the executable names, with the links that lead to them.
function filesOfLibrary(library: DebianPackage, { libraries, interpreter = "" }: Headers): TarEntry[] {
  const wanted = new Set([...libraries, basename(interpreter)]);
  const found = [...library.files.values()].filter(({ path }) => wanted.has(basename(path)));
  const missing = [...wanted].filter((name) => !found.some(({ path }) => basename(path) === name));
  if (missing.length > 0) throw new Error(`libc6 ${library.version} does not contain ${missing.join(", ")}.`);
  return [...found, ...documentsOf(library)];
}

// One file with all authorities, as update-ca-certificates makes it.
function filesOfCertificates(certificates: DebianPackage): TarEntry[] {
  const authorities = [...certificates.files.values()]
    .filter(({ path }) => path.startsWith("usr/share/ca-certificates/") && path.endsWith(".crt"))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ content }) => (content instanceof Uint8Array ? new TextDecoder().decode(content).trim() : ""));
  const bundle = authorities.map((text) => `${text}\n`).join("");
  return [{ path: "etc/ssl/certs/ca-certificates.crt", content: bundle }, ...documentsOf(certificates)];
}

// The licence of a package, and its paragraph where scanners look for the version of the library.
function documentsOf({ name, control, files }: DebianPackage): TarEntry[] {
  const copyright = files.get(`usr/share/doc/${name}/copyright`);
  if (copyright === undefined) throw new Error(`The package ${name} has no copyright file.`);
  return [copyright, { path: `var/lib/dpkg/status.d/${name}`, content: `${control.trim()}\n` }];
}

function systemFiles(): TarEntry[] {
  return [
    {
      path: "etc/passwd",
      content: `root:x:0:0:root:/root:/sbin/nologin\nruntime:x:${USER}:${USER}::${DATA}:/sbin/nologin\n`,
    },
    { path: "etc/group", content: `root:x:0:\nruntime:x:${USER}:\n` },
    { path: "etc/nsswitch.conf", content: "passwd: files\ngroup: files\nhosts: files dns\n" },
    {
      path: "etc/os-release",
      content:
        'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nNAME="Debian GNU/Linux"\nID=debian\nVERSION_ID="12"\nVERSION_CODENAME=bookworm\n',
    },
    { path: "tmp", content: { folder: true }, mode: 0o1777 },
    // Where engines mount: a read-only root has no place for new folders.
    ...["dev", "proc", "run", "sys"].map((path) => ({ path, content: { folder: true } as const })),
  ];
}

function named({ name, version }: DebianPackage): string {
  return `${name} ${version}`;
}
