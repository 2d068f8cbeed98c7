// Converts the content of messages: text and images. Other parts are refused by name, never dropped.
import { isObject } from "../../../base";
import { invalidParameter } from "../../../errors";
import type { Loose } from "../client";

/** The formats that the protocol has. */
const DATA_IMAGE = /^data:(image\/(?:jpeg|png|gif|webp));base64,([A-Za-z0-9+/=\s]+)$/i;

/** The blocks of a content, without empty text, which the messages protocol refuses. */
export function contentBlocks(content: unknown, place: string): Loose[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return textBlocks(content);
  if (!Array.isArray(content)) throw invalidParameter(`${place}.content must be text or a list of parts.`);
  return content.flatMap((part: unknown, index) => partBlocks(part, `${place}.content.${index}`));
}

/** The text of instructions. Throws for other content. */
export function systemText(content: unknown, place: string): string {
  return contentBlocks(content, place)
    .map(({ type, text }) => {
      if (type === "text" && typeof text === "string") return text;
      throw invalidParameter(`${place}.content: instructions must be text for this model.`);
    })
    .join("\n");
}

function textBlocks(text: string): Loose[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

function partBlocks(part: unknown, place: string): Loose[] {
  if (!isObject(part)) throw invalidParameter(`${place} must be a part with a type.`);
  const { type, text, refusal } = part;
  if (type === "text" && typeof text === "string") return textBlocks(text);
  if (type === "refusal" && typeof refusal === "string") return textBlocks(refusal);
  if (type === "image_url") return [{ type: "image", source: sourceOf(part["image_url"], place) }];
  throw invalidParameter(`${place}: this model does not accept parts of this type. Use text or image_url.`);
}

function sourceOf(image: unknown, place: string): Loose {
  const url = isObject(image) ? image["url"] : image;
  if (typeof url !== "string") throw invalidParameter(`${place}.image_url.url is required.`);
  const [, media_type, data] = DATA_IMAGE.exec(url) ?? [];
  if (media_type !== undefined) {
    return { type: "base64", media_type: media_type.toLowerCase(), data: data?.replaceAll(/\s/g, "") };
  }
  if (/^https?:\/\//i.test(url)) return { type: "url", url };
  throw invalidParameter(
    `${place}.image_url.url must be an http(s) address, or a data: address with the base64 of a JPEG, PNG, GIF or WebP image.`,
  );
}
