// What a browser calls itself, in words: `Firefox on Linux`.

// In this order: many browsers also name others.
const BROWSERS = [
  ["Edg", "Edge"],
  ["OPR/", "Opera"],
  ["SamsungBrowser", "Samsung Internet"],
  ["Firefox/", "Firefox"],
  ["FxiOS", "Firefox"],
  ["CriOS", "Chrome"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
] as const;
const SYSTEMS = [
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Android", "Android"],
  ["Windows", "Windows"],
  ["Mac OS X", "Mac"],
  ["CrOS", "ChromeOS"],
  ["Linux", "Linux"],
] as const;

/** A name for the device that sent a request. Never a part of the header itself, which anybody can choose. */
export function deviceOf(userAgent: string | null): string {
  const text = userAgent ?? "";
  const browser = BROWSERS.find(([part]) => text.includes(part))?.[1];
  const system = SYSTEMS.find(([part]) => text.includes(part))?.[1];
  if (browser === undefined) return system ?? "My device";
  return system === undefined ? browser : `${browser} on ${system}`;
}
