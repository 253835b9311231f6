// User actions on the ask and trace tabs.

/** @param demo the result of `startDemo` */
export function onAskTab({ page }) {
  const text = (selector) => page.textContent(selector);
  const unfold = (is = true) => page.evaluate((open) => (document.querySelector("#ask-options").open = open), is);
  return {
    text,
    /** Expands or collapses the options. */
    unfold,
    /** Chooses a way of working among the options. */
    async choose(style) {
      await unfold();
      const input = `#styles input[value="${style}"]`;
      await page.click(`#styles label:has(input[value="${style}"])`).catch(async (error) => {
        throw new Error(`${error.message}\nThe page: ${await page.evaluate(stateOf)}`);
      });
      await page.waitForFunction((selector) => document.querySelector(selector).checked, input);
      await unfold(false);
    },
    /** Waits for the end of a run. The timeout allows for slow machines that embed the library at the same time. */
    done: () =>
      page.waitForFunction(() => !document.querySelector("#ask-button").hidden && document.querySelector("#answer-actions").children.length > 0, null, { timeout: 180_000 }),
    /** Sets a switch or a step among the options after scrolling has ended. */
    async option(selector, is) {
      await unfold();
      await page.setChecked(selector, is);
    },
    /** Sets a limit of a run's budget; an empty string removes it. */
    async budget(limit, value) {
      await unfold();
      await page.fill(`#budget input[name="${limit}"]`, value);
      await page.press(`#budget input[name="${limit}"]`, "Tab");
    },
  };
}

/** On the page: what may hide the options. */
const stateOf = () => {
  const { open, offsetParent } = document.querySelector("#ask-options");
  const tab = document.querySelector('[role="tab"][aria-selected="true"]').textContent;
  return JSON.stringify({ open, isRendered: offsetParent !== null, tab, address: location.hash, dialogs: document.querySelectorAll("dialog[open]").length, notice: document.querySelector("#notice").textContent });
};

/** Whether a request asks for JSON with this property, which identifies the step that sent it. */
export const asks = (body, property) => Object.hasOwn(body.response_format?.json_schema?.schema?.properties ?? {}, property);
