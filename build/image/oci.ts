// Images in the layout of the Open Container Initiative (https://github.com/opencontainers/image-spec), without a daemon.
import { tarOf, type TarEntry } from "../tar";

export interface Image {
  architecture: "amd64" | "arm64";
  /** From the lowest to the highest, each with what made it. */
  layers: readonly { entries: readonly TarEntry[]; createdBy: string }[];
  /** The part `config` of the configuration: user, environment, entry point. */
  config: Record<string, unknown>;
  /** Of the manifest. */
  annotations: Record<string, string>;
  /** The name of the image in the layout. */
  tag: string;
  /** Of all files and of the image. */
  date: Date;
}

const TYPES = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
} as const;

interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
}

/** The layout as a tar archive, which `skopeo` and `podman load` read as `oci-archive`. */
export async function ociArchive(image: Image): Promise<Uint8Array> {
  const { architecture, annotations, tag, date } = image;
  const blobs = new Blobs();
  const platform = { architecture, os: "linux", ...(architecture === "arm64" ? { variant: "v8" } : {}) };
  const layers = await Promise.all(image.layers.map(({ entries }) => layerOf(entries, date)));
  const config = blobs.addJson(TYPES.config, {
    created: date.toISOString(),
    ...platform,
    config: image.config,
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
    history: image.layers.map(({ createdBy }) => ({ created: date.toISOString(), created_by: createdBy })),
  });
  const manifest = blobs.addJson(TYPES.manifest, {
    schemaVersion: 2,
    mediaType: TYPES.manifest,
    config,
    layers: layers.map(({ bytes }) => blobs.add(TYPES.layer, bytes)),
    annotations: { "org.opencontainers.image.created": date.toISOString(), ...annotations },
  });
  const named = { ...manifest, platform, annotations: { "org.opencontainers.image.ref.name": tag } };
  const index = { schemaVersion: 2, mediaType: TYPES.index, manifests: [named] };
  const files = [
    { path: "oci-layout", content: JSON.stringify({ imageLayoutVersion: "1.0.0" }) },
    { path: "index.json", content: JSON.stringify(index) },
    ...blobs.entries(),
  ];
  return tarOf(files, date);
}

async function layerOf(
  entries: readonly TarEntry[],
  date: Date,
): Promise<{ bytes: Uint8Array; diffId: string }> {
  const tar = await tarOf(entries, date);
  return { bytes: Bun.gzipSync(Buffer.from(tar), { level: 6 }), diffId: digestOf(tar) };
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${Bun.CryptoHasher.hash("sha256", bytes, "hex")}`;
}

/** The files of a layout that are named by their content. */
class Blobs {
  readonly #byDigest = new Map<string, Uint8Array>();

  add(mediaType: string, bytes: Uint8Array): Descriptor {
    const digest = digestOf(bytes);
    this.#byDigest.set(digest, bytes);
    return { mediaType, digest, size: bytes.length };
  }

  addJson(mediaType: string, value: unknown): Descriptor {
    return this.add(mediaType, new TextEncoder().encode(JSON.stringify(value)));
  }

  entries(): TarEntry[] {
    return [...this.#byDigest].map(([digest, content]) => ({
      path: `blobs/${digest.replace(":", "/")}`,
      content,
    }));
  }
}
