// Limits of what commands read from a server: it may be another program than the user believes, and an endless or silent
// response must neither fill the memory nor hold a command for ever.

export interface BodyLimits {
  mostBytes: number;
  /** The longest time without data, ms. */
  idleMs: number;
  /** Makes the error that readers get. */
  translate?: (error: unknown) => unknown;
}

/** Thrown while a body is read. */
export class BodyTooLarge extends Error {
  readonly mostBytes: number;

  constructor(mostBytes: number) {
    super(`The response is larger than ${mostBytes} bytes.`);
    this.mostBytes = mostBytes;
  }
}

/** Thrown while a body is read. */
export class BodyTooSlow extends Error {
  readonly idleMs: number;

  constructor(idleMs: number) {
    super(`The response has not gone on for ${idleMs} ms.`);
    this.idleMs = idleMs;
  }
}

/** The response with a body that fails with `BodyTooLarge`, or with `BodyTooSlow` if no data arrives for too long. */
export function limited(response: Response, limits: BodyLimits): Response {
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  return new Response(limitedStream(response.body, limits), { status, statusText, headers });
}

function limitedStream(
  body: ReadableStream<Uint8Array>,
  { mostBytes, idleMs, translate = (error) => error }: BodyLimits,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let received = 0;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await withinTime(reader.read(), idleMs).catch((error: unknown) => {
        throw translate(error);
      });
      if (done) return controller.close();
      received += value.length;
      if (received > mostBytes) throw translate(new BodyTooLarge(mostBytes));
      controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

async function withinTime<T>(reading: Promise<T>, idleMs: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new BodyTooSlow(idleMs)), idleMs);
  try {
    return await Promise.race([reading, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
