// A workspace of 30,000 people and 27,000 channels, scripted with the platform's paging and rates. For tests and the bench.
import { mixedLimit } from "../../../catalogs/sandbox/chat/behaviour/paging";
import { RateWindows } from "../../../catalogs/sandbox/chat/behaviour/rates";
import { page, refusal, Stub, type StubRequest, throttle } from "./stub";

export const PEOPLE = 30_000;
export const CHANNELS = 27_000;
/** Of the channels. */
export const PRIVATE = 40;
/** Conversations that the user is a member of, of all types. */
export const OWN = 300;
/** Members of the channel C1000. */
export const MEMBERS = 1000;
export const LARGE_PAGE = 999;
/** Pages of all channels at the largest page size, private and public ones by themselves. */
export const CHANNEL_PAGES = pagesFor(PRIVATE) + pagesFor(CHANNELS - PRIVATE);
export const PEOPLE_PAGES = pagesFor(PEOPLE);

type Item = { [key: string]: unknown };

/** `now`: the clock of the platform's rate limits; without one there are none. */
export function largeWorkspace(now?: () => number): Stub {
  const stub = new Stub();
  const rates = now === undefined ? undefined : new RateWindows(now);
  const limited = (method: string, answer: (request: StubRequest) => Item | Response): void => {
    stub.on(method, (request) => {
      const seconds = rates?.refuse(method, request.params) ?? null;
      return seconds === null ? answer(request) : throttle(String(seconds));
    });
  };
  limited(
    "users.list",
    pages("users.list", "members", () => ({ size: PEOPLE, item: person })),
  );
  limited("conversations.list", pages("conversations.list", "channels", listedChannels));
  limited("users.conversations", pages("users.conversations", "channels", ownConversations));
  limited(
    "conversations.members",
    pages("conversations.members", "members", () => ({ size: MEMBERS, item: memberId })),
  );
  limited("users.info", ({ params }) => {
    const n = Number(params["user"]?.slice(1));
    return n >= 0 && n < PEOPLE ? { user: person(n) } : refusal("user_not_found");
  });
  return stub;
}

interface Listed {
  size: number;
  item: (n: number) => unknown;
}

/** Private channels have the lowest numbers. */
function listedChannels({ params }: StubRequest): Listed {
  const types = typesIn(params);
  const from = types.includes("private_channel") ? 0 : PRIVATE;
  const to = types.includes("public_channel") ? CHANNELS : PRIVATE;
  return { size: to - from, item: (n) => channel(from + n) };
}

function ownConversations({ params }: StubRequest): Listed {
  const types = typesIn(params);
  const own = Array.from({ length: OWN }, (_, n) => ownConversation(n));
  const listed = own.filter(({ type }) => types.includes(type)).map(({ type: _type, ...item }) => item);
  return { size: listed.length, item: (n) => listed[n] };
}

function typesIn(params: StubRequest["params"]): string[] {
  return (params["types"] ?? "public_channel").split(",");
}

function pages(method: string, field: string, listed: (request: StubRequest) => Listed) {
  const written = new Map<string, string>();
  const write = (request: StubRequest): string => {
    const { size, item } = listed(request);
    const start = Number(request.params["cursor"] ?? 0);
    const limit = mixedLimit(method, typesIn(request.params).length, Number(request.params["limit"]));
    const end = Math.min(start + limit, size);
    const items = Array.from({ length: end - start }, (_, n) => item(start + n));
    return JSON.stringify({ ok: true, ...page(field, items as Item[], end === size ? "" : String(end)) });
  };
  return (request: StubRequest): Response => {
    const text = written.get(request.body) ?? write(request);
    written.set(request.body, text);
    return new Response(text);
  };
}

function pagesFor(items: number): number {
  return Math.ceil(items / LARGE_PAGE);
}

function memberId(n: number): string {
  // All over the listing of people.
  return `U${n * 29}`;
}

function person(n: number): Item {
  const profile = {
    display_name: `Person ${n}`,
    real_name: `Person Number ${n}`,
    email: `person-${n}@example.com`,
    title: "Someone",
    image_512: `https://avatars.example/${n}-512.png`,
  };
  return { id: `U${n}`, name: `person-${n}`, is_bot: false, tz: "Europe/Paris", profile };
}

function channel(n: number): Item {
  const name = `channel-${n}`;
  const purpose = { value: `What is talked about in channel number ${n}`, creator: "U1", last_set: 1 };
  const isPrivate = n < PRIVATE;
  const common = { id: `C${n}`, name, name_normalized: name, is_channel: true, purpose };
  return { ...common, is_private: isPrivate, is_member: isPrivate || n % 90 === 0 };
}

function ownConversation(n: number): Item & { type: string } {
  if (n < 200) {
    // As the platform lists memberships.
    const { is_member: _isMember, ...item } = channel(n);
    return { ...item, type: n < PRIVATE ? "private_channel" : "public_channel" };
  }
  if (n < 250) return { id: `D${n}`, is_im: true, user: `U${n}`, type: "im" };
  return { id: `G${n}`, name: `mpdm-ada--grace--p${n}-1`, is_mpim: true, is_group: true, type: "mpim" };
}
