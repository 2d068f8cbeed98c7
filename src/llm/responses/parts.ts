// The content of input items in the form of chat completions.
import { isObject } from "../../base";
import { invalidParameter } from "../../errors";

type Loose = { [field: string]: unknown };
/** Text, or parts with a type. */
export type Content = string | { type: string }[];

/** Text alone stays text: every server takes it. Throws `invalid_parameter` for parts that chat completions do not have. */
export function chatContent(content: unknown, place: string): Content {
  if (content === undefined || content === null) return "";
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw invalidParameter(`${place} must be text or a list of parts.`);
  const parts = content.map((part: unknown, index) => chatPart(part, `${place}.${index}`));
  const [only] = parts;
  if (parts.length === 0) return "";
  return parts.length === 1 && only?.["type"] === "text" ? String(only["text"]) : parts;
}

/** Throws `invalid_parameter` for anything but text. */
export function plainText(content: unknown, place: string): string {
  const parts = chatContent(content, place);
  if (typeof parts === "string") return parts;
  return parts.map((part: Loose, index) => textIn(part, `${place}.${index}`)).join("");
}

function textIn({ type, text }: Loose, place: string): string {
  if (type === "text" && typeof text === "string") return text;
  throw invalidParameter(`${place} must be text for this model.`);
}

function chatPart(part: unknown, place: string): { type: string } & Loose {
  if (!isObject(part)) throw invalidParameter(`${place} must be a part with a type.`);
  const { type, text, refusal } = part;
  const words = type === "refusal" ? refusal : text;
  if (TEXTS.has(String(type)) && typeof words === "string") return { type: "text", text: words };
  if (type === "input_image") return imageOf(part, place);
  if (type === "input_file") return fileOf(part, place);
  if (type === "input_audio") return { type, input_audio: part["input_audio"] };
  throw invalidParameter(
    `${place}: parts of this type are not supported by this model. Use input_text, input_image, input_file or input_audio.`,
  );
}

const TEXTS = new Set(["input_text", "output_text", "text", "summary_text", "refusal"]);

function imageOf({ image_url: url, detail }: Loose, place: string): { type: string } & Loose {
  if (typeof url !== "string") throw missing(place, "image_url");
  return { type: "image_url", image_url: { url, ...(typeof detail === "string" ? { detail } : {}) } };
}

function fileOf({ file_data: data, filename }: Loose, place: string): { type: string } & Loose {
  if (typeof data !== "string") throw missing(place, "file_data");
  return {
    type: "file",
    file: { file_data: data, ...(typeof filename === "string" ? { filename } : {}) },
  };
}

function missing(place: string, field: string): Error {
  return invalidParameter(
    `${place}.${field} is required: this model cannot read files that are stored elsewhere.`,
  );
}
