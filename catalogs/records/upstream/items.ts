// Results of single records inside an answer that is a success as a whole.
import type { Json } from "../../../src/tools";
import { DONE } from "./codes";
import { isJsonObject } from "../../upstream/json";

/** How many records the answer tells of, and how many of them were not accepted. */
export function failedItems(result: Json | undefined): { total: number; failed: number } {
  if (!Array.isArray(result)) return { total: 0, failed: 0 };
  const failed = result.filter((item) => !isJsonObject(item) || item["code"] !== DONE);
  return { total: result.length, failed: failed.length };
}
