// A browser in words, from its `User-Agent`. Only for people who look at their own sessions: a browser may claim anything.

/** The first that matches counts: most browsers also name those that they are compatible with. */
const BROWSERS: readonly [part: string, name: string][] = [
  ["Edg", "Edge"],
  ["OPR/", "Opera"],
  ["Vivaldi/", "Vivaldi"],
  ["SamsungBrowser/", "Samsung Internet"],
  ["FxiOS/", "Firefox"],
  ["Firefox/", "Firefox"],
  ["CriOS/", "Chrome"],
  ["Chromium/", "Chromium"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
  ["curl/", "curl"],
];
const SYSTEMS: readonly [part: string, name: string][] = [
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Android", "Android"],
  ["CrOS", "ChromeOS"],
  ["Windows", "Windows"],
  ["Macintosh", "macOS"],
  ["Linux", "Linux"],
];

export function browserInWords(userAgent = ""): string {
  const nameIn = (names: typeof BROWSERS) => names.find(([part]) => userAgent.includes(part))?.[1];
  const browser = nameIn(BROWSERS) ?? "A browser";
  const system = nameIn(SYSTEMS);
  return system === undefined ? browser : `${browser} on ${system}`;
}
