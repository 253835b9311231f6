// The parts of WebDriver that the tests need for Firefox: Playwright drives only its own build of Firefox.

import { spawn } from "node:child_process";

/** Starts headless Firefox, with all requests of pages through `proxy` and `origin` treated as a secure context. */
export async function startFirefox(driver, { proxy, origin }) {
  const process = spawn(driver, ["--port", "0"], { stdio: ["ignore", "pipe", "ignore"] });
  try {
    const address = await listening(process);
    const { sessionId } = await send(address, "POST", "/session", {
      capabilities: {
        alwaysMatch: {
          proxy: { proxyType: "manual", httpProxy: new URL(proxy).host, sslProxy: new URL(proxy).host },
          timeouts: { script: 120_000, pageLoad: 60_000 },
          "moz:firefoxOptions": { args: ["-headless"], prefs: { "dom.securecontext.allowlist": new URL(origin).hostname } },
        },
      },
    });
    const session = `/session/${sessionId}`;
    return {
      open: (url) => send(address, "POST", `${session}/url`, { url }),
      reload: () => send(address, "POST", `${session}/refresh`, {}),
      /** Runs `body` on the page, and returns its resolved value or `{ failed }`. */
      async run(body, argument) {
        const script = `const [argument, done] = arguments;
          (${body})(argument).then(done, ({ name, code, message, stack }) => done({ failed: { name, code, message, stack } }));`;
        return send(address, "POST", `${session}/execute/async`, { script, args: [argument ?? null] });
      },
      async close() {
        await send(address, "DELETE", session).finally(() => process.kill());
      },
    };
  } catch (error) {
    process.kill();
    throw error;
  }
}

/** Resolves to the driver's address, which it prints when it is ready. */
function listening(process) {
  return new Promise((resolve, reject) => {
    let said = "";
    process.stdout.on("data", (part) => {
      said += part;
      const [, host] = said.match(/Listening on (\S+)/) ?? [];
      if (host) resolve(`http://${host}`);
    });
    process.on("error", reject);
    process.on("exit", (code) => reject(new Error(`geckodriver ended with ${code}:\n${said}`)));
  });
}

async function send(address, method, path, body) {
  const headers = { "content-type": "application/json" };
  const response = await fetch(address + path, { method, headers, body: body && JSON.stringify(body), signal: AbortSignal.timeout(180_000) });
  const { value } = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`);
  return value;
}
