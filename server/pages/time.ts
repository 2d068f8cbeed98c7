// Times for people and for their programs.

const FORMAT = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "UTC",
});

/** A time as HTML, in UTC: the server does not know the zone of the browser. */
export function timeOf(at: number | string): string {
  const date = new Date(at);
  return `<time datetime="${date.toISOString()}">${FORMAT.format(date)} UTC</time>`;
}
