// The page of metrics as an answer.
import { notFound } from "../src/errors";
import type { Runtime } from "../src/runtime";

/** `viewer`: the project whose names are shown; undefined: those of all projects. Throws `not_found` if nothing is counted. */
export async function metricsPage(
  { metrics }: Runtime,
  accept: string | undefined,
  viewer: string | undefined,
): Promise<Response> {
  if (!metrics.isOn) throw notFound("This server counts nothing: its setting metrics.enabled is false.");
  const { contentType, text } = await metrics.page(accept, viewer);
  const headers = { "content-type": contentType, "cache-control": "no-store", vary: "accept" };
  return new Response(text, { headers });
}
