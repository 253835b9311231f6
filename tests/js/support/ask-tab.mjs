// What the tests of the ask and trace tabs do there.

/** @param demo what `startDemo` gave */
export function onAskTab({ page }) {
  const text = (selector) => page.textContent(selector);
  const unfold = (is = true) => page.evaluate((open) => (document.querySelector("#ask-options").open = open), is);
  return {
    text,
    /** Unfolds the options, or folds them up. */
    unfold,
    /** Chooses a style after scrolling has ended, because the page scrolls to an answer. */
    async choose(style) {
      const input = `#styles input[value="${style}"]`;
      await page.click(`#styles label:has(input[value="${style}"])`);
      await page.waitForFunction((selector) => document.querySelector(selector).checked, input);
    },
    /** Waits for the end of a run. The machine may be slow, and the library be embedded meanwhile. */
    done: () =>
      page.waitForFunction(() => !document.querySelector("#ask-button").hidden && document.querySelector("#answer-actions").children.length > 0, null, { timeout: 180_000 }),
    /** Sets a switch or a step among the options after scrolling has ended. */
    async option(selector, is) {
      await unfold();
      await page.setChecked(selector, is);
    },
    /** Sets what a run may spend; an empty text is no limit. */
    async budget(limit, value) {
      await unfold();
      await page.fill(`#budget input[name="${limit}"]`, value);
      await page.press(`#budget input[name="${limit}"]`, "Tab");
    },
  };
}

/** Whether a request asks for JSON with this property: that tells which step it comes from. */
export const asks = (body, property) => Object.hasOwn(body.response_format?.json_schema?.schema?.properties ?? {}, property);
