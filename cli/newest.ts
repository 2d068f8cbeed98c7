// Lists that are read backwards from the newest entry, a hundred at a time.

export const WINDOW_FLAGS = [
  { flag: "--limit <n>", meaning: "how many (default: 25)" },
  { flag: "--before <id>", meaning: "only what is older than this entry" },
];

interface Window {
  limit: number;
  before?: string;
}

/** The newest `limit` entries; `more`: where the older ones begin, when there are such. */
export async function newest<T>(
  page: (window: Window) => Promise<{ items: T[]; next?: string }>,
  limit = 25,
  before?: string,
): Promise<{ items: T[]; more: string | undefined }> {
  const items: T[] = [];
  let from = before;
  for (;;) {
    const left = Math.min(100, limit - items.length);
    const { items: found, next } = await page({
      limit: left,
      ...(from === undefined ? {} : { before: from }),
    });
    items.push(...found);
    if (next === undefined || items.length >= limit) return { items, more: next };
    from = next;
  }
}
