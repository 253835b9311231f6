// A line of a certain speed between a host and a browser, imitated where the host sends: what Chromium's own throttling does to requests of
// workers depends on its version.

/** Bytes that are sent at once: responses under way share the line. */
const PIECE = 2048;
/** Round trips of a new connection before its first request: one of TCP, and one of TLS, though loopback does without. */
const HANDSHAKES = 2;

/**
 * Returns a function that sends bodies over a line on which all responses follow one another.
 * @param {{ bits: number, roundTrip: number }} line bits in a second, and milliseconds
 */
export function lineOf({ bits, roundTrip }) {
  const known = new WeakSet();
  let free = 0;
  return async (/** @type {import("node:http").ServerResponse} */ response, /** @type {Uint8Array} */ body) => {
    const { socket } = response;
    const trips = !socket || known.has(socket) ? 1 : 1 + HANDSHAKES;
    if (socket) known.add(socket);
    await sleep(trips * roundTrip);
    for (let at = 0; at < body.length; at += PIECE) {
      const piece = body.subarray(at, at + PIECE);
      free = Math.max(free, performance.now()) + (piece.length * 8000) / bits;
      await sleep(free - performance.now());
      response.write(piece);
    }
    response.end();
  };
}

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
