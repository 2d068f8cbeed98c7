// Bodies that a server compresses although it was asked not to.
import { MalformedResponse } from "./head";

const FORMATS: Readonly<Record<string, string>> = {
  gzip: "gzip",
  "x-gzip": "gzip",
  deflate: "deflate",
  br: "brotli",
  zstd: "zstd",
};

/** Throws `MalformedResponse` for an encoding that is not known. */
export function decoded(
  body: ReadableStream<Uint8Array> | null,
  headers: Headers,
): ReadableStream<Uint8Array> | null {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (body === null || encoding === "identity" || encoding === "") return body;
  const format = FORMATS[encoding];
  if (format === undefined) throw new MalformedResponse();
  // Bun has more formats than the standard.
  const transform = new DecompressionStream(format as Bun.CompressionFormat);
  return body.pipeThrough(transform as ReadableWritablePair<Uint8Array, Uint8Array>);
}
