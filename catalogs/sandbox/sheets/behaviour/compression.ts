// Answers are compressed only if two headers ask for it.
// https://developers.google.com/workspace/drive/api/guides/performance (Compression using gzip)

export function asksForGzip(headers: Headers): boolean {
  const accepts = /\bgzip\b/.test(headers.get("accept-encoding") ?? "");
  return accepts && (headers.get("user-agent") ?? "").includes("gzip");
}
