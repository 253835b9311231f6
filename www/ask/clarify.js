// Clarification: the question to the user, the replies that are understood directly, and a field for any other.

import { h } from "../dom.js";
import { number } from "../format.js";
import { phrased, t } from "../words.js";

/** @param answer called with the user's reply */
export function clarificationOf({ question, options, facets, tried }, answer) {
  const field = h("input", { type: "text", id: "clarify-field", autocomplete: "off", required: true, placeholder: t("Or say it in your own words") });
  const send = (event) => {
    event.preventDefault();
    if (field.value.trim()) answer(field.value.trim());
  };
  const say = (label, what, title = "") => h("button", { type: "button", title, onclick: () => answer(what) }, label);
  return h("div.clarify", {},
    h("p.clarify-question", { tabIndex: -1 }, phrased(question)),
    options.length > 0 ? h("div.choices", { role: "group", ariaLabel: t("Answers") }, ...options.map(({ label }) => say(phrased(label), label))) : null,
    ...facets.map(({ field: name, values }) =>
      h("div.choices", { role: "group", ariaLabel: t`Values of ${name}` },
        h("span.hint", {}, `${name.replaceAll("_", " ")}:`),
        ...values.map(({ value, count }) => say(`${value} (${number(count)})`, `only ${value}`)),
      ),
    ),
    givenUp(tried),
    h("form.clarify-form", { onsubmit: send }, h("label.visually-hidden", { htmlFor: "clarify-field" }, t("Another answer")), field, h("button.primary", { type: "submit" }, t("Answer"))),
  );
}

function givenUp(tried) {
  if (tried.length === 0) return null;
  const each = tried.map(({ without, found }) => t`${without === "threshold" ? t("without the similarity threshold") : t`without “${without}”`} there would be ${number(found)}`);
  return h("p.hint", {}, t`Looked further: ${each.join("; ")}.`);
}
