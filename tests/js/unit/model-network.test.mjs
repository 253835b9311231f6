// What the page says of addresses that browsers themselves keep from it: mixed content, and access to the local network.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { blockedBy, mixedContent, placeOf } from "../../../www/model/network.js";

const HTTPS = /** @type {Location} */ ({ protocol: "https:" });
const HTTP = /** @type {Location} */ ({ protocol: "http:" });

/** Replaces the browser's permissions: a state by name, and an error for all other names, as in browsers that do not know them. */
const permissions = (states) => Object.defineProperty(globalThis, "navigator", {
  configurable: true,
  value: { permissions: { query: async ({ name }) => (name in states ? { state: states[name] } : Promise.reject(new TypeError(name))) } },
});
afterEach(() => permissions({}));

test("this device, the local network and other hosts are told apart", () => {
  for (const host of ["localhost", "127.0.0.1", "[::1]", "a.localhost"]) assert.equal(placeOf(host), "device", host);
  for (const host of ["192.168.1.20", "10.0.0.3", "172.20.1.1", "nas.local", "[fd00::1]"]) assert.equal(placeOf(host), "network", host);
  for (const host of ["example.org", "172.32.1.1", "11.0.0.1", "localhost.example.org"]) assert.equal(placeOf(host), null, host);
});

test("an address by http is refused on a page by https, with what to type, but for this device", () => {
  const said = mixedContent(new URL("http://192.168.1.20:11434/v1"), HTTPS);
  assert.match(said, /192\.168\.1\.20 that starts with https, or run the server on this device and enter http:\/\/localhost:11434\/v1\.$/);
  assert.equal(mixedContent(new URL("http://localhost:11434/v1"), HTTPS), null);
  assert.equal(mixedContent(new URL("http://192.168.1.20:11434/v1"), HTTP), null);
  assert.equal(mixedContent(new URL("https://192.168.1.20/v1"), HTTPS), null);
});

test("a browser that denies the local network is named as the cause, under either name of its permission", async () => {
  for (const name of ["loopback-network", "local-network-access"]) {
    permissions({ [name]: "denied" });
    const { isDenied, text } = await blockedBy("http://localhost:11434/v1", HTTPS);
    assert.ok(isDenied, name);
    assert.match(text, /does not let this page reach programs on this device\. Click the icon to the left/);
  }
  permissions({ "local-network": "denied" });
  assert.match((await blockedBy("http://192.168.1.20/v1", HTTP)).text, /reach devices on your network/);
  assert.deepEqual(await blockedBy("https://example.org/v1", HTTPS), { isDenied: false, text: "" }, "no permission is needed elsewhere");
});

test("a browser that still has to ask is mentioned, and so is one that blocks http on this device", async () => {
  permissions({ "local-network-access": "prompt" });
  assert.match((await blockedBy("http://localhost:1234/v1", HTTPS)).text, /^If the browser asks whether this page may reach programs on this device, allow it/);
  permissions({});
  assert.match((await blockedBy("http://localhost:1234/v1", HTTPS)).text, /such as Safari/);
  assert.equal((await blockedBy("http://localhost:1234/v1", HTTP)).text, "");
});
