// Starts servers of tests on free ports.

/**
 * Starts the server on a free port, and returns its address, such as `http://127.0.0.1:40000`.
 * @param {import("node:net").Server} server
 */
export async function listen(server) {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return `http://127.0.0.1:${port}`;
}
