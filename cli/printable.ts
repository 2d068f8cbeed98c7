// What commands print, with hidden characters made visible, so that text from servers and other people cannot control the
// terminal.
import { visible, visibleJson, visibleLines } from "../src/base/visible";

export { visible as printable, visibleJson as printableJson, visibleLines as printableLines };

/** The colours of `Paint` (ECMA-48, SGR). */
// oxlint-disable-next-line no-control-regex
const COLOURS = /(\u001b\[(?:1|2|22|31|32|39)m)/;

/** The last guard of a terminal: only line ends, tabs and our own colours pass. */
export function terminalText(text: string): string {
  return text
    .split(COLOURS)
    .map((part, index) => (index % 2 === 1 ? part : visibleLines(part)))
    .join("");
}
