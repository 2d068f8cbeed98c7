// A workspace of 30,000 people and 30,000 channels, scripted. For tests and for the bench.
import { page, Stub, type StubRequest } from "./stub";

export const SIZE = 30_000;
/** Pages of a whole listing at the largest page size. */
export const PAGES = Math.ceil(SIZE / 999);

/** Answers the two listings; the rest is up to whoever uses it. */
export function largeWorkspace(): Stub {
  return new Stub()
    .on("users.list", pagesOf("members", person))
    .on("conversations.list", pagesOf("channels", channel));
}

function pagesOf(field: string, item: (n: number) => { [key: string]: unknown }) {
  const written = new Map<string, string>();
  const write = (start: number, size: number): string => {
    const end = Math.min(start + size, SIZE);
    const items = Array.from({ length: end - start }, (_, n) => item(start + n));
    return JSON.stringify({ ok: true, ...page(field, items, end === SIZE ? "" : String(end)) });
  };
  return ({ body, params }: StubRequest): Response => {
    const text = written.get(body) ?? write(Number(params["cursor"] ?? 0), Number(params["limit"]));
    written.set(body, text);
    return new Response(text);
  };
}

function person(n: number) {
  const profile = {
    display_name: `Person ${n}`,
    real_name: `Person Number ${n}`,
    email: `person-${n}@example.com`,
    title: "Someone",
    image_512: `https://avatars.example/${n}-512.png`,
  };
  return { id: `U${n}`, name: `person-${n}`, is_bot: false, tz: "Europe/Paris", profile };
}

function channel(n: number) {
  const name = `channel-${n}`;
  const purpose = { value: `What is talked about in channel number ${n}`, creator: "U1", last_set: 1 };
  return { id: `C${n}`, name, name_normalized: name, is_channel: true, is_member: n % 2 === 0, purpose };
}
