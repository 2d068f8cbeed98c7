// Reads a stream of server-sent events (WHATWG HTML, section 9.2.6).

/**
 * The data of each event. An event that the stream ends before is dropped, as the standard says. `passed` gets the id of each
 * event that has one.
 */
export async function* eventData(
  body: AsyncIterable<Uint8Array>,
  passed: (id: string) => void = () => undefined,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  let data: string[] = [];
  let id: string | undefined;
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    // A carriage return at the end may be half of a line end.
    const held = rest.endsWith("\r") ? 1 : 0;
    const lines = rest.slice(0, rest.length - held).split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? "") + rest.slice(rest.length - held);
    for (const line of lines) {
      if (line === "") {
        if (id !== undefined) passed(id);
        if (data.length > 0) yield data.join("\n");
        data = [];
        id = undefined;
      } else if (line === "data" || line.startsWith("data:")) {
        data.push(line.slice(5).replace(/^ /, ""));
      } else if (line.startsWith("id:")) {
        id = line.slice(3).replace(/^ /, "");
      }
    }
  }
}
