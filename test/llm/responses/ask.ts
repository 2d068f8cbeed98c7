// Requests of the Responses protocol, and one way to look at an answer, whole or streamed.
import { at } from "../../support/api";
import type { ChatSite } from "../../support/chat-site";

type Item = Record<string, unknown>;

export interface SeenResponse {
  /** Of the HTTP answer. */
  code: number;
  /** Of the response. */
  status: unknown;
  text: string;
  output: Item[];
  usage: unknown;
  /** Message of the error, by status or inside of the stream. */
  error: string | undefined;
  response: unknown;
}

export interface ResponseEvent {
  type: string;
  sequence_number?: number;
  [field: string]: unknown;
}

export function askResponses(
  { site, key }: Pick<ChatSite, "site" | "key">,
  body: object | string,
): Promise<Response> {
  return fetch(`${site.url}/v1/responses`, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  });
}

export async function respond(chat: ChatSite, body: object, stream: boolean): Promise<SeenResponse> {
  const answer = await askResponses(chat, { ...body, stream });
  const text = await answer.text();
  if (answer.status !== 200 || !stream) return seen(answer.status, JSON.parse(text));
  const events = eventsIn(text);
  checkOrder(events);
  const failure = events.find(({ type }) => type === "error");
  const last = events.findLast((event) => event["response"] !== undefined);
  return {
    ...seen(200, last?.["response"]),
    error: failure === undefined ? undefined : String(failure["message"]),
  };
}

/** The events of a stream. Their names are their types. */
export function eventsIn(text: string): ResponseEvent[] {
  return text
    .split("\n\n")
    .filter((block) => block.startsWith("event: "))
    .map((block) => {
      const [name = "", data = ""] = block.split("\n");
      const event = JSON.parse(data.slice("data: ".length)) as ResponseEvent;
      if (name !== `event: ${event.type}`) throw new Error(`an event with another name: ${block}`);
      return event;
    });
}

/** Throws if the events contradict each other or the response at the end. */
export function checkOrder(events: readonly ResponseEvent[]): void {
  const numbers = events.map((event) => event.sequence_number);
  if (!Bun.deepEquals(numbers, [...numbers.keys()])) throw new Error(`numbers: ${numbers.join()}`);
  const output = at(
    events.findLast((event) => event["response"] !== undefined),
    "response.output",
  );
  const isOver = events.at(-1)?.type !== "error";
  const done = events
    .filter(({ type }) => type === "response.output_item.done")
    .toSorted((left, right) => Number(left["output_index"]) - Number(right["output_index"]))
    .map((event) => event["item"]);
  if (isOver && !Bun.deepEquals(done, output)) throw new Error("the items differ from those at the end");
  for (const [index, item] of done.entries()) {
    const deltas = events
      .filter((event) => event["output_index"] === index && event.type.endsWith(".delta"))
      .map((event) => event["delta"])
      .join("");
    const text = at(item, "arguments") ?? at(item, "content.0.text") ?? at(item, "content.0.refusal") ?? "";
    if (deltas !== text) throw new Error(`the pieces ${deltas} are not the text ${String(text)}`);
  }
}

function seen(code: number, response: unknown): SeenResponse {
  const output = (at(response, "output") ?? []) as Item[];
  return {
    code,
    status: at(response, "status"),
    text: output
      .map((item) => (item["type"] === "message" ? String(at(item, "content.0.text")) : ""))
      .join(""),
    output,
    usage: at(response, "usage"),
    error: code === 200 ? undefined : String(at(response, "error.message")),
    response,
  };
}
