// The platform's sentences about single fields: in `error` of an answer and of the records in `result`.
import type { FieldSentence, Json, JsonObject } from "../../../src/tools";
import type { Call } from "../operation";
import { isJsonObject } from "../../upstream/json";
import { DONE } from "./codes";
import { printed } from "./texts";

/** Each sentence with its field: `SKU`, or `record 2, SKU` if the answer is about several records. Empty if there are none. */
export function sentencesIn(call: Call, body: JsonObject | undefined): FieldSentence[] {
  const result = body?.["result"];
  const records = Array.isArray(result) ? result : [];
  const ofRecords = records.flatMap((record, index) =>
    isJsonObject(record) && record["code"] !== DONE
      ? under(records.length > 1 ? `record ${index + 1}` : "", reasonsOf(record))
      : [],
  );
  return [...(body === undefined ? [] : leaves(body["error"])), ...ofRecords].map(({ field, sentence }) => ({
    ...(field === undefined ? {} : { field: printed(call, field) }),
    sentence: printed(call, sentence),
  }));
}

// A record without a list of reasons has a message of its own, which may be a text or an object by field.
function reasonsOf(record: JsonObject): FieldSentence[] {
  const reasons = leaves(record["error"]);
  return reasons.length > 0 ? reasons : [...leaves(record["message"]), ...leaves(record["description"])];
}

function leaves(value: Json | undefined): FieldSentence[] {
  if (typeof value === "string") return value.trim() === "" ? [] : [{ sentence: value }];
  if (Array.isArray(value)) return value.flatMap(leaves);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => under(name, leaves(inner), "."));
}

function under(place: string, sentences: readonly FieldSentence[], separator = ", "): FieldSentence[] {
  if (place === "") return [...sentences];
  return sentences.map(({ field, sentence }) => ({
    field: field === undefined ? place : `${place}${separator}${field}`,
    sentence,
  }));
}
