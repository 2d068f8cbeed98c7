/** Prints the figure of a threat's test, as docs/threats.md lists it. */
export function printFigure(threat: string, figure: string): void {
  console.log(`threat: ${threat}: ${figure}`);
}
